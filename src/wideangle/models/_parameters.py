"""Whether an estimator's parameters make sense, and some of them as a dataclass."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from wideangle.functional.regularizers import checked_surrogate

T = TypeVar("T")


def check_parameters(
    estimator: Any,
    *,
    at_least_one: Sequence[str] = (),
    not_negative: Sequence[str] = (),
    above_zero: Sequence[str] = (),
    shares: Sequence[str] = (),
    choices: Mapping[str, Sequence[str]],
) -> None:
    """An error that says what came and what may come. Names are of parameters; None passes for a number."""
    rules: tuple[tuple[Sequence[str], str, Callable[[Any], bool]], ...] = (
        (at_least_one, "must be at least 1", lambda value: value >= 1),
        (not_negative, "must be finite and at least 0", lambda value: 0 <= value < math.inf),
        (above_zero, "must be finite and above 0", lambda value: 0 < value < math.inf),
        (shares, "is a share and must lie between 0 and 1", lambda value: 0 <= value <= 1),
    )
    for names, rule, holds in rules:
        for name in names:
            value = getattr(estimator, name)
            if value is not None and not holds(value):
                raise ValueError(f"{name} {rule}; got {value}.")
    for name, allowed in choices.items():
        if getattr(estimator, name) not in allowed:
            raise ValueError(f"{name} must be one of {tuple(allowed)}; got {getattr(estimator, name)!r}.")
    checked_surrogate(estimator.surrogate)


def settings_of(estimator: Any, kind: type[T]) -> T:
    """A dataclass whose fields are some of the parameters."""
    return kind(**{field.name: getattr(estimator, field.name) for field in fields(kind)})  # type: ignore[arg-type]
