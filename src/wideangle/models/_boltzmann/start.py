"""Where the components of a Boltzmann machine start: at random, or where latent semantic indexing ends.

The rows of the data vary most along their leading singular vectors. Components that start there need far fewer
updates than random ones (learning curves in docs/models.md): contrastive divergence need not find these directions.
Of few documents training learns little on top, so that their start decides (docs/small.md).
"""

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd
from torch import Tensor

from wideangle.functional import retract
from wideangle.models._boltzmann.device_start import DeviceRows, centred_directions, leading_vectors

Start = Literal["svd", "random"]
STARTS: tuple[Start, ...] = ("svd", "random")

SVD_LENGTH, UP_TO = 3.0, 50  # Up to 50 components start with this length, by cross-validation; results/rbm_quality.
MOST_ROWS = 20_000  # The singular vectors are those of at most so many rows: more cost time and hardly change them.
SPARE = 10  # So many singular vectors more are found, because centring the rows mixes them.
ROUNDED = 1000  # times the machine's epsilon is rounding; see `_rounding`
LEAST_SIGNAL = 0.02  # A component without signal starts at this share of the usual length, so that it can still grow.


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
    rows = normalize(rows)
    if generator.device.type == "cuda":
        vectors = leading_vectors(DeviceRows(rows, generator.device), K + 1, generator, _rounding(rows))[0][:, 1:].mT
    else:
        found = _singular_vectors(rows, K + 1, _seed(generator))[1:]
        vectors = torch.as_tensor(np.ascontiguousarray(found)).to(components)
    # More components share the same work, so that each of them is shorter.
    components[: len(vectors)] = SVD_LENGTH * min(1.0, UP_TO / K) ** 0.5 * vectors
    return components


def principal_components(rows: Any, K: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
    """The leading right singular vectors of centred rows. Where there are fewer, the others are random directions."""
    components = random_components(K, rows.shape[1], generator, dtype)
    if generator.device.type == "cuda":
        vectors = leading_vectors(DeviceRows(rows, generator.device), K, generator, _rounding(rows))[0].mT
    else:
        vectors = torch.as_tensor(np.ascontiguousarray(_singular_vectors(rows, K, _seed(generator))))
    components[: len(vectors)] = vectors.to(components)
    return components


def signal_components(rows: Any, K: int, generator: torch.Generator, dtype: torch.dtype) -> tuple[Tensor, int]:
    """K directions in which documents vary, each as long as its signal, and how many of them have a signal.

    Rows of unit length have singular values s_k after centring. One document alone, unlike all others, would make a
    direction with s² near the mean m of all s². A direction therefore has the signal share 1 − m / s_k², as in the
    filter of Wiener. Directions with s_k² ≤ m have none, because they are no stronger than chance. With many documents
    the shares are near 1. With few of them the weak directions shrink, which serves better than to cut them off.
    """
    components = LEAST_SIGNAL * random_components(K, rows.shape[1], generator, dtype)
    vectors, squares, mean = _centred_directions(rows, K, generator)
    signal = 1 - mean / squares if len(squares) else squares
    # The product is in place: vectors may be as large as memory allows.
    vectors *= signal.clamp(min=LEAST_SIGNAL)[:, None]
    components[: len(vectors)] = vectors.to(components)
    # More components share the same work, so that each of them is shorter.
    return components.mul_(SVD_LENGTH * min(1.0, UP_TO / K) ** 0.5), int((signal > 0).sum())


def _centred_directions(rows: Any, K: int, generator: torch.Generator) -> tuple[Tensor, Tensor, float]:
    """Right singular vectors of the centred rows at unit length, their squared singular values, and the mean of all."""
    from sklearn.preprocessing import normalize

    rows = normalize(rows)
    # Of D directions one only says how many words a document has, which the model does not see.
    most = min(K, rows.shape[1] - 1)
    if generator.device.type == "cuda":
        on_device = DeviceRows(rows, generator.device)
        return centred_directions(on_device, K + 1 + SPARE, most, generator, _rounding(rows))
    mean_row = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    # The rows stay sparse: they are centred after they are projected onto their own leading singular vectors.
    basis = _singular_vectors(rows, K + 1 + SPARE, _seed(generator))
    projected = np.asarray(rows @ basis.T, dtype=np.float64) - mean_row @ basis.T
    _, values, turned = np.linalg.svd(projected, full_matrices=False)
    squares = values**2
    total = rows.shape[0] * (1 - mean_row @ mean_row)  # of all squared singular values
    # Rows have length 1. Where all are equal, what is left of each after centring is rounding.
    kept = np.flatnonzero(squares[:most] > rows.shape[0] * _rounding(rows) ** 2)
    vectors, chosen = torch.from_numpy(turned[kept] @ basis), torch.from_numpy(squares[kept])
    return vectors, chosen, float(total) / max(1, min(rows.shape[0], rows.shape[1] - 1))


def _singular_vectors(rows: Any, count: int, seed: int) -> NDArray[Any]:
    """Right singular vectors with a singular value above rounding, the largest first; at most `count`."""
    count = min(count, *rows.shape)
    _, values, vectors = randomized_svd(rows, count, random_state=seed)
    kept: NDArray[Any] = vectors[values > values[0] * _rounding(rows)]
    return kept


def _rounding(rows: Any) -> float:
    """What a sum of very many entries may be off by, as a share of the largest."""
    return float(ROUNDED * np.finfo(rows.dtype).eps)


def _seed(generator: torch.Generator) -> int:
    return int(torch.randint(2**31 - 1, (), generator=generator, device=generator.device))
