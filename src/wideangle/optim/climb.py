"""Joint steps for lengths and directions, with a line search and learned curvature: no step lowers the function."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from wideangle.functional.sphere import random_directions, retract, tangent
from wideangle.optim.curvature import Memory, carried
from wideangle.optim.problem import Problem
from wideangle.optim.ridge import Kinks, moved_along, without_multipliers

SUFFICIENT = 0.1  # A step must reach this share of the promised gain, or steps would jump to and fro over a maximum.
MOST_HALVINGS = 40
WITHOUT_CURVATURE = 1e-3  # On a badly scaled slope a gradient step gains little, and this share of the least will do.
NUDGE = 0.03  # A nudge turns a row by about this many radians.
FIRST_TURN = 0.1  # As long as no curvature is known, a step moves a row by about this many radians.


class View(NamedTuple):
    """How the total looks from a point: the slope of its smooth part in directions and lengths, and its kinks."""

    gradient: Tensor  # K × (D + 1): on the spheres, and in the lengths per typical length
    kinks: Kinks | None


class Climber:
    """Climbs the total by quasi-Newton steps that keep the kinks as they are. Lengths and directions move together."""

    def __init__(self, problem: Problem, g: Tensor) -> None:
        self.problem = problem
        self.unit = float(g.mean())  # Lengths are counted in units of a typical one.
        self.shortest = 1e-6 * self.unit
        self.memory = Memory()

    def start_at(self, g: Tensor, W: Tensor, width: float) -> None:
        """Go on from these components, with the kinks rounded off within `width`."""
        self.g, self.W, self.width = g, W, width
        self.value = float(self._total(g, W))
        self.view = self._look()
        self.multiplier: Tensor | None = None
        self._boost = 1.0

    def nudge(self, generator: torch.Generator) -> None:
        """Turn every row a little in a random direction, and forget what was learned."""
        turned = tangent(self.W, random_directions(self.W, generator))
        self.memory.forget()
        self.start_at(self.g, retract(self.W + NUDGE * turned), self.width)

    def slope_left(self, radius: float) -> float:
        """The slope of the total that is left where the climber stands; see `Problem.slope_left`."""
        _, in_lengths, in_directions = self.problem.model_slopes(self.g, self.W)
        return self.problem.slope_left(self.g, self.W, in_lengths, in_directions, radius)

    def climb(self, steps: int, flat: float) -> float:
        """Take at most so many steps, until none promises to gain more than `flat`. Returns what was gained.

        Where what was learned promises too little, or what no step keeps, it may be wrong, and is learned anew.
        """
        before = self.value
        for _ in range(steps):
            if self._step(flat):
                continue
            if not self.memory:
                break
            self.memory.forget()
            if not self._step(flat):
                break
        return self.value - before

    def _step(self, flat: float) -> bool:
        gradient, kinks = self.view
        reach = self.memory.reach(gradient)
        if not self.memory:
            slope = without_multipliers(self.W, gradient, kinks and kinks.pull())
            size = float(torch.linalg.vector_norm(slope, dtype=torch.float64))  # Squares of float32 may overflow.
            if not 0 < size < math.inf:
                return False
            flat *= WITHOUT_CURVATURE
            reach = reach.times(FIRST_TURN * len(self.W) ** 0.5 / size)
        step_size = self._boost
        for _ in range(MOST_HALVINGS):
            move = moved_along(self.W, gradient, kinks, reach.times(step_size), flat / 10, self.multiplier)
            if not move.promised > flat:
                return False
            g, W, signs = self._moved(move.displacement)
            reached = float(self._total(g, W))
            # NaN fails both comparisons, so that such a step is never taken; nor is one to infinity.
            gains = reached >= self.value + SUFFICIENT * move.promised and reached > self.value
            if gains and math.isfinite(reached):
                self._arrive(g, W, signs, reached, move.displacement, move.multiplier, step_size)
                return True
            step_size /= 2
        return False

    def _moved(self, displacement: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Where a displacement leads, and the signs by which rows were reversed."""
        g, signs = positive_lengths(self.g + self.unit * displacement[:, -1], self.shortest)
        return g, signs[:, None] * retract(self.W + displacement[:, :-1]), signs

    def _arrive(
        self,
        g: Tensor,
        W: Tensor,
        signs: Tensor,
        value: float,
        displacement: Tensor,
        multiplier: Tensor | None,
        step_size: float,
    ) -> None:
        """Stand at a new point, and learn from the step how the slope changes."""
        slope_before = without_multipliers(self.W, self.view.gradient, multiplier)
        kinks_before = self.view.kinks
        self.g, self.W, self.value = g, W, value
        self.view = self._look()
        self.multiplier = _multipliers_after(kinks_before, multiplier, signs, self.view.kinks)
        self.memory.carry(W, signs)
        slope = without_multipliers(W, self.view.gradient, self.multiplier)
        learned = self.memory.learn(carried(displacement, W, signs), carried(slope_before, W, signs) - slope)
        self._boost = 1.0 if learned or step_size < 1 else 2 * step_size

    def _total(self, g: Tensor, W: Tensor) -> Tensor:
        with torch.no_grad():
            return self.problem.total(g, W, width=self.width)

    def _look(self) -> View:
        _, in_lengths, in_directions = self.problem.model_slopes(self.g, self.W)
        gradient, kinks = self.problem.slopes_in_directions(self.W, in_directions, self.width)
        return View(torch.cat([gradient, self.unit * in_lengths[:, None]], dim=1), kinks)


def _multipliers_after(
    before: Kinks | None, multiplier: Tensor | None, signs: Tensor, after: Kinks | None
) -> Tensor | None:
    """A pair that is held keeps its multiplier, so that the curvature along its ridge is learned. The others pull."""
    if after is None:
        return None
    if before is None or multiplier is None:
        return after.pull()
    reversed_rows = (signs[:, None] * signs).double()
    return torch.where(before.holds(multiplier), reversed_rows * multiplier, after.pull())


def positive_lengths(g: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
    """Lengths above 0, and −1 for each row whose direction must be reversed instead, because its length is below 0.

    A length that stopped at 0 would stay there for ever, because the gradient in its direction is 0 too. The sign of a
    direction changes no regulariser.
    """
    return g.abs().clamp_min(shortest), torch.where(g < 0, -1.0, 1.0).to(g)
