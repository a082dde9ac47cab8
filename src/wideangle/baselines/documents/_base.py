"""What every baseline of documents shares."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from wideangle._validation import validate_rows
from wideangle.finishing import Finished
from wideangle.models._display import Displayed
from wideangle.models._topics import Topical
from wideangle.persistence import Saveable
from wideangle.word_counts import check_word_counts


class DocumentBaseline(Displayed, Topical, Finished, Saveable, ClassNamePrefixFeaturesOutMixin, BaseEstimator):
    """An estimator of word counts: `fit` on documents × words, `transform` to a representation."""

    def _checked(self, X: Any, reset: bool) -> sp.csr_array:
        """The counts as CSR of whole numbers. Anything else raises an error that says what came.

        An estimator with `allow_fractions` rounds fractions, because its samplers draw whole tokens.
        """
        X = validate_rows(self, X, reset=reset, dtype=(np.float64, np.float32))
        check_word_counts(X, allow_fractions=bool(getattr(self, "allow_fractions", False)))
        counts = sp.csr_array(X, dtype=np.float64)
        counts.sum_duplicates()
        counts.data = np.floor(counts.data + 0.5)
        counts = counts.astype(np.int64)
        counts.eliminate_zeros()
        return counts

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags
