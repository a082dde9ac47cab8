"""Latent Dirichlet allocation by variational expectation maximisation."""

from functools import partial
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wideangle.baselines.documents._base import DocumentBaseline
from wideangle.baselines.documents._lda.inference import first_gamma, infer, log_p_of_words, mean_shares
from wideangle.catalogue import COMPONENTS
from wideangle.evaluation import perplexity, split_words
from wideangle.finishing import Finish, Granularity
from wideangle.models._base import progress_bar
from wideangle.models._parameters import check_parameters
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.resuming import keeps_result

Self = TypeVar("Self", bound="LDA")

ROUNDS = 20  # of inference per iteration; each iteration goes on from where the last one was
SETTLED = 1e-3  # A document has settled where a round moves fewer words than this per topic.
ROUNDS_TO_TRANSFORM = 100  # New documents start anew, and need more rounds.


class LDA(DocumentBaseline):
    """Latent Dirichlet allocation: variational inference for documents, the most likely topics.

    The words of a document come from K topics β with shares θ ~ Dirichlet(α). An iteration improves q(θ) and q(z) of
    each document, then sets the topics to the expected word counts plus `topic_prior`, normalised.

    Parameters
    ----------
    n_components : int, default=50
        K, the number of topics.
    document_prior : float or None, default=None
        α; None: 1 / K.
    topic_prior : float, default=0.01
        How often each word counts in each topic beforehand. It is η − 1 of a Dirichlet prior with parameter η.
    max_iter : int, default=100
        Iterations at most.
    tol : float, default=1e-4
        Iterations end when the objective rises by less than this, in nats per word.
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The seed of the first topics.
    verbose : bool, default=False
        Show a progress bar in a terminal.

    Attributes
    ----------
    components_ : array of shape (n_components, n_words)
        The topics β; rows sum to 1.
    document_prior_ : float
        α as it was used.
    bounds_ : array of shape (n_iter_,)
        The objective of each iteration in nats per word: the variational bound plus the logarithm of the topics' prior.
    n_iter_ : int

    Notes
    -----
    A document without words has equal shares of all topics.

    References
    ----------
    D. Blei, A. Ng and M. Jordan, Latent Dirichlet allocation, JMLR 2003.

    Examples
    --------
    >>> from wideangle.baselines.documents.lda import LDA
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> model = LDA(5, max_iter=20, random_state=0).fit(counts)
    >>> float(model.transform(counts).sum(axis=1).round(6).max()), model.perplexity(counts) < 60
    (1.0, True)
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        document_prior: float | None = None,
        topic_prior: float = 0.01,
        max_iter: int = 100,
        tol: float = 1e-4,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.document_prior = document_prior
        self.topic_prior = topic_prior
        self.max_iter = max_iter
        self.tol = tol
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state
        self.verbose = verbose

    @keeps_result
    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learn the topics of the documents. y is ignored."""
        counts = self._checked(X, reset=True).astype(np.float64)
        self._check_parameters()
        self._check_columns(counts.shape[1])
        self._forget()
        n_tokens = float(counts.sum())
        if not n_tokens:
            raise ValueError("every document is empty: there is nothing to learn from.")
        self.document_prior_ = 1 / self.n_components if self.document_prior is None else float(self.document_prior)
        topics = first_topics(counts, self.n_components, self.topic_prior, check_random_state(self.random_state))
        gamma = first_gamma(counts, self.n_components, self.document_prior_)
        bounds: list[float] = []
        training = Checkpoints.active_training()
        kept = None if training is None else training.found(())
        if kept is not None:
            topics, gamma, bounds = kept["topics"], kept["gamma"], kept["bounds"]
        with progress_bar(type(self).__name__, self.max_iter, self.verbose) as show:
            while True:
                found = infer(counts, topics, self.document_prior_, gamma, ROUNDS, SETTLED)
                bounds.append((found.bound + self._log_prior(topics, n_tokens)) / n_tokens)
                show(len(bounds), f"{bounds[-1]:.4f} nats per word")
                if len(bounds) == self.max_iter or (len(bounds) > 1 and bounds[-1] - bounds[-2] < self.tol):
                    break
                gamma, topics = found.gamma, self._new_topics(found.expected, topics, n_tokens)
                if training is not None:
                    training.offer(partial(dict, topics=topics, gamma=gamma, bounds=bounds), ())
        self.components_ = topics
        self.bounds_ = np.array(bounds)
        self.n_iter_ = len(bounds)
        self._learn_distance(counts)
        return self

    def _represent(self, rows: Any) -> NDArray[np.float64]:
        """E[θ], the share of each topic in each document; documents × components, rows sum to 1."""
        return self._shares(rows)

    def perplexity(self, X: Any, *, random_state: int = 0) -> float:
        """exp(−mean over documents of log p per word) of one half of each document's words, given the other half.

        A coin decides for each word. Documents whose second half is empty do not count.
        """
        check_is_fitted(self)
        shown, hidden = split_words(self._checked(X, reset=False), random_state)
        hidden.eliminate_zeros()
        log_p = log_p_of_words(hidden, self.components_, self._shares(shown))
        return perplexity(log_p, np.asarray(hidden.sum(axis=1)).ravel())

    def _shares(self, counts: sp.csr_array) -> NDArray[np.float64]:
        counts = counts.astype(np.float64)
        counts.eliminate_zeros()
        gamma = first_gamma(counts, len(self.components_), self.document_prior_)
        found = infer(counts, self.components_, self.document_prior_, gamma, ROUNDS_TO_TRANSFORM, SETTLED)
        return mean_shares(found.gamma)

    def _log_prior(self, topics: NDArray[np.float64], n_tokens: float) -> float:
        """The logarithm of the topics' prior, without its constant."""
        return self.topic_prior * float(np.log(topics).sum())

    def _new_topics(
        self, expected: NDArray[np.float64], topics: NDArray[np.float64], n_tokens: float
    ) -> NDArray[np.float64]:
        """The M-step: the topics of the largest objective, given the expected counts (Blei et al., Eq. 9, smoothed)."""
        smoothed = expected + self.topic_prior
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

    def _check_columns(self, n_words: int) -> None:
        """Raise an error where there cannot be so many topics of so few words."""

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "max_iter"),
            above_zero=("document_prior", "topic_prior"),
            not_negative=("tol",),
            flags=("verbose",),
            may_be_none=("document_prior",),
            choices={},
        )


def first_topics(
    counts: sp.csr_array, n_topics: int, topic_prior: float, random_state: np.random.RandomState
) -> NDArray[np.float64]:
    """The words' frequencies, each multiplied by a random number per topic."""
    frequencies = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() + topic_prior
    drawn = frequencies * random_state.gamma(1.0, size=(n_topics, counts.shape[1])) + topic_prior
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))
