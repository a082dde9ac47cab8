"""The nearest rows, and how well near means alike: precision at k, average precision of pairs, k-nearest neighbours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from wideangle._arguments import one_of
from wideangle.evaluation._faiss import FaissIndex
from wideangle.evaluation._inputs import (
    checked_k,
    checked_labels,
    checked_memory,
    checked_rows,
    checked_vector,
    shared_codes,
)
from wideangle.evaluation._neighbors import Metric, Neighbors, nearest

Method = Literal["exact", "faiss", "faiss-hnsw"]

MEMORY = 2**26  # bytes of a block of distances


@dataclass(frozen=True, eq=False)
class NearestRows:
    """The nearest rows of each query, nearest first."""

    rows: NDArray[np.intp]
    """queries × k; −1 where an approximate search found fewer than k rows"""
    distances: NDArray[np.float64]
    """Euclidean, or 1 − cosine; infinite where there is no row"""


def nearest_rows(
    queries: Any,
    database: Any,
    k: int = 10,
    *,
    metric: Metric = "euclidean",
    method: Method = "exact",
    memory: int = MEMORY,
) -> NearestRows:
    """The k rows of the database that are nearest to each query, of equally near ones the earlier.

    Parameters
    ----------
    queries, database, metric, method, memory
        These are as in `precision_at_k`. With the cosine, a row of zeros is at distance 1 from every other.
    k : int, default=10
        The number of neighbours, at most the number of rows of the database.

    Examples
    --------
    >>> from wideangle.evaluation import nearest_rows
    >>> found = nearest_rows([[0.0, 1.0]], [[3.0, 5.0], [0.0, 2.0], [0.0, 0.5]], k=2)
    >>> found.rows.tolist(), found.distances.tolist()
    ([[2, 1]], [[0.5, 1.0]])
    """
    queries, database = _checked_pair(queries, database)
    k = checked_k(k, database.shape[0])
    return _nearest_first(queries, database, k, metric, memory, _search(queries, database, k, metric, method, memory))


class RowIndex:
    """A database that is searched again and again: what `nearest_rows` finds by faiss, with an index made once.

    Parameters
    ----------
    database, metric
        These are as in `precision_at_k`. The database must stay as it is.
    method : {"faiss", "faiss-hnsw"}
        The exact search has no index.
    """

    def __init__(self, database: Any, *, metric: Metric = "euclidean", method: Method = "faiss") -> None:
        if method not in ("faiss", "faiss-hnsw"):
            raise ValueError(f"an index is made by 'faiss' or 'faiss-hnsw'; got method={method!r}.")
        self.database, self.metric = checked_rows(database, "database"), metric
        self._index = FaissIndex(self.database, metric, method == "faiss-hnsw")

    def nearest(self, queries: Any, k: int = 10) -> NearestRows:
        """The k nearest rows of each query, as `nearest_rows` gives them."""
        asking = checked_rows(queries, "queries")
        _check_columns(asking, self.database, ("queries", "database"))
        k = checked_k(k, self.database.shape[0])
        return _nearest_first(asking, self.database, k, self.metric, MEMORY, self._index.nearest(asking, k))


def _nearest_first(
    queries: Any, database: Any, k: int, metric: Metric, memory: int, neighbors: Iterator[Neighbors]
) -> NearestRows:
    """Neighbours in the order of their distances, which are computed in float64."""
    rows = np.full((queries.shape[0], k), -1, np.intp)
    distances = np.full(rows.shape, np.inf)
    for found in neighbors:
        far = _distances(queries, database, found, metric, memory)
        order = np.lexsort((found.rows, far, found.owner))
        owner = found.owner[order]
        place = np.arange(len(owner)) - np.searchsorted(owner, owner)
        among = place < k  # rows tied with the k-th come too
        where = found.queries[owner[among]], place[among]
        rows[where], distances[where] = found.rows[order][among], far[order][among]
    return NearestRows(rows, distances)


def precision_at_k(
    queries: Any,
    query_labels: ArrayLike,
    database: Any,
    database_labels: ArrayLike,
    k: int = 100,
    *,
    metric: Metric = "euclidean",
    method: Method = "exact",
    memory: int = MEMORY,
) -> float:
    """P@k = mean over queries of (rows of the query's class among its k nearest) / k.

    The paper's protocol: test documents query the training documents, k = 100, Euclidean distance.

    Rows that tie at the k-th place share the places that are left, so that the precision is its expectation when
    ties are broken at random, and the order of the database does not matter. Rows tie when their squared distances
    differ by less than about 1e-12 of the squared lengths measured from the database's median (their cosines by less
    than about 1e-12): equal representations always tie.

    Parameters
    ----------
    queries : array or sparse matrix of shape (n_queries, D)
        The representations of the queries.
    query_labels : array of shape (n_queries,)
        Their classes, numbers or text.
    database : array or sparse matrix of shape (n, D)
        The representations that are searched.
    database_labels : array of shape (n,)
        Their classes.
    k : int, default=100
        The number of neighbours, at most n.
    metric : {"euclidean", "cosine"}, default="euclidean"
        With the cosine, a row of zeros has similarity 0 to every other.
    method : {"exact", "faiss", "faiss-hnsw"}, default="exact"
        The exact search in blocks; faiss's flat index, in float32 and with ties broken by position; or its
        approximate graph search for very large databases. The latter two need `pip install 'wideangle[faiss]'`.
    memory : int, default=2**26
        Bytes that a block of distances of the exact search may take.

    Returns
    -------
    float
        Between 0 and 1. `precision_ceiling` says what a perfect ranking reaches.

    Examples
    --------
    >>> from wideangle.evaluation import precision_at_k
    >>> precision_at_k([[0.0], [9.0]], ["a", "b"], [[0.1], [0.2], [8.0], [5.0]], ["a", "b", "b", "b"], k=2)
    0.75
    """
    each = precision_per_query(
        queries, query_labels, database, database_labels, k, metric=metric, method=method, memory=memory
    )
    return float(each.mean())


def precision_per_query(
    queries: Any,
    query_labels: ArrayLike,
    database: Any,
    database_labels: ArrayLike,
    k: int = 100,
    *,
    metric: Metric = "euclidean",
    method: Method = "exact",
    memory: int = MEMORY,
) -> NDArray[np.float64]:
    """(rows of the query's class among its k nearest) / k, for each query.

    The parameters are those of `precision_at_k`.

    Examples
    --------
    >>> from wideangle.evaluation import precision_per_query
    >>> precision_per_query([[0.0], [9.0]], [0, 1], [[0.1], [0.2], [8.0], [5.0]], [0, 1, 1, 1], k=2)
    array([0.5, 1. ])
    """
    queries, database = _checked_pair(queries, database)
    asked = checked_labels(query_labels, "query_labels", queries.shape[0])
    stored = checked_labels(database_labels, "database_labels", database.shape[0])
    _, asked_codes, stored_codes = shared_codes(asked, stored)
    precision = np.zeros(len(asked))
    for found in _search(queries, database, checked_k(k, len(stored)), metric, method, memory):
        alike = stored_codes[found.rows] == asked_codes[found.queries][found.owner]
        hits = np.bincount(found.owner[alike], found.weights[alike], minlength=len(found.queries))
        precision[found.queries] = np.round(hits, 12) / k  # sums of shared places round
    return precision


def precision_ceiling(query_labels: ArrayLike, database_labels: ArrayLike, k: int = 100) -> NDArray[np.float64]:
    """min(n_c, k) / k for each query, n_c the size of its class in the database: what a perfect ranking reaches.

    Examples
    --------
    >>> from wideangle.evaluation import precision_ceiling
    >>> precision_ceiling(["a", "b", "c"], ["a", "a", "a", "b"], k=2)
    array([1. , 0.5, 0. ])
    """
    asked = checked_labels(query_labels, "query_labels")
    classes, asked_codes, stored_codes = shared_codes(asked, checked_labels(database_labels, "database_labels"))
    sizes = np.bincount(stored_codes, minlength=len(classes))
    return np.minimum(sizes[asked_codes], checked_k(k)) / k


def pair_average_precision(distances: ArrayLike, similar: ArrayLike) -> float:
    """AP = Σ_n (R_n − R_{n−1}) P_n over pairs ranked by rising distance: similar pairs should be near.

    The paper's text calls pairs of large distance similar, which is reversed. Pairs of equal distance are one step
    of the ranking, as in scikit-learn's `average_precision_score`.

    Parameters
    ----------
    distances : array of shape (n_pairs,)
        Infinite distances are allowed and come last.
    similar : array of shape (n_pairs,)
        1 or True for a similar pair, 0 or False for a dissimilar one; both kinds must occur.

    Examples
    --------
    >>> from wideangle.evaluation import pair_average_precision
    >>> round(pair_average_precision([0.1, 0.3, 0.2, 0.9], [True, True, False, False]), 4)
    0.8333
    """
    from sklearn.metrics import average_precision_score

    far = checked_vector(distances, "distances")
    truth = checked_vector(similar, "similar", len(far))
    if not np.isin(truth, (0, 1)).all():
        raise ValueError(f"similar must be 0 or 1 for each pair; got {np.setdiff1d(truth, (0, 1))[:3]}.")
    if truth.min() == truth.max():
        raise ValueError(f"average precision needs similar and dissimilar pairs; all {len(truth)} are of one kind.")
    # Ranks instead of distances, because scikit-learn refuses infinities.
    return float(average_precision_score(truth, -np.unique(far, return_inverse=True)[1]))


def knn_accuracy(
    train: Any,
    train_labels: ArrayLike,
    test: Any,
    test_labels: ArrayLike,
    k: int = 3,
    *,
    metric: Metric = "euclidean",
    memory: int = MEMORY,
) -> float:
    """The share of test rows whose class is that of most of their k nearest training rows; `knn_correct` says which.

    A tie of votes is decided by the k − 1 nearest, and so on down to the nearest. Rows at equal distance share the
    last places, and with them the vote, as in `precision_at_k`; where equally near rows leave a tie even for the
    nearest, the class that sorts first wins. The order of the training rows does not matter.

    Parameters
    ----------
    train, test : array or sparse matrix of shape (n, D)
    train_labels, test_labels : array of shape (n,)
    k : int, default=3
    metric, memory
        As in `precision_at_k`.

    Examples
    --------
    >>> from wideangle.evaluation import knn_accuracy
    >>> knn_accuracy([[0.0], [1.0], [2.0], [9.0]], [0, 0, 1, 1], [[0.4], [8.0]], [0, 1])
    1.0
    """
    return float(knn_correct(train, train_labels, test, test_labels, k, metric=metric, memory=memory).mean())


def knn_correct(
    train: Any,
    train_labels: ArrayLike,
    test: Any,
    test_labels: ArrayLike,
    k: int = 3,
    *,
    metric: Metric = "euclidean",
    memory: int = MEMORY,
) -> NDArray[np.bool_]:
    """For each test row, whether its class is that of most of its k nearest training rows.

    The parameters are those of `knn_accuracy`.

    Examples
    --------
    >>> from wideangle.evaluation import knn_correct
    >>> knn_correct([[0.0], [1.0], [2.0], [9.0]], [0, 0, 1, 1], [[0.4], [8.0]], [0, 0])
    array([ True, False])
    """
    test, train = _checked_pair(test, train, ("test", "train"))
    asked = checked_labels(test_labels, "test_labels", test.shape[0])
    stored = checked_labels(train_labels, "train_labels", train.shape[0])
    classes, truth, codes = shared_codes(asked, stored)
    predicted = np.empty(len(truth), np.intp)
    undecided = np.arange(len(truth))
    for places in range(checked_k(k, len(stored)), 0, -1):
        tied = []
        for found in _search(test[undecided], train, places, metric, "exact", memory):
            cells = found.owner * len(classes) + codes[found.rows]
            votes = np.bincount(cells, found.weights, minlength=len(found.queries) * len(classes))
            leads = votes.reshape(len(found.queries), len(classes))
            leading = leads >= leads.max(1, keepdims=True) - 1e-9  # shared votes are fractions, and round
            which = undecided[found.queries]
            predicted[which] = leading.argmax(1)
            tied.append(which[leading.sum(1) > 1])
        undecided = np.concatenate(tied)
        if not len(undecided):
            break
    return predicted == truth


def _search(queries: Any, database: Any, k: int, metric: Metric, method: Method, memory: int) -> Iterator[Neighbors]:
    one_of("euclidean", "cosine")(metric, "metric")
    one_of("exact", "faiss", "faiss-hnsw")(method, "method")
    memory = checked_memory(memory)
    if method == "exact":
        return nearest(queries, database, k, metric, memory)
    return FaissIndex(database, metric, method == "faiss-hnsw").nearest(queries, k)


def _distances(queries: Any, database: Any, found: Neighbors, metric: Metric, memory: int) -> NDArray[np.float64]:
    """Of each neighbour from its query, in float64."""
    far = np.empty(len(found.rows))
    height = max(1, memory // (16 * database.shape[1]))
    for start in range(0, len(far), height):
        part = slice(start, start + height)
        x = queries[found.queries[found.owner[part]]].astype(np.float64)
        y = database[found.rows[part]].astype(np.float64)
        if metric == "euclidean":
            far[part] = _lengths(x - y)
            continue
        lengths = _lengths(x) * _lengths(y)
        product = np.asarray((x * y).sum(1)).ravel()
        far[part] = 1 - np.divide(product, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.maximum(far, 0.0)  # 1 − cosine of equal rows may round below 0


def _lengths(rows: Any) -> NDArray[np.float64]:
    if sparse.issparse(rows):
        return np.sqrt(np.asarray(rows.multiply(rows).sum(1)).ravel())
    return np.linalg.norm(rows, axis=1)


def _checked_pair(queries: Any, database: Any, names: tuple[str, str] = ("queries", "database")) -> tuple[Any, Any]:
    asking, stored = checked_rows(queries, names[0]), checked_rows(database, names[1])
    _check_columns(asking, stored, names)
    return asking, stored


def _check_columns(asking: Any, stored: Any, names: tuple[str, str]) -> None:
    if asking.shape[1] != stored.shape[1]:
        raise ValueError(
            f"{names[0]} and {names[1]} must have as many columns; got {asking.shape[1]} and {stored.shape[1]}."
        )
