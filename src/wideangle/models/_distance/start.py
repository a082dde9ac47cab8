"""Where distance metric learning starts: the first components, and the scale of the inputs."""

import math
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.exceptions import DataError
from wideangle.functional import retract
from wideangle.models._base import Randomness
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.principal import principal_directions
from wideangle.models._distance.rows import PairRows, aligned

Init = Literal["pca", "random"]

MOST_ROWS = 10_000  # Principal directions are found from at most this many rows.
MOST_PAIRS = 10_000  # The scale is found from at most this many pairs.
ROOM = 1e3  # Components may become longer than at the start by this factor before their numbers overflow.
START_DISTANCE = 0.5  # the mean squared distance of similar pairs at the start, in margins


def first_components(X: Any, n_components: int, init: Init, randomness: Randomness, rows: PairRows) -> Tensor:
    """Directions of length 1: principal ones, with random ones beyond the number of features; or all random."""
    n, D = X.shape
    shape = (n_components, D)
    directions = torch.randn(shape, generator=randomness.draws, device=rows.device, dtype=rows.dtype)
    directions = aligned(retract(directions), rows)
    if init == "pca":
        some = np.sort(randomness.rows.permutation(n)[:MOST_ROWS])
        leading = principal_directions(X[some], min(n_components, D), randomness.rows)
        directions[: len(leading)] = retract(torch.from_numpy(leading).to(directions))
    return directions


def resumed(components: NDArray[Any], margin: float, rows: PairRows) -> tuple[Tensor, float]:
    """Components that were learned before, scaled to a mean length of 1, and the input scale that makes up for it."""
    A = torch.tensor(components, dtype=rows.dtype, device=rows.device)
    length = float(torch.linalg.vector_norm(A, dim=1).mean())
    return aligned(A / length, rows), length / math.sqrt(margin)


def _require_representable(distance: float, dtype: torch.dtype) -> None:
    """Raise an error for points so far apart, or so near, that numbers of this type cannot be components for them."""
    bounds = torch.finfo(dtype)
    if not ROOM / bounds.max <= distance <= bounds.max / ROOM:
        raise DataError(
            f"the points of pairs are about {distance:.1g} apart, which needs components that {dtype} cannot hold. "
            "Scale the rows (StandardScaler), or pass float64."
        )


def input_scale(A: Tensor, rows: PairRows, pairs: IndexPairs) -> float:
    """The number s for which similar pairs have a mean ‖A s (x − y)‖² of START_DISTANCE.

    If every similar pair consists of equal points, s puts dissimilar pairs at the margin instead.
    """
    for kind, aim in ((pairs.similar, START_DISTANCE), (~pairs.similar, 1.0)):
        numbers = np.flatnonzero(kind)
        if not len(numbers):
            continue
        some = pairs.subset(numbers[:: -(-len(numbers) // MOST_PAIRS)])
        mean = float(rows.squared_distances(A, some.left, some.right).mean())
        if mean > 0:
            _require_representable(math.sqrt(mean), A.dtype)
            return math.sqrt(aim) / math.sqrt(mean)
    raise DataError("the two points of every pair are equal: there is nothing to tell apart.")
