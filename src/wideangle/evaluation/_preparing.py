"""Rows as the search for neighbours compares them: centred and scaled, or of unit length."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wideangle._rows import IN_MEMORY, RowMatrix, row_blocks

Metric = Literal["euclidean", "cosine"]
Floats = NDArray[np.floating[Any]]

LOOKED_AT = 2**16  # rows of a large database by which its middle is found


def centring(database: RowMatrix) -> Callable[[Any], Any]:
    """x ↦ (x − c)/r, c the columns' medians: distances keep their order, and ‖x‖² − 2x·y + ‖y‖² loses few digits.

    The mean is not used, because a single far row would draw it away from all others. Of a large database c is the
    median of some rows: any c in the middle serves.
    """
    n, D = database.shape
    is_small = n * D * database.dtype.itemsize <= IN_MEMORY
    some = database[:] if is_small else database[np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(np.intp)]
    middle = len(some) // 2
    centre = np.partition(some.T, middle, axis=1)[:, middle].astype(np.float64)
    with np.errstate(over="ignore"):
        spread = max(
            float(max((block.max(0) - centre).max(), (centre - block.min(0)).max())) for block in row_blocks(database)
        )
    if not np.isfinite(spread):
        raise ValueError("the database's values are too far apart for float64. Rescale them.")
    return lambda rows: (rows - centre) / (spread or 1.0)


def unit(rows: Floats) -> Floats:
    """Rows of unit length in float64; zero rows stay zero, so that their cosine with all others is 0."""
    largest = np.abs(rows).max(1, keepdims=True).astype(np.float64)
    scaled = rows / np.where(largest > 0, largest, 1.0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(lengths > 0, lengths, 1.0)


def unit_sparse(rows: Any) -> Any:
    """The same for sparse rows."""
    lengths = np.sqrt(square_lengths(as_float64(rows)))
    return sparse.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ as_float64(rows)


def as_float64(rows: Any) -> Any:
    return rows.astype(np.float64)


def square_lengths(rows: Any) -> NDArray[np.float64]:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(1)).ravel()
    return np.einsum("ij,ij->i", rows, rows)


def offset_of(y: Any, metric: Metric) -> NDArray[np.float64]:
    """b(y)"""
    return square_lengths(y) if metric == "euclidean" else np.zeros(y.shape[0])
