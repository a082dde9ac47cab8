"""Pairs of samples from class labels: similar and dissimilar."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle._arguments import checked, one_of, whole
from wideangle._arguments import seed as a_seed
from wideangle._arrays import array_of
from wideangle.exceptions import DataError

Balance = Literal["pairs", "samples", "classes"]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Index pairs into the samples, and whether each is similar (+1) or dissimilar (−1)."""

    indices: NDArray[np.int64]
    """n × 2"""
    similar: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.similar)


@checked(
    n_similar=whole(least=0), n_dissimilar=whole(least=0), balance=one_of("pairs", "samples", "classes"), seed=a_seed
)
def make_pairs(
    labels: ArrayLike,
    n_similar: int = 100_000,
    n_dissimilar: int = 100_000,
    *,
    balance: Balance = "samples",
    seed: int = 0,
) -> Pairs:
    """Draw pairs with replacement: similar ones share their label, dissimilar ones do not. No sample meets itself.

    The cost grows with the number of samples and of pairs drawn, not with the number of all possible pairs.

    Parameters
    ----------
    labels : array of shape (n,)
        The class of each sample.
    n_similar, n_dissimilar : int, default=100_000
        The number of pairs of each kind.
    balance : {"pairs", "samples", "classes"}, default="samples"
        What is drawn equally often. "pairs": every pair, so that a class counts with the square of its size.
        "samples": every sample, and then a partner for it. "classes": every class, and then a sample of it and a
        partner, so that rare classes count as much as popular ones.
    seed : int, default=0
        The seed of the draw.

    Examples
    --------
    >>> from wideangle.data import make_pairs
    >>> pairs = make_pairs([0, 0, 1, 1, 1], 3, 2)
    >>> pairs.indices.shape, pairs.similar.tolist()
    ((5, 2), [1, 1, 1, -1, -1])
    """
    generator = np.random.default_rng(seed)
    drawer = PairDrawer(labels)
    drawn = [
        np.column_stack(drawer.draw(n, alike=alike, balance=balance, generator=generator))
        for alike, n in ((True, n_similar), (False, n_dissimilar))
    ]
    signs = np.repeat(np.array([1, -1], dtype=np.int64), [n_similar, n_dissimilar])
    return Pairs(np.concatenate(drawn), signs)


class PairDrawer:
    """Draws pairs of samples of the same class, or of different classes, with a generator that the caller keeps.

    Parameters
    ----------
    labels : array of shape (n,)
        The class of each sample.

    Attributes
    ----------
    codes : array of shape (n,)
        The class of each sample as a number from 0.
    """

    def __init__(self, labels: ArrayLike) -> None:
        from wideangle._validation import labels_of

        values = array_of(labels, "labels", kinds=None)
        if values.ndim != 1:
            raise DataError(f"labels must have one dimension, with one label per sample; got shape {values.shape}.")
        values = labels_of(values, "labels")
        _, self.codes, self._sizes = np.unique(values, return_inverse=True, return_counts=True)
        self._order = np.argsort(self.codes, kind="stable")  # classes lie side by side
        self._starts = np.cumsum(self._sizes) - self._sizes

    def draw(self, n: int, *, alike: bool, balance: Balance, generator: np.random.Generator) -> tuple[Indices, Indices]:
        """The sample numbers of the first and of the second member of n pairs; `balance` as in `make_pairs`."""
        if balance not in ("pairs", "samples", "classes"):
            raise ValueError(f"balance must be 'pairs', 'samples' or 'classes'; got {balance!r}.")
        if n == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        sizes, starts = self._sizes, self._starts
        if alike and not (sizes > 1).any():
            raise DataError(f"similar pairs need a class of two samples; each of the {len(sizes)} classes has one.")
        if not alike and len(sizes) < 2:
            raise DataError(
                f"dissimilar pairs need two classes; got {len(sizes)}. Pass labels of at least two classes."
            )
        partners = sizes - 1 if alike else len(self.codes) - sizes  # the number of partners a sample of each class has
        weight = {"pairs": sizes * partners, "samples": sizes * (partners > 0), "classes": partners > 0}[balance]
        kind = generator.choice(len(sizes), size=n, p=weight / weight.sum())
        first, second = generator.integers(0, sizes[kind]), generator.integers(0, partners[kind])
        if alike:
            second += second >= first  # skip the sample itself
            second += starts[kind]
        else:
            second += np.where(second >= starts[kind], sizes[kind], 0)  # skip its class
        left, right = self._order[starts[kind] + first], self._order[second]
        return left.astype(np.int64), right.astype(np.int64)
