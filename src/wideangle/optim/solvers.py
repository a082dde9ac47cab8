"""The two ways to run Algorithm 1: with a line search, or over mini-batches."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from wideangle.optim.climb import Climber, positive_lengths
from wideangle.optim.problem import Log, Problem
from wideangle.optim.ridge_adam import RidgeAdam


class Ended(NamedTuple):
    """The lengths and directions that a solver ends with, and why."""

    g: Tensor
    W: Tensor
    converged: bool
    stopped: str
    diverged_in: int | None = None
    """the iteration in which numbers were no longer finite; g and W are those before it"""


ROUNDINGS = 64  # Rounding hides gains this small, in units of the precision. The tolerance is at least as large.
WIDTHS = (0.3, 0.1, 0.03, 0.01)  # The kinks are rounded off by these angles, in radians, one after the other.
SETTLED = 0.01  # A stage ends when an iteration gains at most this share of what the stage has gained.
FLAT = 0.01  # No step is taken that promises less than this share of what counts as a gain.
PATIENCE = 10  # The slope is measured after so many passes over the batches without a new best value.


def by_line_search(
    problem: Problem, g: Tensor, W: Tensor, max_iterations: int, inner_steps: int, tolerance: float, log: Log, seed: int
) -> Ended:
    """Maximise a deterministic objective.

    The kinks are rounded off at first, and less and less so. Pairs that only happen to be orthogonal on the way are
    then not held by a ridge, where the total may be lower than elsewhere. The last stage has the kinks as they are. A
    slope of 0 may be that of a saddle, so that the components are nudged before the fit counts as converged.
    """
    tolerance = max(tolerance, ROUNDINGS * torch.finfo(W.dtype).eps)
    generator = torch.Generator().manual_seed(seed)
    best = Best(problem, g, W)
    if not math.isfinite(best.total):
        raise ValueError(f"the objective is {best.total} at the initial components; start where it is finite.")
    climber, widths = Climber(problem, g), list(WIDTHS if problem.has_kinks_to_round(W) else ())
    climber.start_at(g, W, widths.pop(0) if widths else 0.0)
    most_per_stage = max_iterations // (2 * len(WIDTHS))
    gained, spent, before_nudge = 0.0, 0, -math.inf
    for iteration in range(1, max_iterations + 1):
        scale = max(1.0, abs(best.model))  # that of the model's own term, whatever the weight of the regulariser
        # What rounding does to the total is no gain either.
        flat = max(FLAT * tolerance * scale, 4 * torch.finfo(W.dtype).eps * max(scale, abs(best.total)))
        gain = climber.climb(inner_steps, flat)
        gained, spent = gained + gain, spent + 1
        best.offer(climber.g, climber.W)
        if log.note(problem, best.W, best.model):
            return Ended(best.g, best.W, False, f"the callback stopped it after {iteration} iterations")
        if climber.width > 0:
            if gain <= SETTLED * gained or spent >= most_per_stage:
                width, gained, spent = widths.pop(0) if widths else 0.0, 0.0, 0
                climber.start_at(climber.g, climber.W, width)
        elif gain <= tolerance * scale:
            slope = climber.slope_left(tolerance**0.5)
            if slope <= (tolerance * scale) ** 0.5:
                if best.total <= before_nudge + tolerance * scale:
                    why = f"converged: after {iteration} iterations the slope is {slope:.1g}"
                    return Ended(best.g, best.W, True, why)
                before_nudge = best.total
                climber.nudge(generator)
            elif gain == 0:
                cause = f"stopped after {iteration} iterations: no step raises the total, though its slope is"
                why = f"{cause} {slope:.1g}; is the objective smooth, and without noise?"
                return Ended(best.g, best.W, False, why)
    return Ended(best.g, best.W, False, f"stopped after max_iterations={max_iterations}, still gaining")


class Best:
    """The best components so far, by the total with its kinks as they are."""

    def __init__(self, problem: Problem, g: Tensor, W: Tensor) -> None:
        self.problem, self.total = problem, -math.inf
        self.g, self.W, self.model = g, W, math.nan
        self.offer(g, W)

    def offer(self, g: Tensor, W: Tensor) -> None:
        with torch.no_grad():
            model = float(self.problem.model(g, W))
            total = model + self.problem.term.weight * float(self.problem.regularize(W))
        if not total <= self.total:
            self.g, self.W, self.model, self.total = g, W, model, total


def by_batches(
    problem: Problem,
    g: Tensor,
    W: Tensor,
    batches: Iterable[Any],
    max_iterations: int,
    learning_rate: float,
    tolerance: float,
    log: Log,
) -> Ended:
    """Maximise a stochastic objective by one Adam step for g and one for W per batch. The rate falls to 0."""
    shortest = 1e-6 * float(g.mean())
    tolerance = max(tolerance, ROUNDINGS * torch.finfo(W.dtype).eps)
    g, W = g.clone(), W.clone()
    # Adam moves every length by about its rate, so the rate is proportional to a typical length.
    lengths = torch.optim.Adam([g], lr=learning_rate * float(g.mean()), betas=(0.9, 0.99), maximize=True)
    directions = RidgeAdam([W], lr=learning_rate, betas=(0.9, 0.99), maximize=True)
    decays = [
        torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 1.0 / max_iterations, max(1, max_iterations - 1))
        for optimizer in (lengths, directions)
    ]
    best, best_iteration = -math.inf, 0
    for iteration in range(1, max_iterations + 1):
        kept, values = (g.clone(), W.clone()), []
        for batch in batches:
            before, g.grad, _ = problem.model_slopes(g, W, batch)
            lengths.step()
            g[:], W[:] = with_positive_lengths(g, W, shortest)
            after, _, gradient = problem.model_slopes(g, W, batch)
            if not math.isfinite(before + after):
                why = f"the objective became {before + after} in iteration {iteration}"
                return Ended(*kept, False, why, diverged_in=iteration)
            if not bool(gradient.isfinite().all()):
                why = f"the slope of the objective was not finite in iteration {iteration}, though its value was"
                return Ended(*kept, False, why, diverged_in=iteration)
            W.grad, directions.kinks = problem.slopes_in_directions(W, gradient)
            directions.step()
            values.append(before)
        if not values:
            raise ValueError("batches gave nothing: pass a list or a DataLoader, which can be gone through again.")
        if log.note(problem, W, math.fsum(values) / len(values)):
            return Ended(g, W, False, f"the callback stopped it after {iteration} iterations")
        total = log.history[-1].total
        if total > best + tolerance * max(1.0, abs(total)):
            best, best_iteration = total, iteration
        if iteration - best_iteration >= PATIENCE or iteration == max_iterations:
            slope = _slope_over_batches(problem, g, W, batches, tolerance)
            if slope <= (tolerance * max(1.0, abs(total))) ** 0.5:
                why = f"converged: after {iteration} iterations the slope over all batches is {slope:.1g}"
                return Ended(g, W, True, why)
            best_iteration = iteration
        for decay in decays:
            decay.step()
    cause = f"stopped after max_iterations={max_iterations}: the learning rate has reached 0"
    return Ended(g, W, False, f"{cause}, the slope over all batches is {slope:.1g}")


def _slope_over_batches(problem: Problem, g: Tensor, W: Tensor, batches: Iterable[Any], tolerance: float) -> float:
    """The remaining slope of the mean over all batches, measured by one more pass over them."""
    in_lengths, in_directions, count = torch.zeros_like(g), torch.zeros_like(W), 0
    for batch in batches:
        _, longer, turned = problem.model_slopes(g, W, batch)
        in_lengths, in_directions, count = in_lengths + longer, in_directions + turned, count + 1
    return problem.slope_left(g, W, in_lengths / count, in_directions / count, tolerance**0.5)


def with_positive_lengths(g: Tensor, W: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
    """The same components with g > 0. Where a length has become negative, its direction is reversed."""
    lengths, signs = positive_lengths(g, shortest)
    return lengths, signs[:, None] * W
