"""Ridges of the regularisers: the step that gains most where there are kinks.

At orthogonal rows |cos| has a kink that points upward, so a maximum is often exactly there: on a ridge, along which
some pairs stay orthogonal. A gradient step from a ridge leaves it and loses, however short it is. The step here
maximises a model that keeps each kink as it is and makes everything else linear. It therefore moves along a ridge,
comes onto one or leaves one, whichever gains most, and it is 0 at stationary points only (docs/theory.md, "Ridges").
"""

from typing import NamedTuple

import torch
from torch import Tensor

from wideangle.diversity import DiversityTerm
from wideangle.functional.angles import RIGHT, score_of_gram
from wideangle.functional.gram import cosines
from wideangle.functional.sphere import retract, tangent

WITHIN_REACH = 0.5  # Where ‖cos‖ is larger, the bound is far from its cone and counts as smooth.
AT_THE_APEX = 1e-5  # Where ‖cos‖ is smaller, rounding hides the slope of the bound.
WORST_SHARE = 0.01  # A step may gain less than the model's best step by at most this share.
MOST_ROUNDS = 500  # of the search for the multipliers


class Kinks(NamedTuple):
    """The part with kinks: −Σ_ij limit_ij |cos_ij| over pairs i < j, or −radius ‖cos‖ where `radius` is given.

    The multipliers of kinks form a K×K matrix, which is symmetric and zero on the diagonal, as `cosine` is.
    """

    cosine: Tensor  # G off the diagonal, float64
    limit: Tensor  # not negative; 0 for pairs without a kink
    radius: Tensor | None = None

    def loss(self, cosine: Tensor) -> Tensor:
        """How far these cosines are below the ridge."""
        if self.radius is not None:
            return self.radius * _norm(cosine)
        return _dot(self.limit, cosine.abs())

    def admissible(self, multiplier: Tensor) -> Tensor:
        """The nearest multipliers that lie in the subdifferential of the kinks."""
        if self.radius is not None:
            return multiplier * (self.radius / _norm(multiplier).clamp(min=torch.finfo(multiplier.dtype).tiny)).clamp(
                max=1
            )
        return multiplier.clamp(-self.limit, self.limit)

    def pull(self) -> Tensor:
        """The multipliers off the ridge: the gradient of the loss in the cosines."""
        if self.radius is not None:
            return self.radius * self.cosine / _norm(self.cosine).clamp(min=torch.finfo(self.cosine.dtype).tiny)
        return self.limit * self.cosine.sign()


class Slopes(NamedTuple):
    """A weighted regulariser near W: the gradient of its smooth part, and its kinks. None means no kinks."""

    gradient: Tensor
    kinks: Kinks | None


class Move(NamedTuple):
    """A tangent displacement, what the model promises to gain by it, and the multipliers of the kinks."""

    displacement: Tensor
    promised: float
    multiplier: Tensor | None


def slopes(W: Tensor, term: DiversityTerm) -> Slopes:
    """λ times a regulariser at W, split into its smooth part and its kinks."""
    if not term or len(W) == 1:
        return Slopes(torch.zeros_like(W), None)
    if term.surrogate == "angle":
        return _slopes_of_score(W, term.gamma, term.weight)
    gradient = term.push(W)
    return _with_cone(W, gradient, term.gamma, term.weight) if term.surrogate == "bound" else Slopes(gradient, None)


def _slopes_of_score(W: Tensor, gamma: float, weight: float) -> Slopes:
    cosine = cosines(W, inspect=True)
    # Pairs that count as orthogonal get a cosine that does not, so that their slope is seen.
    seen = cosine.gram.new_tensor(2 * RIGHT * torch.finfo(W.dtype).eps)
    gram = torch.where(cosine.gram.abs() < seen, torch.copysign(seen, cosine.gram), cosine.gram)
    slope = score_of_gram(gamma, cosine._replace(gram=gram), True)[1]
    assert slope is not None  # The call above asked for it.
    limit = -weight * (slope * gram.sign()).double()
    # Where the mean angle is far from 90°, the variance may reward leaving a right angle. The kink is then a valley,
    # and the sign chosen above leads out of it.
    smooth = weight * tangent(W, slope.masked_fill(limit > 0, 0) @ W)
    return Slopes(smooth, Kinks(cosine.gram.double().fill_diagonal_(0), limit.clamp(min=0)))


def _with_cone(W: Tensor, gradient: Tensor, gamma: float, weight: float) -> Slopes:
    """The bound has one kink, a cone where all rows are orthogonal: Γ ≈ π/2 − ‖cos‖ there."""
    gram = (W @ W.mT).double().fill_diagonal_(0)
    distance = _norm(gram)
    if distance >= WITHIN_REACH:
        return Slopes(gradient, None)
    radius = weight * (1 + 2 * gamma * distance)
    # The gradient has two parts: that of −radius ‖cos‖, which is removed here because the kinks have it, and that of a
    # smooth rest, which vanishes at the apex.
    kinks = Kinks(gram, torch.zeros_like(gram), radius)
    if distance < AT_THE_APEX:
        return Slopes(torch.zeros_like(W), kinks)
    return Slopes(gradient + tangent(W, kinks.pull().to(W) @ W), kinks)


def best_move(
    W: Tensor, gradient: Tensor, kinks: Kinks | None, step: Tensor, enough: float, start: Tensor | None = None
) -> Move:
    """The tangent δ that maximises ⟨gradient, δ⟩ − Σ_i ‖δ_i‖²/(2 step_i) − loss(cos + change of cos by δ).

    `gradient` is that of everything but the kinks, tangent at W; `step` has one number per row. By duality
    δ = step · (gradient − tangent part of M W), with M the admissible multipliers of least
    Σ_i ‖δ_i‖²/(2 step_i) − ⟨M, cos⟩: a problem of K×K matrices, solved by accelerated projected gradients from
    `start`. The search ends when the model promises 99% of its best gain, or lacks less than `enough` of it.
    """
    wanted = step[:, None] * gradient
    if kinks is None:
        return Move(wanted, float((wanted * gradient).sum()) / 2, None)
    gram = (W @ W.mT).double().fill_diagonal_(1)
    steps = step.double()[:, None]
    drift = _symmetric((wanted @ W.mT).double())
    reference = kinks.cosine + drift
    nothing_moved = kinks.loss(kinks.cosine)
    free = float((wanted * gradient).sum())  # ‖wanted‖² in the metric of the steps

    def moved(M: Tensor) -> Tensor:
        """The change of the cosines by step · tangent part of M W."""
        turned = M @ gram
        return _symmetric(steps * (turned - turned.diagonal()[:, None] * gram))

    rate = 1 / (2 * float(step.max()) * float(gram.abs().sum(1).max()))
    # The pull is already the solution where the step meets no kink.
    M = ahead = kinks.pull() if start is None else kinks.admissible(start)
    momentum = 1.0
    for _ in range(MOST_ROUNDS):
        previous, M = M, kinks.admissible(ahead + rate * (reference - moved(ahead)))
        change = moved(M)
        after = reference - change  # the cosines that the model expects
        lacking = kinks.loss(after) - _dot(M, after)
        half_square = (free - 2 * _dot(M, drift) + _dot(M, change)) / 2
        promised = half_square + _dot(M, after - kinks.cosine) - kinks.loss(after) + nothing_moved
        if lacking <= max(WORST_SHARE * float(promised), enough):
            break
        if _dot(ahead - M, M - previous) > 0:  # The momentum points in a wrong direction, so it starts anew.
            momentum = 1.0
        later = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead, momentum = M + (momentum - 1) / later * (M - previous), later
    displacement = wanted - step[:, None] * tangent(W, M.to(W) @ W)
    return Move(displacement, float(promised), M)


def moved_along(W: Tensor, gradient: Tensor, kinks: Kinks | None, step: Tensor, enough: float) -> tuple[Tensor, Move]:
    """W after its best move, and the move.

    On the spheres cosines do not change linearly: pairs that the move should keep orthogonal would drift by its square.
    The move is therefore found a second time with this drift known, so that these pairs stay orthogonal.
    """
    move = best_move(W, gradient, kinks, step, enough)
    moved = retract(W + move.displacement)
    if move.multiplier is None or kinks is None or torch.equal(move.multiplier, kinks.pull()):
        return moved, move  # There is no kink to correct for.
    straight = _symmetric((move.displacement @ W.mT).double())
    bent = kinks._replace(cosine=(moved @ moved.mT).double().fill_diagonal_(0) - straight)
    return retract(W + best_move(W, gradient, bent, step, enough, move.multiplier).displacement), move


def _symmetric(half: Tensor) -> Tensor:
    return (half + half.mT).fill_diagonal_(0)


def _dot(X: Tensor, Y: Tensor) -> Tensor:
    """Σ over pairs i < j of symmetric matrices with zero diagonals."""
    return (X * Y).sum() / 2


def _norm(X: Tensor) -> Tensor:
    return torch.linalg.vector_norm(X) / 2**0.5
