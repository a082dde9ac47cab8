"""Words and words in a row, as numbers and as strings."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from wideangle.data.counting.numbering import UNKNOWN, Keys, Numbering, Numbers

__all__ = ["LEFT_OUT", "Terms"]

LEFT_OUT = -2  # the code of stop words, which go before neighbours are counted
HALF = np.uint64(32)
LAST_WORD = np.uint64(0xFFFFFFFF)


class Terms:
    """The terms that are counted: words, and up to `ngrams` words in a row.

    Words have codes from 0. The key of two words in a row is both codes; the key of three is the number of the first
    two and the code of the third. Numbers of longer terms follow those of shorter ones.
    """

    def __init__(self, ngrams: int = 1, stop_words: Iterable[str] = ()) -> None:
        self._codes = dict.fromkeys(stop_words, LEFT_OUT)
        self.words: list[str] = []
        self.rows = [Numbering() for _ in range(ngrams - 1)]
        """for two words in a row, three, and so on"""
        self.is_open = True
        """whether new terms get a number; they are unknown otherwise"""

    def codes(self, words: Sequence[str]) -> list[int]:
        """The codes of words, where stop words are `LEFT_OUT`."""
        known = self._codes
        if self.is_open and (new := [word for word in dict.fromkeys(words) if word not in known]):
            known.update(zip(new, range(len(self.words), len(self.words) + len(new)), strict=True))
            self.words += new
        return [known.get(word, UNKNOWN) for word in words]

    def only(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Take these terms and no others. Gives their numbers, `UNKNOWN` for those that no text can have."""
        rows = [self.codes(name.split(" ")) for name in names]
        for codes in rows:  # Words in a row get numbers, and so do the rows that they begin with.
            if 1 < len(codes) <= len(self.rows) + 1 and min(codes) >= 0:
                self.longer(np.array(codes, dtype=np.int32), np.zeros(len(codes), dtype=np.intp))
        self.is_open = False
        return np.array([self._number(codes) for codes in rows], dtype=np.intp)

    def _number(self, codes: Sequence[int]) -> int:
        """The number of known words in a row."""
        if len(codes) > len(self.rows) + 1 or min(codes) < 0:
            return UNKNOWN
        number = codes[0]
        for code, numbering in zip(codes[1:], self.rows, strict=False):
            number = int(numbering.find(np.array([(number << 32) | code], dtype=np.uint64))[0])
        return number + sum(self.sizes[: len(codes) - 1])

    def longer(self, codes: Numbers, documents: NDArray[np.intp]) -> list[tuple[Numbers, NDArray[np.intp]]]:
        """Terms of two words, three and so on by number, and their documents. The words are given in their order."""
        found: list[tuple[Numbers, NDArray[np.intp]]] = []
        begun, at = codes, np.arange(len(codes))  # terms that are one word shorter, and where they begin
        for extra, numbering in enumerate(self.rows, start=1):
            inside = at < len(codes) - extra
            begun, at = begun[inside], at[inside]
            last = codes[at + extra]
            is_term = (begun != UNKNOWN) & (last != UNKNOWN) & (documents[at] == documents[at + extra])
            begun, at, last = begun[is_term], at[is_term], last[is_term]
            keys: Keys = (begun.astype(np.uint64) << HALF) | last.astype(np.uint64)
            begun = numbering.add(keys) if self.is_open else numbering.find(keys)
            found.append((begun, documents[at]))
        return found

    @property
    def sizes(self) -> list[int]:
        """How many terms there are of one word, two and so on."""
        return [len(self.words), *map(len, self.rows)]

    def parts(self, numbers: NDArray[np.intp]) -> NDArray[np.int64]:
        """The codes of the words of each term, −1 behind the last one. Terms of all lengths are numbered through."""
        found = np.full((len(numbers), len(self.sizes)), UNKNOWN, dtype=np.int64)
        first = 0
        for extra, size in enumerate(self.sizes):
            which = np.flatnonzero((numbers >= first) & (numbers < first + size))
            begun = numbers[which] - first
            for place in range(extra, 0, -1):
                keys = self.rows[place - 1].keys[begun]
                found[which, place] = keys & LAST_WORD
                begun = (keys >> HALF).astype(np.intp)
            found[which, 0] = begun
            first += size
        return found

    def names(self, numbers: NDArray[np.intp]) -> list[str]:
        """These terms as strings."""
        if len(self.sizes) == 1:
            return [self.words[code] for code in numbers.tolist()]
        return [" ".join([self.words[code] for code in row if code >= 0]) for row in self.parts(numbers).tolist()]

    def in_order(self, numbers: NDArray[np.intp]) -> tuple[NDArray[np.intp], list[str]]:
        """These terms in alphabetical order, with their names."""
        if len(self.sizes) == 1:
            names = sorted(self.names(numbers))
            return np.array([self._codes[name] for name in names], dtype=np.intp), names
        parts = self.parts(numbers)
        used = sorted(np.unique(parts[parts != UNKNOWN]).tolist(), key=self.words.__getitem__)
        # The space between words comes before every letter, so that terms are in the order of their words.
        rank = np.full(len(self.words) + 1, -1, dtype=np.int64)  # The last one, at −1, is of no word.
        rank[used] = np.arange(len(used))
        numbers = numbers[np.lexsort(rank[parts].T[::-1])]
        return numbers, self.names(numbers)

    def numbers_of(self, words: Iterable[str]) -> NDArray[np.intp]:
        """The numbers of those words that were met."""
        codes = [self._codes[word] for word in words if self._codes.get(word, UNKNOWN) >= 0]
        return np.array(codes, dtype=np.intp)
