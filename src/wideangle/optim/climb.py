"""Ascent with a line search on a set that points are brought back to."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

SUFFICIENT = 1e-4  # Armijo's share of the first-order gain that a step must reach
MOST_HALVINGS = 40


@dataclass
class Climber:
    """Maximises a function of a point by projected gradient steps, remembering a step size that worked.

    `project` turns a gradient at a point into a direction there; `bring_back` returns a moved point to the set.
    """

    project: Callable[[Tensor, Tensor], Tensor]
    bring_back: Callable[[Tensor], Tensor]
    step_size: float = 1.0

    def climb(self, function: Callable[[Tensor], Tensor], point: Tensor, steps: int) -> tuple[Tensor, bool]:
        """The point after at most `steps` steps, none of which lowers the function, and whether any was taken."""
        moved = False
        for _ in range(steps):
            value, gradient = value_and_slope(function, point)
            candidate = self._searched(function, point, value, gradient)
            if candidate is None:
                break
            point, moved = candidate, True
        return point, moved

    def _searched(
        self, function: Callable[[Tensor], Tensor], point: Tensor, value: float, gradient: Tensor
    ) -> Tensor | None:
        direction = self.project(point, gradient)
        if not bool(direction.any()):
            return None
        step_size = self.step_size
        for _ in range(MOST_HALVINGS):
            candidate = self.bring_back(point + step_size * direction)
            promised = float((gradient * (candidate - point)).sum())
            with torch.no_grad():
                reached = float(function(candidate))
            # A value that is not finite fails the comparison.
            if promised > 0 and reached >= value + SUFFICIENT * promised and reached > value:
                self.step_size = 2 * step_size
                return candidate
            step_size /= 2
        return None


def value_and_slope(function: Callable[[Tensor], Tensor], point: Tensor) -> tuple[float, Tensor]:
    """A scalar function and its gradient, zero where the function does not depend on the point."""
    variable = point.detach().requires_grad_()
    value = function(variable)
    if not value.requires_grad:
        return float(value), torch.zeros_like(point)
    (gradient,) = torch.autograd.grad(value, variable, allow_unused=True)
    return float(value.detach()), torch.zeros_like(point) if gradient is None else gradient
