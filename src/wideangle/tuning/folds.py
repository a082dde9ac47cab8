"""Folds that every trial shares."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_folds(n: int, classes: NDArray[Any] | None, folds: int, seed: int) -> list[Fold]:
    """Rows to train on and rows held out, shuffled; every class spread over all folds where there are classes."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if classes is None:
        return list(KFold(folds, shuffle=True, random_state=seed).split(np.empty((n, 0))))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.empty((n, 0)), _strata(classes, folds)))


def _strata(classes: NDArray[Any], folds: int) -> NDArray[np.intp]:
    """Classes as numbers, those too small for every fold to have a member put together, for scikit-learn warns of them.

    Where even together they are too few, they join the smallest other class.
    """
    _, codes, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    codes = codes.ravel()
    small = sizes < folds
    if small.any():
        home = len(sizes)
        if sizes[small].sum() < folds:
            home = int(np.argmin(np.where(small, len(classes) + 1, sizes)))
        codes = np.where(small[codes], home, codes)
    return codes


def check_number(folds: Any, n: int) -> None:
    """An error unless n rows can be split into so many folds."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ValueError(f"folds must be a whole number of at least 2; got {folds!r}.")
    if n < folds:
        raise ValueError(f"{folds} folds need at least {folds} rows; got {n}. Lower folds, or bring more rows.")
