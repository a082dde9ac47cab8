"""Rows of word counts, some of them at a time, whether all of them are in memory or on disk."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arrays import matrix_of
from wideangle._mapped import let_go
from wideangle.exceptions import DataError

__all__ = ["CountBlocks", "sums_of_rows"]

ENTRIES = 2_000_000  # of a matrix that are worked on at a time, which bounds the memory,
MOST_ROWS = 2**16  # and so many rows at most, because something is kept of empty rows too.


class CountBlocks:
    """Rows of counts as CSR matrices of float64 without explicit zeros: a block of them, or those that are asked for.

    Parameters
    ----------
    counts : array, sparse matrix, or anything else with `shape`, `nnz` and rows
        `counts[a:b]` and `counts[numbers]` of anything else must be sparse. It may be on disk.

    Examples
    --------
    >>> from wideangle.data.count_blocks import CountBlocks
    >>> counts = CountBlocks([[0, 2], [1, 1], [0, 0]])
    >>> counts.rows([1, 0]).toarray().tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    """

    def __init__(self, counts: Any) -> None:
        in_memory = sp.issparse(counts) or hasattr(counts, "__array__") or not hasattr(counts, "nnz")
        self.counts = sp.csr_array(matrix_of(counts, "counts")) if in_memory else counts
        self.shape: tuple[int, int] = self.counts.shape
        self.rows_at_a_time = int(np.clip(ENTRIES * self.shape[0] / max(1, self.counts.nnz), 1, MOST_ROWS))

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        """Where each block is, and its counts."""
        for start in range(0, self.shape[0], self.rows_at_a_time):
            where = slice(start, min(start + self.rows_at_a_time, self.shape[0]))
            yield where, self.rows(where)

    def rows(self, chosen: Any) -> Any:
        """The counts of some rows. What was read of mapped arrays is given back."""
        found = sp.csr_array(self.counts[chosen], dtype=np.float64, copy=True)
        if sp.issparse(self.counts):
            let_go(self.counts.data, self.counts.indices, self.counts.indptr)
        found.sum_duplicates()
        found.eliminate_zeros()
        if not np.isfinite(found.data).all() or (found.nnz and found.data.min() < 0):
            raise DataError("counts must be finite numbers from 0 on; documents are compared by the words they have.")
        return found

    def parts(self, numbers: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """Some numbers of rows, or of pairs of rows, as many at a time as rows are worked on."""
        for start in range(0, len(numbers), self.rows_at_a_time):
            yield numbers[start : start + self.rows_at_a_time]


def sums_of_rows(add: np.ufunc, values: NDArray[Any], ends: NDArray[Any], without: int) -> NDArray[Any]:
    """What a function makes of the values of each row; `without` for rows that have none.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.data.count_blocks import sums_of_rows
    >>> sums_of_rows(np.minimum, np.array([5, 3, 4]), np.array([0, 2, 2, 3]), 9).tolist()
    [3, 9, 4]
    """
    found = np.full(len(ends) - 1, without, dtype=values.dtype)
    written = np.diff(ends) > 0
    if written.any():
        found[written] = add.reduceat(values, ends[:-1][written])
    return found
