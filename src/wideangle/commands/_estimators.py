"""From the settings of a command to an estimator that is not fitted yet, for `fit` and `tune`."""

from typing import Any

import numpy as np

from wideangle._own_settings import own_diversity, set_known
from wideangle.catalogue import COMPONENTS, Entry
from wideangle.commands._guard import CommandError, UsageError
from wideangle.commands._output import Output
from wideangle.commands._settings import Settings
from wideangle.functional.regularizers import REGULARIZERS
from wideangle.reading import Rows

DIFFERENT_UNITS = 100.0  # Columns whose spreads differ by more than this factor have different units.


# Parameters and the options that set them. Not every estimator has all of these parameters.
OPTIONS = {
    "diversity": "--diversity",
    "surrogate": "--surrogate",
    "max_updates": "--updates",
    "granularity": "--for",
    "finish": "--finish",
    "weighting": "--weighting",
    "metric": "--metric",
    "init": "--init",
}


def new_model(entry: Entry, n_components: int | None, **parameters: Any) -> Any:
    """An unfitted estimator. Parameters that are None keep their defaults."""
    model = entry.load()(**_size(entry, n_components))
    given = {key: value for key, value in parameters.items() if value is not None}
    for name in sorted(OPTIONS.keys() & given.keys() - model.get_params(deep=False).keys()):
        raise UsageError(f"{entry.command} has no {name}. Leave out {OPTIONS[name]}.")
    return set_known(model, **given)


def _size(entry: Entry, n_components: int | None) -> dict[str, Any]:
    """The parameter that says how many components there are; none where nothing is said."""
    if entry.size is None or n_components is None:
        return {}
    return {entry.size: (n_components,) if entry.layered else n_components}


def set_finish(model: Any, settings: Settings) -> Any:
    """Set how documents are compared, and how finely. A model that is asked for a granularity also gets a finish."""
    known, name = model.get_params(deep=False), settings.entry.command
    asked = {"granularity": settings.granularity, "finish": settings.finish}
    for parameter in (key for key, value in asked.items() if value is not None and key not in known):
        raise UsageError(
            f"{name} has no {parameter}, because nothing finishes what it says. Leave out {OPTIONS[parameter]}."
        )
    finely = settings.granularity
    if settings.finish is not None:
        model.set_params(finish=None if settings.finish == "none" else settings.finish)
    elif finely is not None and known["finish"] is None:
        model.set_params(finish="halves")
    return model if finely in (None, "auto") else model.set_params(granularity=finely)


def unfitted(settings: Settings) -> Any:
    """The estimator that the settings ask for. An error says which of them it does not have.

    It is made before any row is read, which may take long. `sized` then suits it to the rows.
    """
    model = new_model(
        settings.entry,
        settings.n_components,
        diversity=None if settings.diversity == "auto" else settings.diversity,
        surrogate=settings.surrogate,
        weighting=settings.weighting,
        metric=settings.metric,
        init=settings.init,
        max_updates=settings.updates,
        random_state=settings.seed,
        device=settings.device,
    )
    set_finish(model, settings)
    scale = REGULARIZERS[settings.surrogate or "angle"].scale
    if scale != 1 and settings.diversity in (None, "auto"):
        model.set_params(diversity=own_diversity(model) * scale)  # the default is meant for the angle
    return model


def sized(model: Any, settings: Settings, rows: Rows) -> Any:
    """The same estimator with a number of components that suits the rows, where none was asked for."""
    width, entry, K = rows.X.shape[1], settings.entry, settings.n_components
    if K is None and entry.size is not None and not entry.finds_components:
        K = min(COMPONENTS, width, int(rows.training.sum())) if entry.at_most_columns else COMPONENTS
        model.set_params(**_size(entry, K))
    regularizer = REGULARIZERS[settings.surrogate or "angle"]
    if K is not None and not regularizer.allows(K, width):
        raise CommandError(
            f"--surrogate {settings.surrogate} needs -k ≤ {regularizer.most(width)} for {width} features; got {K}."
        )
    return model


def check_scales(rows: Rows, entry: Entry, output: Output) -> None:
    """Note it where columns have different units: the largest then decide, and the result does not show it."""
    of_vectors = rows.reading is not None and rows.reading.kind == "vectors"
    if rows.counted or of_vectors or entry.takes != "numbers" or entry.any_units or not isinstance(rows.X, np.ndarray):
        return
    spread = rows.X.std(axis=0)
    spread = spread[spread > 0]
    if len(spread) and spread.max() > DIFFERENT_UNITS * spread.min():
        output.note(f"columns spread from {spread.min():.2g} to {spread.max():.2g}; standardise them for a fair fit.")
