"""Angles from rows where cosines hide them, and the slope of the angle in the cosine; for whole matrices and blocks."""

import torch
from torch import Tensor
from torch.nn.functional import hardshrink

RIGHT = 16  # roundings within which a cosine is that of a right angle
EQUAL = 8  # rows whose angle is at most so many roundings are equal: no direction is marked between them
PAIRS_BYTES = 2**24  # At most so much of the rows of close pairs is copied at a time.


def close_from(dtype: torch.dtype) -> float:
    """The |cosine| from which on a pair is close: arccos of the rounded cosine would be off by more than ε^(2/3)."""
    return float(1 - torch.finfo(dtype).eps ** (1 / 3) / 2)


def measured_angles(unit: Tensor, other: Tensor, left: Tensor, right: Tensor, sign: Tensor) -> Tensor:
    """θ = 2 atan2(‖u − v‖, ‖u + v‖) of row `left` of one matrix and row `right` of another, sign-aligned unit rows."""
    at_once = max(1, PAIRS_BYTES // (4 * unit.shape[1]))
    angles = []
    for i, j, s in zip(left.split(at_once), right.split(at_once), sign.split(at_once), strict=True):
        u, v = unit[i], other[j] * s[:, None]
        difference, total = (torch.linalg.vector_norm(w, dim=1) for w in (u - v, u + v))
        angles.append(2 * torch.atan2(difference, total))
    return torch.cat(angles)


def inverse_sine(gram: Tensor) -> Tensor:
    """1 / √(1 − G²) with a floor where rounding hides 1 − G²."""
    eps = torch.finfo(gram.dtype).eps
    return torch.addcmul(gram.new_ones(()), gram, gram, value=-1).clamp_(min=4 * eps).rsqrt_()


def inverse_sine_of_close(angle: Tensor) -> Tensor:
    """1 / sin θ of close pairs; 0 where rows are equal."""
    apart = angle > EQUAL * torch.finfo(angle.dtype).eps
    return torch.where(apart, angle.sin(), 1.0).reciprocal() * apart


def sign_of(gram: Tensor) -> Tensor:
    """sign(G), with 0 for a cosine within rounding of 0."""
    return hardshrink(gram, RIGHT * torch.finfo(gram.dtype).eps).sign()
