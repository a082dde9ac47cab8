"""Checks of numbers that enter a theorem."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._arrays import array_of

LARGEST = 1e50  # The bounds are products of several numbers and their squares, which shall be finite.
FloatOrArray = float | NDArray[np.float64]


def checked_angle(theta: Any) -> NDArray[np.float64]:
    """0 ≤ θ ≤ π/2, in radians."""
    angle = array_of(theta, "theta").astype(np.float64)
    if not angle.size:
        raise ValueError("theta must hold at least one angle; got none.")
    # The largest angle, π/2, may come with a rounding error.
    if not np.all((angle >= 0) & (angle <= np.pi / 2 + 1e-12)):
        raise ValueError(
            f"theta is a non-obtuse angle in radians, between 0 and π/2; got {theta}. A negative bound of Lemma 6 "
            "says nothing of the angle: use 0."
        )
    return angle


def _plain(value: Any) -> Any:
    """Python's own number: NumPy would compare a bound in the type of the other number, where it may be infinite."""
    return value.item() if isinstance(value, np.generic) else value


def check_positive(**numbers: float) -> None:
    """Each number is finite and over 0."""
    for name, value in numbers.items():
        if not is_number(value) or not 0 < _plain(value) <= LARGEST:
            raise ValueError(f"{name} must be finite and positive, at most {LARGEST:g}; got {value}.")


def check_not_negative(**numbers: float) -> None:
    """Each number is finite and at least 0."""
    for name, value in numbers.items():
        if not is_number(value) or not 0 <= _plain(value) <= LARGEST:
            raise ValueError(f"{name} must be finite and at least 0, at most {LARGEST:g}; got {value}.")


def check_sizes(**counts: int) -> None:
    """Each number is a whole number, at least 1."""
    for name, value in counts.items():
        if not is_number(value) or not (np.isfinite(value) and value >= 1 and value == int(value)):
            raise ValueError(f"{name} is a count and must be a whole number, at least 1; got {value}.")


def check_delta(delta: float) -> None:
    """0 < δ < 1, the probability that the bound fails."""
    if not is_number(delta) or not 0 < delta < 1:
        raise ValueError(f"delta is the probability that the bound fails and must lie between 0 and 1; got {delta}.")


def numbers_of(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers, one or many."""
    found = array_of(values, name).astype(np.float64)
    if not (np.abs(found) <= LARGEST**3).all():
        raise ValueError(f"{name} must be finite and at most {LARGEST**3:g}; larger ones or NaN came.")
    return found


def is_number(value: Any) -> bool:
    """Whether it is one real number, of Python or NumPy. NumPy takes no whole number of more than 64 bits."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and not (isinstance(value, int) and abs(value) >= 2**63)
