"""Weighted counts of words at unit length, of which the simple baselines are made."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def rarity_of(counts: sp.csr_array) -> NDArray[np.float64]:
    """log((1 + n) / (1 + documents that have the word)) + 1: scikit-learn's smoothed inverse document frequency."""
    n, width = counts.shape
    having = np.bincount(counts.indices, minlength=width)
    return np.asarray(np.log((1 + n) / (1 + having)) + 1)


def weighted(counts: sp.csr_array, *, log_counts: bool, rarity: NDArray[np.float64] | None = None) -> sp.csr_array:
    """The rows at unit length, with 1 + log n in place of a count n, and times the rarity. Empty rows stay empty."""
    values = counts.data.astype(np.float64)
    if log_counts:
        values = 1 + np.log(values)
    if rarity is not None:
        values *= rarity[counts.indices]
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(rows, values**2, minlength=counts.shape[0]))
    return sp.csr_array((values / lengths[rows], counts.indices, counts.indptr), shape=counts.shape)
