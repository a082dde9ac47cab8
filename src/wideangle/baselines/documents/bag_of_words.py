"""Documents as the counts of their words."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.baselines.documents._weighted import weighted
from wideangle.baselines.documents._words import WordsThemselves
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result


class BagOfWords(WordsThemselves):
    """The word counts of each document at unit length.

    Parameters
    ----------
    log_counts : bool, default=True
        Whether a count n is taken as 1 + log n.

    Attributes
    ----------
    presence_ : array of shape (n_words,)
        The share of the documents that have each word. `transform` does not need it.

    Examples
    --------
    >>> from wideangle.baselines.documents import BagOfWords
    >>> BagOfWords(log_counts=False).fit_transform([[3, 4, 0], [0, 0, 0]]).toarray().tolist()
    [[0.6, 0.8, 0.0], [0.0, 0.0, 0.0]]
    """

    _essential = "presence_"

    def __init__(self, *, log_counts: bool = True) -> None:
        self.log_counts = log_counts

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "BagOfWords":
        """Count in how many documents each word is. y is ignored."""
        counts = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        self.presence_ = np.bincount(counts.indices, minlength=counts.shape[1]) / counts.shape[0]
        return self

    def _represent(self, rows: Any) -> sp.csr_array:
        """The counts of each document at unit length, sparse; a document without words is zeros."""
        return weighted(rows, log_counts=self.log_counts)

    def _most_frequent(self) -> NDArray[np.intp]:
        return np.argsort(-self.presence_, kind="stable")

    def _check_parameters(self) -> None:
        check_parameters(self, flags=("log_counts",), choices={})
