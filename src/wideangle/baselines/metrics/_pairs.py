"""Squared distances of many pairs under a matrix, and their gradient, in blocks of pairs."""

import math

import numpy as np
import torch
from torch import Tensor

from wideangle.exceptions import DataError
from wideangle.models._distance.pairs import IndexPairs, Indices

BLOCK = 8192  # The differences of so many pairs are held at a time.


class PairMoments:
    """Pairs of the rows of Z. Both products first act on rows, of which there are often far fewer than pairs."""

    def __init__(self, Z: Tensor, left: Indices, right: Indices) -> None:
        self.Z = Z
        self.left, self.right = (torch.from_numpy(end).to(Z.device) for end in (left, right))

    def __len__(self) -> int:
        return len(self.left)

    def squared(self, M: Tensor) -> Tensor:
        """(x − y)ᵀ M (x − y) of each pair."""
        images = self.Z @ M
        parts = [(self._differences(self.Z, part) * self._differences(images, part)).sum(1) for part in self._blocks()]
        return torch.cat(parts)

    def along(self, direction: Tensor) -> Tensor:
        """(directionᵀ(x − y))² of each pair."""
        heights = self.Z @ direction
        return (heights[self.left] - heights[self.right]).square()

    def moment(self, weights: Tensor) -> Tensor:
        """Σ weight (x − y)(x − y)ᵀ, which is the gradient of Σ weight (x − y)ᵀ M (x − y) in M."""
        pulls = torch.zeros_like(self.Z)
        for part in self._blocks():
            pull = weights[part, None] * self._differences(self.Z, part)
            pulls.index_add_(0, self.left[part], pull).index_add_(0, self.right[part], pull, alpha=-1)
        moment = pulls.mT @ self.Z
        return (moment + moment.mT) / 2

    def mean_moment(self) -> Tensor:
        """The mean of (x − y)(x − y)ᵀ."""
        return self.moment(self.Z.new_full((len(self),), 1 / len(self)))

    def _differences(self, rows: Tensor, part: slice) -> Tensor:
        return rows[self.left[part]] - rows[self.right[part]]

    def _blocks(self) -> list[slice]:
        return [slice(start, start + BLOCK) for start in range(0, len(self), BLOCK)]


def whitened(Z: Tensor, pairs: IndexPairs, ridge: float) -> tuple[Tensor, PairMoments]:
    """T, and the dissimilar pairs of the rows Z T, whose similar pairs have the identity as their mean moment.

    The constraint that the mean squared distance of similar pairs is at most 1 becomes tr B ≤ 1 for M = T B Tᵀ. Before
    that, the share `ridge` of the mean eigenvalue is added to the moment, which may have no inverse. Dissimilar pairs
    of equal points are left out: no matrix can part them.
    """
    similar, dissimilar = pairs.subset(pairs.similar), pairs.subset(~pairs.similar)
    moment = PairMoments(Z, similar.left, similar.right).mean_moment()
    d = len(moment)
    size = float(moment.trace()) / d or float(Z.square().mean()) or 1.0  # The points of all similar pairs may be equal.
    values, vectors = torch.linalg.eigh(moment + ridge * size * torch.eye(d, dtype=Z.dtype, device=Z.device))
    T = vectors * values.clamp(min=np.finfo(np.float64).eps * size).rsqrt()
    rows = Z @ T
    apart = PairMoments(rows, dissimilar.left, dissimilar.right)
    unequal = (apart.squared(torch.eye(d, dtype=Z.dtype, device=Z.device)) > 0).cpu().numpy()
    if not unequal.any():
        raise DataError("the two points of every dissimilar pair are equal: no distance can part them.")
    return T, PairMoments(rows, dissimilar.left[unequal], dissimilar.right[unequal])


def onto_spectrahedron(B: Tensor) -> Tensor:
    """The nearest positive semi-definite matrix whose trace is at most 1."""
    values, vectors = torch.linalg.eigh(B)
    clipped = values.clamp(min=0)
    if float(clipped.sum()) > 1:
        # Eigenvalues onto the simplex (Duchi et al. 2008): subtract the number that makes the positive rest sum to 1.
        falling = values.flip(0)
        excess = (falling.cumsum(0) - 1) / torch.arange(1, len(values) + 1, dtype=values.dtype, device=values.device)
        n_kept = int((falling > excess).sum())
        clipped = (values - excess[n_kept - 1]).clamp(min=0)
    return (vectors * clipped) @ vectors.mT


def onto_cone(M: Tensor) -> Tensor:
    """The nearest positive semi-definite matrix."""
    values, vectors = torch.linalg.eigh(M)
    return (vectors * values.clamp(min=0)) @ vectors.mT


def scale_to(mean: float, aim: float) -> float:
    """The number by which rows are multiplied so that a mean of squared distances becomes `aim`."""
    if not mean > 0:
        raise DataError("the two points of every pair are equal: there is nothing to tell apart.")
    return math.sqrt(aim / mean)
