"""Numbers for keys of 64 bits: a hash table whose every step is done for a whole array at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNKNOWN", "Keys", "Numbering", "Numbers", "representatives"]

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int32]

UNKNOWN = -1
# Fibonacci hashing: 2⁶⁴ divided by the golden ratio spreads keys that are alike over the first bits of the product.
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
FIRST_BITS = 10


class Numbering:
    """Different keys have different numbers, from 0 without a gap, and a key keeps its number.

    Keys are stored and compared as a whole, so that no two keys are ever taken for one.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.data.counting.numbering import Numbering
    >>> numbering = Numbering()
    >>> numbering.add(np.array([70, 50, 70], dtype=np.uint64)).tolist()
    [1, 0, 1]
    >>> numbering.find(np.array([50, 60], dtype=np.uint64)).tolist(), len(numbering)
    ([0, -1], 2)
    """

    def __init__(self) -> None:
        self._keys: Keys = np.empty(1 << (FIRST_BITS - 1), dtype=np.uint64)
        self._count = 0
        self._make_slots(FIRST_BITS)

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Keys:
        """The key of each number."""
        return self._keys[: self._count]

    def find(self, keys: Keys) -> Numbers:
        """The number of each key, or `UNKNOWN`."""
        slots = self._slots_of(keys)
        numbers: Numbers = self._numbers.take(slots)
        pending = np.flatnonzero(self._keys_at.take(slots) != keys)
        pending = pending[numbers[pending] != UNKNOWN]
        while len(pending):
            # A slot that another key has sends on to the next slot. One that is free says that the key is unknown.
            slots[pending] = at = (slots[pending] + 1) & self._last
            numbers[pending] = self._numbers.take(at)
            pending = pending[self._keys_at.take(at) != keys[pending]]
            pending = pending[numbers[pending] != UNKNOWN]
        return numbers

    def add(self, keys: Keys) -> Numbers:
        """The number of each key. Keys that are new get the next numbers."""
        numbers = self.find(keys)
        missing = np.flatnonzero(numbers == UNKNOWN)
        while len(missing):
            new = keys[missing]
            # Most keys that are new are known after one turn. Those that shared a place with another one come next.
            self._append(new[representatives(_places(new, len(new).bit_length() + 1))])
            numbers[missing] = found = self.find(new)
            missing = missing[found == UNKNOWN]
        return numbers

    def _append(self, new: Keys) -> None:
        count = self._count + len(new)
        if count > len(self._keys):
            larger = np.empty(max(count, 2 * len(self._keys)), dtype=np.uint64)
            larger[: self._count] = self.keys
            self._keys = larger
        self._keys[self._count : count] = new
        before, self._count = self._count, count
        if 2 * count > len(self._numbers):  # At least every second slot is free, so that searches stay short.
            self._make_slots((4 * count - 1).bit_length())
            before = 0
        self._place(self._keys[before:count], np.arange(before, count, dtype=np.int32))

    def _make_slots(self, bits: int) -> None:
        self._bits = bits
        self._last = (1 << bits) - 1
        self._keys_at: Keys = np.zeros(1 << bits, dtype=np.uint64)
        self._numbers: Numbers = np.full(1 << bits, UNKNOWN, dtype=np.int32)

    def _slots_of(self, keys: Keys) -> NDArray[np.intp]:
        return _places(keys, self._bits)

    def _place(self, keys: Keys, numbers: Numbers) -> None:
        """Give new keys a free slot each."""
        slots = self._slots_of(keys)
        while len(keys):
            free = self._numbers[slots] == UNKNOWN
            self._numbers[slots[free]] = numbers[free]  # Where several want one slot, the last of them has it now.
            placed = self._numbers[slots] == numbers
            self._keys_at[slots[placed]] = keys[placed]
            left = ~placed
            keys, numbers, slots = keys[left], numbers[left], (slots[left] + 1) & self._last


def representatives(places: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """Which elements have places that differ, one for each place. This is faster than to sort them."""
    numbers = np.arange(len(places))
    taken_by = np.empty(places.max(initial=-1) + 1, dtype=np.intp)
    taken_by[places] = numbers  # The last one has the place.
    return np.flatnonzero(taken_by[places] == numbers)


def _places(keys: Keys, bits: int) -> NDArray[np.intp]:
    """A place in a table of 2 to the power of `bits` for each key."""
    places = (keys * MULTIPLIER) >> np.uint64(64 - bits)
    return places.view(np.int64).astype(np.intp, copy=False)
