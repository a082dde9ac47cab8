"""Checks of an estimator's parameters, and objects that are made from some of them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

from wideangle.diversity import MOST_WEIGHT, DiversityTerm
from wideangle.functional.regularizers import checked_surrogate
from wideangle.recent_rows import checked_metric

T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """What a number must be, in words and as a test."""

    words: str
    kind: type
    holds: Callable[[Any], bool]

    def __call__(self, value: Any) -> bool:
        # Python counts True as 1, but a user who passes True does not mean the number 1.
        # NumPy would compare a bound in the type of the other number, where it may be infinite.
        plain = value.item() if isinstance(value, np.generic) else value
        return isinstance(value, self.kind) and not isinstance(value, bool) and bool(self.holds(plain))


COUNT = Rule("a whole number of at least 1", Integral, lambda value: value >= 1)
NOT_NEGATIVE = Rule(
    f"a finite number of at least 0 and of at most {MOST_WEIGHT:g}", Real, lambda value: 0 <= value <= MOST_WEIGHT
)
ABOVE_ZERO = Rule("a finite number above 0", Real, lambda value: 0 < value < math.inf)
WEIGHT = Rule(f"a finite number above 0 and of at most {MOST_WEIGHT:g}", Real, lambda value: 0 < value <= MOST_WEIGHT)
SHARE = Rule("a share between 0 and 1", Real, lambda value: 0 <= value <= 1)


def check_parameters(
    estimator: Any,
    *,
    counts: Sequence[str] = (),
    not_negative: Sequence[str] = (),
    above_zero: Sequence[str] = (),
    shares: Sequence[str] = (),
    may_be_none: Sequence[str] = (),
    flags: Sequence[str] = (),
    choices: Mapping[str, Sequence[str]],
) -> None:
    """Raise an error where a named parameter is wrong; it says what came and what is allowed."""
    rules = ((counts, COUNT), (not_negative, NOT_NEGATIVE), (above_zero, ABOVE_ZERO), (shares, SHARE))
    for names, rule in rules:
        for name in names:
            value = getattr(estimator, name)
            if not (rule(value) or (value is None and name in may_be_none)):
                raise ValueError(
                    f"{name} must be {rule.words}{', or None' if name in may_be_none else ''}; got {value!r}."
                )
    for name in flags:
        if not isinstance(getattr(estimator, name), bool | np.bool_):
            raise ValueError(f"{name} must be True or False; got {getattr(estimator, name)!r}.")
    for name, allowed in choices.items():
        value = getattr(estimator, name)
        if value is None and name in may_be_none:
            continue
        if not isinstance(value, str) or value not in allowed:
            or_none = ", or None" if name in may_be_none else ""
            raise ValueError(f"{name} must be one of {tuple(allowed)}{or_none}; got {value!r}.")
    # Document models are finished. They check how, so that other estimators need not know of it.
    if hasattr(estimator, "_check_finish"):
        estimator._check_finish()
    # A baseline has no regulariser, and an estimator may have one that measures angles in one metric only.
    if hasattr(estimator, "surrogate"):
        checked_surrogate(estimator.surrogate)
    if hasattr(estimator, "metric"):
        checked_metric(estimator.metric)


def settings_of(estimator: Any, kind: type[T], **others: Any) -> T:
    """A dataclass whose fields are parameters of the same names, except for those given in `others`."""
    names = [field.name for field in fields(kind) if field.name not in others]  # type: ignore[arg-type]
    return kind(**{name: getattr(estimator, name) for name in names}, **others)


def diversity_of(estimator: Any) -> float:
    """The λ that an estimator trains with. It may follow from other parameters."""
    return float(used_value(estimator, "diversity"))


def term_of(estimator: Any) -> DiversityTerm:
    """The diversity term that an estimator's parameters describe. Without a metric, angles are those of the weights."""
    others = {} if hasattr(estimator, "metric") else {"metric": DiversityTerm.metric}
    return settings_of(estimator, DiversityTerm, weight=diversity_of(estimator), **others)


def used_value(estimator: Any, name: str) -> Any:
    """The value that an estimator uses for a parameter. Where it is None, it may follow from other parameters."""
    value = getattr(estimator, name, None)
    chosen = getattr(estimator, "_chosen", None)
    return chosen(name) if value is None and chosen is not None else value
