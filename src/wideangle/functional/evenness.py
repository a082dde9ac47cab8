"""Uniform eigenvalues: the entropy of the spectrum of the Gram matrix.

P. Xie, A. Singh and E. Xing, Uncorrelation and Evenness: a New Diversity-Promoting Regularizer, 2017: components are
diverse where the eigenvalues of their Gram matrix are alike, and how much they are is told by their entropy.
"""

import math

import torch
from torch import Tensor

from wideangle.functional.gram import Cosines

# An eigenvalue of 0 has an infinite slope. Below this share, which double precision can tell from 0, the slope stays.
SMALLEST = 1e-12


def evenness_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """−tr ρ log ρ − log K with ρ = G / K, and its slope −2 log ρ / K in each pair."""
    gram = cosine.gram
    K = gram.shape[0]
    values, vectors = torch.linalg.eigh(gram / K)
    logs = values.clamp(min=SMALLEST).log()
    value = -(values.clamp(min=0) * logs).sum() - math.log(K)
    if not with_slope:
        return value, None
    return value, ((vectors * (-2 / K * logs)) @ vectors.mT).fill_diagonal_(0)
