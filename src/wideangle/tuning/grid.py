"""Which λ and K are tried."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wideangle._own_settings import own_components, own_diversity, unfitted_copy
from wideangle.catalogue import Entry, entries, entry_of
from wideangle.functional.regularizers import REGULARIZERS


def checked_entry(estimator: Any) -> Entry:
    """The estimator's record. Raises an error unless it is an estimator of the catalogue that can be copied."""
    try:
        entry = None if isinstance(estimator, type | str) else entry_of(estimator)
    except TypeError:
        entry = None
    if entry is None:
        names = ", ".join(entry.name for entry in entries())
        what = estimator.__name__ + " (a class: make an instance)" if isinstance(estimator, type) else repr(estimator)
        raise TypeError(
            f"estimator must be one of {names}; got {what}. Of a pipeline, pass the last step and X as it gets it; an "
            "estimator of your own joins by wideangle.catalogue.register."
        )
    try:
        unfitted_copy(estimator)
    except (RuntimeError, TypeError) as error:
        raise TypeError(
            f"{type(estimator).__name__} cannot be cloned: its __init__ must set every parameter as it came. {error}"
        ) from error
    return entry


def diversities(estimator: Any, given: Sequence[float] | None) -> tuple[float, ...]:
    """The λ to try: the given ones without repetitions; else the estimator's grid, its own λ and 0."""
    entry = entry_of(estimator)
    if not entry.grid:
        if given is not None:
            raise ValueError(f"{entry.name} has no diversity to try; leave it out.")
        return (0.0,)
    if given is None:
        scale = REGULARIZERS[getattr(estimator, "surrogate", "angle")].scale
        return tuple(sorted({scale * weight for weight in entry.grid} | {own_diversity(estimator)}))
    values = _sequence(given, "diversity", "[0, 0.1, 0.3]")
    if not all(_is_number(value) and 0 <= value < math.inf for value in values):
        raise ValueError(f"diversity must hold finite numbers of at least 0; got {list(values)}.")
    return tuple(dict.fromkeys(float(value) for value in values))


def components(estimator: Any, given: Sequence[int] | None, n_features: int) -> tuple[int, ...]:
    """The K to try in rising order: the given ones without repetitions; else the estimator's own."""
    if given is None:
        return (own_components(estimator, n_features),)
    if entry_of(estimator).size is None:
        raise ValueError(f"{entry_of(estimator).name} has no number of components to try; leave it out.")
    values = _sequence(given, "n_components", "[25, 50]")
    if not all(isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1 for value in values):
        raise ValueError(f"n_components must hold whole numbers of at least 1; got {list(values)}.")
    return tuple(sorted({int(value) for value in values}))


def _sequence(given: Any, name: str, example: str) -> Sequence[Any]:
    if isinstance(given, str) or not (isinstance(given, Sequence) or getattr(given, "ndim", None) == 1):
        raise TypeError(f"{name} must be a sequence of values to try, such as {example}, or None; got {given!r}.")
    if len(given) == 0:
        raise ValueError(f"{name} holds no value to try; pass some, or None for the default.")
    return list(given)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
