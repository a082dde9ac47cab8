"""Pairs of samples from class labels: similar and dissimilar."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle.exceptions import DataError

Balance = Literal["pairs", "samples", "classes"]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Index pairs into the samples, and whether each is similar (+1) or dissimilar (−1)."""

    indices: NDArray[np.int64]
    """n × 2"""
    similar: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.similar)


def make_pairs(
    labels: ArrayLike,
    n_similar: int = 100_000,
    n_dissimilar: int = 100_000,
    *,
    balance: Balance = "samples",
    seed: int = 0,
) -> Pairs:
    """Draw pairs with replacement: similar ones share their label, dissimilar ones do not. No sample meets itself.

    Cost grows with the number of pairs and samples, never with all pairs.

    Parameters
    ----------
    labels : array of shape (n,)
        Class of each sample.
    n_similar, n_dissimilar : int, default=100_000
        How many of each.
    balance : {"pairs", "samples", "classes"}, default="samples"
        Who is drawn first: any pair equally often, so that a class counts with the square of its size; any sample
        equally often, and then a partner for it; or any class equally often, and then a sample of it and a partner,
        so that rare classes count as much as popular ones.
    seed : int, default=0
        Of the draw.

    Examples
    --------
    >>> from wideangle.data import make_pairs
    >>> pairs = make_pairs([0, 0, 1, 1, 1], 3, 2)
    >>> pairs.indices.shape, pairs.similar.tolist()
    ((5, 2), [1, 1, 1, -1, -1])
    """
    values = np.asarray(labels)
    if values.ndim != 1:
        raise DataError(f"labels must be one a sample; got shape {values.shape}.")
    if n_similar < 0 or n_dissimilar < 0:
        raise ValueError(f"the numbers of pairs must not be negative; got {n_similar=}, {n_dissimilar=}.")
    if balance not in ("pairs", "samples", "classes"):
        raise ValueError(f"balance must be 'pairs', 'samples' or 'classes'; got {balance!r}.")
    _, numbers, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if n_dissimilar and len(sizes) < 2:
        raise DataError(f"dissimilar pairs need two classes; got {len(sizes)}.")
    if n_similar and not (sizes > 1).any():
        raise DataError("similar pairs need a class of two samples; every class has one.")
    generator = np.random.default_rng(seed)
    order = np.argsort(numbers, kind="stable")  # classes lie side by side
    starts = np.cumsum(sizes) - sizes
    partners = {+1: sizes - 1, -1: len(values) - sizes}  # how many partners a sample of each class has
    drawn = []
    for sign, n in ((+1, n_similar), (-1, n_dissimilar)):
        weight = {
            "pairs": sizes * partners[sign],
            "samples": sizes * (partners[sign] > 0),
            "classes": partners[sign] > 0,
        }
        chance = weight[balance] / max(1, weight[balance].sum())
        kind = generator.choice(len(sizes), size=n, p=chance) if n else np.empty(0, dtype=np.int64)
        left = generator.integers(0, sizes[kind])
        right = generator.integers(0, partners[sign][kind])
        if sign > 0:
            right += right >= left  # skip the sample itself
            right += starts[kind]
        else:
            right += np.where(right >= starts[kind], sizes[kind], 0)  # skip its class
        drawn.append(np.column_stack([order[starts[kind] + left], order[right]]))
    signs = np.repeat(np.array([1, -1], dtype=np.int64), [n_similar, n_dissimilar])
    return Pairs(np.concatenate(drawn).astype(np.int64), signs)
