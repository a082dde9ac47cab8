"""The k nearest rows, exact, in blocks, with ties shared rather than broken.

Both metrics order the rows y of the database by s = b(y) − 2 x·y: b = ‖y‖² for the Euclidean distance, where
s = ‖x − y‖² − ‖x‖²; b = 0 and rows of unit length for the cosine. A first pass finds the k + 1 smallest s in
float32. Where the gap after the k-th exceeds what rounding can do, the set of neighbours is certain; the few other
queries are looked at again in float64, where rows closer together than `TIED` count as tied.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from wideangle._rows import RowMatrix
from wideangle.evaluation._preparing import Floats, Metric, as_float64, centring, offset_of, unit, unit_sparse
from wideangle.evaluation._second_look import BLOCK_COLUMNS, TIED, Neighbors, second_look, sparse_look

__all__ = ["TIED", "Metric", "Neighbors", "centring", "nearest"]

BYTES_OF_A_PLACE = 32  # of a query: distances and rows of its neighbours so far, and of those of the next rows


def nearest(queries: Any, database: Any, k: int, metric: Metric, memory: int) -> Iterator[Neighbors]:
    """The neighbours of all queries, a part of the queries at a time and in no particular order.

    A database of many rows may be made bit by bit (`MadeRows`). It is gone through once for so many queries as the
    memory holds neighbours of, and twice more for those that float32 cannot decide.
    """
    if sparse.issparse(queries) or sparse.issparse(database):
        # Centring would fill a sparse matrix, and float64 needs no second look.
        queries, database = sparse.csr_array(queries), sparse.csr_array(database)
        yield from sparse_look(queries, database, k, metric, unit_sparse if metric == "cosine" else as_float64, memory)
        return
    prepare = unit if metric == "cosine" else centring(database)
    together = max(1, memory // (BYTES_OF_A_PLACE * (k + 1) + 16 * (database.shape[1] + 1)))
    for start in range(0, len(queries), together):
        block = np.arange(start, min(start + together, len(queries)))
        x = prepare(queries[block])
        found = _first_pass(x, database, k, metric, prepare, memory)
        yield Neighbors.of_table(block[found.certain], found.rows[found.certain])
        doubt = ~found.certain
        yield from second_look(block[doubt], x[doubt], found.most[doubt], database, k, metric, prepare, memory)


class FirstPass(NamedTuple):
    """What float32 says of some queries."""

    rows: NDArray[np.intp]  # queries × k, the nearest
    certain: NDArray[np.bool_]  # whether these are the nearest
    most: NDArray[np.float64]  # No row beyond this s is among the nearest, nor tied with one of them.


def _first_pass(
    x: Floats, database: RowMatrix, k: int, metric: Metric, prepare: Callable[[Any], Any], memory: int
) -> FirstPass:
    """The k nearest rows of each query by float32, and whether those are certain."""
    n, D = database.shape
    # One product gives s: (−2x, 1)·(y, b).
    X = torch.from_numpy(np.column_stack([-2 * x, np.ones(len(x))])).float()
    values, rows = _smallest(X, database, min(k + 1, n), metric, prepare, memory)
    if k == n:
        return FirstPass(rows, np.ones(len(x), np.bool_), np.full(len(x), np.inf))
    kth = values[:, k - 1].astype(np.float64)
    scale = 2 * np.einsum("ij,ij->i", x, x) + np.abs(kth)
    # Rounding of a sum of D products grows like √D times the unit roundoff (Higham and Mary 2019).
    error = (4 * np.sqrt(D) + 4) * (np.finfo(np.float32).eps / 2) * scale + np.finfo(np.float32).tiny
    with np.errstate(invalid="ignore"):  # s of a query beyond float32's range is infinite or NaN
        gap = values[:, k] - values[:, k - 1]
        most = kth + 4 * error
    return FirstPass(rows[:, :k], np.isfinite(gap) & (gap > 2 * error), np.where(np.isfinite(most), most, np.inf))


def _smallest(
    X: Tensor, database: RowMatrix, count: int, metric: Metric, prepare: Callable[[Any], Any], memory: int
) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The `count` smallest s of each query in rising order, and their rows, never holding all distances."""
    n = len(database)
    width = min(n, max(count, BLOCK_COLUMNS))
    height = max(1, memory // (4 * width))
    buffer = torch.empty(min(height, len(X)) * width, dtype=torch.float32)
    best, where = torch.empty(len(X), count), torch.empty(len(X), count, dtype=torch.int64)
    for start in range(0, n, width):
        y = prepare(database[start : start + width])
        Y = torch.from_numpy(np.column_stack([y, offset_of(y, metric)])).float()
        for top in range(0, len(X), height):
            part = slice(top, top + height)
            values, columns = _smallest_of_block(X[part], Y, count, buffer)
            columns += start
            if start:
                values, columns = torch.cat([best[part], values], 1), torch.cat([where[part], columns], 1)
                values, order = values.topk(count, dim=1, largest=False)
                columns = columns.gather(1, order)
            best[part], where[part] = values, columns
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
