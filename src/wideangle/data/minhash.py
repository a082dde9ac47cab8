"""MinHash: numbers of a row of which two rows share as many as they share words, and buckets of rows that share some.

Broder (1997), On the resemblance and containment of documents. Leskovec, Rajaraman and Ullman (2014), Mining of Massive
Datasets, Section 3.4. Li and König (2010), b-Bit Minwise Hashing, is why a few bits of each hash tell nearly as much.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.data.count_blocks import sums_of_rows

__all__ = ["BANDS", "HASHES", "PER_BAND", "HashFunctions", "Sketches", "mix"]

BANDS, PER_BAND = 12, 4  # Of pairs whose words overlap by 0.8, 99.8 % are alike in one of twelve bands of four hashes.
HASHES = BANDS * PER_BAND
LOWEST = np.uint64(0x1111111111111111)  # the lowest bit of each four
LOW_HALVES = np.uint64(0x0F0F0F0F0F0F0F0F)
ONE_PER_BYTE = np.uint64(0x0101010101010101)


class HashFunctions:
    """Hash functions of the words that occur: the others need no table."""

    def __init__(self, occurs: NDArray[np.bool_]) -> None:
        words = np.flatnonzero(occurs).astype(np.uint64)
        self.place = np.zeros(len(occurs), dtype=np.intp)
        self.place[occurs] = np.arange(len(words))
        self.tables = np.empty((HASHES, len(words)), dtype=np.uint32)
        for number in range(HASHES):
            self.tables[number] = mix(words + np.uint64((number + 1) << 40)) >> np.uint64(32)

    def smallest(self, rows: Any) -> NDArray[np.uint32]:
        """Of each hash function and each row of a CSR matrix, the smallest hash of a word that the row has."""
        words = self.place[rows.indices]
        hashes = np.empty(len(words), dtype=np.uint32)
        found = np.empty((HASHES, rows.shape[0]), dtype=np.uint32)
        for number, table in enumerate(self.tables):
            np.take(table, words, out=hashes, mode="clip")  # The other modes copy what they take.
            found[number] = sums_of_rows(np.minimum, hashes, rows.indptr, 2**32 - 1)
        return found


@dataclass(frozen=True, eq=False)
class Sketches:
    """What is kept of the hashes of each row, in 72 bytes instead of 192: four bits of each, and 32 of each band."""

    bits: NDArray[np.uint64]
    """rows × 3; sixteen hashes, four bits of each, in one number"""
    bands: NDArray[np.uint32]
    """bands × rows, a hash of the four hashes of a band"""

    @classmethod
    def empty(cls, n: int) -> "Sketches":
        """Room for those of n rows."""
        return cls(np.zeros((n, HASHES // 16), dtype=np.uint64), np.zeros((BANDS, n), dtype=np.uint32))

    def put(self, rows: NDArray[Any], hashes: NDArray[np.uint32]) -> None:
        """Keep what is needed of the hashes of these rows."""
        bits = np.zeros((hashes.shape[1], self.bits.shape[1]), dtype=np.uint64)
        for number, of_rows in enumerate(hashes):
            bits[:, number // 16] |= (of_rows & np.uint32(15)).astype(np.uint64) << np.uint64(4 * (number % 16))
        self.bits[rows] = bits
        for band in range(BANDS):
            mixed = np.zeros(hashes.shape[1], dtype=np.uint64)
            for of_rows in hashes[band * PER_BAND : (band + 1) * PER_BAND]:
                mixed = mix(mixed ^ of_rows.astype(np.uint64))
            self.bands[band, rows] = mixed >> np.uint64(32)

    def in_order(self, order: NDArray[np.intp]) -> "Sketches":
        """The same in another order of rows. One band after the other is moved, so that this takes little memory."""
        for band in self.bands:
            band[:] = band[order]
        for column in self.bits.T:
            column[:] = column[order]
        return self

    def buckets(self, band: int) -> NDArray[np.uint64]:
        """A number of each row that rows with the same hashes in a band have in common.

        It has 48 bits: of five million rows, fewer than one pair of a band has the same by chance.
        """
        low = self.bits[:, band // PER_BAND] >> np.uint64(16 * (band % PER_BAND))
        return (self.bands[band].astype(np.uint64) << np.uint64(16)) | (low & np.uint64(0xFFFF))

    def equal_at_most(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """How many hashes of pairs of rows are equal at most, given the bits of both: so many have equal bits.

        Examples
        --------
        >>> import numpy as np
        >>> from wideangle.data.minhash import Sketches
        >>> bits = np.array([[0, 0, 0], [0x21, 0, 0xF]], dtype=np.uint64)
        >>> Sketches.empty(0).equal_at_most(bits[:1], bits[1:]).tolist()
        [45]
        """
        differ = first ^ second
        differ |= differ >> np.uint64(1)
        differ |= differ >> np.uint64(2)
        equal = ~differ & LOWEST
        per_byte = ((equal + (equal >> np.uint64(4))) & LOW_HALVES).sum(axis=1, dtype=np.uint64)
        return np.asarray((per_byte * ONE_PER_BYTE) >> np.uint64(56))


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter numbers over 64 bits, by the finaliser of SplitMix64 (Steele, Lea and Flood, 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
