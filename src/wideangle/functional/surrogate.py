"""The bound Γ on the score and the log volume, through the log-determinant of the Gram matrix.

Both are computed in float64 whatever comes in, because rounding in half precision, tf32 or float32 moves the small
eigenvalues of G, on which the determinant depends most.
"""

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from wideangle.exceptions import TooManyComponentsError, VanishedGradientWarning
from wideangle.functional._inputs import accepts_arrays, checked_gamma, may_inspect
from wideangle.functional.gram import Cosines, gram_value
from wideangle.functional.metrics import Metric, as_metric, mapped

# Off-diagonal cosines are divided by 1 + JITTER·K, as if each row had a short private dimension: well above
# what rounding does to the pivots of a K×K Cholesky factor. Rows that are dependent then have a log-determinant near
# log(JITTER·K) instead of −∞, and a finite gradient.
JITTER = 64 * torch.finfo(torch.float64).eps

# When the bound's gradient is less than this share of the volume's, it moves nothing.
VANISHED = 1e-4


@overload
def mutual_angular_bound(A: Tensor, gamma: float = 1.0, *, metric: Any = None) -> Tensor: ...
@overload
def mutual_angular_bound(A: ArrayLike, gamma: float = 1.0, *, metric: Any = None) -> np.floating[Any]: ...
def mutual_angular_bound(A: Any, gamma: float = 1.0, *, metric: Any = None) -> Any:
    """Γ(A) = s − γ(π/2 − s)², s = arcsin √det G: the paper's lower bound of Ω, as published.

    Its gradient points where that of `log_volume` points, but its length falls with √det G, which is nearly 0
    for more than a few dozen components that are not almost orthogonal. Where it has vanished a
    `VanishedGradientWarning` says so: optimise `log_volume` instead.

    Parameters
    ----------
    A : tensor or array of shape (K, D) with K ≤ D
        One component per row. More rows than columns raise `TooManyComponentsError`.
    gamma : float, default=1.0
        Weight of the variance's bound, at least 0. The paper prints the case 1.
    metric : Metric, array, tensor, sparse matrix or None, default=None
        Where angles are measured; see `mutual_angular_score`. A sample of n rows allows K < n components.

    Returns
    -------
    scalar tensor, or NumPy scalar
        Differentiable for tensors. π/2 for orthogonal rows, where the bound has a peak and the gradient is
        taken as 0. The bound of one row, which has no pair, is 0.

    References
    ----------
    Xie, Deng and Xing (2015), Theorem 1.

    Examples
    --------
    >>> from wideangle import mutual_angular_bound
    >>> round(float(mutual_angular_bound([[1.0, 0.0, 0.0], [0.2, 1.0, 0.0], [0.0, 0.2, 1.0]])), 4)
    1.2151
    """
    return _mutual_angular_bound(A, checked_gamma(gamma), as_metric(metric))


@accepts_arrays
def _mutual_angular_bound(A: Tensor, gamma: float, metric: Metric | None) -> Tensor:
    require_independent(A, "the bound Γ", metric)
    return gram_value(mapped(A.double(), metric), partial(bound_of_gram, gamma)).to(A.dtype)


@overload
def log_volume(A: Tensor, *, metric: Any = None) -> Tensor: ...
@overload
def log_volume(A: ArrayLike, *, metric: Any = None) -> np.floating[Any]: ...
def log_volume(A: Any, *, metric: Any = None) -> Any:
    """log det G, G the Gram matrix of the rows scaled to unit length: 0 for orthogonal rows, else negative.

    The gradient has the direction of the bound Γ's (Lemma 1) at a size that does not vanish: this is the bound's
    working form. Rows that are linearly dependent to working precision have the value of rows that differ by a
    tiny angle, about −30 for each dimension that is missing, instead of −∞.

    Parameters
    ----------
    A : tensor or array of shape (K, D) with K ≤ D
        One component per row. More rows than columns raise `TooManyComponentsError`.
    metric : Metric, array, tensor, sparse matrix or None, default=None
        Where angles are measured; see `mutual_angular_score`. A sample of n rows allows K < n components.

    Returns
    -------
    scalar tensor, or NumPy scalar
        Differentiable for tensors.

    Examples
    --------
    >>> from wideangle import log_volume
    >>> round(float(log_volume([[1.0, 0.0], [1.0, 1.0]])), 4)
    -0.6931
    """
    return _log_volume(A, as_metric(metric))


@accepts_arrays
def _log_volume(A: Tensor, metric: Metric | None) -> Tensor:
    require_independent(A, "the volume", metric)
    return gram_value(mapped(A.double(), metric), volume_of_gram).to(A.dtype)


def volume_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """log det G and its derivative 2 G⁻¹ in each pair. The diagonal of G is constant."""
    return log_det_of_lifted(cosine.gram, with_slope)


def log_det_of_lifted(kernel: Tensor, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """log det of a kernel with ones on its diagonal, lifted by the jitter, and 2 K⁻¹: both from one Cholesky factor."""
    shrink = 1 / (1 + JITTER * kernel.shape[0])
    lifted = (kernel * shrink).fill_diagonal_(1)
    factor = torch.linalg.cholesky_ex(lifted)[0]
    # Rounding may leave a value slightly above 0 where the rows are orthogonal.
    value = (2 * factor.diagonal().log().sum()).clamp(max=0)
    if not with_slope:
        return value, None
    return value, (torch.cholesky_inverse(factor) * (2 * shrink)).fill_diagonal_(0)


def bound_of_gram(gamma: float, cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """Γ and ∂Γ/∂G = c(det G) · ∂ log det/∂G."""
    gram = cosine.gram
    log_det, slope = volume_of_gram(cosine, with_slope)
    if gram.shape[0] == 1:  # no pair: 0, as the score
        return log_det, slope
    x = (0.5 * log_det).exp()  # √det G
    rest = (-torch.expm1(log_det)).sqrt()  # √(1 − det G), without cancellation near orthogonal rows
    s = torch.atan2(x, rest)  # arcsin x
    value = s - gamma * (math.pi / 2 - s).square()  # Theorem 1
    if slope is None:
        return value, None
    factor = (1 + 2 * gamma * (math.pi / 2 - s)) * x / 2
    if may_inspect(gram) and bool(factor < VANISHED):
        warnings.warn(
            f"the bound Γ has vanished: log det G = {float(log_det):.1f} for {gram.shape[0]} components, so its "
            f"gradient is {float(factor):.0e} of the volume's, which has the same direction. "
            "Use the volume instead: log_volume(A), or surrogate='volume'.",
            VanishedGradientWarning,
            stacklevel=2,
        )
    # Γ peaks like a cone at orthogonal rows (rest = 0): the subgradient there is 0.
    return value, slope * torch.where(rest > 0, factor / rest, 0.0)


def require_independent(
    A: Tensor, what: str, metric: Metric | None = None, most: Callable[[int], int] = lambda rank: rank
) -> None:
    """Few enough components for the columns, or for the rank of the metric; or an error that names the way out.

    `most` tells how many there can be for so many columns.
    """
    way_out = "the score Ω, which works for every K: mutual_angular_score(A), or surrogate='angle'."
    if metric is not None and A.shape[0] > most(metric.rank):
        raise TooManyComponentsError(
            f"{what} needs linearly independent components, but the metric has rank {metric.rank} at most; got "
            f"K={A.shape[0]}. Make it of more rows, or of more columns that vary, or take {way_out}"
        )
    if metric is None and A.shape[0] > most(A.shape[1]):
        raise TooManyComponentsError(
            f"{what} needs linearly independent components, so at most {most(A.shape[1])} rows of D={A.shape[1]} "
            f"columns; got K={A.shape[0]} rows. Take {way_out}"
        )
