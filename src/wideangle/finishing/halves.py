"""What the two halves of documents say about each direction of a representation: its signal and its noise.

Both halves of a document are about the same thing. What they have in common is signal, and what differs is noise. No
label is needed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.evaluation.halves import split_words

FEWEST = 10  # From fewer documents with two halves nothing is learned.
ENOUGH = 1000  # In a stream, as many recent documents make those before them superfluous.
MOST, PER_COMPONENT = 5000, 20  # So many documents are halved at most, or so many for each component.
WANTED = 10  # With so many documents per component half of what they say is believed.
KNOTS = (0.0, 0.5, 1.0)  # The moments of logits are kept at these granularities. Between them they are interpolated.
COIN = 0  # The seed of the coin. It is the same in every fit, so that equal models have equal distances.

ARRAYS = ("middle", "noise", "signal", "spread")
Floats = NDArray[np.floating[Any]]


class Moments(NamedTuple):
    """The moments of documents at one granularity. All rows have unit length."""

    middle: Floats
    """the mean of whole documents"""
    noise: Floats
    """S_w = mean (z¹ − z²)(z¹ − z²)ᵀ / 2, z¹ and z² being the halves of a document"""
    signal: Floats
    """S_b, the symmetrised cross-covariance of z¹ and z²: the noise of one half knows nothing of the other's"""
    spread: Floats
    """the covariance of whole documents"""
    shrinkage: float
    """how much of the noise should be shrunk towards a multiple of the identity; see `moments_of`"""
    belief: float
    """how much of what so few documents say about signal and noise can be believed, from 0 to 1"""


@dataclass(frozen=True, eq=False)
class Halves:
    """The moments at each of `KNOTS`, or of one representation that does not depend on the granularity."""

    middle: NDArray[np.float32]
    noise: NDArray[np.float32]
    signal: NDArray[np.float32]
    spread: NDArray[np.float32]
    shrinkage: NDArray[np.float64]
    documents: int
    """how many documents were cut into halves; 0: too few have two words, so that there is no noise and no signal"""

    @classmethod
    def of(cls, moments: list[Moments], documents: int) -> "Halves":
        """The moments of all knots, as they are saved."""

        def stacked(name: str) -> NDArray[np.float32]:
            return np.stack([getattr(each, name) for each in moments]).astype(np.float32)

        shrinkage = np.array([each.shrinkage for each in moments])
        return cls(**{name: stacked(name) for name in ARRAYS}, shrinkage=shrinkage, documents=documents)

    def after(self, earlier: "Halves") -> "Halves":
        """These moments of recent documents of a stream, filled up with earlier ones where they are few."""
        kept = min(earlier.documents, max(0, ENOUGH - self.documents))
        if not kept or earlier.middle.shape != self.middle.shape:
            return self
        share = kept / (kept + self.documents)

        def mixed(name: str) -> NDArray[Any]:
            old, new = getattr(earlier, name), getattr(self, name)
            return np.asarray(share * old + (1 - share) * new, dtype=new.dtype)

        names = (*ARRAYS, "shrinkage")
        return Halves(**{name: mixed(name) for name in names}, documents=kept + self.documents)

    def at(self, granularity: float) -> Moments:
        """The moments at a granularity, linear between the knots."""
        if len(self.middle) == 1:
            weights = np.ones(1)
        else:
            weights = np.maximum(0.0, 1 - np.abs(np.asarray(KNOTS) - granularity) / (KNOTS[1] - KNOTS[0]))
        mixed = {name: np.tensordot(weights, getattr(self, name).astype(np.float64), 1) for name in ARRAYS}
        belief = belief_in(self.documents, self.middle.shape[1])
        return Moments(**mixed, shrinkage=float(weights @ self.shrinkage), belief=belief)


def learn_halves(
    rows: Any, represent: Callable[[Any], Floats], shapes: Sequence[Callable[[Floats], Floats]], n_components: int
) -> Halves | None:
    """Cut documents into halves and learn from what a model says of both; None where no document has words.

    Parameters
    ----------
    rows : array or sparse matrix
        Word counts, as the model has checked them.
    represent : callable
        What the model says of such rows.
    shapes : sequence of callable
        What makes unit-length rows of that, one for each knot.
    n_components : int
    """
    written = np.flatnonzero(_lengths(rows) > 0)
    if not len(written):
        return None
    some = rows[_evenly(written, max(MOST, PER_COMPONENT * n_components))]
    whole = represent(some)
    halves = split_words(some, COIN)
    both = np.flatnonzero((_lengths(halves[0]) > 0) & (_lengths(halves[1]) > 0))
    if len(both) < FEWEST:
        return Halves.of([moments_of(shape(whole)) for shape in shapes], 0)
    first, second = (represent(_like(half[both], some)) for half in halves)
    return Halves.of([moments_of(*map(shape, (whole, first, second))) for shape in shapes], len(both))


def moments_of(whole: Floats, first: Floats | None = None, second: Floats | None = None) -> Moments:
    """The moments of documents and, where there are any, of their halves.

    The fewer documents, the less of the noise in each direction can be believed. How much is due to chance is estimated
    by Ledoit and Wolf (A well-conditioned estimator for large-dimensional covariance matrices, 2004).
    """
    from sklearn.covariance import ledoit_wolf_shrinkage

    whole = np.asarray(whole, dtype=np.float64)
    middle = whole.mean(axis=0)
    spread = _product(whole - middle, whole - middle)
    if first is None or second is None:
        nothing = np.zeros_like(spread)
        return Moments(middle, nothing, nothing, spread, 1.0, 0.0)
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    apart = first - second
    crossed = _product(first - first.mean(axis=0), second - second.mean(axis=0))
    shrinkage = float(ledoit_wolf_shrinkage(apart, assume_centered=True)) if apart.any() else 1.0
    noise, signal = _product(apart, apart) / 2, (crossed + crossed.T) / 2
    return Moments(middle, noise, signal, spread, shrinkage, belief_in(*apart.shape))


def belief_in(documents: int, n_components: int) -> float:
    """How much of what documents say is believed: half where there are ten of them per component."""
    return documents / (documents + WANTED * n_components)


def _product(one: Floats, other: Floats) -> Floats:
    return np.asarray(one.T @ other / len(one))


def _lengths(rows: Any) -> NDArray[Any]:
    return np.asarray(rows.sum(axis=1)).ravel()


def _evenly(rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many rows, spread evenly over all of them."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


def _like(half: Any, rows: Any) -> Any:
    """Halves, which are sparse, as sparse or dense as the rows that came, and of their type."""
    if not sp.issparse(rows):
        return half.toarray().astype(rows.dtype)
    half.eliminate_zeros()
    return half.astype(rows.dtype, copy=False)
