"""Checks of numbers that enter a theorem."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatOrArray = float | NDArray[np.float64]


def checked_angle(theta: Any) -> NDArray[np.float64]:
    """0 ≤ θ ≤ π/2, in radians."""
    angle = np.asarray(theta, np.float64)
    # The largest angle, π/2, may come with a rounding error.
    if not np.all((angle >= 0) & (angle <= np.pi / 2 + 1e-12)):
        raise ValueError(
            f"theta is a non-obtuse angle in radians, between 0 and π/2; got {theta}. A negative bound of Lemma 6 "
            "says nothing of the angle: use 0."
        )
    return angle


def check_positive(**numbers: float) -> None:
    """Each number is finite and over 0."""
    for name, value in numbers.items():
        if not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be finite and positive; got {value}.")


def check_not_negative(**numbers: float) -> None:
    """Each number is finite and at least 0."""
    for name, value in numbers.items():
        if not (np.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be finite and at least 0; got {value}.")


def check_counts(**counts: int) -> None:
    """Each number is a whole number, at least 1."""
    for name, value in counts.items():
        if not (value >= 1 and value == int(value)):
            raise ValueError(f"{name} is a count and must be a whole number, at least 1; got {value}.")


def check_delta(delta: float) -> None:
    """0 < δ < 1, the probability that the bound fails."""
    if not 0 < delta < 1:
        raise ValueError(f"delta is the probability that the bound fails and must lie between 0 and 1; got {delta}.")
