"""Arrays, strings and word lists that are written to files bit by bit, where all of them do not fit into memory.

What they give in the end is what `Strings.of` and `WordLists.of` make of everything at once, but it stays in the files.
`Documents` takes it, and `save` copies it into the model file. The files are to be kept until then.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wideangle._blocks import parts
from wideangle._files import naming
from wideangle._mapped import map_array
from wideangle.documents import Strings, WordLists

__all__ = ["ArrayFile", "StringsFile", "WordListsFile"]


class ArrayFile:
    """An array that grows in a file: numbers, or rows of so many numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideangle._packed import ArrayFile
    >>> file = ArrayFile(pathlib.Path(tempfile.mkdtemp()) / "rows", "float32", width=2)
    >>> file.add([[1.0, 2.0]])
    >>> file.add([[3.0, 4.0], [5.0, 6.0]])
    >>> file.array().tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """

    def __init__(self, path: str | os.PathLike[str], dtype: DTypeLike, width: int | None = None) -> None:
        self.path, self.dtype, self.width, self.length = Path(path), np.dtype(dtype), width, 0
        # A former file is not emptied but unlinked, because another process may still have it mapped.
        self.path.unlink(missing_ok=True)
        self.path.write_bytes(b"")

    def add(self, rows: Any) -> None:
        """Append rows. Numbers that the type of the array cannot hold raise an error."""
        given = np.asarray(rows)
        found = given.astype(self.dtype)
        if self.dtype.kind in "iu" and not np.array_equal(found, given):
            raise ValueError(f"{self.path.name} holds {self.dtype}, and numbers came that do not fit into it.")
        if found.shape[1:] != (() if self.width is None else (self.width,)):
            raise ValueError(f"{self.path.name} has rows of {self.width} numbers; rows of shape {found.shape} came.")
        with naming(self.path), self.path.open("ab") as file:
            file.write(np.ascontiguousarray(found).data)
        self.length += len(found)

    def widen(self, dtype: DTypeLike) -> None:
        """Let the array hold larger numbers from now on. What is there is written anew."""
        before = self.array()
        wider = ArrayFile(self.path.with_name(f"{self.path.name}.wider"), dtype, self.width)
        for part in parts(len(before), before):
            wider.add(before[part])
        os.replace(wider.path, self.path)
        self.dtype = wider.dtype

    def array(self) -> NDArray[Any]:
        """All that was added, in the file."""
        shape = (self.length,) if self.width is None else (self.length, self.width)
        return map_array(self.path, self.dtype, shape)


class StringsFile:
    """Strings that are packed as `Strings.of` packs them, some at a time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.content, self.ends = ArrayFile(f"{path}.content", np.uint8), ArrayFile(f"{path}.ends", np.int64)

    def add(self, strings: Iterable[str]) -> None:
        """Append strings."""
        some = Strings.of(strings)
        self.ends.add(some.ends + self.content.length)
        self.content.add(some.content)

    def strings(self) -> Strings:
        """All that was added."""
        return Strings(self.content.array(), self.ends.array())


class WordListsFile:
    """Words of documents that are packed as `WordLists.of` packs them, some documents at a time.

    `times` says whether to keep how often they have them. It is not kept where one count is no whole number.
    """

    def __init__(self, path: str | os.PathLike[str], n_words: int, *, times: bool = True) -> None:
        kind = np.uint16 if n_words <= np.iinfo(np.uint16).max + 1 else np.uint32
        self.columns, self.ends = ArrayFile(f"{path}.columns", kind), ArrayFile(f"{path}.ends", np.int64)
        self.times: ArrayFile | None = ArrayFile(f"{path}.times", np.uint8) if times else None

    def add(self, counts: Any) -> None:
        """Append documents, given by their counts of all words, dense or sparse."""
        some = WordLists.of(counts, times=self.times is not None)
        self.ends.add(some.ends + self.columns.length)
        self.columns.add(some.columns)
        if some.times is None:
            self.times = None
        elif self.times is not None:
            if some.times.dtype.itemsize > self.times.dtype.itemsize:
                self.times.widen(some.times.dtype)
            self.times.add(some.times)

    def words(self) -> WordLists:
        """All that was added."""
        return WordLists(self.columns.array(), self.ends.array(), None if self.times is None else self.times.array())
