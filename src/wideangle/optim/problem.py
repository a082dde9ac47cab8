"""What Algorithm 1 maximises, and the record of how it goes."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from wideangle.diversity import DiversityTerm
from wideangle.functional.sphere import tangent
from wideangle.optim.curvature import RowSteps
from wideangle.optim.ridge import Slopes, best_move, rounded_score, slopes


@dataclass(frozen=True)
class Progress:
    """Where the fit stands after an iteration."""

    iteration: int
    objective: float
    regularizer: float
    total: float
    """objective + diversity · regularizer, what is maximised"""
    mean_angle: float
    """of all pairs of components, in degrees; NaN for one component"""
    min_angle: float
    """of the closest pair, in degrees; NaN for one component"""
    seconds: float


@dataclass(frozen=True)
class Problem:
    """(P2): maximise L(diag(g) W) + λ R(W) over lengths g > 0 and rows W of unit length."""

    objective: Callable[..., Tensor]
    term: DiversityTerm

    def model(self, g: Tensor, W: Tensor, *batch: Any) -> Tensor:
        """L(diag(g) W)"""
        value = self.objective(g[:, None] * W, *batch)
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"the objective must return a scalar tensor; got {shape}. Sum or average it.")
        return value.reshape(())

    def model_slopes(self, g: Tensor, W: Tensor, *batch: Any) -> tuple[float, Tensor, Tensor]:
        """L(diag(g) W) and its gradients in g and in W, which are zero where L does not depend on them."""
        g, W = g.detach().requires_grad_(), W.detach().requires_grad_()
        value = self.model(g, W, *batch)
        found = torch.autograd.grad(value, (g, W), allow_unused=True) if value.requires_grad else (None, None)
        in_g, in_W = (torch.zeros_like(at) if slope is None else slope for slope, at in zip(found, (g, W), strict=True))
        return float(value.detach()), in_g, in_W

    def regularize(self, W: Tensor, width: float = 0.0) -> Tensor:
        """R(W); the kinks of the angle are rounded off within `width`."""
        return rounded_score(W, self.term.gamma, width).to(W) if width else self.term.value(W)

    def has_kinks_to_round(self, W: Tensor) -> bool:
        """Whether the regulariser has a kink for each pair, as the angle has."""
        return bool(self.term) and self.term.surrogate == "angle" and len(W) > 1

    def total(self, g: Tensor, W: Tensor, width: float = 0.0) -> Tensor:
        """L(diag(g) W) + λ R(W)"""
        value = self.model(g, W)
        return value + self.term.weight * self.regularize(W, width) if self.term else value

    def slopes_in_directions(self, W: Tensor, gradient: Tensor, width: float = 0.0) -> Slopes:
        """The slopes of L + λ R on the spheres at W, from the gradient of L in W."""
        smooth, kinks = slopes(W, self.term, width)
        return Slopes(tangent(W, gradient) + smooth, kinks)

    def slope_left(self, g: Tensor, W: Tensor, in_lengths: Tensor, in_directions: Tensor, radius: float) -> float:
        """How steeply the total still rises from g and W, per radian and per typical length.

        `in_lengths` and `in_directions` are the gradients of L in g and in W. A kink less than `radius` away counts as
        reached, unless moving to it gains more than such a slope would gain over the radius.
        """
        longer = float(g.median() * torch.linalg.vector_norm(in_lengths))
        gradient, kinks = self.slopes_in_directions(W, in_directions)
        step_size, distance = 1.0, 2 * radius
        while distance > radius:
            step_size *= radius / distance
            move = best_move(
                W, gradient, kinks, RowSteps(W.new_full((len(W),), step_size)), 0.01 * radius**2 * step_size
            )
            distance = float(torch.linalg.vector_norm(move.displacement))
        return max(longer, distance / step_size, move.promised / radius)


@dataclass
class Log:
    """Keeps the history and tells the callback."""

    callback: Callable[[Progress], bool | None] | None
    history: list[Progress] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def note(self, problem: Problem, W: Tensor, objective: float) -> bool:
        """Add the present state to the history; True when the callback wants to stop."""
        with torch.no_grad():
            regularizer = float(problem.regularize(W))
        spread = problem.term.spread(W)
        progress = Progress(
            iteration=len(self.history) + 1,
            objective=objective,
            regularizer=regularizer,
            total=objective + problem.term.weight * regularizer,
            mean_angle=spread.mean_angle,
            min_angle=spread.min_angle,
            seconds=time.perf_counter() - self.began,
        )
        self.history.append(progress)
        return bool(self.callback and self.callback(progress))
