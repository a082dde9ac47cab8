"""The two ways to run Algorithm 1: with a line search, or over mini-batches."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from wideangle.functional.angles import pairwise_angles
from wideangle.functional.sphere import retract, tangent
from wideangle.optim.climb import Climber, value_and_slope
from wideangle.optim.oblique import ObliqueAdam

PATIENCE = 10  # passes over the batches without a new best value before it stops


@dataclass(frozen=True)
class Progress:
    """Where the fit stands after an iteration."""

    iteration: int
    objective: float
    regularizer: float
    total: float
    """objective + diversity · regularizer, what is maximised"""
    mean_angle: float
    """in radians"""
    min_angle: float
    seconds: float


@dataclass(frozen=True)
class Problem:
    """(P2): maximise L(diag(g) W) + λ R(W) over lengths g > 0 and rows W of unit length."""

    objective: Callable[..., Tensor]
    diversity: float
    regularize: Callable[[Tensor], Tensor]

    def model(self, g: Tensor, W: Tensor, *batch: Any) -> Tensor:
        """L(diag(g) W)"""
        value = self.objective(g[:, None] * W, *batch)
        if not isinstance(value, Tensor) or value.numel() != 1:
            shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
            raise ValueError(f"the objective must return a scalar tensor; got {shape}. Sum or average it.")
        return value.reshape(())

    def total(self, g: Tensor, W: Tensor, *batch: Any) -> Tensor:
        """L(diag(g) W) + λ R(W)"""
        value = self.model(g, W, *batch)
        return value + self.diversity * self.regularize(W) if self.diversity else value

    def in_lengths(self, W: Tensor, *batch: Any) -> Callable[[Tensor], Tensor]:
        """The g-step's function of g; the regulariser does not depend on it."""
        return lambda g: self.model(g, W, *batch)

    def in_directions(self, g: Tensor, *batch: Any) -> Callable[[Tensor], Tensor]:
        """The W-step's function of W."""
        return lambda W: self.total(g, W, *batch)


@dataclass
class Log:
    """Keeps the history and tells the callback."""

    callback: Callable[[Progress], bool | None] | None
    history: list[Progress] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def note(self, problem: Problem, W: Tensor, objective: float) -> bool:
        """Keep where we are; True when the callback wants to stop."""
        with torch.no_grad():
            regularizer = float(problem.regularize(W))
            angles = pairwise_angles(W)
            pairs = angles[tuple(torch.triu_indices(len(W), len(W), 1))] if len(W) > 1 else angles
        progress = Progress(
            iteration=len(self.history) + 1,
            objective=objective,
            regularizer=regularizer,
            total=objective + problem.diversity * regularizer,
            mean_angle=float(pairs.mean()),
            min_angle=float(pairs.min()),
            seconds=time.perf_counter() - self.began,
        )
        self.history.append(progress)
        return bool(self.callback and self.callback(progress))


def by_line_search(
    problem: Problem, g: Tensor, W: Tensor, max_iterations: int, inner_steps: int, tolerance: float, log: Log
) -> tuple[Tensor, Tensor, bool, str]:
    """Deterministic objective: every step is checked, none lowers the total. Gives g, W, converged, why it stopped."""
    shortest = 1e-6 * float(g.mean())
    lengths = Climber(project=lambda _, gradient: gradient, bring_back=lambda g: g)
    directions = Climber(project=tangent, bring_back=retract)
    with torch.no_grad():
        last = float(problem.total(g, W))
    if not math.isfinite(last):
        raise ValueError(f"the objective is {last} at the initial components; start where it is finite.")
    for iteration in range(1, max_iterations + 1):
        g, longer = lengths.climb(problem.in_lengths(W), g, inner_steps)
        g, W = with_positive_lengths(g, W, shortest)
        W, turned = directions.climb(problem.in_directions(g), W, inner_steps)
        with torch.no_grad():
            if log.note(problem, W, float(problem.model(g, W))):
                return g, W, False, f"the callback stopped it after {iteration} iterations"
        total = log.history[-1].total
        if not (longer or turned):
            return (
                g,
                W,
                True,
                f"converged: after {iteration} iterations no step along the gradient gains anything",
            )
        if total - last <= tolerance * max(1.0, abs(total)):
            return (
                g,
                W,
                True,
                f"converged: iteration {iteration} gained less than the tolerance {tolerance:g}",
            )
        last = total
    return g, W, False, f"stopped after max_iterations={max_iterations}, still gaining"


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
    """Stochastic objective: one Adam step for g and one for W a batch, the rate falling to 0."""
    shortest = 1e-6 * float(g.mean())
    g, W = g.clone(), W.clone()
    # Adam moves every length by about its rate, so the rate is that of a typical length.
    lengths = torch.optim.Adam([g], lr=learning_rate * float(g.mean()), maximize=True)
    directions = ObliqueAdam([W], lr=learning_rate, maximize=True)
    decays = [
        torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 1.0 / max_iterations, max(1, max_iterations - 1))
        for optimizer in (lengths, directions)
    ]
    best, best_iteration = -math.inf, 0
    for iteration in range(1, max_iterations + 1):
        kept, values = (g.clone(), W.clone()), []
        for batch in batches:
            before, g.grad = value_and_slope(problem.in_lengths(W, batch), g)
            lengths.step()
            g[:], W[:] = with_positive_lengths(g, W, shortest)
            after, W.grad = value_and_slope(problem.in_directions(g, batch), W)
            directions.step()
            if not math.isfinite(before + after):
                cause = f"the objective became {before + after} in iteration {iteration}"
                return *kept, False, f"{cause}; the components before it are kept. Lower {learning_rate=:g}"
            values.append(before)
        if not values:
            raise ValueError("batches gave nothing: pass a list or a DataLoader, which can be gone through again.")
        if log.note(problem, W, math.fsum(values) / len(values)):
            return g, W, False, f"the callback stopped it after {iteration} iterations"
        total = log.history[-1].total
        if total > best + tolerance * max(1.0, abs(total)):
            best, best_iteration = total, iteration
        elif iteration - best_iteration >= PATIENCE:
            return g, W, True, f"converged: no new best value in {PATIENCE} iterations"
        for decay in decays:
            decay.step()
    return g, W, True, f"finished: the learning rate reached 0 after {max_iterations} iterations"


def with_positive_lengths(g: Tensor, W: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
    """The same components with g > 0: a length that passed 0 turns its direction round.

    Stopping at 0 instead would hold a component there for ever, for the gradient in its direction is 0 too. No
    regulariser minds the sign.
    """
    return g.abs().clamp_min(shortest), torch.where(g[:, None] < 0, -W, W)
