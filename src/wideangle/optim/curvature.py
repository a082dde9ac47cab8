"""How far a slope leads: step sizes of rows, or the inverse curvature that an ascent has learned (L-BFGS)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from wideangle.functional.sphere import tangent

MOST_PAIRS = 20  # An ascent remembers so many of its last steps.
CURVED = 1e-8  # A step teaches a curvature where the slope falls along it by at least this share of its change.


class InCosines(NamedTuple):
    """What H does to cosines: multipliers M of the pairs change them by J H Jᵀ M, J the slopes of the cosines."""

    moved: Callable[[Tensor], Tensor]
    largest: float  # no eigenvalue of J H Jᵀ is larger


class Reach(Protocol):
    """H ≻ 0, by which a slope becomes a displacement: the inverse of a curvature."""

    def apply(self, slope: Tensor) -> Tensor:
        """H slope, one row per component. The first D columns are directions; lengths may follow them."""

    def in_cosines(self, W: Tensor) -> InCosines:
        """J H Jᵀ at the directions W."""


@dataclass(frozen=True)
class RowSteps:
    """One step size per row."""

    sizes: Tensor

    def apply(self, slope: Tensor) -> Tensor:
        return self.sizes[:, None] * slope

    def in_cosines(self, W: Tensor) -> InCosines:
        gram = (W @ W.mT).double().fill_diagonal_(1)
        sizes = self.sizes.double()[:, None]

        def moved(M: Tensor) -> Tensor:
            turned = M @ gram
            return symmetric(sizes * (turned - turned.diagonal()[:, None] * gram))

        return InCosines(moved, 2 * float(sizes.max()) * float(gram.abs().sum(1).max()))


@dataclass(frozen=True)
class LearnedReach:
    """H = size · I + V N Vᵀ, the compact form of L-BFGS (Byrd, Nocedal and Schnabel 1994), times a step size."""

    size: float
    vectors: Tensor  # V, as 2m matrices like a displacement
    middle: Tensor  # N, 2m × 2m, float64

    def times(self, step_size: float) -> "LearnedReach":
        return LearnedReach(step_size * self.size, self.vectors, step_size * self.middle)

    def apply(self, slope: Tensor) -> Tensor:
        if not len(self.vectors):
            return self.size * slope
        V = self.vectors.flatten(1)
        parts = self.middle @ (V @ slope.flatten()).double()
        return self.size * slope + (parts.to(V) @ V).view_as(slope)

    def in_cosines(self, W: Tensor) -> InCosines:
        plain = RowSteps(W.new_full((len(W),), self.size)).in_cosines(W)
        if not len(self.vectors):
            return plain
        seen = symmetric((self.vectors[..., : W.shape[1]] @ W.mT).double())  # J V
        flat = seen.flatten(1)
        largest = torch.linalg.eigvals(self.middle @ (flat @ flat.mT / 2)).real.max()

        def moved(M: Tensor) -> Tensor:
            return plain.moved(M) + ((self.middle @ (flat @ M.flatten() / 2)) @ flat).view_as(M)

        return InCosines(moved, plain.largest + max(0.0, float(largest)))


@dataclass
class Memory:
    """The last steps of an ascent and how the slope changed over them, in the tangent space where the ascent stands."""

    steps: list[Tensor] = field(default_factory=list)
    falls: list[Tensor] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.steps)

    def learn(self, step: Tensor, fall: Tensor) -> bool:
        """Keep a step and by how much the slope fell over it. A step along which the slope rises teaches nothing."""
        curved = _dot(step, fall) > CURVED * (_dot(step, step) * _dot(fall, fall)) ** 0.5
        if curved:
            self.steps, self.falls = [*self.steps, step][-MOST_PAIRS:], [*self.falls, fall][-MOST_PAIRS:]
        return curved

    def carry(self, W: Tensor, signs: Tensor) -> None:
        """Bring what is remembered to the tangent space at W, after some rows have changed their sign."""
        self.steps = [carried(step, W, signs) for step in self.steps]
        self.falls = [carried(fall, W, signs) for fall in self.falls]

    def forget(self) -> None:
        self.steps, self.falls = [], []

    def reach(self, like: Tensor) -> LearnedReach:
        """The inverse curvature that the remembered steps have shown; the identity where there is none."""
        kept = [(s, y) for s, y in zip(self.steps, self.falls, strict=True) if _dot(s, y) > 0]
        if not kept:
            return LearnedReach(1.0, like.new_zeros(0, *like.shape), like.new_zeros(0, 0).double())
        S, Y = (torch.stack(part) for part in zip(*kept, strict=True))
        products, squares = (X.flatten(1).double() @ Y.flatten(1).double().mT for X in (S, Y))
        size = float(products[-1, -1] / squares[-1, -1])
        inverse = torch.linalg.inv(products.triu())
        corner = inverse.mT @ (products.diagonal().diag() + size * squares) @ inverse
        middle = torch.cat([torch.cat([corner, -inverse.mT], 1), torch.cat([-inverse, torch.zeros_like(corner)], 1)])
        return LearnedReach(size, torch.cat([S, size * Y]), (middle + middle.mT) / 2)


def carried(vector: Tensor, W: Tensor, signs: Tensor) -> Tensor:
    """A tangent vector brought to W by projection; its last column, of lengths, stays. Reversed rows change sign."""
    vector = signs[:, None] * vector
    return torch.cat([tangent(W, vector[:, :-1]), vector[:, -1:]], dim=1)


def symmetric(half: Tensor) -> Tensor:
    """X + Xᵀ with a zero diagonal."""
    whole = half + half.mT
    whole.diagonal(dim1=-2, dim2=-1).zero_()
    return whole


def _dot(X: Tensor, Y: Tensor) -> float:
    return float((X.double() * Y.double()).sum())
