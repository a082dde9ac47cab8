"""Checks of what `cross_validate` and `choose_settings` are given."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.catalogue import OF_CLASSES, R2


def check_call(seed: Any, progress: Any) -> None:
    """Raise an error where the seed is no seed or progress cannot be called."""
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable as progress(done, total, trial), or None; got {progress!r}.")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**31:
        raise ValueError(f"seed must be a whole number from 0 to 2³¹ − 1; got {seed!r}.")


def checked_targets(y: Any, n: int) -> NDArray[Any]:
    """Labels or targets of n rows."""
    if sp.issparse(y):
        raise TypeError("y must be dense, one entry per row of X; got a sparse matrix.")
    values = np.asarray(y)
    if values.ndim == 0 or len(values) != n:
        raise ValueError(f"y must have {n} entries, one per row of X; got shape {values.shape}.")
    if any(value is None or value != value for value in values.ravel().tolist()):
        raise ValueError("y must be known for every row; got NaN or None. Leave those rows out.")
    return values


def classes_of(y: NDArray[Any] | None, measure: str) -> NDArray[Any] | None:
    """Labels to spread over the folds. They are used even where the measure does not need them."""
    if y is None or measure in OF_CLASSES:
        return y
    return y if measure != R2 and y.ndim == 1 and y.dtype.kind in "biuUSO" else None
