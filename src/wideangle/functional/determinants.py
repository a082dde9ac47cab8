"""Determinants of kernels of the components, which unlike that of the Gram matrix itself allow K > D.

A determinantal prior (J. Zou and R. Adams, Priors for Diversity in Generative Latent Variable Models, 2012; J. Kwok and
R. Adams, the same year) is log det of a kernel of pairs. With the cosine as kernel it is the volume. With its square,
which is a kernel by Schur's product theorem, a component and its opposite are one, and D(D + 1)/2 components can be
independent.

log det(I + G) (used for incoherent dictionaries and, as a coding rate, by Y. Ma and others, 2007) is finite whatever
the components are.
"""

import math

import torch
from torch import Tensor

from wideangle.functional.gram import Cosines
from wideangle.functional.surrogate import log_det_of_lifted


def determinantal_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """log det of the squared cosines, and its slope: 2 K⁻¹ in each entry, times 2c."""
    value, slope = log_det_of_lifted(cosine.gram.square(), with_slope)
    return value, None if slope is None else slope * (2 * cosine.gram)


def incoherence_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """log det ½(I + G) and its slope: the inverse."""
    half = (0.5 * cosine.gram).fill_diagonal_(1)
    factor = torch.linalg.cholesky_ex(half)[0]
    value = (2 * factor.diagonal().log().sum()).clamp(max=0)
    return value, (torch.cholesky_inverse(factor) * 1.0).fill_diagonal_(0) if with_slope else None


def most_of_squares(D: int) -> int:
    """So many squared cosines of rows of D columns can be linearly independent."""
    return math.comb(D + 1, 2)
