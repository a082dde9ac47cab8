"""What an estimator is set to, by whatever names its parameters have, and copies that are set to something else."""

from operator import index
from typing import Any

import numpy as np
from sklearn.base import clone

from wideangle.catalogue import Entry, entry_of
from wideangle.finishing import Finished
from wideangle.models._parameters import diversity_of

__all__ = [
    "is_finished",
    "own_components",
    "own_diversity",
    "own_granularity",
    "set_known",
    "unfitted_copy",
    "with_setting",
]


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


def _widths(network: Any, entry: Entry) -> tuple[int, ...]:
    sizes = getattr(network, str(entry.size))
    found = tuple(sizes) if isinstance(sizes, tuple | list | np.ndarray) else (sizes,)
    if not found or not all(isinstance(size, int | np.integer) and size >= 1 for size in found):
        raise ValueError(f"{entry.size} must be whole numbers of at least 1, one per layer; got {sizes!r}.")
    return tuple(int(size) for size in found)
