"""Which of the topics that made the data were found, and how popular the missing ones are."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from wideangle._arguments import a, checked, real, whole
from wideangle.evaluation._inputs import checked_rows, checked_vector


@dataclass(frozen=True)
class Coverage:
    """How the true topics fared."""

    covered: NDArray[np.bool_] = field(repr=False)
    """for each true topic, whether a component is like it"""
    best: NDArray[np.float64] = field(repr=False)
    """for each true topic, its cosine with the most similar component"""
    duplicates: int
    """components that are like a true topic which another component is like already"""

    @property
    def share(self) -> float:
        """The share of the true topics that are covered."""
        return float(self.covered.mean())


@checked(threshold=real(above=0, most=1))
def topic_coverage(
    found: ArrayLike, truth: ArrayLike, *, threshold: float = 0.8, background: ArrayLike | None = None
) -> Coverage:
    """A true topic is covered when a component has cosine ≥ threshold with it, both as max(0, row − its median).

    The weights of a softmax are known only up to a constant per row. Most words have nothing to do with a topic, so the
    median is the level of such words; a topic is what it makes likelier, the part above. A component and a topic that
    are equal up to scale and shift have cosine 1; rows that are constant have cosine 0 with all.

    Parameters
    ----------
    found : array of shape (K, V)
        Components, of any sign and scale.
    truth : array of shape (T, V)
        Word weights of the true topics, at least 0.
    threshold : float, default=0.8
        The cosine from which a topic counts as found, above 0 and at most 1.
    background : array of shape (V,) or None, default=None
        Word probabilities of the corpus. Where given, the true topics are compared as max(0, log(topic/background)),
        which is what the weights of an RBM estimate; better for topics with a few very frequent words.

    Examples
    --------
    >>> from wideangle.evaluation import topic_coverage
    >>> topic_coverage([[2, 2, -1, -1], [3, 3, 0, 0]], [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]).covered
    array([ True, False])
    """
    components, topics = _dense(found, "found"), _dense(truth, "truth")
    if components.shape[1] != topics.shape[1]:
        raise ValueError(
            f"found and truth must be over the same words; got {components.shape[1]} and {topics.shape[1]} columns."
        )
    if topics.min() < 0:
        raise ValueError(f"truth holds word weights, which must be at least 0; got {topics.min()}.")
    raised = _above_median(topics) if background is None else _above_background(topics, background)
    cosine = _unit(raised) @ _unit(_above_median(components)).T
    best = cosine.max(1)
    alike = cosine.max(0) >= threshold - 1e-12  # rounding must not lose a topic that was found exactly
    matched = cosine.argmax(0)[alike]
    return Coverage(best >= threshold - 1e-12, best, len(matched) - len(np.unique(matched)))


@checked(coverage=a(Coverage, "`topic_coverage` makes one."), bins=whole(least=1))
def coverage_by_rank(coverage: Coverage, popularity: ArrayLike, bins: int = 10) -> NDArray[np.float64]:
    """The share of covered topics in each of `bins` groups of equal size, from the most popular to the rarest.

    Parameters
    ----------
    coverage : Coverage
        From `topic_coverage`.
    popularity : array of shape (T,)
        How much of the corpus each true topic has; equal ones keep their order.
    bins : int, default=10
        Groups, at most T. Where T is no multiple of it, the first groups have one topic more.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.evaluation import coverage_by_rank, topic_coverage
    >>> coverage_by_rank(topic_coverage(np.eye(4)[[1, 3]], np.eye(4)), [0.1, 0.4, 0.2, 0.3], bins=2)
    array([1., 0.])
    """
    weight = checked_vector(popularity, "popularity", len(coverage.covered))
    if bins > len(weight):
        raise ValueError(f"bins must be at most the number of true topics, {len(weight)}; got {bins}.")
    ranked = coverage.covered[np.argsort(-weight, kind="stable")]
    return np.array([group.mean() for group in np.array_split(ranked, bins)])


def _dense(X: Any, name: str) -> NDArray[np.float64]:
    rows = checked_rows(X, name)
    dense: NDArray[np.float64] = (rows.toarray() if sparse.issparse(rows) else rows).astype(np.float64)
    return dense


def _above_median(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(rows - np.median(rows, axis=1, keepdims=True), 0)


def _above_background(topics: NDArray[np.float64], background: ArrayLike) -> NDArray[np.float64]:
    """max(0, log(topic / background)), both as probabilities."""
    base = checked_vector(background, "background", topics.shape[1])
    if base.min() < 0 or not np.isfinite(base).all() or (topics[:, base == 0] > 0).any():
        raise ValueError("background must be finite, at least 0, and above 0 for every word of a true topic.")
    totals = topics.sum(1, keepdims=True)
    p = topics / np.where(totals > 0, totals, 1.0)
    ratio = p / np.where(base > 0, base / base.sum(), 1.0)
    return np.log(np.maximum(ratio, 1.0))


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
