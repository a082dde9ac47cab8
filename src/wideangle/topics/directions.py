"""Directions of documents from their centre, some documents at a time, and what is nearest to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._arrays import array_of
from wideangle._mapped import let_go
from wideangle.exceptions import DataError

__all__ = [
    "DocumentDirections",
    "angles_between",
    "blocks_of",
    "directions",
    "distances_to_centres",
    "nearest_centres",
    "row_giver",
    "unit_rows",
    "written_rows",
]

VALUES = 2**22  # So many numbers, such as distances to centres, are worked on at a time, which bounds the memory.
MOST_ROWS = 2**16  # Of so many documents at most, however few numbers each has.

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DocumentDirections:
    """The directions of documents from a centre, made for the documents that are asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics.directions import DocumentDirections
    >>> rows = DocumentDirections(np.array([[3.0, 5], [1, 1], [1, 2]]), np.ones(2), np.array([True, True, False]))
    >>> rows[[2, 0]].round(2).tolist(), len(rows)
    ([[0.0, 0.0], [0.45, 0.89]], 3)
    """

    vectors: Any
    """documents × components: an array, which may be in a file, or anything with `shape` that gives asked rows"""
    centre: Floats
    written: NDArray[np.bool_]
    """which documents have words; the others have no direction"""

    @property
    def shape(self) -> tuple[int, int]:
        """Documents × components."""
        return len(self.written), len(self.centre)

    def __len__(self) -> int:
        return len(self.written)

    def __getitem__(self, rows: Any) -> Floats:
        found = directions(self.vectors[rows], self.centre, self.written[rows])
        let_go(self.vectors)
        return found


def row_giver(vectors: Any) -> Any:
    """An array, which is not copied where it is one; or what gives rows that are asked for, as it is."""
    if hasattr(vectors, "shape") and not hasattr(vectors, "__array__"):
        return vectors
    return array_of(vectors, "vectors")


def blocks_of(n: int, width: int) -> Iterator[slice]:
    """Slices of n documents, as many at a time as memory should be taken for where each has `width` numbers."""
    size = int(np.clip(VALUES // max(1, width), 1, MOST_ROWS))
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def written_rows(vectors: Any) -> NDArray[np.bool_]:
    """Which vectors are not 0; an error where they are no finite numbers."""
    n, width = vectors.shape
    found = np.zeros(n, dtype=bool)
    for block in blocks_of(n, width):
        rows = np.asarray(vectors[block])
        _check_finite(rows, (n, width))
        found[block] = rows.any(axis=1)
        let_go(vectors)
    return found


def directions(vectors: Any, centre: Floats, written: NDArray[np.bool_]) -> Floats:
    """The direction of each document from the centre; zeros for one without words, and for one on the centre."""
    rows = np.asarray(vectors, dtype=np.float64)
    return unit_rows(np.where(written[:, None], rows - centre, 0.0))


def unit_rows(vectors: Any) -> Floats:
    """The rows at unit length; rows of zeros stay zeros."""
    from sklearn.preprocessing import normalize

    rows = np.asarray(vectors, dtype=np.float64)
    _check_finite(rows, rows.shape)
    return np.asarray(normalize(rows)) if len(rows) else rows


def _check_finite(rows: Any, shape: tuple[int, ...]) -> None:
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise DataError(f"vectors must be documents × components of finite numbers; got shape {shape}.")


def angles_between(centres: Floats) -> Floats:
    """Angles between directions, from 0 to 180 degrees; 90 where one has no direction."""
    unit = unit_rows(centres)
    return np.asarray(np.rad2deg(np.arccos(np.clip(unit @ unit.T, -1, 1))))


def distances_to_centres(rows: Floats, centres: Floats) -> Floats:
    from sklearn.metrics import pairwise_distances

    if not len(rows):
        return np.zeros((0, len(centres)))
    return np.asarray(pairwise_distances(rows, centres))


def nearest_centres(rows: Any, written: NDArray[np.bool_], centres: Floats) -> NDArray[np.int32]:
    """The nearest centre of each document that has words; −1 for the others."""
    found = np.full(len(written), -1, dtype=np.int32)
    for block in blocks_of(len(written), max(centres.shape)):
        numbers = block.start + np.flatnonzero(written[block])
        if len(numbers):
            found[numbers] = distances_to_centres(rows[numbers], centres).argmin(axis=1)
    return found
