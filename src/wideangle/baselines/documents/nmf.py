"""Non-negative matrix factorisation of tf-idf."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from wideangle._quiet import silenced
from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.baselines.documents._weighted import weighted
from wideangle.catalogue import COMPONENTS
from wideangle.finishing import Finish, Granularity
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result
from wideangle.word_counts import rarity_of


class NMF(DocumentBaseline):
    """Tf-idf as a product of two matrices without negative entries: shares of documents, and topics.

    scikit-learn's factorisation by coordinate descent, for the squared error.

    Parameters
    ----------
    n_components : int, default=50
        K, the number of topics.
    log_counts : bool, default=True
        Whether a count n is taken as 1 + log n.
    max_iter : int, default=400
        Iterations at most. `n_iter_` tells whether they sufficed.
    tol : float, default=1e-4
        Iterations end when they change the matrices by less than this share of the first change.
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The seed of the start, which is made of singular vectors.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
        The topics.
    rarity_ : array of shape (n_words,)
        The smoothed inverse document frequency of each word.
    n_iter_ : int

    References
    ----------
    D. Lee and H. Seung, Learning the parts of objects by non-negative matrix factorization, Nature 1999.

    Examples
    --------
    >>> from wideangle.baselines.documents import NMF
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> bool((NMF(5, random_state=0).fit_transform(counts) >= 0).all())
    True
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        log_counts: bool = True,
        max_iter: int = 400,
        tol: float = 1e-4,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.log_counts = log_counts
        self.max_iter = max_iter
        self.tol = tol
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state

    @keeps_result
    def fit(self, X: Any, y: Any = None) -> "NMF":
        """Factorise tf-idf of the documents. y is ignored."""
        counts = self._checked(X, reset=True)
        self._check_parameters()
        if counts.nnz == 0:
            raise ValueError("every document is empty: there is nothing to learn from.")
        self._forget()
        self.rarity_ = rarity_of(counts, "tf-idf")
        self.components_, self.n_iter_ = self._factorised(counts, None)[1:]
        self._learn_distance(counts)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float64]:
        """The weight of each topic in each document, documents × components; one without words is zeros."""
        return self._factorised(rows, self.components_)[0]

    def _factorised(
        self, counts: sp.csr_array, topics: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
        """The weights, the topics and the number of iterations; with given topics only the weights are found."""
        from sklearn.decomposition import non_negative_factorization

        rows = weighted(counts, log_counts=self.log_counts, rarity=self.rarity_)
        K = self.n_components if topics is None else len(topics)
        with silenced(ConvergenceWarning):  # `n_iter_` tells it
            weights, found, n_iter = non_negative_factorization(
                sp.csr_matrix(rows),
                H=topics,
                n_components=K,
                init=None if topics is not None else "nndsvda" if min(rows.shape) >= K else "random",
                update_H=topics is None,
                tol=self.tol,
                max_iter=self.max_iter,
                random_state=check_random_state(self.random_state),
            )
        return np.asarray(weights), np.asarray(found), int(n_iter)

    def _check_parameters(self) -> None:
        check_parameters(
            self, counts=("n_components", "max_iter"), not_negative=("tol",), flags=("log_counts",), choices={}
        )
