"""Latent semantic indexing: a truncated singular value decomposition of tf-idf."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.extmath import randomized_svd, svd_flip

from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.baselines.documents._weighted import weighted
from wideangle.catalogue import COMPONENTS
from wideangle.finishing import Finish, Granularity
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result
from wideangle.word_counts import rarity_of


class LSI(DocumentBaseline):
    """Latent semantic indexing: tf-idf projected on its first right singular vectors, at unit length.

    Parameters
    ----------
    n_components : int, default=50
        K. At most as many as documents and as words are kept.
    log_counts : bool, default=True
        Whether a count n is taken as 1 + log n.
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The seed of the randomized decomposition.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
        The right singular vectors, that of the largest singular value first.
    rarity_ : array of shape (n_words,)
        The smoothed inverse document frequency of each word.

    References
    ----------
    S. Deerwester, S. Dumais, G. Furnas, T. Landauer and R. Harshman, Indexing by latent semantic analysis, JASIS 1990.

    Examples
    --------
    >>> from wideangle.baselines.documents import LSI
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> LSI(5, random_state=0).fit_transform(counts).shape
    (300, 5)
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        log_counts: bool = True,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.log_counts = log_counts
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "LSI":
        """Decompose tf-idf of the documents. y is ignored."""
        counts = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        self.rarity_ = rarity_of(counts, "tf-idf")
        rows = weighted(counts, log_counts=self.log_counts, rarity=self.rarity_)
        K = min(self.n_components, *rows.shape)
        U, _, Vt = randomized_svd(rows, K, n_iter=5, random_state=check_random_state(self.random_state))
        self.components_ = np.ascontiguousarray(svd_flip(U, Vt, u_based_decision=False)[1])
        self._learn_distance(counts)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float64]:
        """Each document's coordinates at unit length, documents × components; one without words is zeros."""
        rows = weighted(rows, log_counts=self.log_counts, rarity=self.rarity_)
        found: NDArray[np.float64] = rows @ self.components_.T
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)

    def _check_parameters(self) -> None:
        check_parameters(self, counts=("n_components",), flags=("log_counts",), choices={})
