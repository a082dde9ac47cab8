"""The k nearest rows, exact, in blocks, with ties shared rather than broken.

Both metrics order the rows y of the database by s = b(y) − 2 x·y: b = ‖y‖² for the Euclidean distance, where
s = ‖x − y‖² − ‖x‖²; b = 0 and rows of unit length for the cosine. A first pass finds the k + 1 smallest s in
float32. Where the gap after the k-th exceeds what rounding can do, the set of neighbours is certain; the few other
queries are looked at again in float64, where rows closer together than `TIED` count as tied.
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

Metric = Literal["euclidean", "cosine"]
Floats = NDArray[np.floating[Any]]

TIED = 1e-12  # relative to 2‖x‖² + |s|: far above float64's rounding, far below what float32 rows can express
BLOCK_COLUMNS = 2**14  # rows of the database at a time: enough for a fast product, few enough to leave room for queries
BYTES_OF_A_LOOK = 48  # per distance of the second look: distances, their partition, indices and weights of all ties


class Neighbors(NamedTuple):
    """The neighbours of some queries. The weights of one query sum to k; ties at its k-th place share the rest."""

    queries: NDArray[np.intp]  # which queries, each with all its neighbours
    owner: NDArray[np.intp]  # for each neighbour, its query as a position in `queries`
    rows: NDArray[np.intp]  # for each neighbour, its row of the database
    weights: NDArray[np.float64]

    @classmethod
    def of_table(cls, queries: NDArray[np.intp], rows: NDArray[np.intp]) -> "Neighbors":
        """From a table with the neighbours of one query in each line."""
        owner = np.repeat(np.arange(len(queries)), rows.shape[1])
        return cls(queries, owner, rows.ravel(), np.ones(rows.size))


def nearest(queries: Any, database: Any, k: int, metric: Metric, memory: int) -> Iterator[Neighbors]:
    """The neighbours of all queries, a part of the queries at a time and in no particular order."""
    everyone = np.arange(queries.shape[0])
    if sparse.issparse(queries) or sparse.issparse(database):
        # Centring would fill a sparse matrix, and float64 needs no second look.
        queries, database = sparse.csr_array(queries), sparse.csr_array(database)
        prepare: Callable[[Any], Any] = _unit_sparse if metric == "cosine" else _as_float64
        yield from _second_look(everyone, queries, database, k, metric, prepare, memory)
        return
    prepare = _unit if metric == "cosine" else centring(database)
    doubtful = []
    for block, rows, certain in _first_pass(queries, database, k, metric, prepare, memory):
        yield Neighbors.of_table(block[certain], rows[certain])
        doubtful.append(block[~certain])
    yield from _second_look(np.concatenate(doubtful), queries, database, k, metric, prepare, memory)


def _first_pass(
    queries: Floats, database: Floats, k: int, metric: Metric, prepare: Callable[[Any], Any], memory: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]]:
    """Blocks of queries, the k nearest of each by float32, and whether those are certain."""
    n, D = database.shape
    # One product gives s: (−2x, 1)·(y, b).
    Y = torch.empty(n, D + 1, dtype=torch.float32)
    for start in range(0, n, BLOCK_COLUMNS):
        y = prepare(database[start : start + BLOCK_COLUMNS])
        Y[start : start + BLOCK_COLUMNS] = torch.from_numpy(np.column_stack([y, _offset(y, metric)]))
    width = min(n, max(k + 1, BLOCK_COLUMNS))
    height = max(1, memory // (4 * width))
    buffer = torch.empty(min(height, len(queries)) * width, dtype=torch.float32)
    unit = np.finfo(np.float32).eps / 2
    for start in range(0, len(queries), height):
        block = np.arange(start, min(start + height, len(queries)))
        x = prepare(queries[block])
        X = torch.from_numpy(np.column_stack([-2 * x, np.ones(len(x))])).float()
        values, rows = _smallest(X, Y, min(k + 1, n), width, buffer)
        if k == n:
            yield block, rows, np.ones(len(block), np.bool_)
            continue
        scale = 2 * np.einsum("ij,ij->i", x, x) + np.abs(values[:, k - 1])
        # Rounding of a sum of D products grows like √D times the unit roundoff (Higham and Mary 2019).
        error = (4 * np.sqrt(D) + 4) * unit * scale + np.finfo(np.float32).tiny
        with np.errstate(invalid="ignore"):  # s of a query beyond float32's range is infinite or NaN
            gap = values[:, k] - values[:, k - 1]
        yield block, rows[:, :k], np.isfinite(gap) & (gap > 2 * error)


def _smallest(
    X: Tensor, Y: Tensor, count: int, width: int, buffer: Tensor
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The `count` smallest entries of each row of X Yᵀ in rising order, and their columns, never holding it whole."""
    best, where = _smallest_of_block(X, Y[:width], count, buffer)
    for start in range(width, len(Y), width):
        values, columns = _smallest_of_block(X, Y[start : start + width], count, buffer)
        best, where = torch.cat([best, values], 1), torch.cat([where, columns + start], 1)
        best, order = best.topk(count, dim=1, largest=False)
        where = where.gather(1, order)
    return best.numpy(), where.numpy()


def _smallest_of_block(X: Tensor, Y: Tensor, count: int, buffer: Tensor) -> tuple[Tensor, Tensor]:
    product = buffer[: len(X) * len(Y)].view(len(X), len(Y))
    if _products_are_float32():
        torch.mm(X, Y.T, out=product)
    else:  # right but slower: idle threads of NumPy's product keep the cores busy that torch's selection needs
        with np.errstate(over="ignore", invalid="ignore"):
            np.matmul(X.numpy(), Y.numpy().T, out=product.numpy())
    values, columns = product.topk(min(count, len(Y)), dim=1, largest=False)
    return values, columns


def _products_are_float32() -> bool:
    """Whether nobody has let torch round the factors of float32 products to tf32 or bfloat16."""
    try:
        return torch.get_float32_matmul_precision() == "highest"
    except RuntimeError:  # set by the newer switches of each backend, which this one cannot sum up
        return False


def _second_look(
    which: NDArray[np.intp],
    queries: Any,
    database: Any,
    k: int,
    metric: Metric,
    prepare: Callable[[Any], Any],
    memory: int,
) -> Iterator[Neighbors]:
    """The neighbours of some queries by float64, rows tied with the k-th sharing the places that are left."""
    n = database.shape[0]
    height = max(1, memory // (BYTES_OF_A_LOOK * n))
    for start in range(0, len(which), height):
        block = which[start : start + height]
        x = prepare(queries[block])
        s = np.empty((len(block), n))
        for left in range(0, n, BLOCK_COLUMNS):
            y = prepare(database[left : left + BLOCK_COLUMNS])
            # A sparse matrix times a dense one is the fast order of the two.
            product = (y @ (-2 * x).toarray().T).T if sparse.issparse(y) else (-2 * x) @ y.T
            np.add(product, _offset(y, metric), out=s[:, left : left + BLOCK_COLUMNS])
        kth = np.partition(s, k - 1, axis=1)[:, k - 1 : k]
        tolerance = TIED * (2 * _square_lengths(x)[:, None] + np.abs(kth))
        within = s <= kth + tolerance
        closer = s < kth - tolerance
        places = k - closer.sum(1)
        share = places / (within.sum(1) - closer.sum(1))
        owner, rows = np.nonzero(within)
        yield Neighbors(block, owner, rows, np.where(closer[within], 1.0, share[owner]))


def centring(database: Floats) -> Callable[[Any], Any]:
    """x ↦ (x − c)/r, c the columns' medians: distances keep their order, and ‖x‖² − 2x·y + ‖y‖² loses few digits.

    The mean is not used, because a single far row would draw it away from all others.
    """
    middle = len(database) // 2
    centre = np.partition(database.T, middle, axis=1)[:, middle].astype(np.float64)
    with np.errstate(over="ignore"):
        spread = float(max((database.max(0) - centre).max(), (centre - database.min(0)).max()))
    if not np.isfinite(spread):
        raise ValueError("the database's values are too far apart for float64. Rescale them.")
    return lambda rows: (rows - centre) / (spread or 1.0)


def _unit(rows: Floats) -> Floats:
    """Rows of unit length in float64; zero rows stay zero, so that their cosine with all others is 0."""
    largest = np.abs(rows).max(1, keepdims=True).astype(np.float64)
    scaled = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(lengths > 0, lengths, 1.0)


def _unit_sparse(rows: Any) -> Any:
    """The same for sparse rows."""
    lengths = np.sqrt(_square_lengths(_as_float64(rows)))
    return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ _as_float64(rows)


def _as_float64(rows: Any) -> Any:
    return rows.astype(np.float64)


def _square_lengths(rows: Any) -> NDArray[np.float64]:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(1)).ravel()
    return np.einsum("ij,ij->i", rows, rows)


def _offset(y: Any, metric: Metric) -> NDArray[np.float64]:
    """b(y)"""
    return _square_lengths(y) if metric == "euclidean" else np.zeros(y.shape[0])
