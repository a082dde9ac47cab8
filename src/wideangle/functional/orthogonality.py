"""How far the Gram matrix is from the identity: by all cosines, by the largest, and by the largest eigenvalue.

N. Bansal, X. Chen and Z. Wang, Can We Gain More from Orthogonality Regularizations in Training Deep Networks?, 2018:
soft orthogonality, mutual coherence, and the spectral restricted isometry. There the rows keep their lengths; here, as
in all regularisers of this room, only directions count. In the metric of a sample, soft orthogonality is DeCov
(M. Cogswell and others, Reducing Overfitting in Deep Networks by Decorrelating Representations, 2016) of
pre-activations that are scaled to variance 1.
"""

import torch
from torch import Tensor

from wideangle.functional.gram import Cosines
from wideangle.functional.slopes import sign_of

TIED = 1e-12  # Cosines within so much of the largest share its slope.


def orthogonality_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """−mean c² over all pairs, and its slope −2c."""
    apart = cosine.gram.clone().fill_diagonal_(0)
    pairs = max(1, len(apart) * (len(apart) - 1) // 2)
    value = -torch.linalg.vector_norm(apart).square() / (2 * pairs)
    return value, (apart * (-2 / pairs) if with_slope else None)


def coherence_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """−max |c|. Pairs that share the largest cosine share the slope."""
    apart = cosine.gram.clone().fill_diagonal_(0)
    absolute = apart.abs()
    largest = absolute.max()
    if not with_slope:
        return -largest, None
    tied = (absolute >= largest - TIED) & (absolute > 0)
    tied = tied | tied.mT  # a product need not be symmetric to the last digit
    return -largest, -sign_of(apart) * tied / (tied.sum() / 2).clamp(min=1)


def spectral_of_gram(cosine: Cosines, with_slope: bool) -> tuple[Tensor, Tensor | None]:
    """−max |eigenvalue of G − I|, and the slope −sign · 2 v vᵀ of its eigenvector v."""
    gram = cosine.gram
    values, vectors = torch.linalg.eigh(gram)
    off = values - 1
    place = off.abs().argmax()
    value = -off[place].abs()
    if not with_slope:
        return value, None
    v = vectors[:, place]
    return value, (-2 * sign_of(off[place]) * torch.outer(v, v)).fill_diagonal_(0)
