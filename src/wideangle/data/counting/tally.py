"""Documents to counts of their terms, by blocks of documents."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._alphabets import find_words, folded
from wideangle.data.counting.letters import RULES, Alphabet
from wideangle.data.counting.numbering import UNKNOWN, Numbers
from wideangle.data.counting.streams import Stream, TooManyLettersError, streams_of, word_bounds
from wideangle.data.counting.terms import LEFT_OUT, Terms
from wideangle.data.counting.words import TopicWordTable

__all__ = ["Reader", "Tally", "count_terms"]

BLOCK = 1 << 19  # characters that are read at once: what is made of them should fit into the cache of a processor
MOST_TOKENS = 1 << 18  # So many words are kept one by one before they are counted, or more than there are terms.


class Reader:
    """Finds the words of documents, by a pattern that needs no regular expression, and gives them codes."""

    def __init__(self, pattern: str, terms: Terms) -> None:
        self._pattern = pattern
        self._rule = RULES[pattern]
        self._alphabet = Alphabet(self._rule)
        self._table = TopicWordTable(self._alphabet, terms.codes)
        self._terms = terms

    def read(self, texts: Sequence[str]) -> tuple[Numbers, NDArray[np.intp]]:
        """The codes of all words in order, without those that are left out, and the document of each."""
        try:
            parts = [self._read(stream) for stream in streams_of(texts, self._rule, self._alphabet)]
        except TooManyLettersError:
            parts = [self._read_slowly(texts)]
        codes, documents = (np.concatenate(each) for each in zip(*parts, strict=True))
        if len(parts) > 1:
            order = np.argsort(documents, kind="stable")
            codes, documents = codes[order], documents[order]
        kept = np.flatnonzero(codes != LEFT_OUT)
        return (codes, documents) if len(kept) == len(codes) else (codes[kept], documents[kept])

    def _read(self, stream: Stream) -> tuple[Numbers, NDArray[np.intp]]:
        starts, lengths = word_bounds(stream.numbers, self._alphabet)
        codes = self._table.codes(stream.numbers, starts, lengths)
        ends = np.append(np.searchsorted(starts, stream.starts[1:]), len(starts))
        return codes, np.repeat(stream.documents, np.diff(ends, prepend=0))

    def _read_slowly(self, texts: Sequence[str]) -> tuple[Numbers, NDArray[np.intp]]:
        """The same by a regular expression, which has no limits."""
        find = find_words(self._pattern)
        codes = [self._terms.codes(find(folded(text))) for text in texts]
        return (
            np.array([code for each in codes for code in each], dtype=np.int32),
            np.repeat(np.arange(len(texts)), [len(each) for each in codes]),
        )


def count_terms(texts: Iterable[str], reader: Reader, terms: Terms) -> "Tally":
    """Count the terms of each document."""
    parts: list[tuple[sp.csc_array, ...]] = []
    waiting = _Waiting(len(terms.sizes))
    for block in blocks(texts):
        codes, documents = reader.read(block)
        waiting.add([(codes, documents), *terms.longer(codes, documents)], len(block))
        # Sorting takes a step for each term and for each token, and is fast where they fit into the cache.
        if waiting.n_tokens >= max(MOST_TOKENS, sum(terms.sizes)):
            parts.append(waiting.counted())
            waiting = _Waiting(len(terms.sizes))
    return Tally([*parts, waiting.counted()], terms)


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Documents in their order, some at a time: at least `BLOCK` characters, but for the last ones."""
    block: list[str] = []
    size = 0
    for text in texts:
        block.append(text)
        size += len(text) + 1  # Empty documents need room, too.
        if size >= BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


class _Waiting:
    """Terms one by one, which are not counted yet."""

    def __init__(self, n_lengths: int) -> None:
        self._numbers: list[list[Numbers]] = [[] for _ in range(n_lengths)]
        self._sizes: list[list[NDArray[np.intp]]] = [[] for _ in range(n_lengths)]
        self.n_tokens = 0

    def add(self, found: Sequence[tuple[Numbers, NDArray[np.intp]]], n_documents: int) -> None:
        """Terms of one word, two and so on, and their documents in order, of so many documents."""
        for length, (numbers, documents) in enumerate(found):
            known = np.flatnonzero(numbers != UNKNOWN)
            if len(known) < len(numbers):
                numbers, documents = numbers[known], documents[known]
            self._numbers[length].append(numbers)
            self._sizes[length].append(np.bincount(documents, minlength=n_documents))
            self.n_tokens += len(numbers)

    def counted(self) -> tuple[sp.csc_array, ...]:
        """Documents × terms, for each length of terms."""
        counts = []
        for each, sizes in zip(self._numbers, self._sizes, strict=True):
            numbers = np.concatenate([np.empty(0, dtype=np.int32), *each])
            ends = np.cumsum(np.concatenate([np.zeros(1, dtype=np.intp), *sizes]))
            shape = (len(ends) - 1, numbers.max(initial=UNKNOWN) + 1)
            # One byte per token is sorted faster than four.
            by_term = sp.csr_array((np.ones(len(numbers), dtype=np.int8), numbers, ends), shape=shape).tocsc()
            by_term = by_term.astype(np.int32)
            by_term.sum_duplicates()
            counts.append(by_term.copy())  # which lets go of the room that tokens had
        return tuple(counts)


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each document has each term."""

    parts: list[tuple[sp.csc_array, ...]]
    """some documents × terms, for each length of terms; together all documents in their order"""
    terms: Terms

    @property
    def n_documents(self) -> int:
        """How many documents were counted."""
        return sum(part[0].shape[0] for part in self.parts)

    @cached_property
    def frequency(self) -> NDArray[np.int64]:
        """How many documents have each term. Terms of all lengths are numbered through."""
        found = [np.zeros(size, dtype=np.int64) for size in self.terms.sizes]
        for part in self.parts:
            for frequency, counts in zip(found, part, strict=True):
                frequency[: counts.shape[1]] += np.diff(counts.indptr)
        return np.concatenate(found)

    def columns(self, numbers: NDArray[np.intp]) -> sp.csr_array:
        """The counts of these terms, in this order. Where a number is `UNKNOWN`, the column is empty."""
        known = numbers[numbers != UNKNOWN]
        size = int(self.frequency[known].sum())  # Room is made once, so that no count is in memory three times.
        data, columns = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        ends, done = [np.zeros(1, dtype=np.int64)], 0
        for part in self.parts:
            counts = _columns(part, self.terms.sizes, numbers)
            data[done : done + counts.nnz], columns[done : done + counts.nnz] = counts.data, counts.indices
            ends.append(counts.indptr[1:] + np.int64(done))
            done += counts.nnz
        return sp.csr_array((data, columns, np.concatenate(ends)), shape=(self.n_documents, len(numbers)))


def _columns(part: Sequence[sp.csc_array], sizes: Sequence[int], numbers: NDArray[np.intp]) -> sp.csr_array:
    """Documents × terms, where terms of all lengths are numbered through. An empty column is the last one, at −1."""
    found, before = [], 0
    for counts, size in zip(part, sizes, strict=True):
        found.append(counts.indptr[:-1] + before)
        before += counts.nnz
        found.append(np.full(size - counts.shape[1], before))  # terms that only later documents have
    indptr = np.concatenate([*found, [before, before]])
    data, rows = (np.concatenate([getattr(counts, name) for counts in part]) for name in ("data", "indices"))
    return sp.csc_array((data, rows, indptr), shape=(part[0].shape[0], sum(sizes) + 1))[:, numbers].tocsr()
