"""Choosing λ and K by cross-validation."""

from wideangle.tuning.results import Trial, Tuning
from wideangle.tuning.validation import cross_validate

__all__ = ["Trial", "Tuning", "cross_validate"]
