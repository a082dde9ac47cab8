"""The picture of a tuning."""

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from wideangle._files import replacing
from wideangle._optional import optional_import

if TYPE_CHECKING:
    from wideangle.tuning.results import Tuning

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # for colour-blind readers too
GREY = "#999999"


def draw_tuning(tuning: "Tuning", path: str | PathLike[str]) -> None:
    """See `Tuning.draw`."""
    matplotlib = optional_import("matplotlib", extra="plot", purpose="a drawing")
    figures = optional_import("matplotlib.figure", extra="plot", purpose="a drawing")
    scores = np.array([trial.scores for trial in tuning.trials])
    paired = scores - scores.mean(axis=0) if len(scores) > 1 else scores
    errors = paired.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    weights = sorted({trial.diversity for trial in tuning.trials})
    sizes = sorted({trial.n_components for trial in tuning.trials})
    against_sizes = len(weights) == 1 and len(sizes) > 1
    ticks: list[float] = list(sizes) if against_sizes else weights
    lines: dict[str, list[tuple[int, float, float]]] = {}
    for trial, error in zip(tuning.trials, errors, strict=True):
        line = f"λ = {trial.diversity:g}" if against_sizes else f"K = {trial.n_components}"
        place = ticks.index(trial.n_components if against_sizes else trial.diversity)
        lines.setdefault(line, []).append((place, trial.mean, error))
        if trial is tuning.best:
            taken = place, trial.mean
    with matplotlib.rc_context({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False}):
        figure = figures.Figure(figsize=(5.6, 3.6), layout="constrained")
        axes = figure.subplots()
        for number, (line, points) in enumerate(lines.items()):
            places, means, bars = zip(*sorted(points), strict=True)
            axes.errorbar(places, means, bars, fmt="o-", capsize=2, color=COLOURS[number % len(COLOURS)], label=line)
        axes.plot(*taken, "o", markersize=13, fillstyle="none", color=GREY, label="taken")
        # Ticks are evenly spaced, because a logarithmic scale of λ has no place for 0.
        axes.set_xticks(range(len(ticks)), [f"{tick:g}" for tick in ticks])
        axes.set(xlabel="components K" if against_sizes else "λ", ylabel=tuning.measure)
        axes.legend(frameon=False)
        with replacing(path) as temporary:
            figure.savefig(temporary, format="png", dpi=130, metadata={"Software": "wideangle curve"})
