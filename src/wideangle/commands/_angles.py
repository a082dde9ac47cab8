"""The angles between components, as several commands tell them."""

from dataclasses import dataclass
from typing import Any

from wideangle.evaluation import angle_summary

NEAR = 30.0  # degrees: components closer than this are near-duplicates


@dataclass(frozen=True)
class Angles:
    """Of all pairs of components, in degrees."""

    mean: float
    smallest: float
    std: float
    near_duplicates: int
    """pairs closer than 30°"""

    @classmethod
    def of(cls, components: Any) -> "Angles":
        """Measured."""
        summary = angle_summary(components, NEAR)
        return cls(summary.mean, summary.smallest, summary.std, summary.redundant)
