"""What every estimator of a distance ‖A(x − y)‖ offers once A is learned."""

from collections.abc import Callable
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from wideangle._arguments import checked, one_of, real, whole
from wideangle._validation import labels_of, validate_rows
from wideangle.models._display import Displayed
from wideangle.models._distance.pairs import checked_signs, index_pairs, point_pairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.trainer import PairRecord
from wideangle.models._topics import Topical
from wideangle.persistence import Saveable

Self = TypeVar("Self", bound="LearnedMetric")


class LearnedMetric(Displayed, Topical, Saveable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Gives distances, scores and decisions on pairs by `components_`, which a subclass learns.

    Pairs are either points, as an array of shape (n, 2, d), or row numbers of a matrix X, of shape (n, 2).
    """

    _records = (PairRecord,)
    components_: NDArray[Any]
    threshold_: float

    def transform(self, X: Any) -> NDArray[Any]:
        """A x of each row. The Euclidean distances of the result are the learned distances."""
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        return safe_sparse_dot(X, self.components_.T, dense_output=True)

    @checked(n_neighbors=whole(least=1))
    def score(self, X: Any, y: Any, n_neighbors: int = 3) -> float:
        """The accuracy of predicting each row's class by a vote of the other rows of X that are nearest to it."""
        from sklearn.neighbors import NearestNeighbors

        rows, (classes, codes) = self.transform(X), np.unique(labels_of(y), return_inverse=True)
        check_consistent_length(rows, codes)
        if len(rows) < 2:
            raise ValueError("a row is judged by the others; got 1 row.")
        nearest = (
            NearestNeighbors(n_neighbors=min(n_neighbors, len(rows) - 1)).fit(rows).kneighbors(return_distance=False)
        )
        votes = (codes[nearest][:, :, None] == np.arange(len(classes))).sum(axis=1)
        return float((votes.argmax(axis=1) == codes).mean())

    def pair_distance(self, pairs: Any, X: Any = None) -> NDArray[np.float64]:
        """‖A(x − y)‖ of each pair."""
        check_is_fitted(self)
        X, left, right = self._pair_rows(pairs, X, reset=False)
        return self._pair_distance(X, left, right)

    def _pair_distance(self, X: Any, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same of rows that were checked."""
        A = torch.from_numpy(np.array(self.components_, dtype=X.dtype))
        squared = PairRows(X, torch.device("cpu")).squared_distances(A, left, right)
        return np.sqrt(squared.numpy())

    def pair_score(self, pairs: Any, X: Any = None) -> NDArray[np.float64]:
        """−‖A(x − y)‖ of each pair: larger means more similar."""
        return -self.pair_distance(pairs, X)

    def predict_pairs(self, pairs: Any, X: Any = None) -> NDArray[np.int64]:
        """+1 for pairs whose distance is at most `threshold_`, −1 for others."""
        distances = self.pair_distance(pairs, X)
        if getattr(self, "threshold_", None) is None:
            raise NotFittedError(
                "there is no threshold_ by which to tell similar pairs: fit with labels or pairs, or call "
                "calibrate_threshold with pairs of both kinds."
            )
        return np.where(distances <= self.threshold_, 1, -1)

    @checked(strategy=one_of("accuracy", "f_beta"), beta=real(above=0, most=1e6))
    def calibrate_threshold(
        self: Self,
        pairs: Any,
        y: Any,
        X: Any = None,
        *,
        strategy: Literal["accuracy", "f_beta"] = "accuracy",
        beta: float = 1.0,
    ) -> Self:
        """Set `threshold_` to the distance that serves given pairs best.

        Parameters
        ----------
        pairs, X
            As in `pair_distance`. Pairs that were not trained on are best.
        y : array of shape (n,)
            +1 for similar, −1 for dissimilar pairs.
        strategy : {"accuracy", "f_beta"}, default="accuracy"
            What is maximised: the share of right decisions, or the F score of the similar pairs.
        beta : float, default=1.0
            How many times as much recall counts as precision.
        """
        distances = self.pair_distance(pairs, X)
        self.threshold_ = best_threshold(distances, checked_signs(y, len(distances)), strategy, beta)
        return self

    def get_mahalanobis_matrix(self) -> NDArray[Any]:
        """M = AᵀA, with which the squared distance is (x − y)ᵀ M (x − y). It is float64, where squares of A fit in."""
        check_is_fitted(self)
        A = self.components_.astype(np.float64)
        return A.T @ A

    def get_metric(self) -> Callable[[Any, Any], float]:
        """The distance as a function of two points, for scikit-learn's `metric=` and others. It has its own A."""
        check_is_fitted(self)
        A = self.components_.astype(np.float64)

        def distance(x: Any, y: Any) -> float:
            return float(np.linalg.norm(A @ np.subtract(x, y, dtype=np.float64)))

        return distance

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _rows(self, X: Any, reset: bool) -> Any:
        return validate_rows(self, X, reset=reset, dtype=(np.float64, np.float32))

    def _labelled(self, X: Any, y: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        """Rows and class labels, checked."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X, labels = self._rows(X, reset), labels_of(y)
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        return X, labels

    def _pair_rows(self, pairs: Any, X: Any, reset: bool) -> tuple[Any, NDArray[np.int64], NDArray[np.int64]]:
        """The matrix of rows and the two columns of row numbers, whichever way the pairs came."""
        if X is None:
            points, left, right = point_pairs(pairs)
            return self._rows(points, reset), left, right
        X = self._rows(X, reset)
        return X, *index_pairs(pairs, X.shape[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def best_threshold(
    distances: NDArray[np.float64], similar: NDArray[np.bool_], strategy: str = "accuracy", beta: float = 1.0
) -> float:
    """The distance at which calling nearer pairs similar has the best accuracy or F score.

    It lies midway between two distances. Where calling no pair similar is best, it lies below the smallest distance;
    where calling all similar is best, it is the largest distance.
    """
    if similar.all() or not similar.any():
        raise ValueError(f"a threshold needs similar and dissimilar pairs; all {len(similar)} are of one kind.")
    values, group = np.unique(distances, return_inverse=True)
    # Entry i of hits and misses counts the similar and the dissimilar pairs up to the i-th distinct distance.
    hits = np.concatenate([[0], np.cumsum(np.bincount(group[similar], minlength=len(values)))])
    misses = np.concatenate([[0], np.cumsum(np.bincount(group[~similar], minlength=len(values)))])
    f_beta = hits / (hits + misses + beta**2 * similar.sum())  # TP / ((1+β²) TP + β² FN + FP), times 1+β²
    cut = int(np.argmax(hits - misses if strategy == "accuracy" else f_beta))
    if cut == 0:
        return float(np.nextafter(values[0], -np.inf))
    if cut == len(values):
        return float(values[-1])
    midway = (values[cut - 1] + values[cut]) / 2
    return float(midway if midway < values[cut] else values[cut - 1])  # There may be no float between the two.
