"""Pairwise angles of components and the mutual angular score Ω."""

import math
from functools import partial
from typing import Any, NamedTuple, overload

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wideangle.functional._inputs import accepts_arrays, checked_gamma, may_inspect
from wideangle.functional.blocked import blocked_score, is_blocked
from wideangle.functional.gram import Cosines, cosines, gradient_operator, gram_value, overwritable
from wideangle.functional.metrics import Metric, as_metric, mapped
from wideangle.functional.slopes import close_from, inverse_sine, inverse_sine_of_close, measured_angles, sign_of


@overload
def pairwise_angles(A: Tensor, *, metric: Any = None) -> Tensor: ...
@overload
def pairwise_angles(A: ArrayLike, *, metric: Any = None) -> NDArray[np.floating[Any]]: ...
def pairwise_angles(A: Any, *, metric: Any = None) -> Any:
    """θ_ij = arccos |w_i·w_j|, the non-obtuse angle of every pair of rows, as a K×K matrix in radians.

    Small angles (under 4° in float32, 0.14° in float64) are found from the rows themselves, not from their cosine,
    so that equal rows have angle 0 and small angles keep their digits (except inside `torch.compile`, where an
    angle near 0 is known to 5e-4 in float32).

    Parameters
    ----------
    A : tensor or array of shape (K, D)
        One component per row, of any length. Integers are taken as floats; half precision is computed in float32.
    metric : Metric, array, tensor, sparse matrix or None, default=None
        Where angles are measured; see `mutual_angular_score`.

    Returns
    -------
    tensor or array of shape (K, K)
        Symmetric, zeros on the diagonal. Differentiable for tensors; at right angles, where |cos| has a kink,
        and at equal rows, where no direction is marked, the gradient is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle import pairwise_angles
    >>> np.rad2deg(pairwise_angles([[1, 0], [1, 1], [0, -2]])).round()
    array([[ 0., 45., 90.],
           [45.,  0., 45.],
           [90., 45.,  0.]])
    """
    return _pairwise_angles(A, as_metric(metric))


@overload
def pair_angles(A: Tensor, *, metric: Any = None) -> Tensor: ...
@overload
def pair_angles(A: ArrayLike, *, metric: Any = None) -> NDArray[np.floating[Any]]: ...
def pair_angles(A: Any, *, metric: Any = None) -> Any:
    """The angles θ_ij of `pairwise_angles` with i < j, each pair once: a vector of K(K − 1)/2, in radians.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.functional import pair_angles
    >>> np.rad2deg(pair_angles([[1, 0], [1, 1], [0, -2]])).round().tolist()
    [45.0, 90.0, 45.0]
    """
    return _pair_angles(A, as_metric(metric))


@accepts_arrays
def _pair_angles(A: Tensor, metric: Metric | None) -> Tensor:
    angles = pairwise_angles(A, metric=metric)
    return angles[tuple(torch.triu_indices(len(angles), len(angles), 1, device=angles.device))]


@accepts_arrays
def _pairwise_angles(A: Tensor, metric: Metric | None) -> Tensor:
    angles: Tensor = _PairwiseAngles.apply(mapped(A, metric))[0]  # type: ignore[no-untyped-call]
    return angles


@overload
def mutual_angular_score(A: Tensor, gamma: float = 1.0, *, metric: Any = None) -> Tensor: ...
@overload
def mutual_angular_score(A: ArrayLike, gamma: float = 1.0, *, metric: Any = None) -> np.floating[Any]: ...
def mutual_angular_score(A: Any, gamma: float = 1.0, *, metric: Any = None) -> Any:
    """Ω(A) = mean θ − γ·var θ over all pairs of rows: larger when the rows are more diverse.

    Works for every K and D. The score of one row, which has no pair, is 0. Its largest value, π/2, belongs to
    orthogonal rows. Angles of nearly parallel rows are measured as in `pairwise_angles`.

    Parameters
    ----------
    A : tensor or array of shape (K, D)
        One component per row. The score does not depend on the rows' order, signs or lengths.
    gamma : float, default=1.0
        Weight of the variance, at least 0.
    metric : Metric, array, tensor, sparse matrix or None, default=None
        Where angles are measured. None is the paper's: the angles of the rows of A themselves. A matrix of data rows
        (n × D, dense or sparse) gives the angles as these data see them (`Covariance`): cosines are correlations of
        the components' responses to the rows. An array of D numbers scales the columns (`ColumnScales`).

    Returns
    -------
    scalar tensor, or NumPy scalar
        Differentiable for tensors: value and gradient cost two matrix products. Of more than 20,000 rows, the cosines
        are found in blocks, so that memory grows with K only; there is no second derivative then.

    References
    ----------
    P. Xie, Y. Deng and E. Xing, Latent Variable Modeling with Diversity-Inducing Mutual Angular Regularization,
    2015, Section 3.2.

    Examples
    --------
    >>> from wideangle import mutual_angular_score
    >>> round(float(mutual_angular_score([[1.0, 0.0], [1.0, 1.0], [0.0, -2.0]])), 4)
    0.9101
    """
    return _mutual_angular_score(A, checked_gamma(gamma), as_metric(metric))


@accepts_arrays
def _mutual_angular_score(A: Tensor, gamma: float, metric: Metric | None) -> Tensor:
    A = mapped(A, metric)
    return blocked_score(A, gamma) if is_blocked(A) else gram_value(A, partial(score_of_gram, gamma))


def score_of_gram(gamma: float, cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """Ω and ∂Ω/∂G. Steps are in place: at no time are there more than three K×K matrices."""
    gram = cosine.gram
    pairs = gram.shape[0] * (gram.shape[0] - 1) // 2
    if pairs == 0:  # K = 1: score 0, gradient 0
        return gram.new_zeros(()), torch.zeros_like(gram) if with_slope else None
    angle, close = _angles(cosine)
    mean = angle.sum() / (2 * pairs)
    deviation = angle.sub_(mean).fill_diagonal_(0)
    variance = torch.linalg.vector_norm(deviation).square() / (2 * pairs)
    value = mean - gamma * variance  # Section 3.2, the definition of Ω
    if not with_slope:
        return value, None
    # −∂Ω/∂θ_ij = (2γ(θ_ij − mean) − 1) / pairs, and θ falls as |G| rises
    slope = overwritable(deviation).mul_(2 * gamma / pairs).sub_(1 / pairs)
    return value, _times_slope_of_arcsin(slope, gram, close)


def nearest_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """mean over i of min_j θ_ij, and its slope: maximal minimal angles.

    Z. Wang, C. Xiang, W. Zou and C. Xu, MMA Regularization: Decorrelating Weights of Neural Networks by Maximizing the
    Minimal Angles, 2020. Their angles may be obtuse; here, as in the score, a component and its opposite are one.
    """
    gram = cosine.gram
    K = gram.shape[0]
    if K == 1:
        return gram.new_zeros(()), torch.zeros_like(gram) if with_slope else None
    angle, close = _angles(cosine)
    others = angle.clone().fill_diagonal_(math.inf)
    least = others.min(1).values
    if not with_slope:
        return least.mean(), None
    # Rows that are equally near share the slope. Each pair is one quantity, which counts for each of its two rows.
    tied = (others <= least[:, None] + torch.finfo(gram.dtype).eps ** 0.5).to(gram.dtype)
    chosen = tied / tied.sum(1, keepdim=True)
    return least.mean(), _times_slope_of_arcsin((chosen + chosen.mT) * (-1 / K), gram, close)


class ClosePairs(NamedTuple):
    """Pairs i < j of nearly equal rows, and their angles, which their cosines hide."""

    left: Tensor
    right: Tensor
    angle: Tensor

    def put(self, matrix: Tensor, values: Tensor) -> Tensor:
        """The symmetric matrix with these values for these pairs; overwrites it."""
        matrix = matrix.index_put_((self.left, self.right), values)
        return matrix.index_put_((self.right, self.left), values)


def _absolute(cosine: Cosines) -> Tensor:
    return cosine.gram.abs().fill_diagonal_(0)


def close_pairs(cosine: Cosines, absolute: Tensor) -> ClosePairs | None:
    """The pairs whose cosine hides the angle: θ = 2 atan2(‖u − v‖, ‖u + v‖) on their sign-aligned unit rows.

    `absolute` is |G| with zeros on the diagonal. arccos of a cosine that is rounded by ε is off by ε/θ², relative
    to the angle θ, and this by ε/θ. Pairs are close where the former exceeds ε^(2/3). None where no pair is, or
    where values may not be looked at.
    """
    if not cosine.inspected or len(absolute) == 1:
        return None
    absolute = absolute.detach()
    threshold = close_from(absolute.dtype)
    if not float(absolute.max()) > threshold:
        return None
    left, right = torch.nonzero((absolute > threshold).triu_(1), as_tuple=True)
    unit = cosine.rows * cosine.inverse_length[:, None]
    return ClosePairs(left, right, measured_angles(unit, unit, left, right, cosine.gram[left, right].sign()))


def _angles(cosine: Cosines) -> tuple[Tensor, ClosePairs | None]:
    """θ of every pair twice, zeros on the diagonal, and the pairs that were measured from their rows."""
    absolute = _absolute(cosine)
    close = close_pairs(cosine, absolute)
    if close is not None:  # arccos has an infinite slope at 1, which a second derivative must not meet
        absolute = close.put(absolute, torch.zeros_like(close.angle))
    angle = absolute.clamp_(max=1).acos_().fill_diagonal_(0)
    return angle if close is None else close.put(angle, close.angle), close


def _times_slope_of_arcsin(weight: Tensor, gram: Tensor, close: ClosePairs | None) -> Tensor:
    """weight · sign(G) / √(1 − G²), zeros on the diagonal; overwrites the weight and is finite everywhere.

    At G = 0 the kink of |G| leaves a choice in [−1, 1]; 0 takes the middle, so that orthogonal rows stay put. A cosine
    within rounding of 0 counts as 0, or rounding errors would push rows that are orthogonal. Near |G| = 1 the slope is
    unbounded but the tangent vector it multiplies has length √(1 − G²); the floor, where rounding hides 1 − G², lets
    their product go to 0 at equal rows, where no direction is marked.
    """
    steep = inverse_sine(gram)
    if close is not None:
        steep = close.put(overwritable(steep), inverse_sine_of_close(close.angle))
    return weight.mul_(steep).mul_(sign_of(gram)).fill_diagonal_(0)


class _PairwiseAngles(torch.autograd.Function):
    @staticmethod
    def forward(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        with torch.autocast(A.device.type, enabled=False):
            cosine = cosines(A, may_inspect(A))
            upper = _angles(cosine)[0].triu_(1)  # a product need not be symmetric to the last digit
            scale = torch.ones_like(cosine.inverse_length) if cosine.scale is None else cosine.scale
            return upper + upper.mT, cosine.gram, cosine.inverse_length, scale

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: tuple[Tensor, ...]) -> None:
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(inputs[0], *output[1:])

    @staticmethod
    def backward(ctx: Any, grad_angle: Tensor | None, *_: None) -> Tensor | None:
        if grad_angle is None:
            return None
        A, gram, inverse_length, scale = ctx.saved_tensors
        with torch.autocast(A.device.type, enabled=False):
            cosine = Cosines(gram, A * scale[:, None], inverse_length, scale, may_inspect(A))
            if torch.is_grad_enabled():  # a second derivative is wanted
                cosine = cosines(A, may_inspect(A))
            slope = _times_slope_of_arcsin(
                -(grad_angle + grad_angle.mT), cosine.gram, close_pairs(cosine, _absolute(cosine))
            )
            return gradient_operator(slope, cosine) @ cosine.rows
