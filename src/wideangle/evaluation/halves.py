"""Whether the two halves of a document's words are represented alike: how good a representation is, without labels.

The halves of a document are about the same things but share few words. A representation of what a document is about
gives both halves the same neighbours; one of its words, or of chance, does not.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import checked, whole
from wideangle._arrays import counts_of
from wideangle.evaluation._inputs import checked_k, checked_memory, checked_rows
from wideangle.evaluation._neighbors import TIED, centring, nearest
from wideangle.evaluation.retrieval import MEMORY

BYTES_OF_A_NEIGHBOUR = 48  # of both halves, where all rows of the database tie


@checked(seed=whole(least=0))
def split_words(counts: Any, seed: int) -> tuple[Any, Any]:
    """Two halves of each document's tokens. A coin decides for each token, and for the fraction of a count as a whole.

    Examples
    --------
    >>> from wideangle.evaluation import split_words
    >>> first, second = split_words([[2, 0, 40]], seed=0)
    >>> (first + second).toarray().tolist()
    [[2.0, 0.0, 40.0]]
    """
    generator = np.random.default_rng(seed)
    counts = counts_of(counts, "counts").copy()
    counts.sum_duplicates()
    counts.eliminate_zeros()  # A coin is thrown for what is there, however the counts are stored.
    whole = np.floor(counts.data)
    first, second = counts.copy(), counts.copy()
    rest = (counts.data - whole) * generator.integers(0, 2, len(whole))
    first.data = generator.binomial(whole.astype(np.int64), 0.5) + rest
    second.data = counts.data - first.data
    return first, second


def part_words(rows: Any, coin: np.random.Generator) -> tuple[Any, Any]:
    """Two halves of each document's words, counted or weighed. All tokens of a word go to the same half.

    The halves have no word in common, which asks more of a representation than `split_words` does.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.evaluation.halves import part_words
    >>> first, second = part_words([[2, 0, 0.5, 1]], np.random.default_rng(0))
    >>> (first + second).toarray().tolist(), first.multiply(second).nnz
    ([[2.0, 0.0, 0.5, 1.0]], 0)
    """
    rows = sp.csr_array(checked_rows(rows, "rows"))
    heads = coin.random(rows.nnz) < 0.5
    first, second = rows.copy(), rows.copy()
    first.data[~heads] = 0
    second.data[heads] = 0
    for half in (first, second):
        half.eliminate_zeros()
    return first, second


def half_agreement(first: Any, second: Any, database: Any, k: int = 100, *, memory: int = MEMORY) -> float:
    """The share of a document's k nearest rows that both of its halves find, as a mean over documents.

    It ranks settings of a model as precision at k does: a large k as that of broad classes, k = 10 as that of fine
    ones.

    Rows that tie at the k-th place share the places that are left. The share is its expectation when each half breaks
    its ties at random. A representation that makes all n rows equal therefore has k / n, which is chance.

    Parameters
    ----------
    first, second : array or sparse matrix of shape (n_documents, D)
        The representations of the halves of each document; see `split_words`.
    database : array or sparse matrix of shape (n, D)
        The representations of other documents, which are searched by Euclidean distance.
    k : int, default=100
        The number of neighbours, at most n.
    memory : int, default=2**26
        Bytes that a block of distances may take.

    Examples
    --------
    >>> from wideangle.evaluation import half_agreement
    >>> half_agreement([[0.0], [9.0]], [[0.3], [5.1]], [[0.1], [0.2], [5.0], [8.0], [9.5]], k=2)
    0.75
    """
    return float(agreement_per_document(first, second, database, k, memory=memory).mean())


def agreement_per_document(
    first: Any, second: Any, database: Any, k: int = 100, *, memory: int = MEMORY
) -> NDArray[np.float64]:
    """`half_agreement` of each document."""
    first, second = _checked_halves(first, second)
    database = checked_rows(database, "database")
    _check_columns(first, database, ("first", "database"))
    k = checked_k(k, database.shape[0])
    memory = checked_memory(memory)
    shared = np.empty(first.shape[0])
    height = max(1, 4 * memory // (BYTES_OF_A_NEIGHBOUR * database.shape[0]))
    for start in range(0, len(shared), height):
        block = slice(start, start + height)
        here, there = (_weights(half[block], database, k, memory) for half in (first, second))
        # Weights of ties are the chances that a half takes a row, so that products are chances that both do.
        shared[block] = np.asarray(here.multiply(there).sum(axis=1)).ravel() / k
    return np.minimum(np.round(shared, 12), 1.0)  # sums of shared places round


def half_retrieval(first: Any, second: Any, *, memory: int = MEMORY) -> float:
    """The mean over documents of 1 / rank, where the first half of each ranks the second halves of all documents.

    The rank is that of the document's own second half by Euclidean distance. Second halves that tie with it count as
    half a place each, so that a representation that makes all n rows equal has 2 / (n + 1).

    Parameters
    ----------
    first, second : array or sparse matrix of shape (n_documents, D)
        The representations of the halves of each document; see `split_words`.
    memory : int, default=2**26
        Bytes that a block of distances may take.

    Examples
    --------
    >>> from wideangle.evaluation import half_retrieval
    >>> half_retrieval([[0.0], [5.0], [9.0]], [[0.4], [8.5], [8.0]])
    0.6666666666666666
    """
    return float(reciprocal_ranks(first, second, memory=memory).mean())


def reciprocal_ranks(first: Any, second: Any, *, memory: int = MEMORY) -> NDArray[np.float64]:
    """1 / rank of each document's second half; see `half_retrieval`."""
    first, second = (np.asarray(_dense(half), dtype=np.float64) for half in _checked_halves(first, second))
    memory = checked_memory(memory)
    prepare = centring(second)
    asked, stored = prepare(first), prepare(second)
    offset = np.einsum("ij,ij->i", stored, stored)
    lengths = np.einsum("ij,ij->i", asked, asked)
    ranks = np.empty(len(first))
    height = max(1, memory // (8 * 3 * len(second)))
    for start in range(0, len(ranks), height):
        rows = np.arange(start, min(start + height, len(ranks)))
        apart = offset - 2 * asked[rows] @ stored.T  # ‖x − y‖² − ‖x‖²
        own = apart[np.arange(len(rows)), rows][:, None]
        tolerance = TIED * (2 * lengths[rows][:, None] + np.abs(own))
        closer = (apart < own - tolerance).sum(axis=1)
        tied = (apart <= own + tolerance).sum(axis=1) - closer  # Its own second half is one of them.
        ranks[rows] = closer + (tied + 1) / 2
    return 1 / ranks


def _weights(queries: Any, database: Any, k: int, memory: int) -> Any:
    """The weight of each row of the database among the k nearest of each query; sparse, queries × n."""
    found = list(nearest(queries, database, k, "euclidean", memory))
    asking = np.concatenate([part.queries[part.owner] for part in found])
    rows = np.concatenate([part.rows for part in found])
    weights = np.concatenate([part.weights for part in found])
    return sp.csr_array((weights, (asking, rows)), shape=(queries.shape[0], database.shape[0]))


def _checked_halves(first: Any, second: Any) -> tuple[Any, Any]:
    first, second = checked_rows(first, "first"), checked_rows(second, "second")
    if first.shape[0] != second.shape[0]:
        raise ValueError(
            f"first and second must be halves of the same documents; got {first.shape[0]} and {second.shape[0]} rows."
        )
    _check_columns(first, second, ("first", "second"))
    return first, second


def _check_columns(one: Any, other: Any, names: tuple[str, str]) -> None:
    if one.shape[1] != other.shape[1]:
        raise ValueError(
            f"{names[0]} and {names[1]} must have as many columns; got {one.shape[1]} and {other.shape[1]}."
        )


def _dense(rows: Any) -> Any:
    return rows.toarray() if sp.issparse(rows) else rows
