"""What every baseline of distances shares: principal components in front, and components from a learned matrix."""

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from wideangle.exceptions import DataError
from wideangle.models._base import Randomness
from wideangle.models._distance.metric import LearnedMetric, best_threshold
from wideangle.models._distance.pairs import IndexPairs, checked_signs, require_both_kinds
from wideangle.models._distance.principal import principal_directions
from wideangle.models._distance.sampling import MOST_PLAIN, Sampling, sample_pairs
from wideangle.models._training.resuming import keeps_result

Floats = NDArray[np.floating[Any]]


class MetricBaseline(LearnedMetric):
    """A distance ‖A(x − y)‖ that is learned in the space of the leading principal components, or of all features."""

    n_principal: int | None
    random_state: Any

    _records = ()  # type: ignore[assignment]  # no history of training

    def _generator(self) -> np.random.Generator:
        return Randomness.of(self.random_state, torch.device("cpu")).rows

    def _reduced(self, X: Any, generator: np.random.Generator) -> tuple[Floats, Floats | None]:
        """The rows as a method sees them, dense and centred, and the directions by which they are made, d×D.

        Centring does not change a distance, and saves digits. Without principal components there are no directions.
        """
        if self.n_principal is None:
            dense = X.toarray() if sp.issparse(X) else X
            return dense - dense.mean(axis=0), None
        directions = self._directions(X, generator)
        rows = np.asarray(X @ directions.T)
        return rows - rows.mean(axis=0), directions

    def _directions(self, X: Any, generator: np.random.Generator) -> Floats:
        """The leading principal directions, one per row."""
        n, D = X.shape
        if self.n_principal is None or self.n_principal > min(n, D):
            raise ValueError(
                f"n_principal={self.n_principal} is more than there can be: X has {n} rows and {D} features. Pass at "
                f"most {min(n, D)}, or None for all features."
            )
        return principal_directions(X, self.n_principal, generator).astype(X.dtype)

    def _check_size(self, d: int) -> None:
        """An error where more components are wanted than the method sees dimensions."""
        n_components: int | None = getattr(self, "n_components", None)
        if n_components is not None and n_components > d:
            seen = "features" if self.n_principal is None else "principal components"
            raise ValueError(f"n_components={n_components} is more than the {d} {seen}. Pass at most {d}, or None.")

    def _set_components(self, A: Floats, directions: Floats | None, X: Any, judged: IndexPairs | None) -> None:
        """Keep A, K×d, as components of the features, and the threshold that is best for the judged pairs."""
        whole = A if directions is None else A @ directions
        largest = float(np.abs(whole).max(initial=0.0))
        if not largest <= np.finfo(X.dtype).max:
            raise DataError(
                f"the learned components are as large as {largest:.1g}, which {X.dtype} cannot hold: the rows are very "
                "small. Scale them (StandardScaler), or pass float64."
            )
        self.components_ = np.ascontiguousarray(whole, dtype=X.dtype)
        self.__dict__.pop("threshold_", None)
        if judged is not None and 0 < judged.similar.sum() < len(judged):
            distances = self._pair_distance(X, judged.left, judged.right)
            self.threshold_ = best_threshold(distances, judged.similar)


class TakesPairs:
    """`fit` and `fit_pairs` of a method that learns from pairs. It needs `_learn` and the numbers of pairs to draw."""

    @keeps_result
    def fit(self: Any, X: Any, y: Any) -> Any:
        """Learn from pairs drawn from the rows of X by their class labels y."""
        X, labels = self._labelled(X, y, reset=True)
        self._check_parameters()
        generator = self._generator()
        n_similar, n_dissimilar = self._numbers_of_pairs(labels)
        pairs = drawn_pairs(labels, n_similar, n_dissimilar, generator)
        return self._fit(X, pairs, generator)

    @keeps_result
    def fit_pairs(self: Any, pairs: Any, y: Any, X: Any = None) -> Any:
        """Learn from given pairs.

        Parameters
        ----------
        pairs : array of shape (n, 2, d) or (n, 2)
            Pairs of points; or, with X, of row numbers of X.
        y : array of shape (n,)
            +1 for similar, −1 for dissimilar pairs.
        X : array or sparse matrix of shape (n_samples, d), optional
            The rows that the row numbers refer to.
        """
        X, left, right = self._pair_rows(pairs, X, reset=True)
        self._check_parameters()
        return self._fit(X, IndexPairs(left, right, checked_signs(y, len(left))), self._generator())

    def _numbers_of_pairs(self: Any, labels: NDArray[Any]) -> tuple[int, int]:
        """How many similar and dissimilar pairs `fit` draws."""
        return self.n_similar, self.n_dissimilar

    def _fit(self: Any, X: Any, pairs: IndexPairs, generator: np.random.Generator, *further: Any) -> Any:
        require_both_kinds(int(pairs.similar.sum()), int((~pairs.similar).sum()))
        self._forget()
        Z, directions = self._reduced(X, generator)
        A = self._learn(Z, pairs, generator, *further)
        self._set_components(A, directions, X, pairs)
        return self


def drawn_pairs(labels: NDArray[Any], n_similar: int, n_dissimilar: int, generator: np.random.Generator) -> IndexPairs:
    """Pairs of rows drawn by their labels, each row equally often as the first of a pair."""
    sampling = Sampling(n_similar, n_dissimilar, "samples", near_similar=0.0, near_dissimilar=0.0, n_neighbors=1)
    return sample_pairs(None, labels, sampling, generator)


def judged_pairs(labels: NDArray[Any], generator: np.random.Generator) -> IndexPairs:
    """Pairs to find a threshold from, for methods that do not learn from pairs."""
    n = min(MOST_PLAIN, 10 * len(labels))
    return drawn_pairs(labels, n, n, generator)


def factor(M: Floats) -> Floats:
    """A with AᵀA = M for a positive semi-definite M, one row per positive eigenvalue, the largest first."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    rounding = len(M) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    kept = max(1, int((values > rounding).sum()))
    values, vectors = values[::-1][:kept], vectors[:, ::-1][:, :kept]
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
