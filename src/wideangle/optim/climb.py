"""Ascent with a line search: no step lowers the function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

SUFFICIENT = 0.5  # A step must reach this share of the promised gain, or steps would jump to and fro over a maximum.
MOST_HALVINGS = 40


class Trial(NamedTuple):
    """Where a step would lead, and what it promises to gain: step size · slope² / 2 for a smooth function."""

    point: Tensor
    promised: float


Propose = Callable[[float], Trial]
"""a function from a step size to a trial"""


@dataclass
class Climber:
    """Maximises a function step by step, remembering a step size that worked."""

    step_size: float = 1.0

    def climb(
        self,
        function: Callable[[Tensor], Tensor],
        prepare: Callable[[Tensor], Propose],
        point: Tensor,
        steps: int,
        flat: float = 0.0,
    ) -> tuple[Tensor, bool]:
        """The point after at most `steps` steps, none of which lowers the function, and whether any was taken.

        `prepare` looks at the slope around a point and gives a function that proposes steps from there. The climb ends
        early where the slope is at most `flat`.
        """
        moved = False
        with torch.no_grad():
            value = float(function(point))
        for _ in range(steps):
            found = self._searched(function, prepare(point), value, flat)
            if found is None:
                break
            (point, value), moved = found, True
        return point, moved

    def _searched(
        self, function: Callable[[Tensor], Tensor], propose: Propose, value: float, flat: float
    ) -> tuple[Tensor, float] | None:
        step_size = self.step_size
        for _ in range(MOST_HALVINGS):
            trial = propose(step_size)
            if not trial.promised > flat**2 * step_size / 2:
                return None
            with torch.no_grad():
                reached = float(function(trial.point))
            # NaN fails both comparisons, so that such a step is never taken.
            if reached >= value + SUFFICIENT * trial.promised and reached > value:
                self.step_size = 2 * step_size
                return trial.point, reached
            step_size /= 2
        return None


def along_gradient(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Propose]:
    """Prepares steps along the gradient of a smooth function."""

    def prepare(point: Tensor) -> Propose:
        gradient = value_and_slope(function, point)[1]
        square = float(gradient.square().sum())
        return lambda step_size: Trial(point + step_size * gradient, step_size * square / 2)

    return prepare


def value_and_slope(function: Callable[[Tensor], Tensor], point: Tensor) -> tuple[float, Tensor]:
    """A scalar function and its gradient, zero where the function does not depend on the point."""
    variable = point.detach().requires_grad_()
    value = function(variable)
    if not value.requires_grad:
        return float(value), torch.zeros_like(point)
    (gradient,) = torch.autograd.grad(value, variable, allow_unused=True)
    return float(value.detach()), torch.zeros_like(point) if gradient is None else gradient
