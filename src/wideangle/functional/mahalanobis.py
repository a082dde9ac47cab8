"""Distances of pairs under a linear map A, and the pair loss of distance metric learning with its slope.

A similar pair should be near and a dissimilar one at least the margin away:
mean over similar ‖A(x−y)‖² + hinge weight · mean over dissimilar max(0, margin − ‖A(x−y)‖²), the hinge standing in for
the hard constraint of Eq. (MAR-DML) in the paper.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class PairTerms(NamedTuple):
    """The weighted pair loss of some pairs, and what its gradient is made of."""

    value: Tensor
    slope: Tensor
    """derivative of the loss in each pair's squared distance"""
    violating: Tensor
    """whether a pair is dissimilar and nearer than the margin"""


def squared_distances(A: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """‖A(x − y)‖² of each pair of rows x of `left` and y of `right`."""
    return ((left - right) @ A.mT).square().sum(-1)


def pair_loss(squared: Tensor, similar: Tensor, hinge_weight: float = 1.0, margin: float = 1.0) -> Tensor:
    """Mean over similar d² + hinge_weight · mean over dissimilar max(0, margin − d²), differentiable in d².

    `similar` is a boolean for each pair. A kind of which there is no pair counts as 0.
    """
    n_similar = max(1, int(similar.sum()))
    n_dissimilar = max(1, len(similar) - int(similar.sum()))
    return _value(squared, similar, 1 / n_similar, hinge_weight / n_dissimilar, margin)


def pair_terms(
    squared: Tensor, similar: Tensor, similar_weight: float, dissimilar_weight: float, margin: float = 1.0
) -> PairTerms:
    """Σ over similar w d² + Σ over dissimilar w′ max(0, margin − d²) with its slope in each d², without autograd.

    At the kink, d² = margin, the slope is 0, so that such a pair is not moved.
    """
    violating = ~similar & (squared < margin)
    slope = torch.where(similar, similar_weight, torch.where(violating, -dissimilar_weight, 0.0)).to(squared.dtype)
    return PairTerms(_value(squared, similar, similar_weight, dissimilar_weight, margin), slope, violating)


def _value(squared: Tensor, similar: Tensor, similar_weight: float, dissimilar_weight: float, margin: float) -> Tensor:
    hinge = (margin - squared).clamp_min(0)
    return torch.where(similar, similar_weight * squared, dissimilar_weight * hinge).sum()


def loss_pull(projected: Tensor, slope: Tensor) -> Tensor:
    """2 slope · A(x−y) of each pair: times the differences x−y it is the gradient in A, Σ 2 slope A(x−y)(x−y)ᵀ."""
    return 2 * slope[:, None] * projected
