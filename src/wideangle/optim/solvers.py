"""The two ways to run Algorithm 1: with a line search, or over mini-batches."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from wideangle.optim.climb import Climber, Propose, Trial, along_gradient, value_and_slope
from wideangle.optim.problem import Log, Problem
from wideangle.optim.ridge import moved_along
from wideangle.optim.ridge_adam import RidgeAdam

ROUNDINGS = 64  # Rounding hides gains this small, in units of the precision. The tolerance is at least as large.
PATIENCE = 10  # The slope is measured after so many passes over the batches without a new best value.


def by_line_search(
    problem: Problem, g: Tensor, W: Tensor, max_iterations: int, inner_steps: int, tolerance: float, log: Log
) -> tuple[Tensor, Tensor, bool, str]:
    """Maximise a deterministic objective; no step lowers the total. Returns g, W, converged and why it stopped."""
    shortest = 1e-6 * float(g.mean())
    tolerance = max(tolerance, ROUNDINGS * torch.finfo(W.dtype).eps)
    lengths, directions = Climber(), Climber()
    with torch.no_grad():
        last = float(problem.total(g, W))
    if not math.isfinite(last):
        raise ValueError(f"the objective is {last} at the initial components; start where it is finite.")
    for iteration in range(1, max_iterations + 1):
        flat = 0.1 * (tolerance * max(1.0, abs(last))) ** 0.5  # This is well below the slope that counts as converged.
        in_lengths = _model_in_lengths(problem, W)
        g, longer = lengths.climb(in_lengths, along_gradient(in_lengths), g, inner_steps, flat / float(g.mean()))
        g, W = with_positive_lengths(g, W, shortest)
        along_ridges = _along_ridges(problem, g, flat)
        W, turned = directions.climb(_total_in_directions(problem, g), along_ridges, W, inner_steps, flat)
        with torch.no_grad():
            if log.note(problem, W, float(problem.model(g, W))):
                return g, W, False, f"the callback stopped it after {iteration} iterations"
        total = log.history[-1].total
        if total - last <= tolerance * max(1.0, abs(total)):
            slope = problem.slope_left(
                g,
                W,
                value_and_slope(_model_in_lengths(problem, W), g)[1],
                value_and_slope(_model_in_directions(problem, g), W)[1],
                tolerance**0.5,
            )
            if slope <= (tolerance * max(1.0, abs(total))) ** 0.5:
                return g, W, True, f"converged: after {iteration} iterations the slope is {slope:.1g}"
            if not (longer or turned):
                cause = (
                    f"stopped after {iteration} iterations: no step raises the total, though its slope is {slope:.1g}"
                )
                return g, W, False, f"{cause}; is the objective smooth, and without noise?"
        last = total
    return g, W, False, f"stopped after max_iterations={max_iterations}, still gaining"


def _model_in_lengths(problem: Problem, W: Tensor, *batch: Any) -> Callable[[Tensor], Tensor]:
    """What the g-step maximises as a function of g. The regulariser does not depend on g."""
    return lambda g: problem.model(g, W, *batch)


def _total_in_directions(problem: Problem, g: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda W: problem.total(g, W)


def _along_ridges(problem: Problem, g: Tensor, flat: float) -> Callable[[Tensor], Callable[[float], Trial]]:
    """Prepares the W-steps, which follow the ridges of the regulariser."""

    def prepare(W: Tensor) -> Propose:
        gradient, kinks = problem.slopes_in_directions(W, value_and_slope(_model_in_directions(problem, g), W)[1])

        def propose(step_size: float) -> Trial:
            point, move = moved_along(W, gradient, kinks, W.new_full((len(W),), step_size), flat**2 * step_size / 2)
            return Trial(point, move.promised)

        return propose

    return prepare


def by_batches(
    problem: Problem,
    g: Tensor,
    W: Tensor,
    batches: Iterable[Any],
    max_iterations: int,
    learning_rate: float,
    tolerance: float,
    log: Log,
) -> tuple[Tensor, Tensor, bool, str]:
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
            before, g.grad = value_and_slope(_model_in_lengths(problem, W, batch), g)
            lengths.step()
            g[:], W[:] = with_positive_lengths(g, W, shortest)
            after, gradient = value_and_slope(_model_in_directions(problem, g, batch), W)
            if not math.isfinite(before + after):
                cause = f"the objective became {before + after} in iteration {iteration}"
                return *kept, False, f"{cause}; the components before it are kept. Lower {learning_rate=:g}"
            W.grad, directions.kinks = problem.slopes_in_directions(W, gradient)
            directions.step()
            values.append(before)
        if not values:
            raise ValueError("batches gave nothing: pass a list or a DataLoader, which can be gone through again.")
        if log.note(problem, W, math.fsum(values) / len(values)):
            return g, W, False, f"the callback stopped it after {iteration} iterations"
        total = log.history[-1].total
        if total > best + tolerance * max(1.0, abs(total)):
            best, best_iteration = total, iteration
        if iteration - best_iteration >= PATIENCE or iteration == max_iterations:
            slope = _slope_over_batches(problem, g, W, batches, tolerance)
            if slope <= (tolerance * max(1.0, abs(total))) ** 0.5:
                return g, W, True, f"converged: after {iteration} iterations the slope over all batches is {slope:.1g}"
            best_iteration = iteration
        for decay in decays:
            decay.step()
    cause = f"stopped after max_iterations={max_iterations}: the learning rate has reached 0"
    return g, W, False, f"{cause}, the slope over all batches is {slope:.1g}"


def _slope_over_batches(problem: Problem, g: Tensor, W: Tensor, batches: Iterable[Any], tolerance: float) -> float:
    """The remaining slope of the mean over all batches, measured by one more pass over them."""
    in_lengths, in_directions, count = torch.zeros_like(g), torch.zeros_like(W), 0
    for batch in batches:
        in_lengths += value_and_slope(_model_in_lengths(problem, W, batch), g)[1]
        in_directions += value_and_slope(_model_in_directions(problem, g, batch), W)[1]
        count += 1
    return problem.slope_left(g, W, in_lengths / count, in_directions / count, tolerance**0.5)


def _model_in_directions(problem: Problem, g: Tensor, *batch: Any) -> Callable[[Tensor], Tensor]:
    return lambda W: problem.model(g, W, *batch)


def with_positive_lengths(g: Tensor, W: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
    """The same components with g > 0. Where a length has become negative, its direction is reversed.

    A length that stopped at 0 would stay there for ever, because the gradient in its direction is 0 too. The sign of a
    direction changes no regulariser.
    """
    return g.abs().clamp_min(shortest), torch.where(g[:, None] < 0, -W, W)
