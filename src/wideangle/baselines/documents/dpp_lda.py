"""LDA with a determinantal point process as the prior of its topics."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import real
from wideangle.baselines.documents._lda.kernel import improved_topics, log_det
from wideangle.baselines.documents.lda import LDA
from wideangle.catalogue import COMPONENTS
from wideangle.diversity import MOST_WEIGHT
from wideangle.finishing import Finish, Granularity

LARGEST_POWER = 10  # The powers of probabilities round to 0 soon after.


class DPPLDA(LDA):
    """LDA whose topics prefer to share no words: their prior is det K(β)^λ, a determinantal point process.

    K_ij = Σ_v (β_iv β_jv)^ρ, normalised to a diagonal of ones. The M-step climbs the gradient of the expected
    log-likelihood plus λ log det K; the rest is variational LDA.

    Parameters
    ----------
    n_components : int, default=50
        K, the number of topics; at most as many as words.
    diversity : float, default=0.001
        λ, the weight of log det K against the mean log-likelihood per word. 0 is plain LDA.
    power : float, default=0.5
        ρ, above 0 and at most 10. With ½ the kernel is the overlap of two distributions; with 1, the chance that both
        give the same word.
    document_prior, topic_prior, max_iter, tol, finish, granularity, random_state, verbose
        As in `LDA`.

    Attributes
    ----------
    components_, document_prior_, bounds_, n_iter_
        As in `LDA`; the objective in `bounds_` has λ log det K.

    References
    ----------
    J. Zou and R. Adams, Priors for diversity in generative latent variable models, NIPS 2012 (some lists name the first
    author Kwok). T. Jebara, R. Kondor and A. Howard, Probability product kernels, JMLR 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.baselines.documents.dpp_lda import DPPLDA
    >>> from wideangle.data import synthetic_corpus
    >>> counts = synthetic_corpus(300, 5, 60).corpus.counts
    >>> model = DPPLDA(5, max_iter=20, random_state=0).fit(counts)
    >>> model.transform(counts).shape, bool((np.diff(model.bounds_) > 0).all())
    ((300, 5), True)
    """

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        diversity: float = 0.001,
        power: float = 0.5,
        document_prior: float | None = None,
        topic_prior: float = 0.01,
        max_iter: int = 100,
        tol: float = 1e-4,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            n_components,
            document_prior=document_prior,
            topic_prior=topic_prior,
            max_iter=max_iter,
            tol=tol,
            finish=finish,
            granularity=granularity,
            random_state=random_state,
            verbose=verbose,
        )
        self.diversity = diversity
        self.power = power

    def _log_prior(self, topics: NDArray[np.float64], n_tokens: float) -> float:
        prior = super()._log_prior(topics, n_tokens)
        return prior + self.diversity * n_tokens * log_det(topics, self.power) if self.diversity else prior

    def _new_topics(
        self, expected: NDArray[np.float64], topics: NDArray[np.float64], n_tokens: float
    ) -> NDArray[np.float64]:
        return improved_topics(expected + self.topic_prior, topics, self.diversity * n_tokens, self.power)

    def _check_columns(self, n_words: int) -> None:
        if self.diversity and self.n_components > n_words:
            raise ValueError(
                f"n_components={self.n_components} topics of {n_words} words are dependent: their determinant is 0. "
                "Take at most as many topics as words, or diversity=0."
            )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        real(least=0, most=MOST_WEIGHT)(self.diversity, "diversity")
        real(above=0, most=LARGEST_POWER)(self.power, "power")
