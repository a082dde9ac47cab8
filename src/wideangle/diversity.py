"""The diversity term λ R(A) as one object. Trainers and solvers ask it for its value, its gradient and the angles."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from wideangle.functional._inputs import checked_gamma
from wideangle.functional.angles import mutual_angular_score, pair_angles
from wideangle.functional.regularizers import (
    REGULARIZERS,
    Surrogate,
    checked_surrogate,
    regularizer_value,
    value_and_gradient,
)


@dataclass(frozen=True)
class Spread:
    """How far components are apart, in the geometry of the term."""

    score: float
    """Ω with the term's γ"""
    mean_angle: float
    """in degrees; NaN where there is no pair"""
    min_angle: float
    """in degrees"""


@dataclass(frozen=True)
class DiversityTerm:
    """λ R(A), to be maximised: the weight, the regulariser and the weight of the angles' variance."""

    weight: float
    surrogate: Surrogate = "angle"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        checked_surrogate(self.surrogate)
        checked_gamma(self.gamma)
        if not 0 <= self.weight < math.inf:
            raise ValueError(f"diversity weighs the regulariser and must be finite and at least 0; got {self.weight}.")

    def __bool__(self) -> bool:
        return bool(self.weight > 0)

    def value(self, A: Tensor, inspect: bool = True) -> Tensor:
        """R(A) without its weight, differentiable in A; `inspect` as in `functional.gram.gram_value`."""
        return regularizer_value(A, self.surrogate, self.gamma, inspect)

    def push(self, A: Tensor, rows: Any = None) -> Tensor:
        """λ ∂R/∂A. `rows` are those of the present update, for terms that depend on more than A."""
        return self.weight * value_and_gradient(A, self.surrogate, self.gamma)[1]

    def spread(self, A: Tensor) -> Spread:
        """The angles of the components."""
        A = A.detach()
        if len(A) < 2:
            return Spread(0.0, math.nan, math.nan)
        angles = torch.rad2deg(pair_angles(A))
        return Spread(float(mutual_angular_score(A, self.gamma)), float(angles.mean()), float(angles.min()))


class HeldPush:
    """The push of a diversity term, which is computed every few updates and held in between.

    Components turn slowly, and at every update the term's K×K×D products would cost more than a small batch's own.
    `cost` is the number of an update's own multiplications, and `share` the share of it that the term may cost.
    """

    def __init__(self, term: DiversityTerm, A: Tensor, share: float, cost: float, at_least: int = 1) -> None:
        K, D = A.shape
        self.term = term
        own = REGULARIZERS[term.surrogate].products * K * K * D
        self.updates_held = max(at_least, math.ceil(own / cost / share - 1e-9))
        # It has the memory order of A. In another order, adding it would be slow at every update.
        self.value = torch.zeros_like(A)

    def is_due(self, update: int) -> bool:
        """Whether the push must be computed again before this update."""
        return bool(self.term) and update % self.updates_held == 0

    def refresh(self, A: Tensor, rows: Any = None) -> None:
        """Compute the push again."""
        self.value.copy_(self.term.push(A, rows))
