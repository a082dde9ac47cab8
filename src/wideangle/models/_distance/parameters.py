"""Whether a distance learner's parameters make sense, and some of them as a dataclass."""

import math
from dataclasses import fields
from typing import Any, TypeVar

from wideangle.functional.regularizers import checked_surrogate

T = TypeVar("T")

_CHOICES = {"balance": ("samples", "classes"), "init": ("pca", "random"), "schedule": ("linear", "constant")}


def check_parameters(learner: Any) -> None:
    """An error that says what came and what may come."""
    for name in ("n_components", "n_neighbors", "n_similar", "n_dissimilar", "batch_size", "max_updates", "patience"):
        value = getattr(learner, name)
        if not (value is None and name == "n_components") and not value >= 1:
            raise ValueError(f"{name} must be at least 1; got {value}.")
    for name in ("diversity", "gamma", "hinge_weight"):
        if not 0 <= getattr(learner, name) < math.inf:
            raise ValueError(f"{name} must be finite and at least 0; got {getattr(learner, name)}.")
    for name in ("margin", "learning_rate"):
        if not 0 < getattr(learner, name) < math.inf:
            raise ValueError(f"{name} must be finite and above 0; got {getattr(learner, name)}.")
    for name in ("near_similar", "near_dissimilar", "validation_fraction"):
        if not 0 <= getattr(learner, name) <= 1:
            raise ValueError(f"{name} is a share and must lie between 0 and 1; got {getattr(learner, name)}.")
    if learner.max_violations is not None and not 0 < learner.max_violations <= 1:
        raise ValueError(f"max_violations must be above 0 and at most 1, or None; got {learner.max_violations}.")
    for name, choices in _CHOICES.items():
        if getattr(learner, name) not in choices:
            raise ValueError(f"{name} must be one of {choices}; got {getattr(learner, name)!r}.")
    checked_surrogate(learner.surrogate)


def settings_of(learner: Any, kind: type[T]) -> T:
    """A dataclass whose fields are some of the parameters."""
    return kind(**{field.name: getattr(learner, field.name) for field in fields(kind)})  # type: ignore[arg-type]
