"""Matrices that are too large to be made whole: their rows are made when they are asked for."""

import mmap
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._blocks import parts
from wideangle._mapped import let_go

__all__ = ["IN_MEMORY", "MadeRows", "RowMatrix", "made_rows", "on_disk", "row_blocks", "some_rows"]

GATHERED = 2**10  # rows that are read from here and there before memory is given back
CAN_BE_GIVEN_BACK = hasattr(mmap.mmap, "madvise")  # not on Windows, where a file in use cannot be deleted either
IN_MEMORY = 2**25  # A matrix of at most so many bytes is made whole.


class MadeRows:
    """Rows that are made of those of another matrix, each time that they are asked for.

    It can be asked for some rows by a slice, by their numbers or by a mask, and gives an array. The memory of what was
    read of a matrix in a file is given back.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle._rows import MadeRows
    >>> twice = MadeRows(np.array([[1.0, 2.0], [3.0, 4.0]]), lambda rows: 2 * rows)
    >>> twice.shape, twice[1:].tolist(), twice.some([1, 0])[:1].tolist()
    ((2, 2), [[6.0, 8.0]], [[6.0, 8.0]])
    """

    ndim = 2

    def __init__(
        self,
        source: Any,
        make: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
        chosen: NDArray[np.intp] | None = None,
    ) -> None:
        self.source, self.make, self.chosen = source, make, chosen
        first = self[:1] if len(self) else np.asarray(source[:0])
        self.dtype: np.dtype[Any] = first.dtype
        self.shape = (len(self), first.shape[1])

    def __len__(self) -> int:
        return len(self.source if self.chosen is None else self.chosen)

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        wanted = rows if self.chosen is None else self.chosen[rows]
        found = self.source[wanted] if isinstance(wanted, slice) else _gathered(self.source, np.asarray(wanted))
        found = found if self.make is None else self.make(found)
        let_go(self.source)
        return found

    def some(self, rows: Any) -> "MadeRows":
        """The matrix of some of the rows, by their numbers or a mask. They are not made before they are asked for."""
        rows = np.asarray(rows)
        numbers = np.flatnonzero(rows) if rows.dtype == bool else rows
        return MadeRows(self.source, self.make, numbers if self.chosen is None else self.chosen[numbers])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """All rows at once."""
        whole = np.empty(self.shape, self.dtype if dtype is None else dtype)
        for part in parts(len(self), self):
            whole[part] = self[part]
        return whole


RowMatrix = NDArray[Any] | MadeRows
"""an array, or rows that are made when they are asked for"""


def made_rows(source: RowMatrix, make: Callable[[NDArray[Any]], NDArray[Any]] | None = None) -> RowMatrix:
    """What is made of the rows of a matrix: an array where that is small, else rows that are made when asked for."""
    if isinstance(source, MadeRows) or source.nbytes > IN_MEMORY:
        return MadeRows(source, make)
    return source if make is None else make(source)


def row_blocks(rows: RowMatrix) -> Iterator[NDArray[Any]]:
    """All rows in their order, a part at a time."""
    for part in parts(len(rows), rows):
        yield rows[part]


def some_rows(rows: RowMatrix, which: Any) -> RowMatrix:
    """Some rows of a matrix, by their numbers or a mask, of which no more are made than of the matrix."""
    return rows.some(which) if isinstance(rows, MadeRows) else rows[which]


def on_disk(rows: RowMatrix) -> RowMatrix:
    """The same rows in a temporary file, where making them takes longer than reading them; arrays stay as they are.

    The file has no name and goes with the rows.
    """
    if not isinstance(rows, MadeRows) or not len(rows) or not CAN_BE_GIVEN_BACK:
        return rows
    with tempfile.TemporaryFile() as file:
        for block in row_blocks(rows):
            file.write(np.ascontiguousarray(block).data)
        file.flush()
        return MadeRows(np.asarray(np.memmap(file, rows.dtype, "r", shape=rows.shape)))


def _gathered(source: Any, rows: NDArray[Any]) -> NDArray[Any]:
    """Rows by their numbers or a mask. The system reads much around each of them, which is given back now and then."""
    numbers = np.flatnonzero(rows) if rows.dtype == bool else rows
    found = np.empty((len(numbers), *source.shape[1:]), source.dtype)
    for start in range(0, len(numbers), GATHERED):
        found[start : start + GATHERED] = source[numbers[start : start + GATHERED]]
        let_go(source)
    return found
