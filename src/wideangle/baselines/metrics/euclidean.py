"""The Euclidean distance, of all features or of principal components."""

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wideangle.baselines.metrics._base import MetricBaseline, judged_pairs
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result

Self = TypeVar("Self", bound="Euclidean")

BLOCK = 4096  # The differences of so many pairs are held at a time.


class Euclidean(MetricBaseline):
    """The distance that nothing was learned for: ‖x − y‖, or that of the leading principal components.

    Parameters
    ----------
    n_principal : int or None, default=None
        How many principal components are kept. None is all features as they are.
    random_state : int, RandomState or None, default=None
        Seed of the search for principal components, and of the pairs of the threshold.

    Attributes
    ----------
    components_ : array of shape (n_principal or n_features, n_features)
        The identity, or the principal directions.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1. It is there if `fit` had labels of two classes;
        `calibrate_threshold` sets it too.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from wideangle.baselines.metrics import Euclidean
    >>> X, y = load_wine(return_X_y=True)
    >>> Euclidean(n_principal=2).fit(X).transform(X).shape
    (178, 2)
    """

    def __init__(self, n_principal: int | None = None, *, random_state: Any = None) -> None:
        self.n_principal = n_principal
        self.random_state = random_state

    @keeps_result
    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Find the principal components, if any are wanted. Labels y serve the threshold only."""
        X, labels = (self._rows(X, reset=True), None) if y is None else self._labelled(X, y, reset=True)
        self._check_parameters()
        self._forget()
        generator = self._generator()
        A = np.eye(X.shape[1], dtype=X.dtype) if self.n_principal is None else self._directions(X, generator)
        judged = None
        if labels is not None and 1 < len(np.unique(labels)) < len(labels):
            judged = judged_pairs(labels, generator)
        self._set_components(A, None, X, judged)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """The rows themselves, dense, or their principal components."""
        if self.n_principal is not None:
            return super().transform(X)
        check_is_fitted(self)
        X = self._rows(X, reset=False)
        return X.toarray() if sp.issparse(X) else X.copy()  # A product with the identity would cost D per entry.

    def pair_distance(self, pairs: Any, X: Any = None) -> NDArray[np.float64]:
        """‖x − y‖ of each pair."""
        if self.n_principal is not None:
            return super().pair_distance(pairs, X)
        check_is_fitted(self)
        X, left, right = self._pair_rows(pairs, X, reset=False)
        squared = np.empty(len(left))
        for start in range(0, len(left), BLOCK):
            part = slice(start, start + BLOCK)
            difference = (X[left[part]] - X[right[part]]).astype(np.float64)
            squares = difference.multiply(difference) if sp.issparse(difference) else difference**2
            squared[part] = np.asarray(squares.sum(axis=1)).ravel()
        return np.sqrt(squared)

    def _check_parameters(self) -> None:
        check_parameters(self, counts=("n_principal",), may_be_none=("n_principal",), choices={})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
