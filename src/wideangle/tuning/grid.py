"""Which λ and K are tried, and an estimator that has them."""

import math
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from sklearn.base import clone

from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.models.distance import MOST_COMPONENTS

# What the benchmarks tried and found good or harmless; see docs/models.md, docs/distance.md and docs/networks.md.
GRIDS: dict[type, tuple[float, ...]] = {
    ReplicatedSoftmax: (0.0, 0.1, 0.3, 1.0),
    BernoulliRBM: (0.0, 0.1, 0.3, 1.0),
    DistanceLearner: (0.0, 0.1, 0.5, 2.0),
    MLPClassifier: (0.0, 0.01, 0.1, 1.0),
    MLPRegressor: (0.0, 0.01, 0.1, 1.0),
}
OF_THE_VOLUME = 0.01  # good weights of the volume are a hundredth of those of the angle


def checked_estimator(estimator: Any) -> None:
    """An error unless it is one of our estimators that can be copied."""
    if not isinstance(estimator, tuple(GRIDS)):
        names = ", ".join(kind.__name__ for kind in GRIDS)
        what = estimator.__name__ + " (a class: make an instance)" if isinstance(estimator, type) else repr(estimator)
        raise TypeError(
            f"estimator must be one of {names}; got {what}. Of a pipeline, pass the last step and X as it gets it."
        )
    try:
        _copy(estimator)
    except (RuntimeError, TypeError) as error:
        raise TypeError(
            f"{type(estimator).__name__} cannot be cloned: its __init__ must set every parameter as it came. {error}"
        ) from error


def own_components(estimator: Any, n_features: int) -> int:
    """The K an estimator has of its own."""
    if isinstance(estimator, MLPClassifier | MLPRegressor):
        return _widths(estimator)[0]
    K = estimator.n_components
    return min(n_features, MOST_COMPONENTS) if K is None else index(K)


def with_setting(estimator: Any, n_components: int, diversity: float) -> Any:
    """An unfitted copy with K and λ, and without callbacks, which belong to the fits of the estimator itself.

    K of a network is the width of its first hidden layer; the others keep their proportion to it, so that (200, 100)
    at K = 50 becomes (50, 25).
    """
    copied = _copy(estimator).set_params(diversity=diversity)
    if not isinstance(estimator, MLPClassifier | MLPRegressor):
        return copied.set_params(n_components=n_components)
    first, *others = _widths(estimator)
    scaled = (n_components, *(max(1, round(width * n_components / first)) for width in others))
    return copied.set_params(hidden_layer_sizes=scaled)


def diversities(estimator: Any, given: Sequence[float] | None) -> tuple[float, ...]:
    """The λ to try: those given, each once; else the estimator's grid, its own λ and 0."""
    if given is None:
        grid = next(grid for kind, grid in GRIDS.items() if isinstance(estimator, kind))
        scale = OF_THE_VOLUME if estimator.surrogate == "volume" else 1.0
        return tuple(sorted({scale * weight for weight in grid} | {float(estimator.diversity)}))
    values = _sequence(given, "diversity", "[0, 0.1, 0.3]")
    if not all(_is_number(value) and 0 <= value < math.inf for value in values):
        raise ValueError(f"diversity must hold finite numbers of at least 0; got {list(values)}.")
    return tuple(dict.fromkeys(float(value) for value in values))


def components(estimator: Any, given: Sequence[int] | None, n_features: int) -> tuple[int, ...]:
    """The K to try, rising: those given, each once; else the estimator's own."""
    if given is None:
        return (own_components(estimator, n_features),)
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


def _widths(network: Any) -> tuple[int, ...]:
    sizes = network.hidden_layer_sizes
    found = tuple(sizes) if isinstance(sizes, tuple | list | np.ndarray) else (sizes,)
    if not found or not all(isinstance(size, int | np.integer) and size >= 1 for size in found):
        raise ValueError(f"hidden_layer_sizes must be whole numbers of at least 1, one a layer; got {sizes!r}.")
    return tuple(int(size) for size in found)


def _copy(estimator: Any) -> Any:
    # clone would hand callbacks on.
    return type(estimator)(**clone(estimator).get_params(deep=False))
