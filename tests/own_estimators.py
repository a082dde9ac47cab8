"""An estimator as a user may write it: what it says of documents is finished by wideangle."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_non_negative, validate_data

from wideangle.finishing import Finished
from wideangle.persistence import Saveable


class Projected(Finished, Saveable, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """Word counts, as shares of a document, on random directions."""

    def __init__(self, n_components=4, *, finish="halves", granularity="balance", random_state=None):
        self.n_components = n_components
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state

    def fit(self, X, y=None):
        X = self._checked(X, reset=True)
        self._forget()
        seed = self.random_state if isinstance(self.random_state, int) else 0
        self.components_ = np.random.default_rng(seed).normal(size=(self.n_components, X.shape[1]))
        self._learn_distance(X)
        return self

    def _checked(self, X, reset):
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))
        check_non_negative(X, "Projected")
        return X

    def _represent(self, rows):
        totals = np.asarray(rows.sum(axis=1)).reshape(-1, 1)
        return np.asarray(rows @ self.components_.T) / np.where(totals > 0, totals, 1)

    @property
    def _n_features_out(self):
        return len(self.components_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
