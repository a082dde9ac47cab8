"""How different topics and components are from one another."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from wideangle._arguments import checked, real, whole
from wideangle.evaluation._inputs import checked_rows, checked_topics
from wideangle.functional import pairwise_angles
from wideangle.functional.metrics import as_metric, mapped

NEAR = 30.0  # degrees: two components closer than this are near-duplicates
BLOCK = 1024  # components at a time: a few matrices of twice as many rows and columns fit everywhere


@dataclass(frozen=True)
class AngleSummary:
    """The angles of all pairs of components, in degrees. NaN where fewer than two components are alive."""

    mean: float
    std: float
    smallest: float
    redundant: int
    """pairs closer than the angle asked for"""
    dead: int
    """components that are all zeros, or have the same response to all rows of the metric; they have no angle and are
    left out"""
    histogram: NDArray[np.int64]
    """pairs in each bin"""
    edges: NDArray[np.float64]
    """of the bins, from 0° to 90°"""


def topic_diversity(topics: Any) -> float:
    """(distinct words) / (all words) among the topics' top words: 1 when no two topics share a word.

    Examples
    --------
    >>> from wideangle.evaluation import topic_diversity
    >>> topic_diversity([["corn", "wheat"], ["corn", "rate"]])
    0.75
    """
    words = [word for topic in checked_topics(topics) for word in topic]
    return len(set(words)) / len(words)


def topic_overlap(topics: Any) -> float:
    """Mean over pairs of topics of |S ∩ T| / |S ∪ T|, the Jaccard overlap of their top words; 0 for one topic.

    Examples
    --------
    >>> from wideangle.evaluation import topic_overlap
    >>> round(topic_overlap([["corn", "wheat"], ["corn", "rate"]]), 4)
    0.3333
    """
    lists = checked_topics(topics)
    K = len(lists)
    if K == 1:
        return 0.0
    number: dict[Any, int] = {}
    columns = [number.setdefault(word, len(number)) for topic in lists for word in topic]
    sizes = np.array([len(topic) for topic in lists])
    contains = sparse.csr_array((np.ones(len(columns)), columns, np.append(0, np.cumsum(sizes))))
    shared = sparse.triu(contains @ contains.T, k=1).tocoo()  # pairs that share nothing add nothing
    union = sizes[shared.row] + sizes[shared.col] - shared.data
    return float((shared.data / union).sum() / (K * (K - 1) / 2))


@checked(degrees=real(above=0, most=90))
def redundant_pairs(components: ArrayLike, degrees: float = NEAR, *, metric: Any = None) -> NDArray[np.intp]:
    """Pairs i < j with θ_ij < degrees, one pair per row, the closest first; all-zero components have no angle.

    `metric` says where angles are measured, as in `mutual_angular_score`.

    Examples
    --------
    >>> from wideangle.evaluation import redundant_pairs
    >>> redundant_pairs([[1, 0], [0, 1], [-1, 0.1]])
    array([[0, 2]])
    """
    rows, alive = _alive(components, degrees, metric)
    pairs, angles = [np.empty((0, 2), np.intp)], [np.empty(0)]
    for i, j, theta in _angles(rows):
        close = theta < degrees
        pairs.append(np.column_stack([alive[i[close]], alive[j[close]]]))
        angles.append(theta[close])
    return np.concatenate(pairs)[np.argsort(np.concatenate(angles), kind="stable")]


@checked(degrees=real(above=0, most=90), bins=whole(least=1))
def angle_summary(components: ArrayLike, degrees: float = NEAR, bins: int = 18, *, metric: Any = None) -> AngleSummary:
    """Mean, spread, smallest and histogram of θ_ij = arccos |w_i·w_j| over all pairs of components, in degrees.

    Parameters
    ----------
    components : array of shape (K, D)
        One component per row. Pairs are gone through in blocks, so that K = 10⁴ needs little memory.
    degrees : float, default=30.0
        A pair closer than this counts as redundant.
    bins : int, default=18
        The number of bins of the histogram.
    metric : Metric, array, sparse matrix or None, default=None
        Where angles are measured, as in `mutual_angular_score`: a matrix of data rows gives the angles as these data
        see them.

    Examples
    --------
    >>> from wideangle.evaluation import angle_summary
    >>> summary = angle_summary([[1, 0], [0, 2], [1, 1], [0, 0]])
    >>> round(summary.mean, 6), round(summary.smallest, 6), summary.redundant, summary.dead
    (60.0, 45.0, 0, 1)
    """
    rows, alive = _alive(components, degrees, metric)
    edges = np.linspace(0.0, 90.0, bins + 1)
    histogram = np.zeros(bins, np.int64)
    pairs, redundant, smallest = 0, 0, np.nan
    total = squares = 0.0
    for _, _, theta in _angles(rows):
        histogram += np.histogram(theta, edges)[0]
        redundant += int((theta < degrees).sum())
        smallest = np.fmin(smallest, theta.min())
        gap = 90.0 - theta  # 90° − θ is small for diverse components, so that sums of it keep their digits
        pairs, total, squares = pairs + len(gap), total + gap.sum(), squares + gap @ gap
    mean = total / pairs if pairs else np.nan
    std = np.sqrt(max(0.0, squares / pairs - mean**2)) if pairs else np.nan
    dead = np.shape(components)[0] - len(alive)
    return AngleSummary(float(90.0 - mean), float(std), float(smallest), redundant, dead, histogram, edges)


def angle_matrix(components: ArrayLike, *, metric: Any = None) -> NDArray[np.float64]:
    """All angles θ_ij in degrees, K×K; NaN where a component is all zeros, which has no direction.

    `metric` says where angles are measured, as in `mutual_angular_score`.

    Examples
    --------
    >>> from wideangle.evaluation import angle_matrix
    >>> angle_matrix([[1, 0], [0, 0], [1, 1]]).round()
    array([[ 0., nan, 45.],
           [nan, nan, nan],
           [45., nan,  0.]])
    """
    rows, alive = _alive(components, metric=metric)
    angles = np.full((np.shape(components)[0],) * 2, np.nan)
    if len(alive):
        angles[np.ix_(alive, alive)] = np.minimum(np.rad2deg(pairwise_angles(rows.astype(np.float64))), 90.0)
    return angles


def _alive(
    components: ArrayLike, degrees: float = NEAR, metric: Any = None
) -> tuple[NDArray[np.floating[Any]], NDArray[np.intp]]:
    """The rows that are not all zeros, in the space where angles are measured, and their numbers."""
    if not 0 < degrees <= 90:
        raise ValueError(f"degrees must be above 0 and at most 90, as the angles are; got {degrees}.")
    rows = checked_rows(components, "components")
    if sparse.issparse(rows):
        raise TypeError("components must be a dense array; a sparse matrix came. Call .toarray() first.")
    if metric is not None:
        rows = mapped(torch.tensor(rows), as_metric(metric)).numpy()
    alive = np.flatnonzero(rows.any(axis=1))
    return rows[alive], alive


def _angles(rows: NDArray[np.floating[Any]]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Any]]:
    """i, j and θ_ij in degrees of all pairs i < j, a block of them at a time."""
    for top in range(0, len(rows), BLOCK):
        upper = rows[top : top + BLOCK]
        for left in range(top, len(rows), BLOCK):
            if left == top:
                i, j = np.triu_indices(len(upper), 1)
                theta = pairwise_angles(upper)[i, j]
            else:
                lower = rows[left : left + BLOCK]
                i, j = np.divmod(np.arange(len(upper) * len(lower)), len(lower))
                theta = pairwise_angles(np.concatenate([upper, lower]))[: len(upper), len(upper) :].ravel()
            if len(theta):
                yield i + top, j + left, np.minimum(np.rad2deg(theta.astype(np.float64)), 90.0)
