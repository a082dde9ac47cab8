"""Geometry of matrices whose rows have unit length: a product of spheres."""

import math

import torch
from torch import Tensor

from wideangle.exceptions import ComponentsError
from wideangle.functional._inputs import checked_generator, checked_tensor


def largest_entries(A: Tensor) -> Tensor:
    """max_j |A_ij| of each row; an error where a row is not finite."""
    largest = torch.maximum(A.amax(1), -A.amin(1))
    finite = torch.isfinite(largest)
    if not bool(finite.all()):
        bad = torch.nonzero(~finite).flatten().tolist()
        raise ComponentsError(
            f"components must be finite; {len(bad)} of {A.shape[0]} rows hold NaN or infinities (rows {first(bad)}). "
            "If they come from training, it diverged: lower the learning rate."
        )
    return largest


def row_lengths(A: Tensor) -> Tensor:
    """g_i = ‖a_i‖, right also where the squares would overflow or underflow."""
    largest = largest_entries(checked_tensor(A, "A"))
    divisor = torch.where(largest > 0, largest, 1.0)
    return divisor * torch.linalg.vector_norm(A / divisor[:, None], dim=1)


def retract(A: Tensor) -> Tensor:
    """W = diag(1/g) A: each row brought to unit length, the nearest point of its sphere."""
    lengths = row_lengths(A)
    if not bool((lengths > 0).all()):
        bad = torch.nonzero(lengths == 0).flatten().tolist()
        raise ComponentsError(f"rows {first(bad)} are all zeros and cannot be brought to unit length.")
    return A / lengths[:, None]


def tangent(W: Tensor, V: Tensor) -> Tensor:
    """V less its part along W, row by row: the direction of V within the spheres at W."""
    if checked_tensor(W, "W").shape != checked_tensor(V, "V").shape:
        raise ComponentsError(f"W and V must have one shape; got {tuple(W.shape)} and {tuple(V.shape)}.")
    return V - torch.linalg.vecdot(V, W)[:, None] * W


def random_directions(like: Tensor, generator: torch.Generator) -> Tensor:
    """Uniform points of the spheres, as many and as long as the rows of `like`. The generator is a CPU one."""
    checked_tensor(like, "like")
    checked_generator(generator)
    normal = torch.randn(like.shape, generator=generator, dtype=torch.float64)
    return (normal / torch.linalg.vector_norm(normal, dim=1, keepdim=True)).to(like)


def part_duplicates(W: Tensor, generator: torch.Generator, angle: float = 1e-2) -> Tensor:
    """W with every row that repeats an earlier one (up to sign) turned by `angle` in a random direction.

    Equal rows have no direction to part in: no gradient ever separates them.
    """
    largest_entries(checked_tensor(W, "W"))
    checked_generator(generator)
    if not isinstance(angle, int | float) or not 0 < angle < math.pi / 2:
        raise ValueError(f"angle must be in radians, above 0 and below π/2; got {angle!r}.")
    gram = W @ W.mT
    resolution = 8 * torch.finfo(W.dtype).eps
    repeats = (gram.abs() > 1 - resolution).tril_(-1).any(1)
    if not bool(repeats.any()):
        return W
    turned = tangent(W, random_directions(W, generator))
    turned = turned / torch.linalg.vector_norm(turned, dim=1, keepdim=True).clamp_min(torch.finfo(W.dtype).tiny)
    # tan, so that the angle after the retraction is the one asked for
    step = torch.tan(torch.tensor(angle)).to(W) * turned
    return torch.where(repeats[:, None], retract(W + step), W)


def first(rows: list[int], most: int = 5) -> str:
    """The first few row numbers, for a message."""
    return ", ".join(map(str, rows[:most])) + (", …" if len(rows) > most else "")
