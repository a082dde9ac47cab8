"""Hyperspherical energy: components as charges on a sphere that push each other away.

W. Liu, R. Lin, Z. Liu, L. Liu, Z. Yu, B. Dai and L. Song, Learning towards Minimum Hyperspherical Energy, 2018. This is
their half-space form, in which a component and its opposite are the same: each pair counts with both distances,
‖w_i − w_j‖² = 2 − 2c and ‖w_i + w_j‖² = 2 + 2c, c the cosine.
"""

import math

import torch
from torch import Tensor

from wideangle.functional.gram import Cosines

# Added to each squared distance. The energy of equal rows would be infinite, and the push between rows at 1° would
# drown all others.
SOFTENING = 1e-3


def energy_of_gram(power: int, cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """−(mean of f(d) over both distances of all pairs) and its slope; f(d) = −log d for power 0, else d^−power."""
    gram = cosine.gram
    K = gram.shape[0]
    if K == 1:  # no pair
        return gram.new_zeros(()), torch.zeros_like(gram) if with_slope else None
    pairs = K * (K - 1) // 2
    near, far = 2 - 2 * gram + SOFTENING, 2 + 2 * gram + SOFTENING
    if power == 0:
        energy = -0.25 * (near.log() + far.log())
        slope = 0.5 * (1 / near - 1 / far)
    else:
        energy = 0.5 * (near ** (-power / 2) + far ** (-power / 2))
        slope = 0.5 * power * (near ** (-power / 2 - 1) - far ** (-power / 2 - 1))
    value = -torch.triu(energy, 1).sum() / pairs
    if not with_slope:
        return value, None
    return value, (slope / -pairs).fill_diagonal_(0)


def energy_of_orthogonal(power: int) -> float:
    """The value where all cosines are 0, which is the largest: f is even and convex in the cosine."""
    square = 2 + SOFTENING
    return 0.5 * math.log(square) if power == 0 else float(-(square ** (-power / 2)))
