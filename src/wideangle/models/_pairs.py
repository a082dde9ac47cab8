"""From labels or from given pairs to index pairs into a matrix of rows."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from wideangle.exceptions import DataError

Balance = Literal["samples", "classes"]
Indices = NDArray[np.int64]

MOST_ANCHORS = 10_000  # rows whose neighbours are searched; with the next line it bounds the cost whatever N is
MOST_CANDIDATES = 10_000  # rows among which they are searched


@dataclass(frozen=True, eq=False)
class IndexPairs:
    """Pairs of row numbers, and whether each is similar."""

    left: Indices
    right: Indices
    similar: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def subset(self, which: Any) -> "IndexPairs":
        """Some of the pairs."""
        return IndexPairs(self.left[which], self.right[which], self.similar[which])


@dataclass(frozen=True)
class Sampling:
    """How pairs are drawn from labels; the estimator's parameters of the same names."""

    n_similar: int
    n_dissimilar: int
    balance: Balance
    near_similar: float
    near_dissimilar: float
    n_neighbors: int


def index_pairs(pairs: Any, n_rows: int) -> tuple[Indices, Indices]:
    """The two columns of an (n, 2) array of row numbers, checked."""
    array = np.asarray(pairs)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            "with X, pairs must be whole numbers of shape (n, 2), each a pair of rows of X; got "
            f"shape {array.shape} of {array.dtype}. Pass pairs of points, shape (n, 2, d), without X."
        )
    if array.size and not 0 <= array.min() <= array.max() < n_rows:
        raise ValueError(
            f"pairs are out of range: X has rows 0 to {n_rows - 1}, but pairs go from {array.min()} to {array.max()}."
        )
    return array[:, 0].astype(np.int64), array[:, 1].astype(np.int64)


def point_pairs(pairs: Any) -> tuple[NDArray[Any], Indices, Indices]:
    """An (n, 2, d) array of points as 2n rows and the pairs of their numbers."""
    if sp.issparse(pairs):
        raise ValueError("sparse pairs come as index pairs: pass the row numbers as pairs, and the matrix as X.")
    array = np.asarray(pairs)
    if array.ndim != 3 or array.shape[1] != 2:
        raise ValueError(
            f"pairs must have shape (n, 2, d), two points each; got shape {array.shape}. "
            "Row numbers of shape (n, 2) need the matrix they point into: pass X."
        )
    left = np.arange(0, 2 * len(array), 2, dtype=np.int64)
    return array.reshape(2 * len(array), array.shape[2]), left, left + 1


def checked_signs(y: Any, n_pairs: int) -> NDArray[np.bool_]:
    """True for +1, False for −1; an error for anything else."""
    signs = np.asarray(y)
    if signs.shape != (n_pairs,):
        raise ValueError(f"y must have one sign for each of the {n_pairs} pairs; got shape {signs.shape}.")
    if not np.isin(signs, (1, -1)).all():
        strange = np.setdiff1d(signs, (1, -1))[:3].tolist()
        raise ValueError(f"y must be +1 for similar and -1 for dissimilar pairs; got {strange}.")
    return signs == 1


def require_both_kinds(pairs: IndexPairs) -> None:
    """An error where all pairs are similar, or all dissimilar: nothing could be learned from them."""
    n_similar = int(pairs.similar.sum())
    if not 0 < n_similar < len(pairs):
        kind = "dissimilar" if n_similar else "similar"
        raise DataError(f"there are no {kind} pairs among the {len(pairs)}: a distance needs pairs of both kinds.")


def sample_pairs(X: Any, labels: Any, sampling: Sampling, generator: np.random.Generator) -> IndexPairs:
    """Draw pairs with replacement, similar ones first; no row meets itself.

    A row is drawn first: any row equally often, or any class equally often and then a row of it. Its partner is any
    row of the same class (another class), or, in the share of pairs that `near_similar` (`near_dissimilar`) says, one
    of the nearest such rows. Those are searched for at most MOST_ANCHORS rows among MOST_CANDIDATES.
    """
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise DataError(f"dissimilar pairs need two classes; got {len(sizes)} class. Pass labels of at least two.")
    if not (sizes > 1).any():
        raise DataError(f"similar pairs need a class of two samples; each of the {len(sizes)} classes has one.")
    order = np.argsort(codes, kind="stable")  # classes lie side by side
    starts = np.cumsum(sizes) - sizes
    halves = []
    for alike, n, share in (
        (True, sampling.n_similar, sampling.near_similar),
        (False, sampling.n_dissimilar, sampling.near_dissimilar),
    ):
        partners = sizes - 1 if alike else len(codes) - sizes  # how many a row of each class has
        weight = (partners > 0) * (sizes if sampling.balance == "samples" else 1)
        kind = generator.choice(len(sizes), size=n, p=weight / weight.sum())
        place, other = generator.integers(0, sizes[kind]), generator.integers(0, partners[kind])
        if alike:
            other += other >= place  # skip the row itself
            other += starts[kind]
        else:
            other += np.where(other >= starts[kind], sizes[kind], 0)  # skip its class
        left, right = order[starts[kind] + place], order[other]
        n_near = round(share * n)
        if n_near:
            left[:n_near] = left[np.arange(n_near) % MOST_ANCHORS]
            right[:n_near] = _near(X, codes, left[:n_near], alike, sampling.n_neighbors, generator)
        halves.append((left, right))
    left, right = (np.concatenate(ends) for ends in zip(*halves, strict=True))
    return IndexPairs(left, right, np.repeat([True, False], [sampling.n_similar, sampling.n_dissimilar]))


def sample_and_split(
    X: Any, labels: NDArray[Any], sampling: Sampling, fraction: float, generator: np.random.Generator
) -> tuple[IndexPairs, IndexPairs | None]:
    """Pairs to train on and pairs to keep aside, drawn from different rows; None where the fraction is none."""
    aside = _held_out(len(labels), fraction, generator)
    if not len(aside):
        return sample_pairs(X, labels, sampling, generator), None
    rest = np.setdiff1d(np.arange(len(labels)), aside)
    parts = []
    for which in (rest, aside):
        drawn = sample_pairs(X[which], labels[which], sampling, generator)
        parts.append(IndexPairs(which[drawn.left], which[drawn.right], drawn.similar))
    return parts[0], parts[1]


def split_pairs(
    pairs: IndexPairs, fraction: float, generator: np.random.Generator
) -> tuple[IndexPairs, IndexPairs | None]:
    """Given pairs to train on and to keep aside; None where the fraction is none."""
    aside = _held_out(len(pairs), fraction, generator)
    if not len(aside):
        return pairs, None
    held_out = pairs.subset(aside)
    require_both_kinds(held_out)
    return pairs.subset(np.setdiff1d(np.arange(len(pairs)), aside)), held_out


def _held_out(n: int, fraction: float, generator: np.random.Generator) -> Indices:
    """Which of n things to keep aside, in rising order; an error where that leaves nothing."""
    n_aside = round(fraction * n)
    if n_aside and n_aside >= n:
        raise ValueError(f"validation_fraction={fraction} leaves none of {n} to train on.")
    return np.sort(generator.permutation(n)[:n_aside])


def _near(
    X: Any, codes: Indices, left: Indices, alike: bool, n_neighbors: int, generator: np.random.Generator
) -> Indices:
    """For each row number one of its nearest rows of the same class, or of the others, drawn at random."""
    right = np.empty_like(left)
    for code in np.unique(codes[left]):
        candidates = np.flatnonzero((codes == code) == alike)
        if len(candidates) > MOST_CANDIDATES:
            candidates = np.sort(generator.choice(candidates, MOST_CANDIDATES, replace=False))
        mine = np.flatnonzero(codes[left] == code)
        anchors, which = np.unique(left[mine], return_inverse=True)
        k = min(n_neighbors, len(candidates) - alike)
        search = NearestNeighbors(n_neighbors=k + alike).fit(X[candidates])
        found = candidates[search.kneighbors(X[anchors], return_distance=False)]
        if alike:  # the row itself goes last and is left out; copies of it need not let it come first
            last = np.argsort(found == anchors[:, None], axis=1, kind="stable")
            found = np.take_along_axis(found, last, axis=1)[:, :k]
        right[mine] = found[which.ravel(), generator.integers(0, k, len(mine))]
    return right
