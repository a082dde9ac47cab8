"""Latent IBP compound Dirichlet allocation (LIDA): LDA whose documents have few topics and whose topics have few words.

The model
---------
Two binary matrices, the masks, say which topics a document may have (b_dk) and which words a topic may have (a_kw).
Each is drawn from a three-parameter Indian buffet process (IBP) with mass η > 0, concentration c > 0 and discount 0 ≤
σ < 1 (Teh and Görür, 2009). Rows of the mask come one after the other. Row i

* takes a column that m earlier rows have with probability (m − σ) / (i − 1 + c), and
* takes Poisson(η Γ(1 + c) Γ(i − 1 + c + σ) / (Γ(i + c) Γ(c + σ))) new columns.

With σ > 0, the number of columns and their popularity follow power laws. Given the masks,

    θ_d ~ Dirichlet(α b_d),   φ_k ~ Dirichlet(β a_k),   z ~ θ_d and w ~ φ_z for each token.

A mask and its Dirichlet have four parameters together, hence the four-parameter IBP compound Dirichlet process. The
rows of b are documents and those of a topics. There are two sets of (η, c, σ).

The truncation
--------------
There are K numbered topics and V numbered words, so that the prior is conditioned: b uses at most K columns, a at
most V, and each new column gets one of the numbers that are free, all with the same chance. It is also conditioned on
masks that can make the tokens: a document that has tokens has at least one topic, and each of the K topics has at
least one word. Hyperparameters and masks are conditioned together, so that no normalising constant depends on the
hyperparameters. A mask of n rows whose column k has m_k of them, with A columns in use of C, then has the
probability, up to a constant,

    (C − A)! · exp(−η Σ_{i≤n} …) · ∏_{k: m_k > 0} ρ(m_k),
    ρ(m) = η Γ(1 + c) / (Γ(1 − σ) Γ(c + σ)) · Γ(m − σ) Γ(n − m + c + σ) / Γ(n + c).

For K → ∞ this is the process itself. The paper's sampler adds topics without a bound.

The sampler
-----------
θ and φ are integrated out. Let n_dk and n_kw be numbers of tokens, n_d and n_k their sums, and s_d and s_k the sizes
of the rows of the masks. With counts without the token or the entry in question,

    p(z = k)  ∝  b_dk (n_dk + α) · a_kw (n_kw + β) / (n_k + β s_k).

An entry b_dk stays on while n_dk > 0. Else its odds are

    [(m − σ) / (n − 1 − m + c + σ)  or, where no other row has the column,  ρ(1) / (K − A)]
    · Γ(α (s + 1)) Γ(α s + n_d) / (Γ(α s) Γ(α (s + 1) + n_d)),

and those of a_kw are alike. Given these, α and β (exponential priors of mean 1), c (the same) and σ (uniform) are
drawn by slice sampling, the last two with η integrated out, and η from its gamma distribution; its exponential prior
has the mean 10 for topics of documents and 1000 for words of topics.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.baselines.documents._gibbs import DISCOUNT, Chain, FoldIn, GibbsTopicModel
from wideangle.finishing import Finish, Granularity
from wideangle.models._parameters import WEIGHT


class LIDA(GibbsTopicModel):
    """Latent IBP compound Dirichlet allocation: a topic model with sparse documents and sparse topics.

    The docstring of the module has the model, its truncation to K topics, and the conditionals of the sampler. numba is
    needed: `pip install 'wideangle[baselines]'`.

    Parameters
    ----------
    n_components : int, default=50
        The number of topics, K.
    alpha, beta : float, default=0.1, 0.01
        The Dirichlet weights of a document's topics and of a topic's words, of those that the masks allow.
    topic_mass, topic_concentration, topic_discount : float, default=5.0, 1.0, 0.25
        η, c and σ of the mask of documents. η is the expected number of topics that a document may have, before the
        truncation.
    word_mass, word_concentration, word_discount : float, default=100.0, 1.0, 0.25
        The same for the words that a topic may have.
    sample_hyperparameters : bool, default=True
        Whether the numbers above are starting values, and are drawn anew after each sweep. False keeps them.
    n_iterations : int, default=300
        The number of sweeps over all tokens and masks.
    burn_in : int, default=150
        The number of first sweeps that the averages leave out. During the first half of them all masks are on, as in
        LDA.
    sample_every : int, default=10
        After the burn-in, every so many sweeps are averaged. Topics keep their numbers within one chain.
    fold_in_iterations : int, default=50
        The number of sweeps of `transform` for each document. The last half is averaged.
    allow_fractions : bool, default=False
        Whether counts with fractions are rounded to whole numbers. False raises an error.
    finish : {"halves", "spectrum"} or None, default=None
        How documents are compared: as the method gives them, or finished as in `ReplicatedSoftmax`.
    granularity : {"details", "balance", "groups"} or float from 0 to 1, default="balance"
        How finely finished documents are told apart; it may be changed after the fit.
    random_state : int, RandomState or None, default=None
        The same seed gives the same result.
    verbose : bool, default=False
        Whether to show progress.

    Attributes
    ----------
    components_ : array of shape (K, V)
        The probability of each word in each topic, as a mean over samples; all are above 0.
    inclusion_ : array of shape (K,)
        The probability that a further document may have each topic, as a mean over samples.
    alpha_, beta_ : float
        Means over samples.
    topic_mass_, topic_concentration_, topic_discount_, word_mass_, word_concentration_, word_discount_ : float
        Means over samples.
    n_samples_ : int
        The number of samples.
    seed_ : int
        The seed of `transform`.

    Notes
    -----
    `transform` takes the topics of a new document's mask as independent, with the probabilities `inclusion_`.

    References
    ----------
    C. Archambeau, B. Lakshminarayanan and G. Bouchard, Latent IBP compound Dirichlet allocation, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 37, 2015.

    Y. W. Teh and D. Görür, Indian buffet processes with power-law behavior, NIPS 2009.

    Examples
    --------
    >>> from wideangle.baselines.documents.lida import LIDA
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 5, 1], [0, 0, 2, 2]] * 5
    >>> model = LIDA(2, n_iterations=60, burn_in=30, random_state=0).fit(X)
    >>> topics = model.transform(X[:4]).argmax(axis=1)
    >>> bool(topics[0] == topics[1] != topics[2] == topics[3])
    True
    """

    def __init__(
        self,
        n_components: int = 50,
        *,
        alpha: float = 0.1,
        beta: float = 0.01,
        topic_mass: float = 5.0,
        topic_concentration: float = 1.0,
        topic_discount: float = 0.25,
        word_mass: float = 100.0,
        word_concentration: float = 1.0,
        word_discount: float = 0.25,
        sample_hyperparameters: bool = True,
        n_iterations: int = 300,
        burn_in: int = 150,
        sample_every: int = 10,
        fold_in_iterations: int = 50,
        allow_fractions: bool = False,
        finish: Finish | None = None,
        granularity: Granularity = "balance",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.topic_mass = topic_mass
        self.topic_concentration = topic_concentration
        self.topic_discount = topic_discount
        self.word_mass = word_mass
        self.word_concentration = word_concentration
        self.word_discount = word_discount
        self.sample_hyperparameters = sample_hyperparameters
        self.n_iterations = n_iterations
        self.burn_in = burn_in
        self.sample_every = sample_every
        self.fold_in_iterations = fold_in_iterations
        self.allow_fractions = allow_fractions
        self.finish = finish
        self.granularity = granularity
        self.random_state = random_state
        self.verbose = verbose

    def _chain(self, counts: sp.csr_array, rng: np.random.Generator) -> Chain:
        from wideangle.baselines.documents._lida_sampler import TOPIC_MASS_MEAN, WORD_MASS_MEAN, Buffet, LidaChain

        of_topics = Buffet(
            float(self.topic_mass), float(self.topic_concentration), float(self.topic_discount), TOPIC_MASS_MEAN
        )
        of_words = Buffet(
            float(self.word_mass), float(self.word_concentration), float(self.word_discount), WORD_MASS_MEAN
        )
        chain = LidaChain(counts, self.n_components, float(self.alpha), float(self.beta), of_topics, of_words)
        chain.sweep_tokens(rng)
        return chain

    def _folder(self) -> FoldIn:
        from wideangle.baselines.documents._lida_sampler import fold_in

        # The sampler would be compiled anew, for many seconds, for each other type of numbers.
        phi = np.ascontiguousarray(self.components_.T, dtype=np.float64)
        inclusion = np.ascontiguousarray(self.inclusion_, dtype=np.float64)
        before = prior_mean(inclusion)

        def folded(words: NDArray[np.int64], numbers: NDArray[np.int64], rng: np.random.Generator) -> "FoldedDocument":
            if len(words) == 0:
                return FoldedDocument(before)
            proportions = np.zeros(len(before))
            tokens = np.repeat(np.arange(len(words)), numbers)
            fold_in(tokens, phi[words], inclusion, self.alpha_, self.fold_in_iterations, rng, proportions)
            return FoldedDocument(proportions)

        return folded

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_numbers(WEIGHT, "alpha", "beta", "topic_mass", "word_mass")
        self._check_numbers(WEIGHT, "topic_concentration", "word_concentration")
        self._check_numbers(DISCOUNT, "topic_discount", "word_discount")


def prior_mean(inclusion: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected proportions of a document without words, E[b_k / s] given that s = Σ_k b_k is at least 1.

    With independent entries, E[b_k / s] = p_k ∫₀¹ ∏_{l≠k} (1 − p_l + p_l u) du. The integrand is a polynomial of degree
    K − 1, for which Gauss's rule with K / 2 points is exact.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.baselines.documents.lida import prior_mean
    >>> prior_mean(np.array([0.5, 0.5])).round(12).tolist()
    [0.5, 0.5]
    """
    points, weights = np.polynomial.legendre.leggauss(len(inclusion) // 2 + 1)
    u = (points + 1) / 2
    factors = 1 - inclusion[:, None] * (1 - u)
    logs = np.log(factors)
    integrals = np.exp(logs.sum(axis=0) - logs) @ (weights / 2)
    expected = inclusion * integrals
    return np.asarray(expected / expected.sum())


@dataclass
class FoldedDocument:
    """The mean of a document's topic proportions over samples."""

    proportions: NDArray[np.float64]

    def probabilities(
        self, words: NDArray[np.int64], known: NDArray[np.int64], topics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """p(w) = Σ_k θ_k φ_kw of the next token."""
        return np.asarray(self.proportions @ topics[:, words])
