"""Many strings, and the words of many documents, each packed into a few arrays, which may be in a file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.exceptions import DataError

STRINGS_AT_ONCE = 4096  # So many strings are taken out of their array at a time, which is faster than one by one.


@dataclass(frozen=True, eq=False)
class Strings(Sequence[str]):
    """Many strings as one array of UTF-8 bytes and their ends, so that a million of them fit into a model file.

    Examples
    --------
    >>> from wideangle.documents import Strings
    >>> names = Strings.of(["first", "", "zwölf"])
    >>> len(names), names[2], list(names)
    (3, 'zwölf', ['first', '', 'zwölf'])
    """

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Strings":
        """Pack strings; a lone surrogate, which UTF-8 cannot write, becomes "?"."""
        if isinstance(strings, cls):
            return strings
        encoded = [string.encode(errors="replace") for string in strings]
        ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        number = range(len(self))[number]  # Negative numbers count from the end, and numbers out of range raise.
        start = int(self.ends[number - 1]) if number else 0
        return self.content[start : int(self.ends[number])].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        begin = 0
        for first in range(0, len(self), STRINGS_AT_ONCE):
            ends = self.ends[first : first + STRINGS_AT_ONCE]
            content = self.content[begin : int(ends[-1])].tobytes()
            for start, end in pairwise([0, *(ends - begin).tolist()]):
                yield content[start:end].decode()
            begin = int(ends[-1])

    def taken(self, rows: Iterable[int]) -> "Strings":
        """The strings of some rows, packed anew."""
        return Strings.of(self[row] for row in rows)


@dataclass(frozen=True, eq=False)
class WordLists:
    """Which words each document has and how often, as columns of the vocabulary, packed into arrays and their ends.

    Topics are named and searched by the words. By how often they occur, a model that goes on learning represents its
    documents anew.

    Examples
    --------
    >>> from wideangle.documents import WordLists
    >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
    >>> len(lists), lists[0].tolist(), lists.matrix(3).toarray().astype(int).tolist()
    (3, [1, 2], [[0, 1, 1], [0, 0, 0], [1, 0, 0]])
    >>> lists.counts(3).toarray().astype(int).tolist()
    [[0, 2, 1], [0, 0, 0], [1, 0, 0]]
    """

    columns: NDArray[np.uint16] | NDArray[np.uint32]
    """of each document the columns in rising order, one document after the other"""
    ends: NDArray[np.int64]
    times: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32] | None = None
    """how often the document has each of them; None: that is not known, or no whole number"""

    @classmethod
    def of(cls, counts: Any, *, times: bool = True) -> "WordLists":
        """The words of documents whose counts are not 0, dense or sparse. Without `times` only which they are."""
        present = sp.csr_array(counts, copy=True)
        present.sum_duplicates()
        present.eliminate_zeros()
        small = present.shape[1] <= np.iinfo(np.uint16).max + 1
        columns = present.indices.astype(np.uint16 if small else np.uint32)
        return cls(columns, present.indptr[1:].astype(np.int64), _whole(present.data) if times else None)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> NDArray[np.intp]:
        number = range(len(self))[number]
        start = int(self.ends[number - 1]) if number else 0
        return self.columns[start : int(self.ends[number])].astype(np.intp)

    def part(self, rows: slice) -> "WordLists":
        """The words of documents that stand one after the other; nothing but their ends is copied.

        Examples
        --------
        >>> from wideangle.documents import WordLists
        >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
        >>> lists.part(slice(1, 3)).matrix(3).toarray().astype(int).tolist()
        [[0, 0, 0], [1, 0, 0]]
        """
        first, last, _ = rows.indices(len(self))
        start = int(self.ends[first - 1]) if first else 0
        stop = int(self.ends[last - 1]) if last > first else start
        times = None if self.times is None else self.times[start:stop]
        return WordLists(self.columns[start:stop], self.ends[first:last] - start, times)

    def taken(self, rows: Any) -> "WordLists":
        """The words of some documents, in the order of their numbers.

        Examples
        --------
        >>> from wideangle.documents import WordLists
        >>> lists = WordLists.of([[0, 2, 1], [0, 0, 0], [1, 0, 0]])
        >>> lists.taken([2, 0]).counts(3).toarray().astype(int).tolist()
        [[1, 0, 0], [0, 2, 1]]
        """
        rows = np.asarray(rows, dtype=np.intp)
        starts = np.where(rows > 0, self.ends[rows - 1], 0)
        lengths = self.ends[rows] - starts
        ends = np.cumsum(lengths, dtype=np.int64)
        places = np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
        return WordLists(self.columns[places], ends, None if self.times is None else self.times[places])

    def matrix(self, n_words: int) -> Any:
        """Documents × words, 1 where a document has the word; CSR of float64."""
        indptr = np.concatenate([[0], self.ends])
        columns = self.columns.astype(np.int32)
        return sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(self), n_words))

    def counts(self, n_words: int) -> Any:
        """Documents × words, how often each document has the word; CSR of float64. An error where it is not known."""
        if self.times is None:
            raise DataError("how often documents have their words is not known. Fit the model again to keep it.")
        found = self.matrix(n_words)
        found.data = self.times.astype(np.float64)
        return found


def _whole(values: NDArray[Any]) -> Any:
    """Counts in as few bytes as they need; None where they are no whole numbers above 0."""
    kinds = (np.uint8, np.uint16, np.uint32)
    largest = values.max(initial=0)
    if largest > np.iinfo(kinds[-1]).max or (values < 1).any() or (values != np.rint(values)).any():
        return None
    return values.astype(next(kind for kind in kinds if largest <= np.iinfo(kind).max))
