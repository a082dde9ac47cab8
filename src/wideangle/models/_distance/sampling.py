"""Pairs drawn from class labels, some of them near ones."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle.data.pairs import PairDrawer
from wideangle.models._distance.pairs import IndexPairs, Indices

Balance = Literal["samples", "classes"]

MOST_ANCHORS = 10_000  # Neighbours are searched for at most this many rows,
MOST_CANDIDATES = 10_000  # and among at most this many. Together they bound the cost for any number of rows.
MOST_PLAIN = 10_000  # A threshold is found from at most this many pairs of either kind.


@dataclass(frozen=True)
class Sampling:
    """How pairs are drawn from labels: the estimator's parameters of the same names."""

    n_similar: int
    n_dissimilar: int
    balance: Balance
    near_similar: float
    near_dissimilar: float
    n_neighbors: int


def sample_pairs(X: Any, labels: Any, sampling: Sampling, generator: np.random.Generator) -> IndexPairs:
    """Draw pairs with replacement, similar ones first. No row is paired with itself.

    The first row of a pair is drawn from all rows, or from a class after every class was equally likely. Its partner is
    any row of the same class (of another class). In the share of pairs that `near_similar` (`near_dissimilar`) gives,
    it is one of the nearest such rows, which are searched for at most MOST_ANCHORS rows among MOST_CANDIDATES.
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
    """Some pairs whose partners need not be near, because near ones alone would judge a threshold too strictly."""
    n = {name: min(MOST_PLAIN, getattr(sampling, name)) for name in ("n_similar", "n_dissimilar")}
    return sample_pairs(None, labels, replace(sampling, near_similar=0.0, near_dissimilar=0.0, **n), generator)


def _near(
    X: Any, codes: Indices, left: Indices, alike: bool, n_neighbors: int, generator: np.random.Generator
) -> Indices:
    """For each row number, one of its nearest rows of the same class (or of other classes), drawn at random."""
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
        if alike:  # The row itself is put last and left out. Copies of it may have come before it.
            last = np.argsort(found == anchors[:, None], axis=1, kind="stable")
            found = np.take_along_axis(found, last, axis=1)[:, :k]
        right[mine] = found[which.ravel(), generator.integers(0, k, len(mine))]
    return right
