"""Arrays and strings that are written bit by bit, and are memory maps in the end."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._mapped import map_array
from wideangle.documents import Strings

__all__ = ["ArrayWriter", "StringsWriter"]


class ArrayWriter:
    """One array, to which rows are added at its end.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from wideangle.data.stored.writers import ArrayWriter
    >>> writer = ArrayWriter(tempfile.mkdtemp() + "/rows", np.int32, (2,))
    >>> writer.add([[1, 2]])
    >>> writer.add([[3, 4], [5, 6]])
    >>> writer.mapped().tolist()
    [[1, 2], [3, 4], [5, 6]]
    """

    def __init__(self, path: str | os.PathLike[str], dtype: Any, row: tuple[int, ...] = ()) -> None:
        self.path, self.dtype, self.row = Path(path), np.dtype(dtype), row
        self.length = 0
        self._file = self.path.open("wb")

    def add(self, rows: Any) -> None:
        """Write further rows."""
        array = np.ascontiguousarray(rows, dtype=self.dtype)
        self._file.write(array.reshape(-1).view(np.uint8).data)
        self.length += len(array)

    def mapped(self) -> NDArray[Any]:
        """All rows. Nothing can be added after that."""
        self._file.close()
        return map_array(self.path, self.dtype, (self.length, *self.row))


class StringsWriter:
    """Many strings, to which more are added at the end."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._content = ArrayWriter(f"{os.fspath(path)}.content", np.uint8)
        self._ends = ArrayWriter(f"{os.fspath(path)}.ends", np.int64)

    def add(self, strings: Iterable[str] | Strings) -> None:
        """Write further strings."""
        packed = strings if isinstance(strings, Strings) else Strings.of(strings)
        self._ends.add(packed.ends + self._content.length)
        self._content.add(packed.content)

    def mapped(self) -> Strings:
        """All strings. Nothing can be added after that."""
        return Strings(self._content.mapped(), self._ends.mapped())
