"""Which words documents have, some documents at a time."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arrays import rows_of
from wideangle._mapped import let_go
from wideangle.documents import WordLists

__all__ = ["WordsOfLists", "WordsPresent", "as_rows_of_words", "entries_of_rows"]

ROWS = 2**16


class WordsOfLists:
    """Documents × words of lists that may be in a file: CSR of float64, 1 where a document has the word.

    Examples
    --------
    >>> from wideangle.documents import WordLists
    >>> from wideangle.topics.words_present import WordsOfLists
    >>> words = WordsOfLists(WordLists.of([[0, 2], [1, 1], [0, 0]]), 2)
    >>> words.shape, words[[1, 0]].toarray().tolist()
    ((3, 2), [[1.0, 1.0], [0.0, 1.0]])
    """

    def __init__(self, lists: WordLists, n_words: int) -> None:
        self._lists = lists
        self.shape = (len(lists), n_words)

    def __getitem__(self, rows: Any) -> Any:
        columns, ends = self._lists.columns, self._lists.ends
        numbers = np.arange(len(ends))[rows]
        if not len(numbers):
            return sp.csr_array((0, self.shape[1]))
        starts = np.where(numbers > 0, ends[numbers - 1], 0)
        lengths = np.asarray(ends[numbers]) - starts
        indptr = np.append(0, np.cumsum(lengths))
        in_a_row = bool((np.diff(numbers) == 1).all())  # Then their words are, too, and are read at once.
        where = (
            slice(starts[0], starts[0] + indptr[-1])
            if in_a_row
            else np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
        )
        found = columns[where].astype(np.int32)
        let_go(columns, ends)
        return sp.csr_array((np.ones(len(found)), found, indptr), shape=(len(numbers), self.shape[1]))

    @property
    def entries(self) -> NDArray[np.int64]:
        """How many words each document has."""
        found = np.diff(self._lists.ends, prepend=0)
        let_go(self._lists.ends)
        return np.asarray(found)


class WordsPresent:
    """Documents × words of counts: CSR of float64, 1 where a count is not 0. The counts are not copied."""

    def __init__(self, counts: Any) -> None:
        self.counts = as_rows_of_words(counts)
        self.shape: tuple[int, int] = self.counts.shape

    def __getitem__(self, rows: Any) -> Any:
        return sp.csr_array((self.counts[rows] != 0).astype(np.float64))

    @property
    def entries(self) -> NDArray[np.int64]:
        """How many words each document has."""
        return entries_of_rows(self)


def as_rows_of_words(counts: Any) -> Any:
    """Counts of which rows can be taken: CSR, or what gives CSR rows already, which may be on disk."""
    gives_rows = hasattr(counts, "shape") and hasattr(counts, "__getitem__") and not hasattr(counts, "__array__")
    return counts if gives_rows and not sp.issparse(counts) else rows_of(counts, "word counts")


def entries_of_rows(counts: Any) -> NDArray[np.int64]:
    """How many entries each row of such counts has."""
    if isinstance(counts, WordsOfLists):
        return counts.entries
    if sp.issparse(counts):
        return np.diff(counts.indptr).astype(np.int64)
    blocks = (slice(start, start + ROWS) for start in range(0, counts.shape[0], ROWS))
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(counts[block].indptr) for block in blocks)])
