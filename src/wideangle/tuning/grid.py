"""Which λ and K are tried, and copies of an estimator that have them."""

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from sklearn.base import clone

from wideangle.catalogue import Entry, entries, entry_of
from wideangle.finishing import Finished
from wideangle.functional.regularizers import REGULARIZERS
from wideangle.models._parameters import diversity_of


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


def own_components(estimator: Any, n_features: int) -> int:
    """The K that an estimator is set to."""
    entry = entry_of(estimator)
    if entry.layered:
        return _widths(estimator, entry)[0]
    K = None if entry.size is None else getattr(estimator, entry.size)
    if K is None:
        return n_features if entry.most_components is None else min(n_features, entry.most_components)
    return index(K)


def own_diversity(estimator: Any) -> float:
    """The λ that an estimator trains with; 0 where it has no λ."""
    return diversity_of(estimator) if hasattr(estimator, "diversity") else 0.0


def own_granularity(estimator: Any) -> float:
    """The granularity that an estimator with a finish is set to."""
    return float(estimator._used_granularity())


def is_finished(estimator: Any) -> bool:
    """Whether an estimator, fitted or not, finishes what it says of documents, so that it has a granularity."""
    return isinstance(estimator, Finished) and estimator._wanted_finish() is not None


def with_setting(estimator: Any, n_components: int, diversity: float, entry: Entry | None = None) -> Any:
    """An unfitted copy with K and λ.

    K of a network is the width of its first hidden layer. The other layers keep their proportion to it, so that
    (200, 100) becomes (50, 25) at K = 50.
    """
    entry = entry_of(estimator) if entry is None else entry
    copied = unfitted_copy(estimator)
    if entry.grid:
        copied.set_params(diversity=diversity)
    size: Any = n_components
    if entry.layered:
        first, *others = _widths(estimator, entry)
        size = (n_components, *(max(1, round(width * n_components / first)) for width in others))
    return copied if entry.size is None else copied.set_params(**{entry.size: size})


def unfitted_copy(estimator: Any) -> Any:
    """An unfitted copy without callbacks, because they belong to fits of the estimator itself."""
    # scikit-learn's clone alone would copy the callbacks too.
    return type(estimator)(**clone(estimator).get_params(deep=False))


def set_known(estimator: Any, **parameters: Any) -> Any:
    """Set the parameters that the estimator has, and ignore others: baselines have no `verbose` or `device`."""
    known = estimator.get_params(deep=False)
    return estimator.set_params(**{name: value for name, value in parameters.items() if name in known})


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


def _widths(network: Any, entry: Entry) -> tuple[int, ...]:
    sizes = getattr(network, str(entry.size))
    found = tuple(sizes) if isinstance(sizes, tuple | list | np.ndarray) else (sizes,)
    if not found or not all(isinstance(size, int | np.integer) and size >= 1 for size in found):
        raise ValueError(f"{entry.size} must be whole numbers of at least 1, one per layer; got {sizes!r}.")
    return tuple(int(size) for size in found)
