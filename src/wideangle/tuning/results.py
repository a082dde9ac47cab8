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
    """K; for a network, the units of its first hidden layer"""
    diversity: float
    """λ"""
    scores: tuple[float, ...]
    """one per fold, in the same order for every trial"""

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean over folds. Differences of trials have smaller errors: folds are shared."""
        return standard_error(self.scores)


@dataclass(frozen=True)
class Tuning:
    """All trials, the one to take, and why."""

    measure: str
    """what the scores are"""
    trials: tuple[Trial, ...]
    """by rising K, then by λ in the order in which they were given"""
    best: Trial
    """the trial to take: the one with the highest mean, or one that is no worse beyond noise; see `reason`"""
    reason: str
    """a sentence that says how sure the choice is"""

    def tuned(self, estimator: Any) -> Any:
        """An unfitted copy of the estimator with the best λ and K. It keeps its own `random_state`."""
        return with_setting(estimator, self.best.n_components, self.best.diversity)

    def draw(self, path: str | PathLike[str]) -> None:
        """Write a PNG of the score against λ, one line per K (against K where one λ was tried). Needs matplotlib.

        Bars are standard errors after the level of each fold, which all trials share, is subtracted.
        """
        from wideangle.tuning.drawing import draw_tuning

        draw_tuning(self, path)


def standard_error(values: Any) -> float:
    """The standard error of the mean of some values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
