"""Documents as weighted counts of their words: rare words weigh more."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.baselines.documents._weighted import weighted
from wideangle.baselines.documents._words import WordsThemselves
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result
from wideangle.word_counts import rarity_of


class TfIdf(WordsThemselves):
    """Term frequency × inverse document frequency, at unit length.

    Parameters
    ----------
    log_counts : bool, default=True
        Whether a count n is taken as 1 + log n ("sublinear").

    Attributes
    ----------
    rarity_ : array of shape (n_words,)
        log((1 + n) / (1 + documents that have the word)) + 1, scikit-learn's smoothed inverse document frequency.

    Examples
    --------
    >>> from wideangle.baselines.documents import TfIdf
    >>> TfIdf().fit_transform([[3, 4, 0], [0, 1, 0]]).toarray().round(2).tolist()
    [[0.78, 0.63, 0.0], [0.0, 1.0, 0.0]]
    """

    _essential = "rarity_"

    def __init__(self, *, log_counts: bool = True) -> None:
        self.log_counts = log_counts

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "TfIdf":
        """Find how rare each word is. y is ignored."""
        counts = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        self.rarity_ = rarity_of(counts, "tf-idf")
        return self

    def _represent(self, rows: Any) -> sp.csr_array:
        """The weighted counts of each document at unit length, sparse; a document without words is zeros."""
        return weighted(rows, log_counts=self.log_counts, rarity=self.rarity_)

    def _most_frequent(self) -> NDArray[np.intp]:
        return np.argsort(self.rarity_, kind="stable")

    def _check_parameters(self) -> None:
        check_parameters(self, flags=("log_counts",), choices={})
