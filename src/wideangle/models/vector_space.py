"""Vectors of documents that somebody else computed, compared by a distance that documents teach."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from wideangle._arrays import array_of, rows_of
from wideangle._validation import validate_rows
from wideangle.finishing import Finish, Finished, Granularity, granularity_number
from wideangle.finishing.finished import shaped
from wideangle.finishing.halves import FEWEST, Halves, moments_of
from wideangle.finishing.neighbours import neighbours_by_words
from wideangle.models._display import Displayed
from wideangle.models._parameters import check_parameters
from wideangle.models._topics import Topical
from wideangle.models._training.resuming import keeps_result
from wideangle.persistence import Saveable
from wideangle.word_counts import check_word_counts

Floats = NDArray[Any]

BLOCK = 2**14  # So many rows are in double precision at a time.
LEARNED_FROM = 5000  # The distance is learned from so many documents, or 20 for each direction.
OF_PAIRS, OF_SPECTRUM = 1.0, 0.75  # the best granularities of vectors on folds (docs/vectors.md)
MOST = 512  # Wider vectors are described by so many directions: a distance is a matrix as wide as they are.


class VectorSpace(Displayed, Topical, Finished, Saveable, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Vectors of documents from any encoder, centred and compared by a distance that the documents teach.

    Each vector is put at unit length and measured from the mean of all. Its coordinates are those along the principal
    directions, which leaves lengths and angles as they were where all directions are kept. What pairs of vectors of the
    same subject teach, or the spectrum, then says how much each direction counts (docs/vectors.md).

    Parameters
    ----------
    n_components : int or None, default=None
        How many principal directions are kept. None keeps all, but 512 at most and no more than there are documents.
    finish : {"halves", "spectrum"} or None, default="halves"
        How documents are compared: by what pairs teach, where `fit` is given `words` or `halves`, and else by the
        spectrum; by the power of the spectrum alone; or by the cosine of the centred vectors.
    granularity : {"details", "balance", "groups"}, float from 0 to 1 or None, default=None
        How finely documents are told apart; it may be changed after the fit. None takes 1, "groups", where pairs taught
        the distance, and ¾ by the spectrum.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The principal directions, that of the largest variance first.
    mean_row_ : array of shape (n_features,)
        The mean of the vectors at unit length.
    explained_ : array of shape (n_components,)
        The share of the variance along each direction.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.models import VectorSpace
    >>> vectors = np.random.default_rng(0).normal(size=(100, 8)) + 3.0
    >>> VectorSpace().fit_transform(vectors).shape
    (100, 8)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        finish: Finish | None = "halves",
        granularity: Granularity | None = None,
    ) -> None:
        self.n_components = n_components
        self.finish = finish
        self.granularity = granularity

    @keeps_result
    def fit(self, X: Any, y: Any = None, *, words: Any = None, halves: Any = None) -> "VectorSpace":
        """Find the mean and the principal directions, and learn the distance. y is ignored.

        Parameters
        ----------
        X : array of shape (n_documents, n_features)
            One vector per document; zeros for a document that has none.
        words : array or sparse matrix of shape (n_documents, n_words), optional
            The word counts of the same documents. Each document and its three nearest others by these words then make
            pairs, which teach the distance.
        halves : pair of arrays of shape (n_halved, n_features), optional
            Pairs of vectors that are about the same, in place of `words`: those of both halves of texts, which
            `wideangle.encoders.encode_halves` makes.
        """
        X = self._checked(X, reset=True)
        check_parameters(self, counts=("n_components",), may_be_none=("n_components",), choices={})
        D = int(X.shape[1])
        if self.n_components is not None and self.n_components > D:
            raise ValueError(f"n_components must be at most the number of columns ({D}); got {self.n_components}.")
        pairs = _checked_pairs(X, words, halves)
        self._forget()
        n = int(X.any(axis=1).sum())
        if not n:
            raise ValueError("all vectors are zeros, so that there is nothing to compare. Give other vectors.")
        self.mean_row_, covariance = _moments(X, n)
        # Directions beyond the number of documents have no variance, and would be chance.
        K = min(MOST, D, max(1, n - 1)) if self.n_components is None else self.n_components
        values, directions = eigh(covariance, subset_by_index=None if D == K else (D - K, D - 1))
        found = directions[:, ::-1].T
        # The sign of a direction is free. Its largest entry is positive, so that equal data has equal directions.
        largest = np.abs(found).argmax(axis=1)
        signs = np.where(found[np.arange(K), largest] < 0, -1.0, 1.0)
        self.components_ = np.ascontiguousarray(found * signs[:, None])
        every = max(float(np.trace(covariance)), np.finfo(float).tiny)
        self.explained_ = np.clip(values[::-1] / every, 0.0, 1.0)
        self._learn_from(X, pairs)
        return self

    def learn_distance(self, X: Any, y: Any = None, *, words: Any = None, halves: Any = None) -> "VectorSpace":
        """Learn the distance anew from vectors X, and from words or halves as in `fit`. y is ignored."""
        super().learn_distance(X)  # It says where there is nothing to learn.
        rows = self._checked(X, reset=False)
        self._learn_from(rows, _checked_pairs(rows, words, halves))
        return self

    def _learn_from(self, rows: Floats, pairs: tuple[Floats, Floats] | None) -> None:
        self._learn_distance(rows)
        if pairs is None or self._wanted_finish() is None or not hasattr(self, "halves_"):
            return
        there = np.logical_and(pairs[0].any(axis=1), pairs[1].any(axis=1))
        if int(there.sum()) >= FEWEST:
            shapes = (_shape(self._represent(part)) for part in (self._some(rows), pairs[0][there], pairs[1][there]))
            self.halves_ = Halves.of([moments_of(*shapes)], int(there.sum()))

    def _learned(self, rows: Floats) -> Halves | None:
        """The moments of whole vectors: numbers cannot be cut into halves."""
        some = self._some(rows)
        if self._wanted_finish() is None or not len(some):
            return None
        return Halves.of([moments_of(_shape(self._represent(some)))], 0)

    def _used_granularity(self) -> float:
        if self.granularity is not None:
            return granularity_number(self.granularity)
        halves: Halves | None = getattr(self, "halves_", None)
        by_pairs = self.finish == "halves" and halves is not None and halves.documents > 0
        return OF_PAIRS if by_pairs else OF_SPECTRUM

    def _some(self, rows: Floats) -> Floats:
        """The vectors that the distance is learned from: not those of zeros, and of many spread evenly over all."""
        there = np.flatnonzero(rows.any(axis=1))
        most = max(LEARNED_FROM, 20 * self._n_features_out)
        if len(there) > most:
            there = there[np.linspace(0, len(there) - 1, most).astype(np.intp)]
        return rows[there]

    def _represent(self, rows: Floats) -> Floats:
        """The coordinates of each vector at unit length, from the mean; zeros stay zeros."""
        said = np.zeros((len(rows), self._n_features_out), dtype=rows.dtype)
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            moved = (_unit(block) - self.mean_row_) @ self.components_.T
            said[first : first + BLOCK] = moved * block.any(axis=1, keepdims=True)
        return said

    def _said(self, rows: Floats) -> Floats:
        return self._represent(rows)  # The sum of a vector may be 0, though it is no row of zeros.

    def _checked(self, X: Any, reset: bool) -> Floats:
        X = validate_rows(self, X, reset=reset, dtype=(np.float64, np.float32))
        return np.asarray(X.toarray() if hasattr(X, "toarray") else X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])


def _shape(said: Floats) -> Floats:
    """At unit length, as the finish sees them."""
    return shaped(said, None, 0.0)


def _moments(rows: Floats, n: int) -> tuple[Floats, Floats]:
    """Mean and covariance of the n rows that are not zeros, at unit length, some rows at a time."""
    blocks = range(0, len(rows), BLOCK)
    mean = sum(_unit(rows[first : first + BLOCK]).sum(axis=0) for first in blocks) / n
    covariance = np.zeros((rows.shape[1], rows.shape[1]))
    for first in blocks:
        block = rows[first : first + BLOCK]
        moved = _unit(block[block.any(axis=1)]) - mean
        covariance += moved.T @ moved
    return np.asarray(mean), covariance / n


def _unit(rows: Floats) -> Floats:
    """The rows at unit length in double precision, whatever their scale; rows of zeros stay zeros."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0).astype(np.float64)
    scaled = np.divide(rows, largest, out=np.zeros(rows.shape), where=largest > 0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.divide(scaled, lengths, out=scaled, where=lengths > 0)


def _checked_pairs(X: Floats, words: Any, halves: Any) -> tuple[Floats, Floats] | None:
    """Two arrays of vectors, row by row about the same subject; None where none were given."""
    if words is not None and halves is not None:
        raise ValueError("pairs come from words or from halves. Give one of them.")
    if words is not None:
        counts = rows_of(words, "words")
        if counts.shape[0] != len(X):
            raise ValueError(f"words must be of the same {len(X):,} documents as X; got {counts.shape[0]:,}.")
        check_word_counts(counts, allow_fractions=True)
        asked, nearest = neighbours_by_words(counts)
        return X[asked], X[nearest]
    if halves is None:
        return None
    try:
        first, second = halves
    except (TypeError, ValueError):
        raise ValueError(f"halves must be a pair of arrays; got {type(halves).__name__}.") from None
    pair = [np.asarray(array_of(half, "halves"), dtype=np.float64) for half in (first, second)]
    D, shapes = X.shape[1], [half.shape for half in pair]
    if len({*shapes}) > 1 or pair[0].ndim != 2 or pair[0].shape[1] != D:
        raise ValueError(f"halves must be two arrays of documents × {D} columns; got {shapes[0]} and {shapes[1]}.")
    if not all(np.isfinite(half).all() for half in pair):
        raise ValueError("halves hold NaN or infinities. Leave these documents out.")
    return pair[0], pair[1]
