"""Weighted counts of words at unit length, of which the simple baselines are made."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize


def weighted(counts: sp.csr_array, *, log_counts: bool, rarity: NDArray[np.float64] | None = None) -> sp.csr_array:
    """The rows at unit length, with 1 + log n in place of a count n, and times the rarity. Empty rows stay empty."""
    values = counts.data.astype(np.float64)
    if log_counts:
        values = 1 + np.log(values)
    if rarity is not None:
        values *= rarity[counts.indices]
    return sp.csr_array(normalize(sp.csr_array((values, counts.indices, counts.indptr), shape=counts.shape)))
