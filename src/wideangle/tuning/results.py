"""What cross-validation found."""

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from wideangle.tuning.grid import with_setting


@dataclass(frozen=True)
class Trial:
    """One setting and its score on every fold; larger is better."""

    n_components: int
    """K; of a network the units of its first hidden layer"""
    diversity: float
    """λ"""
    scores: tuple[float, ...]
    """one a fold, in the same order for every trial"""

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean over folds. Differences of trials are known better, since folds are shared."""
        return standard_error(self.scores)


@dataclass(frozen=True)
class Tuning:
    """All trials, the one to take, and why."""

    measure: str
    """what the scores are"""
    trials: tuple[Trial, ...]
    """by rising K, then λ as they were given"""
    best: Trial
    """the one taken: that of the highest mean, or one no worse beyond noise; see `reason`"""
    reason: str
    """a sentence that says how sure the choice is"""

    def tuned(self, estimator: Any) -> Any:
        """An unfitted copy of the estimator with the λ and K taken; its own `random_state` is kept."""
        return with_setting(estimator, self.best.n_components, self.best.diversity)

    def draw(self, path: str | PathLike[str]) -> None:
        """Write a PNG: score against λ, one line a K (against K where one λ was tried). Needs matplotlib.

        Bars are standard errors once each fold's level, which all trials share, is taken off.
        """
        from wideangle.tuning.drawing import draw_tuning

        draw_tuning(self, path)


def standard_error(values: Any) -> float:
    """Of the mean of some values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
