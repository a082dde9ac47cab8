"""Where the components of a Boltzmann machine start: at random, or where latent semantic indexing ends.

The rows of the data vary most along their leading singular vectors. Components that start there need far fewer
updates than random ones (learning curves in docs/models.md): contrastive divergence need not find these directions.
"""

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from wideangle.functional import retract

Start = Literal["svd", "random"]
STARTS: tuple[Start, ...] = ("svd", "random")

SVD_LENGTH, UP_TO = 3.0, 50  # Up to 50 components start with this length, by cross-validation; results/rbm_quality.
MOST_ROWS = 20_000  # The singular vectors are those of at most so many rows: more cost time and hardly change them.


def random_components(K: int, n_columns: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
    """Random directions of length 1. The regulariser's gradient grows as rows shrink, and on much shorter rows it
    would outweigh the data."""
    return retract(torch.randn((K, n_columns), generator=generator, device=generator.device, dtype=dtype))


def svd_components(rows: Any, K: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
    """The second to (K + 1)-th right singular vectors of the rows at unit length. Where there are fewer, the others are
    random.

    The first singular vector is left out: for rows without negative entries it is close to the mean row, which the
    visible biases model.
    """
    from sklearn.preprocessing import normalize

    components = random_components(K, rows.shape[1], generator, dtype)
    seed = int(torch.randint(2**31 - 1, (), generator=generator, device=generator.device))
    found = _singular_vectors(normalize(rows), K + 1, seed)[1:]
    vectors = torch.as_tensor(np.ascontiguousarray(found)).to(components)
    # More components share the same work, so that each of them is shorter.
    components[: len(vectors)] = SVD_LENGTH * min(1.0, UP_TO / K) ** 0.5 * vectors
    return components


def _singular_vectors(rows: Any, count: int, seed: int) -> NDArray[Any]:
    """Right singular vectors with a singular value above rounding, the largest first; at most `count`."""
    count = min(count, *rows.shape)
    _, values, vectors = randomized_svd(rows, count, random_state=seed)
    kept: NDArray[Any] = vectors[values > values[0] * max(rows.shape) * np.finfo(rows.dtype).eps]
    return kept
