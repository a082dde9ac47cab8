"""Pairs drawn from class labels, some of them near ones."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle.data.pairs import PairDrawer
from wideangle.models._distance.pairs import IndexPairs, Indices

Balance = Literal["samples", "classes"]

MOST_ANCHORS = 10_000  # rows whose neighbours are searched; with the next line it bounds the cost whatever N is
MOST_CANDIDATES = 10_000  # rows among which they are searched
MOST_PLAIN = 10_000  # pairs of either kind by which a threshold is found


@dataclass(frozen=True)
class Sampling:
    """How pairs are drawn from labels; the estimator's parameters of the same names."""

    n_similar: int
    n_dissimilar: int
    balance: Balance
    near_similar: float
    near_dissimilar: float
    n_neighbors: int


def sample_pairs(X: Any, labels: Any, sampling: Sampling, generator: np.random.Generator) -> IndexPairs:
    """Draw pairs with replacement, similar ones first; no row meets itself.

    A row is drawn first: any row equally often, or any class equally often and then a row of it. Its partner is any
    row of the same class (another class), or, in the share of pairs that `near_similar` (`near_dissimilar`) says, one
    of the nearest such rows. Those are searched for at most MOST_ANCHORS rows among MOST_CANDIDATES.
    """
    drawer = PairDrawer(labels)
    halves = []
    for alike, n, share in (
        (True, sampling.n_similar, sampling.near_similar),
        (False, sampling.n_dissimilar, sampling.near_dissimilar),
    ):
        left, right = drawer.draw(n, alike=alike, balance=sampling.balance, generator=generator)
        n_near = round(share * n)
        if n_near:
            left[:n_near] = left[np.arange(n_near) % MOST_ANCHORS]
            right[:n_near] = _near(X, drawer.codes, left[:n_near], alike, sampling.n_neighbors, generator)
        halves.append((left, right))
    left, right = (np.concatenate(ends) for ends in zip(*halves, strict=True))
    return IndexPairs(left, right, np.repeat([True, False], [sampling.n_similar, sampling.n_dissimilar]))


def plain_pairs(labels: NDArray[Any], sampling: Sampling, generator: np.random.Generator) -> IndexPairs:
    """Some pairs with partners from anywhere, for what near ones would judge too strictly."""
    n = {name: min(MOST_PLAIN, getattr(sampling, name)) for name in ("n_similar", "n_dissimilar")}
    return sample_pairs(None, labels, replace(sampling, near_similar=0.0, near_dissimilar=0.0, **n), generator)


def _near(
    X: Any, codes: Indices, left: Indices, alike: bool, n_neighbors: int, generator: np.random.Generator
) -> Indices:
    """For each row number one of its nearest rows of the same class, or of the others, drawn at random."""
    from sklearn.neighbors import NearestNeighbors

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
