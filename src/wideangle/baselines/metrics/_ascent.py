"""Ascent over a convex set of matrices by projected gradients."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

ENOUGH = 1e-4  # The share of the rise that the slope promises which a step must reach.
SHORTEST, LONGEST = 1e-10, 1e10  # of steps
MOST_HALVINGS = 40

Value = Callable[[Tensor], tuple[float, Tensor]]


@dataclass(frozen=True)
class Ascent:
    """Where an ascent ended."""

    point: Tensor
    value: float
    updates: int
    stopped: str


def ascend(
    value_and_gradient: Value,
    project: Callable[[Tensor], Tensor],
    start: Tensor,
    max_updates: int,
    converged: Callable[[Tensor, float, Tensor], bool] | None = None,
    tol: float = 0.0,
) -> Ascent:
    """Spectral projected gradients (Birgin, Martínez and Raydan 2000), each step higher than the last.

    Parameters
    ----------
    value_and_gradient : callable
        The objective and its gradient at a point.
    project : callable
        The nearest point of the convex set.
    start : Tensor
        A point of the set.
    max_updates : int
        The most steps.
    converged : callable, optional
        Whether a point with this value and gradient is good enough.
    tol : float
        Otherwise: a step of the gradient's own size, projected, moves by less than this share of the point's length.
    """
    point = start
    value, gradient = value_and_gradient(point)
    length = float(point.norm()) / max(float(gradient.norm()), 1e-300)
    for update in range(max_updates):
        if converged is not None and converged(point, value, gradient):
            return Ascent(point, value, update, "converged")
        direction = project(point + min(max(length, SHORTEST), LONGEST) * gradient) - point
        slope = float((gradient * direction).sum())
        if slope <= 0 or float(direction.norm()) <= tol * float(point.norm()):
            return Ascent(point, value, update, "converged")
        share = 1.0
        for _ in range(MOST_HALVINGS):
            new = point + share * direction
            new_value, new_gradient = value_and_gradient(new)
            if new_value >= value + ENOUGH * share * slope:
                break
            share /= 2
        else:
            return Ascent(point, value, update, "converged: no step leads higher, by rounding")
        moved, bent = new - point, gradient - new_gradient
        curvature = float((moved * bent).sum())
        length = float(moved.square().sum()) / curvature if curvature > 0 else 2 * length
        point, value, gradient = new, new_value, new_gradient
    return Ascent(point, value, max_updates, f"max_updates={max_updates} reached")
