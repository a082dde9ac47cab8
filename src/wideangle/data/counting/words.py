"""Words of streams to codes, by the numbers of their letters."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wideangle.data.counting.letters import Alphabet, Letters, Places
from wideangle.data.counting.numbering import Keys, Numbering, Numbers, representatives

__all__ = ["TopicWordTable"]

UNSET = -3  # the code of beginnings that were no word themselves so far
LEVELS = 9  # A word that needs more is looked up as a string each time.
MOST_KEYS = 5_000_000  # Beyond that the tables begin anew, so that texts of ever new words do not fill the memory.
WHOLE, PART = 8, 4  # bytes of the first level and of each other one
HALF = np.uint64(32)
FIRST_BYTES = np.array([(1 << (8 * count)) - 1 for count in range(WHOLE + 1)], dtype=np.uint64)


class TopicWordTable:
    """The codes of words that were met before; others are asked for once, as strings.

    The first eight bytes of a word are a key that has a number on level 0. This number and the next four bytes are a
    key on level 1, and so on, so that words of every length are told apart exactly by keys of eight bytes.
    """

    def __init__(self, alphabet: Alphabet, codes_of: Callable[[list[str]], list[int]]) -> None:
        self._alphabet = alphabet
        self._codes_of = codes_of
        self._levels: dict[tuple[int, int], _Level] = {}

    def codes(self, numbers: Letters, starts: Places, lengths: Places) -> Numbers:
        """The code of each word that begins at `starts`."""
        if sum(len(level.numbering) for level in self._levels.values()) > MOST_KEYS:
            self._levels.clear()
        size = numbers.itemsize
        widths = lengths * size if size > 1 else lengths
        keys = _window(numbers, WHOLE)[starts] & FIRST_BYTES.take(widths, mode="clip")
        found, codes = self._on_level(0, keys, numbers, starts, lengths)
        which, done = np.flatnonzero(widths > WHOLE), WHOLE
        found = found[which]
        for level in range(1, LEVELS):
            if not len(which):
                return codes
            next_bytes = _window(numbers, PART)[starts[which] + done // size].astype(np.uint64)
            next_bytes &= FIRST_BYTES.take(np.minimum(widths[which] - done, PART))
            done += PART
            keys = (found.astype(np.uint64) << HALF) | next_bytes
            found, codes[which] = self._on_level(level, keys, numbers, starts[which], lengths[which])
            longer = np.flatnonzero(widths[which] > done)
            which, found = which[longer], found[longer]
        codes[which] = self._codes_of(self._alphabet.words(numbers, starts[which], lengths[which]))
        return codes

    def _on_level(
        self, number: int, keys: Keys, numbers: Letters, starts: Places, lengths: Places
    ) -> tuple[Numbers, Numbers]:
        """The numbers of keys, and the codes of those words that end on this level."""
        level = self._level(numbers.itemsize, number)
        found = level.numbering.add(keys)
        level.make_room()
        codes: Numbers = level.codes.take(found)
        unset = np.flatnonzero(codes == UNSET)
        unset = unset[lengths[unset] * numbers.itemsize <= WHOLE + number * PART]
        if len(unset):
            at = unset[representatives(found[unset])]
            level.codes[found[at]] = self._codes_of(self._alphabet.words(numbers, starts[at], lengths[at]))
            codes[unset] = level.codes.take(found[unset])
        return found, codes

    def _level(self, size: int, level: int) -> "_Level":
        if (size, level) not in self._levels:
            self._levels[size, level] = _Level()
        return self._levels[size, level]


class _Level:
    def __init__(self) -> None:
        self.numbering = Numbering()
        self.codes: Numbers = np.empty(0, dtype=np.int32)

    def make_room(self) -> None:
        if len(self.codes) < len(self.numbering):
            larger = np.full(2 * len(self.numbering), UNSET, dtype=np.int32)
            larger[: len(self.codes)] = self.codes
            self.codes = larger


def _window(numbers: Letters, width: int) -> NDArray[np.unsignedinteger]:
    """So many bytes from each number on, as a view. The first number has the lowest bits, whatever the machine."""
    little = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    kind = np.dtype(f"<u{width}")
    return np.ndarray(len(little) - width // little.itemsize + 1, kind, little.data, strides=(little.itemsize,))
