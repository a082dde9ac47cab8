"""The neighbours that float32 cannot tell apart, looked at again in float64, where ties share places."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import RowMatrix
from wideangle.evaluation._preparing import Floats, Metric, offset_of, square_lengths

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


def second_look(
    which: NDArray[np.intp],
    x: Floats,
    most: NDArray[np.float64],
    database: RowMatrix,
    k: int,
    metric: Metric,
    prepare: Callable[[Any], Any],
    memory: int,
) -> Iterator[Neighbors]:
    """The neighbours of the queries `which`, whose rows are x, by float64.

    No neighbour of a query has s above `most`. A first pass over the database counts the rows below it, so that the
    second one can keep those of as many queries as the memory holds.
    """
    if not len(which):
        return
    counts = np.zeros(len(which), dtype=np.int64)
    for at, _, s in _scores(x, database, metric, prepare, memory):
        counts[at] += (s <= most[at, None]).sum(axis=1)
    most = np.where(counts < k, np.inf, most)  # Rounding was worse than expected.
    counts = np.where(counts < k, len(database), counts)
    group = (np.cumsum(counts) * BYTES_OF_A_LOOK - 1) // memory
    for number in np.unique(group):
        mine = np.flatnonzero(group == number)
        kept = []
        for at, first, s in _scores(x[mine], database, metric, prepare, memory):
            owner, rows = np.nonzero(s <= most[mine[at], None])
            kept.append((owner + at.start, rows + first, s[owner, rows]))
        owner, rows, s = (np.concatenate(each) for each in zip(*kept, strict=True))
        yield _shared(which[mine], x[mine], owner, rows, s, k)


def _scores(
    x: Floats, database: RowMatrix, metric: Metric, prepare: Callable[[Any], Any], memory: int
) -> Iterator[tuple[slice, int, NDArray[np.float64]]]:
    """s of some queries and some rows of the database: which queries, the first of the rows, and queries × rows."""
    height = max(1, memory // (16 * min(BLOCK_COLUMNS, len(database))))
    for left in range(0, len(database), BLOCK_COLUMNS):
        y = prepare(database[left : left + BLOCK_COLUMNS])
        offset = offset_of(y, metric)
        for start in range(0, len(x), height):
            at = slice(start, min(start + height, len(x)))
            s = (-2 * x[at]) @ y.T
            s += offset
            yield at, left, s


def _shared(
    which: NDArray[np.intp],
    x: Floats,
    owner: NDArray[np.intp],
    rows: NDArray[np.intp],
    s: NDArray[np.float64],
    k: int,
) -> Neighbors:
    """The neighbours among some rows of each query, rows tied with the k-th sharing the places that are left."""
    order = np.lexsort((rows, s, owner))
    owner, rows, s = owner[order], rows[order], s[order]
    starts = np.searchsorted(owner, np.arange(len(which)))
    kth = s[starts + k - 1]
    tolerance = TIED * (2 * square_lengths(x) + np.abs(kth))
    within, closer = s <= (kth + tolerance)[owner], s < (kth - tolerance)[owner]
    n_within, n_closer = (np.bincount(owner[mask], minlength=len(which)) for mask in (within, closer))
    share = (k - n_closer) / (n_within - n_closer)
    owner = owner[within]
    return Neighbors(which, owner, rows[within], np.where(closer[within], 1.0, share[owner]))


def sparse_look(
    queries: Any,
    database: Any,
    k: int,
    metric: Metric,
    prepare: Callable[[Any], Any],
    memory: int,
) -> Iterator[Neighbors]:
    """The neighbours of queries in a sparse matrix by float64, rows tied with the k-th sharing the places left."""
    n, which = database.shape[0], np.arange(queries.shape[0])
    height = max(1, memory // (BYTES_OF_A_LOOK * n))
    for start in range(0, len(which), height):
        block = which[start : start + height]
        x = prepare(queries[block])
        s = np.empty((len(block), n))
        for left in range(0, n, BLOCK_COLUMNS):
            y = prepare(database[left : left + BLOCK_COLUMNS])
            # A sparse matrix times a dense one is the fast order of the two.
            np.add((y @ (-2 * x).toarray().T).T, offset_of(y, metric), out=s[:, left : left + BLOCK_COLUMNS])
        kth = np.partition(s, k - 1, axis=1)[:, k - 1 : k]
        tolerance = TIED * (2 * square_lengths(x)[:, None] + np.abs(kth))
        within = s <= kth + tolerance
        closer = s < kth - tolerance
        places = k - closer.sum(1)
        share = places / (within.sum(1) - closer.sum(1))
        owner, rows = np.nonzero(within)
        yield Neighbors(block, owner, rows, np.where(closer[within], 1.0, share[owner]))
