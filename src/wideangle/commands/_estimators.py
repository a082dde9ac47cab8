"""From the settings of a command to an estimator that is not fitted yet, for `fit` and `tune`."""

from typing import Any

import numpy as np

from wideangle.catalogue import COMPONENTS, Entry
from wideangle.commands._guard import CommandError, UsageError
from wideangle.commands._output import Output
from wideangle.commands._settings import Settings
from wideangle.functional.regularizers import REGULARIZERS, checked_surrogate
from wideangle.reading import Rows
from wideangle.tuning.grid import own_diversity, set_known

DIFFERENT_UNITS = 100.0  # Columns whose spreads differ by more than this factor have different units.


# Parameters and the options that set them. Not every estimator has all of these parameters.
OPTIONS = {
    "diversity": "--diversity",
    "surrogate": "--surrogate",
    "max_updates": "--updates",
    "purpose": "--for",
    "weighting": "--weighting",
    "metric": "--metric",
    "init": "--init",
}


def new_model(entry: Entry, n_components: int, **parameters: Any) -> Any:
    """An unfitted estimator. Parameters that are None keep their defaults."""
    size = {} if entry.size is None else {entry.size: (n_components,) if entry.layered else n_components}
    model = entry.load()(**size)
    given = {key: value for key, value in parameters.items() if value is not None}
    for name in sorted(OPTIONS.keys() & given.keys() - model.get_params(deep=False).keys()):
        raise UsageError(f"{entry.command} has no {name}. Leave out {OPTIONS[name]}.")
    return set_known(model, **given)


def unfitted(settings: Settings, rows: Rows) -> Any:
    """The estimator that the settings ask for, with a size that suits the rows."""
    width, entry = rows.X.shape[1], settings.entry
    if settings.diversity == "auto" and not entry.grid:
        raise UsageError(f"{entry.command} has no diversity. Leave out --diversity.")
    K = settings.n_components
    if entry.size is None and K is not None:
        raise UsageError(f"{entry.command} has one component per word. Leave out -k.")
    if K is None:
        K = min(COMPONENTS, width, int(rows.training.sum())) if entry.at_most_columns else COMPONENTS
    try:
        regularizer = REGULARIZERS[checked_surrogate(settings.surrogate or "angle")]
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    if regularizer.independent and width < K:
        raise CommandError(f"--surrogate {settings.surrogate} needs -k ≤ {width}, the number of features; got {K}.")
    model = new_model(
        entry,
        K,
        diversity=None if settings.diversity == "auto" else settings.diversity,
        surrogate=settings.surrogate,
        purpose=settings.purpose,
        weighting=settings.weighting,
        metric=settings.metric,
        init=settings.init,
        max_updates=settings.updates,
        random_state=settings.seed,
        device=settings.device,
    )
    if regularizer.scale != 1 and settings.diversity in (None, "auto"):
        model.set_params(diversity=own_diversity(model) * regularizer.scale)  # the default is meant for the angle
    return model


def check_scales(rows: Rows, entry: Entry, output: Output) -> None:
    """Note it where columns have different units: the largest then decide, and the result does not show it."""
    if rows.counted or entry.takes != "numbers" or not isinstance(rows.X, np.ndarray):
        return
    spread = rows.X.std(axis=0)
    spread = spread[spread > 0]
    if len(spread) and spread.max() > DIFFERENT_UNITS * spread.min():
        output.note(f"columns spread from {spread.min():.2g} to {spread.max():.2g}; standardise them for a fair fit.")
