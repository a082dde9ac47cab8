"""Granularity: how finely documents are told apart, from 0 (fine distinctions) to 1 (broad groups)."""

from numbers import Real
from typing import Any, Literal

Granularity = float | Literal["details", "balance", "groups"]
GRANULARITIES: dict[str, float] = {"details": 0.0, "balance": 0.5, "groups": 1.0}
"""the names of three granularities, from fine to broad"""
FINEST = 0.25  # the hardness of details


def granularity_number(granularity: Any) -> float:
    """A granularity as a number from 0 to 1.

    Examples
    --------
    >>> from wideangle.finishing import granularity_number
    >>> granularity_number("balance"), granularity_number(0.2)
    (0.5, 0.2)
    """
    if isinstance(granularity, str) and granularity in GRANULARITIES:
        return GRANULARITIES[granularity]
    is_number = isinstance(granularity, Real) and not isinstance(granularity, bool)
    if is_number and 0 <= granularity <= 1:
        return float(granularity)
    names = ", ".join(GRANULARITIES)
    raise ValueError(f"granularity must be {names}, or a number from 0 (fine) to 1 (broad); got {granularity!r}.")


def granularity_name(number: float) -> str:
    """The name of a granularity, or the number itself where it has no name."""
    number = granularity_number(number)
    return next((name for name, value in GRANULARITIES.items() if value == number), f"{number:g}")


def hardness(number: float) -> float:
    """t, by which logits are multiplied before they become probabilities: ¼ for details, 1 for groups.

    Probabilities at t = 1 say whether a unit is on, which broad groups ask for. With a smaller t they also say how
    clearly it is on. Ends and powers were chosen on folds of training documents (docs/granularity.md).
    """
    return float(FINEST + (1 - FINEST) * number**2)


def signal_power(number: float) -> float:
    """b, the power of the signal in the weight of a direction: 0 for details, 1 for groups."""
    return float(number**2)
