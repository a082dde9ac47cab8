"""Folds that every trial shares."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def make_folds(n: int, classes: NDArray[Any] | None, folds: int, seed: int) -> list[Fold]:
    """Shuffled rows to train on and rows to hold out. Where there are classes, each is spread over all folds."""
    from sklearn.model_selection import KFold, StratifiedKFold

    if classes is None:
        return list(KFold(folds, shuffle=True, random_state=seed).split(np.empty((n, 0))))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return list(splitter.split(np.empty((n, 0)), _strata(classes, folds)))


def _strata(classes: NDArray[Any], folds: int) -> NDArray[np.intp]:
    """Classes as numbers. Classes with fewer rows than folds form one class, because scikit-learn warns about them.

    If even together they have fewer rows than folds, they join the smallest other class.
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
    """Raise an error unless n rows can be split into so many folds."""
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ValueError(f"folds must be a whole number of at least 2; got {folds!r}.")
    if n < folds:
        raise ValueError(f"{folds} folds need at least {folds} rows; got {n}. Lower folds, or bring more rows.")
