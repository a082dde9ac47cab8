"""What cross-validation or a search found."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle._files import replacing
from wideangle._optional import optional_import
from wideangle._own_settings import unfitted_copy, with_setting

if TYPE_CHECKING:
    from wideangle.tuning.granularity import GranularityChoice

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # for colour-blind readers too
GREY = "#999999"


class Scored:
    """Anything with scores on the same folds or queries as others; larger is better."""

    scores: tuple[float, ...]
    """one per fold or set of queries, in the same order for all that are compared"""

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean. Differences of trials have smaller errors, for folds or queries are shared."""
        return standard_error(self.scores)


@dataclass(frozen=True)
class Trial(Scored):
    """One setting and its score on every fold; larger is better."""

    n_components: int
    """K; for a network, the units of its first hidden layer"""
    diversity: float
    """λ"""
    scores: tuple[float, ...]
    """one per fold, in the same order for every trial"""
    granularity: float | None = None
    """the granularity at which it was measured, which is the same for all trials; None: that of the estimator"""


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
    granularities: "GranularityChoice | None" = None
    """the granularities at which each fit was measured, as means over all fits of a fold; None: only its own"""

    def tuned(self, estimator: Any) -> Any:
        """An unfitted copy of the estimator with the best λ and K, and another granularity if that is clearly better.

        It keeps its own `random_state`.
        """
        copied, tried = with_setting(estimator, self.best.n_components, self.best.diversity), self.granularities
        if tried is None or tried.best is tried.own:
            return copied
        return copied.set_params(granularity=tried.best.granularity)

    def draw(self, path: str | PathLike[str]) -> None:
        """Write a PNG of the score against λ, one line per K (against K where one λ was tried). Needs matplotlib.

        Bars are standard errors after the level of each fold, which all trials share, is subtracted.
        """
        matplotlib = optional_import("matplotlib", extra="plot", purpose="a drawing")
        figures = optional_import("matplotlib.figure", extra="plot", purpose="a drawing")
        scores = np.array([trial.scores for trial in self.trials])
        paired = scores - scores.mean(axis=0) if len(scores) > 1 else scores
        errors = paired.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
        weights = sorted({trial.diversity for trial in self.trials})
        sizes = sorted({trial.n_components for trial in self.trials})
        against_sizes = len(weights) == 1 and len(sizes) > 1
        ticks: list[float] = list(sizes) if against_sizes else weights
        lines: dict[str, list[tuple[int, float, float]]] = {}
        for trial, error in zip(self.trials, errors, strict=True):
            line = f"λ = {trial.diversity:g}" if against_sizes else f"K = {trial.n_components}"
            place = ticks.index(trial.n_components if against_sizes else trial.diversity)
            lines.setdefault(line, []).append((place, trial.mean, error))
            if trial is self.best:
                taken = place, trial.mean
        with matplotlib.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
            figure = figures.Figure(figsize=(5.6, 3.6), layout="constrained")
            axes = figure.subplots()
            for number, (line, points) in enumerate(lines.items()):
                places, means, bars = zip(*sorted(points), strict=True)
                axes.errorbar(
                    places, means, bars, fmt="o-", capsize=2, color=COLOURS[number % len(COLOURS)], label=line
                )
            axes.plot(*taken, "o", markersize=13, fillstyle="none", color=GREY, label="taken")
            # Ticks are evenly spaced, because a logarithmic scale of λ has no place for 0.
            axes.set_xticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
            axes.set(xlabel="components K" if against_sizes else "λ", ylabel=self.measure)
            axes.legend(frameon=False)
            with replacing(path) as temporary:
                figure.savefig(temporary, format="png", dpi=130, metadata={"Software": "wideangle curve"})


@dataclass(frozen=True)
class SettingsTrial(Scored):
    """Settings of an estimator and their scores in the last round of the search that they reached."""

    settings: Mapping[str, Any]
    """parameters and their values; λ is "diversity" """
    updates: int
    """how many updates the fit of that round had"""
    scores: tuple[float, ...]
    """one per set of queries, in the same order for every trial of a round"""

    @property
    def diversity(self) -> float:
        """λ."""
        return float(self.settings["diversity"])


@dataclass(frozen=True)
class SettingsSearch:
    """What `choose_settings` tried, what to take, and why."""

    measure: str
    """what the scores are"""
    trials: tuple[SettingsTrial, ...]
    """one per fit that was tried; those of the last round first, then by falling score in earlier ones. Compare scores
    of trials with the same number of updates only."""
    best: SettingsTrial
    """the settings to take"""
    reason: str
    """a sentence that says how sure the choice is"""
    updates: int
    """how many updates the fits of the search were given, all together"""

    def tuned(self, estimator: Any) -> Any:
        """An unfitted copy of the estimator with the best settings. It keeps its own `random_state`."""
        return unfitted_copy(estimator).set_params(**self.best.settings)


def standard_error(values: Any) -> float:
    """The standard error of the mean of some values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
