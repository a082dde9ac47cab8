"""Pairwise angles of components and the mutual angular score Ω."""

from functools import partial
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wideangle.functional._inputs import accepts_arrays, checked_gamma, may_inspect
from wideangle.functional.gram import Cosines, cosines, gradient_operator, gram_value, overwritable


@overload
def pairwise_angles(A: Tensor) -> Tensor: ...
@overload
def pairwise_angles(A: ArrayLike) -> NDArray[np.floating[Any]]: ...
def pairwise_angles(A: Any) -> Any:
    """θ_ij = arccos |w_i·w_j|, the non-obtuse angle of every pair of rows, as a K×K matrix in radians.

    Angles under 8° are found from the rows themselves, not from their cosine, so that equal rows have angle 0
    and small angles keep all their digits (except inside `torch.compile`, where an angle near 0 is known to
    5e-4 in float32).

    Parameters
    ----------
    A : tensor or array of shape (K, D)
        One component per row, of any length. Integers are taken as floats; half precision is computed in float32.

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
    return _pairwise_angles(A)


@overload
def pair_angles(A: Tensor) -> Tensor: ...
@overload
def pair_angles(A: ArrayLike) -> NDArray[np.floating[Any]]: ...
def pair_angles(A: Any) -> Any:
    """The angles θ_ij of `pairwise_angles` with i < j, each pair once: a vector of K(K − 1)/2, in radians.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.functional import pair_angles
    >>> np.rad2deg(pair_angles([[1, 0], [1, 1], [0, -2]])).round().tolist()
    [45.0, 90.0, 45.0]
    """
    return _pair_angles(A)


@accepts_arrays
def _pair_angles(A: Tensor) -> Tensor:
    angles = pairwise_angles(A)
    return angles[tuple(torch.triu_indices(len(angles), len(angles), 1, device=angles.device))]


@accepts_arrays
def _pairwise_angles(A: Tensor) -> Tensor:
    angles: Tensor = _PairwiseAngles.apply(A)[0]  # type: ignore[no-untyped-call]
    return angles


@overload
def mutual_angular_score(A: Tensor, gamma: float = 1.0) -> Tensor: ...
@overload
def mutual_angular_score(A: ArrayLike, gamma: float = 1.0) -> np.floating[Any]: ...
def mutual_angular_score(A: Any, gamma: float = 1.0) -> Any:
    """Ω(A) = mean θ − γ·var θ over all pairs of rows: larger when the rows are more diverse.

    Works for every K and D. The score of one row, which has no pair, is 0. Its largest value, π/2, belongs to
    orthogonal rows. In float32 the angle of a nearly parallel pair is known to about 5e-4.

    Parameters
    ----------
    A : tensor or array of shape (K, D)
        One component per row. The score does not depend on the rows' order, signs or lengths.
    gamma : float, default=1.0
        Weight of the variance, at least 0.

    Returns
    -------
    scalar tensor, or NumPy scalar
        Differentiable for tensors: value and gradient cost two matrix products.

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
    return _mutual_angular_score(A, checked_gamma(gamma))


@accepts_arrays
def _mutual_angular_score(A: Tensor, gamma: float) -> Tensor:
    return gram_value(A, partial(score_of_gram, gamma))


def score_of_gram(gamma: float, gram: Tensor, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """Ω and ∂Ω/∂G. Steps are in place: at no time are there more than three K×K matrices."""
    pairs = gram.shape[0] * (gram.shape[0] - 1) // 2
    if pairs == 0:  # K = 1: score 0, gradient 0
        return gram.new_zeros(()), torch.zeros_like(gram) if with_slope else None
    angle = gram.abs().clamp_(max=1).acos_()  # each pair twice, zeros on the diagonal
    mean = angle.sum() / (2 * pairs)
    deviation = angle.sub_(mean).fill_diagonal_(0)
    variance = torch.linalg.vector_norm(deviation).square() / (2 * pairs)
    value = mean - gamma * variance  # Section 3.2, the definition of Ω
    if not with_slope:
        return value, None
    # −∂Ω/∂θ_ij = (2γ(θ_ij − mean) − 1) / pairs, and θ falls as |G| rises
    slope = overwritable(deviation).mul_(2 * gamma / pairs).sub_(1 / pairs)
    return value, _times_slope_of_arcsin(slope, gram)


def _times_slope_of_arcsin(weight: Tensor, gram: Tensor) -> Tensor:
    """weight · sign(G) / √(1 − G²), zeros on the diagonal; overwrites the weight and is finite everywhere.

    At G = 0 the kink of |G| leaves a choice in [−1, 1]; sign(0) = 0 takes the middle, so that orthogonal rows
    stay put. Near |G| = 1 the slope is unbounded but the tangent vector it multiplies has length √(1 − G²); the
    floor, where rounding hides 1 − G², lets their product go to 0 at equal rows, where no direction is marked.
    """
    floor = 4 * torch.finfo(gram.dtype).eps
    weight.mul_(torch.addcmul(gram.new_ones(()), gram, gram, value=-1).clamp_(min=floor).rsqrt_())
    return weight.mul_(gram.sign()).fill_diagonal_(0)


class _PairwiseAngles(torch.autograd.Function):
    @staticmethod
    def forward(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        with torch.autocast(A.device.type, enabled=False):
            cosine = cosines(A, may_inspect(A))
            angle = cosine.gram.abs().clamp_(max=1).acos_()
            if may_inspect(A):
                _measure_small_angles(angle, cosine)
            upper = angle.triu_(1)  # a product need not be symmetric to the last digit
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
            cosine = Cosines(gram, A * scale[:, None], inverse_length, scale)
            if torch.is_grad_enabled():  # a second derivative is wanted
                cosine = cosines(A, may_inspect(A))
            slope = _times_slope_of_arcsin(-(grad_angle + grad_angle.mT), cosine.gram)
            return gradient_operator(slope, cosine) @ cosine.rows


def _measure_small_angles(angle: Tensor, cosine: Cosines, threshold: float = 0.99) -> None:
    """θ = 2 atan2(‖u − v‖, ‖u + v‖) on sign-aligned unit rows, for the pairs i < j whose cosine hides the angle."""
    left, right = torch.nonzero((cosine.gram.abs() > threshold).triu_(1), as_tuple=True)
    unit = cosine.rows * cosine.inverse_length[:, None]
    pairs_at_once = max(1, 2**22 // unit.shape[1])  # 16 MB of float32, however many pairs are close
    for i, j in zip(left.split(pairs_at_once), right.split(pairs_at_once), strict=True):
        u, v = unit[i], unit[j] * cosine.gram[i, j].sign()[:, None]
        exact = 2 * torch.atan2(torch.linalg.vector_norm(u - v, dim=1), torch.linalg.vector_norm(u + v, dim=1))
        angle[i, j] = exact
