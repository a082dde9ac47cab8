"""Algorithm 1 for the components of any model: steps for their lengths and for their directions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from wideangle._arguments import checked, is_several, real, whole
from wideangle._arguments import seed as a_seed
from wideangle.diversity import DiversityTerm
from wideangle.exceptions import DivergenceError
from wideangle.functional._inputs import checked_components, from_array
from wideangle.functional.regularizers import Surrogate
from wideangle.functional.sphere import part_duplicates, random_directions, retract, row_lengths
from wideangle.optim.coordinates import coordinates_for
from wideangle.optim.problem import Log, Problem, Progress
from wideangle.optim.solvers import by_batches, by_line_search


@dataclass(frozen=True)
class FitResult:
    """What `fit_components` found. Arrays are of the same kind as the A that was passed."""

    components: Any
    """A = diag(lengths) directions"""
    directions: Any
    """W, rows of unit length"""
    lengths: Any
    """g > 0"""
    history: tuple[Progress, ...] = field(repr=False)
    converged: bool
    """whether the slope of the total is within the tolerance"""
    stopped: str
    """why it stopped, in words"""


@checked(
    max_iterations=whole(least=1),
    inner_steps=whole(least=1),
    learning_rate=real(above=0),
    tolerance=real(least=0),
    seed=a_seed,
)
def fit_components(
    objective: Callable[..., Tensor],
    A: Any,
    diversity: float,
    *,
    surrogate: Surrogate = "angle",
    gamma: float = 1.0,
    metric: Any = None,
    batches: Iterable[Any] | None = None,
    max_iterations: int = 200,
    inner_steps: int = 5,
    learning_rate: float = 0.01,
    tolerance: float = 1e-6,
    callback: Callable[[Progress], bool | None] | None = None,
    seed: int = 0,
) -> FitResult:
    """Maximise objective(A) + diversity · regulariser(A) by Algorithm 1, over the lengths and directions of the rows.

    A = diag(g) W. The lengths g > 0 climb the objective, and the directions W climb the objective and the regulariser
    on their spheres. Over mini-batches their steps take turns, as in the paper. Without them both move in one step,
    whose curvature is learned from the steps before: where lengths and directions depend on each other, or the
    objective is badly scaled, turns of gradient steps hardly advance. The steps follow the regulariser's ridges, where
    pairs of rows stay orthogonal. The ridges are rounded off at first, or pairs would be held by the first one that
    they meet.

    With a metric, all this is done to A L, whose angles are those of A in the metric, and A is given back. No gradient
    separates equal rows, so a small random turn parts them first. Zero rows get a random direction. The result is the
    best point of the fit, which is at least as good as the start.

    Parameters
    ----------
    objective : callable
        The model's objective as a scalar tensor, **to be maximised** (negate a loss): `objective(A)`, or
        `objective(A, batch)` where `batches` are given. It may be any differentiable function of the K×D tensor A. It
        may solve for other unknowns inside: at their optimum the gradient in A is the partial one.
    A : tensor or array of shape (K, D)
        Components to start from.
    diversity : float
        λ, the weight of the regulariser. Give the objective as a mean over samples, so that 1e-3 to 10 is the
        range to search whatever the data.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`.
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : Metric, array, tensor, sparse matrix or None, default=None
        Where angles are measured, as in `mutual_angular_score`: scales of the columns, or rows of data by which cosines
        are correlations of the components' responses. The metric must see all D directions. Rows that are constant in
        some direction, or no more than D, need `Covariance(rows, shrinkage=0.1)`.
    batches : iterable or None, default=None
        Mini-batches. Each iteration is one pass over them, so pass a list or a torch DataLoader, not a generator.
        Without them the objective must be deterministic, and a line search checks every step.
    max_iterations : int, default=200
        The most iterations; with `batches`, the most passes over them.
    inner_steps : int, default=5
        Steps in each iteration of the deterministic fit.
    learning_rate : float, default=0.01
        Learning rate of the stochastic fit. It falls linearly to 0 over `max_iterations`.
    tolerance : float, default=1e-6
        The fit has converged when an iteration gains at most tolerance · scale, the slope of the total, per radian and
        per typical length, is at most √(tolerance · scale), and a nudge of all rows by 0.03 rad leads nowhere higher.
        The scale is max(1, |objective|): that of the model, however large its regulariser is. On a ridge the slope is
        that along the ridge, which the model alone makes. The stochastic fit measures the slope over all batches, at
        the end and after ten passes without a new best value, in units of the total, without a nudge. A tolerance below
        64 roundings of the components' precision is raised to that.
    callback : callable or None, default=None
        Called with a `Progress` after each iteration; stops the fit by returning True. Without `batches` it tells of
        the best components so far.
    seed : int, default=0
        Seed of the turn that parts equal rows, of the directions of zero rows and of the nudges.

    Returns
    -------
    FitResult
        With `components`, `directions`, `lengths`, `history`, `converged` and `stopped`. With a metric, the regulariser
        and the angles of `history` are those in the metric; `components`, `directions` and `lengths` are as without.

    Raises
    ------
    DivergenceError
        Over mini-batches, where the objective or its slope is no longer finite. `error.result` is the `FitResult` of
        the last finite components. A line search takes no such step.

    References
    ----------
    P. Xie, Y. Deng and E. Xing, Latent Variable Modeling with Diversity-Inducing Mutual Angular Regularization,
    2015, Algorithm 1.

    Examples
    --------
    >>> import torch
    >>> from wideangle import fit_components
    >>> A = torch.tensor([[1.0, 0.2, 0.0], [1.0, 0.0, 0.2]])
    >>> result = fit_components(lambda B: -(B - A).square().sum(), A, diversity=10.0)
    >>> round(result.history[-1].mean_angle)
    90
    """
    term = DiversityTerm(diversity, surrogate, gamma)
    if not callable(objective) or not (callback is None or callable(callback)):
        raise TypeError("objective must be a function of A that gives a tensor; callback one of `Progress`, or None.")
    if batches is not None and not is_several(batches):
        raise TypeError(f"batches must be an iterable of mini-batches, or None; got {type(batches).__name__}.")
    start = checked_components(A if isinstance(A, Tensor) else from_array(A)).detach()
    coordinates = coordinates_for(metric, start)
    if coordinates is None:
        problem, (g, W) = Problem(objective, term), _decomposed(start, seed)
    else:
        leave = coordinates.leave
        problem = Problem(lambda C, *batch: objective(leave(C), *batch), term)
        g, W = _decomposed(coordinates.enter(start), seed)
    problem.regularize(W)  # An impossible combination, such as the volume with K > D, fails here, before the fit.
    log = Log(callback)
    if batches is None:
        ended = by_line_search(problem, g, W, max_iterations, inner_steps, tolerance, log, seed)
    else:
        ended = by_batches(problem, g, W, batches, max_iterations, learning_rate, tolerance, log)
    g, W = ended.g, ended.W
    components = g[:, None] * W
    if coordinates is not None:
        components = coordinates.leave(components)
        g, W = row_lengths(components), retract(components)
    kind = (lambda part: part) if isinstance(A, Tensor) else Tensor.numpy
    found = FitResult(kind(components), kind(W), kind(g), tuple(log.history), ended.converged, ended.stopped)
    if ended.diverged_in is not None:
        raise DivergenceError(
            f"the fit diverged: {ended.stopped}. What may help: lower {learning_rate=:g}, or an objective that is "
            "finite wherever components may go. The components before that iteration are the `result` of this error.",
            ended.diverged_in,
            ended.diverged_in - 1,
            found,
        )
    return found


def _decomposed(A: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """A = diag(g) W with g > 0 and no two rows of W equal."""
    generator = torch.Generator().manual_seed(seed)
    g = row_lengths(A)
    dead = g == 0
    typical = 1.0 if bool(dead.all()) else float(g[~dead].mean())
    directions = torch.where(dead[:, None], random_directions(A, generator), A)
    return torch.where(dead, 1e-3 * typical, g), part_duplicates(retract(directions), generator)
