"""Ridges of the regularisers: the step that gains most where there are kinks.

At orthogonal rows |cos| has a kink that points upward, so a maximum is often exactly there: on a ridge, along which
some pairs stay orthogonal. A gradient step from a ridge leaves it and loses, however short it is. The step here
maximises a model that keeps each kink as it is and makes everything else smooth. It therefore moves along a ridge,
comes onto one or leaves one, whichever gains most, and it is 0 at stationary points only (docs/theory.md, "Ridges").
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from wideangle.diversity import DiversityTerm
from wideangle.functional.angles import pairwise_angles
from wideangle.functional.slopes import EQUAL
from wideangle.functional.sphere import retract, tangent
from wideangle.optim.curvature import Reach, symmetric

WITHIN_REACH = 0.5  # Where ‖cos‖ is larger, the bound is far from its cone and counts as smooth.
AT_THE_APEX = 1e-5  # Where ‖cos‖ is smaller, rounding hides the slope of the bound.
WORST_SHARE = 0.01  # A step may gain less than the model's best step by at most this share.
MOST_ROUNDS = 300  # of the search for the multipliers
ROUNDS_PER_SOLUTION = 10  # In every so many of them, those of held pairs are solved for, by conjugate gradients.
MOST_CONJUGATE = 100  # rounds of conjugate gradients
SOLVED = 1e-9  # Conjugate gradients end when what is left of the equations is this share of what was there.


class Kinks(NamedTuple):
    """The part with kinks: −Σ_ij limit_ij h(lack_ij) over pairs i < j, or −radius ‖lack‖ where `radius` is given.

    A lack is by how many radians a pair is not orthogonal, with the sign of its cosine. h(x) = |x|, or rounded off
    where a width is given: x²/(2 width) within the width, |x| − width/2 beyond. The multipliers of kinks form a K×K
    matrix, which is symmetric and zero on the diagonal, as `lack` is.
    """

    lack: Tensor  # arcsin G off the diagonal, float64; for the cone G itself
    limit: Tensor  # not negative; 0 for pairs without a kink
    radius: Tensor | None = None
    width: float = 0.0

    def loss(self, lack: Tensor) -> Tensor:
        """How far pairs that lack so much are below the ridge."""
        if self.radius is not None:
            return self.radius * _norm(lack)
        return _dot(self.limit, rounded(lack.abs(), self.width))

    def conjugate(self, multiplier: Tensor) -> Tensor | float:
        """The least that the loss exceeds ⟨multiplier, lack⟩ by, negated."""
        if not self.width:
            return 0.0
        return _dot(multiplier, self.softness() * multiplier) / 2

    def admissible(self, multiplier: Tensor, rate: float = 0.0) -> Tensor:
        """The nearest multipliers in the subdifferential of the kinks, after a step of `rate` down `conjugate`."""
        if self.radius is not None:
            return multiplier * (self.radius / _norm(multiplier).clamp(min=_TINY)).clamp(max=1)
        if self.width:
            multiplier = multiplier * self.limit / (self.limit + rate * self.width).clamp(min=_TINY)
        return multiplier.clamp(-self.limit, self.limit)

    def pull(self) -> Tensor:
        """The multipliers off the ridge: the gradient of the loss in the lacks."""
        if self.radius is not None:
            return self.radius * self.lack / _norm(self.lack).clamp(min=_TINY)
        return self.limit * (self.lack / self.width).clamp(-1, 1) if self.width else self.limit * self.lack.sign()

    def softness(self) -> Tensor | float:
        """By how much a rounded kink gives way per unit of its multiplier."""
        return self.width / self.limit.clamp(min=_TINY) * (self.limit > 0) if self.width else 0.0

    def room(self, multiplier: Tensor, change: Tensor) -> float:
        """The share of a change, at most 1, after which the first multiplier reaches its limit."""
        if self.radius is not None:
            return 0.0
        left = self.limit - multiplier * change.sign()
        return min(1.0, float(torch.where(change != 0, left / change.abs().clamp(min=_TINY), 1.0).min()))

    def holds(self, multiplier: Tensor) -> Tensor:
        """The pairs that stay where they are on their kink under these multipliers."""
        if self.radius is not None:
            return (_norm(multiplier) < self.radius).expand_as(multiplier)
        return multiplier.abs() < self.limit


class Slopes(NamedTuple):
    """A weighted regulariser near W: the gradient of its smooth part, and its kinks. None means no kinks."""

    gradient: Tensor
    kinks: Kinks | None


class Move(NamedTuple):
    """A tangent displacement, what the model promises to gain by it, and the multipliers of the kinks."""

    displacement: Tensor
    promised: float
    multiplier: Tensor | None


def rounded(size: Tensor, width: float) -> Tensor:
    """h of numbers that are not negative: the numbers themselves, with the kink at 0 rounded off within the width."""
    return torch.where(size < width, size.square() / (2 * width), size - width / 2) if width else size


def rounded_score(W: Tensor, gamma: float, width: float) -> Tensor:
    """Ω of unit rows with its kinks rounded off: the mean of π/2 − h(lack), less γ times its variance."""
    lacks = rounded(_lacks(W).abs(), width)[tuple(torch.triu_indices(len(W), len(W), 1, device=W.device))]
    return math.pi / 2 - lacks.mean() - gamma * lacks.var(correction=0)


def slopes(W: Tensor, term: DiversityTerm, width: float = 0.0) -> Slopes:
    """λ times a regulariser at W, split into its smooth part and its kinks. `width` rounds off those of the angle."""
    if not term or len(W) == 1:
        return Slopes(torch.zeros_like(W), None)
    if term.surrogate == "angle":
        return _slopes_of_score(W, term.gamma, term.weight, width)
    gradient = term.push(W)
    return _with_cone(W, gradient, term.gamma, term.weight) if term.surrogate == "bound" else Slopes(gradient, None)


def _slopes_of_score(W: Tensor, gamma: float, weight: float, width: float) -> Slopes:
    lack = _lacks(W)
    size = lack.abs()
    losses = rounded(size, width)
    pairs = len(W) * (len(W) - 1) / 2
    # −∂(λΩ)/∂h = λ (1 + 2γ (h − mean h)) / P, and ∂lack/∂cos = 1 / cos lack, which is 0 at equal rows by choice.
    slope = weight / pairs * (1 + 2 * gamma * (losses - losses.sum() / (2 * pairs)))
    apart = math.pi / 2 - size > EQUAL * torch.finfo(W.dtype).eps
    limit = (slope * apart / torch.where(apart, size.cos(), 1.0)).fill_diagonal_(0)
    # Where the mean angle is far from 90°, the variance may reward leaving a right angle. The kink is then a valley,
    # and the sign of the cosine leads out of it, or either sign where the cosine is 0.
    steepness = (size / width).clamp(max=1) if width else torch.ones_like(size)
    valley = (limit.clamp(max=0) * steepness * torch.where(lack < 0, -1.0, 1.0)).to(W)
    return Slopes(-tangent(W, valley @ W), Kinks(lack, limit.clamp(min=0), None, width))


def _lacks(W: Tensor) -> Tensor:
    """arcsin of the cosines of unit rows, in double precision. Rows that are nearly parallel are measured as such."""
    cosine = _cosines(W)
    lack = cosine.clamp(-1, 1).arcsin()
    near = cosine.abs() > 0.5
    return (
        torch.where(near, torch.copysign(math.pi / 2 - pairwise_angles(W).double(), cosine), lack)
        if near.any()
        else lack
    )


def _cosines(W: Tensor) -> Tensor:
    """The cosines of unit rows, in double precision, zeros on the diagonal.

    A product need not be symmetric to the last digit, and multipliers of which one half contradicts the other, by the
    sign of a cosine that is only rounding, would push rows for ever.
    """
    gram = W.double() @ W.double().mT
    return ((gram + gram.mT) / 2).fill_diagonal_(0)


def _with_cone(W: Tensor, gradient: Tensor, gamma: float, weight: float) -> Slopes:
    """The bound has one kink, a cone where all rows are orthogonal: Γ ≈ π/2 − ‖cos‖ − γ ‖cos‖² there."""
    lack = _cosines(W)
    distance = _norm(lack)
    if distance >= WITHIN_REACH:
        return Slopes(gradient, None)
    radius = weight * (1 + 2 * gamma * distance)
    # The gradient has two parts: that of −radius ‖cos‖, which is removed here because the kinks have it, and that of a
    # smooth rest, which vanishes at the apex.
    kinks = Kinks(lack, torch.zeros_like(lack), radius)
    if distance < AT_THE_APEX:
        return Slopes(torch.zeros_like(W), kinks)
    return Slopes(gradient + tangent(W, kinks.pull().to(W) @ W), kinks)


def best_move(
    W: Tensor, gradient: Tensor, kinks: Kinks | None, reach: Reach, enough: float, start: Tensor | None = None
) -> Move:
    """The tangent δ that maximises ⟨gradient, δ⟩ − ⟨δ, H⁻¹δ⟩/2 − loss(lack + change of cos by δ), H the `reach`.

    `gradient` is that of everything but the kinks, tangent at W. It may have columns after those of W, which no kink
    depends on. By duality δ = H (gradient − tangent part of M W), with M the admissible multipliers of least
    ⟨δ, H⁻¹δ⟩/2 − ⟨M, lack⟩: a problem of K×K matrices, solved by accelerated projected gradients from `start`. The
    search ends when the model promises 99% of its best gain, or lacks less than `enough` of it.
    """
    wanted = reach.apply(gradient)
    free = float((wanted * gradient).sum())  # ‖wanted‖² in the metric of H⁻¹
    if kinks is None:
        return Move(wanted, free / 2, None)
    moved, largest = reach.in_cosines(W)
    drift = change_of_cosines(W, wanted)
    reference = kinks.lack + drift
    nothing_moved = kinks.loss(kinks.lack)
    rate = 1 / largest
    # The pull is already the solution where the step meets no kink.
    M = ahead = kinks.pull() if start is None else kinks.admissible(start)
    momentum = 1.0
    for round_number in range(MOST_ROUNDS):
        previous, M = M, kinks.admissible(ahead + rate * (reference - moved(ahead)), rate)
        if round_number % ROUNDS_PER_SOLUTION == 0:
            M = ahead = _solved_on_held(kinks, moved, reference, M)
            previous, momentum = M, 1.0
        change = moved(M)
        after = reference - change  # the lacks that the model expects
        lacking = kinks.loss(after) - _dot(M, after) + kinks.conjugate(M)
        half_square = (free - 2 * _dot(M, drift) + _dot(M, change)) / 2
        promised = half_square + _dot(M, after - kinks.lack) - kinks.loss(after) + nothing_moved
        if lacking <= max(WORST_SHARE * float(promised), enough):
            break
        if _dot(ahead - M, M - previous) > 0:  # The momentum points in a wrong direction, so it starts anew.
            momentum = 1.0
        later = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead, momentum = M + (momentum - 1) / later * (M - previous), later
    return Move(reach.apply(without_multipliers(W, gradient, M)), float(promised), M)


def _solved_on_held(kinks: Kinks, moved: Callable[[Tensor], Tensor], reference: Tensor, M: Tensor) -> Tensor:
    """Better multipliers of the pairs that are held: the solution without limits, or as far towards it as they allow.

    It is found by conjugate gradients. J H Jᵀ is a multiple of the identity but for the few steps that have taught the
    curvature and for rows that are not orthogonal, so that a few rounds are enough.
    """
    held = kinks.holds(M)
    softness = kinks.softness()

    def curved(X: Tensor) -> Tensor:
        return held * (moved(X) + softness * X)

    change = torch.zeros_like(M)
    rest = held * (reference - moved(M) - softness * M)
    ahead, square = rest, _dot(rest, rest)
    aim = float(square) * SOLVED**2
    for _ in range(MOST_CONJUGATE):
        if float(square) <= aim:
            break
        image = curved(ahead)
        share = square / _dot(ahead, image)
        change, rest = change + share * ahead, rest - share * image
        before, square = square, _dot(rest, rest)
        ahead = rest + square / before * ahead
    if not bool(change.isfinite().all()):
        return M

    def height(X: Tensor) -> float:
        return float(_dot(X, (moved(X) + softness * X) / 2 - reference))

    bounded = kinks.admissible(M + change)
    return bounded if height(bounded) < height(M) else kinks.admissible(M + kinks.room(M, change) * change)


def without_multipliers(W: Tensor, gradient: Tensor, multiplier: Tensor | None) -> Tensor:
    """The gradient less the tangent part of M W: what is left of a slope when the kinks resist by these multipliers."""
    if multiplier is None:
        return gradient
    rest = gradient.clone()
    rest[:, : W.shape[1]] -= tangent(W, multiplier.to(W) @ W)
    return rest


def moved_along(
    W: Tensor, gradient: Tensor, kinks: Kinks | None, reach: Reach, enough: float, start: Tensor | None = None
) -> Move:
    """The best move, corrected for the spheres, so that pairs that are held orthogonal are so after a retraction.

    On the spheres cosines do not change linearly: such pairs would drift by the square of the move. The move is
    therefore found a second time with this drift known. What it promises is that of the first time.
    """
    move = best_move(W, gradient, kinks, reach, enough, start)
    if move.multiplier is None or kinks is None or torch.equal(move.multiplier, kinks.pull()):
        return move  # There is no kink to correct for.
    measure = _lacks if kinks.radius is None else _cosines  # as `slopes` has measured them
    bent = measure(retract(W + move.displacement[:, : W.shape[1]])) - change_of_cosines(W, move.displacement)
    corrected = best_move(W, gradient, kinks._replace(lack=bent), reach, enough, move.multiplier)
    return move._replace(displacement=corrected.displacement)


def change_of_cosines(W: Tensor, displacement: Tensor) -> Tensor:
    """δ_i·w_j + w_i·δ_j for every pair."""
    return symmetric((displacement[:, : W.shape[1]] @ W.mT).double())


def _dot(X: Tensor, Y: Tensor) -> Tensor:
    """Σ over pairs i < j of symmetric matrices with zero diagonals."""
    return (X * Y).sum() / 2


def _norm(X: Tensor) -> Tensor:
    return torch.linalg.vector_norm(X) / 2**0.5


_TINY = torch.finfo(torch.float64).tiny
