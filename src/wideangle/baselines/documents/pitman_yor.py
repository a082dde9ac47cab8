"""The Pitman–Yor topic model: LDA whose documents repeat words by a power law.

The model
---------
K topics are distributions of V words, φ_k ~ Dirichlet(β, …, β). Document j has topic proportions θ_j ~ Dirichlet(α, …,
α), and its N_j tokens are customers of a restaurant. With i − 1 customers at T tables, of which table t has c_t,

* customer i sits at table t with probability (c_t − d) / (γ + i − 1), and
* at a new table with probability (γ + d T) / (γ + i − 1).

A new table draws a topic z ~ θ_j and then a word w ~ φ_z, and each of its customers is a token of that word. So a
document repeats words that it has, without asking the topics again. The discount 0 ≤ d < 1 makes the sizes of tables,
and so the frequencies of words in a document, a power law. γ > 0 is the concentration. With γ → ∞ every token has a
table of its own, and the model is LDA. All documents share d and γ.

The sampler
-----------
θ and φ are integrated out. Let n_jk be the number of tables of document j with topic k, m_kw that of tables with topic
k and word w in all documents, m_k = Σ_w m_kw, and T_j = Σ_k n_jk. The hidden variables have the joint probability

    ∏_j [ ∏_{t=1}^{T_j − 1} (γ + t d) · Γ(γ + 1) / Γ(γ + N_j) · ∏_t Γ(c_t − d) / Γ(1 − d) ]
    · ∏_j [ Γ(Kα) / Γ(Kα + T_j) · ∏_k Γ(n_jk + α) / Γ(α) ] · ∏_k [ Γ(Vβ) / Γ(Vβ + m_k) · ∏_w Γ(m_kw + β) / Γ(β) ].

A token of word w leaves its table, which vanishes if it is empty. Then, with all counts without this token,

    p(table t that has word w)    ∝  c_t − d,
    p(new table with topic k)     ∝  (γ + d T_j) · (n_jk + α) / (T_j + Kα) · (m_kw + β) / (m_k + Vβ).

Tables of other words have probability 0. The topic of a whole table, with counts without this table, has

    p(z = k)  ∝  (n_jk + α) · (m_kw + β) / (m_k + Vβ).

Given the tables, d, γ, α and β are drawn in turn by slice sampling. d is uniform, and the others have exponential
priors with the means 100 (γ) and 1 (α, β).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.baselines.documents._gibbs import DISCOUNT, Chain, FoldIn, GibbsTopicModel
from wideangle.finishing import Finish, Granularity
from wideangle.models._parameters import WEIGHT


class PitmanYorTopicModel(GibbsTopicModel):
    """A topic model whose documents repeat words by a power law (PYTM), fitted by collapsed Gibbs sampling.

    Tokens of a document share tables, and only tables have topics: a word that a document has often need not weigh more
    for its topics than a word that it has once. The docstring of the module has the model and its conditionals. numba
    is needed: `pip install 'wideangle[baselines]'`.

    Parameters
    ----------
    n_components : int, default=50
        The number of topics, K.
    alpha, beta : float, default=0.1, 0.01
        The Dirichlet weights of a document's topics and of a topic's words, all alike.
    discount : float, default=0.5
        d, at least 0 and below 1.
    concentration : float, default=10.0
        γ, above 0.
    sample_hyperparameters : bool, default=True
        Whether the four numbers above are starting values, and are drawn anew after each sweep. False keeps them.
    n_iterations : int, default=300
        The number of sweeps over all tokens.
    burn_in : int, default=150
        The number of first sweeps that the averages leave out.
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
        The probability of each word in each topic, as a mean over samples.
    alpha_, beta_, discount_, concentration_ : float
        Means over samples.
    n_samples_ : int
        The number of samples.
    seed_ : int
        The seed of `transform`.

    References
    ----------
    I. Sato and H. Nakagawa, Topic models with power-law using Pitman–Yor process, KDD 2010.

    Examples
    --------
    >>> from wideangle.baselines.documents.pitman_yor import PitmanYorTopicModel
    >>> X = [[3, 2, 0, 0], [2, 4, 0, 0], [0, 0, 5, 1], [0, 0, 2, 2]] * 5
    >>> model = PitmanYorTopicModel(2, n_iterations=60, burn_in=30, random_state=0).fit(X)
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
        discount: float = 0.5,
        concentration: float = 10.0,
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
        self.discount = discount
        self.concentration = concentration
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
        from wideangle.baselines.documents._pitman_yor_sampler import PitmanYorChain

        chain = PitmanYorChain(
            counts,
            self.n_components,
            float(self.alpha),
            float(self.beta),
            float(self.discount),
            float(self.concentration),
        )
        chain.sweep(rng)
        return chain

    def _folder(self) -> FoldIn:
        from wideangle.baselines.documents._pitman_yor_sampler import fold_in

        # The sampler would be compiled anew, for many seconds, for each other type of numbers.
        phi = np.ascontiguousarray(self.components_.T, dtype=np.float64)
        K = phi.shape[1]

        def folded(words: NDArray[np.int64], numbers: NDArray[np.int64], rng: np.random.Generator) -> "FoldedDocument":
            n_tokens = int(numbers.sum())
            proportions, new_topics, tables = np.zeros(K), np.zeros(K), np.zeros(len(words))
            if n_tokens == 0:  # the prior
                proportions += 1 / K
                new_topics += self.concentration_ / K
            else:
                slots = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
                fold_in(
                    words,
                    slots,
                    phi[words],
                    self.alpha_,
                    self.discount_,
                    self.concentration_,
                    self.fold_in_iterations,
                    rng,
                    proportions,
                    new_topics,
                    tables,
                )
            repeated = numbers - self.discount_ * tables
            return FoldedDocument(proportions, new_topics, repeated, n_tokens + self.concentration_)

        return folded

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_numbers(WEIGHT, "alpha", "beta", "concentration")
        self._check_numbers(DISCOUNT, "discount")


@dataclass
class FoldedDocument:
    """What the tables of one document say, as means over samples."""

    proportions: NDArray[np.float64]
    new_topics: NDArray[np.float64]
    """(γ + d T) θ"""
    repeated: NDArray[np.float64]
    """Σ_t (c_t − d) over the tables of each word of the document"""
    normalizer: float
    """γ + N"""

    def probabilities(
        self, words: NDArray[np.int64], known: NDArray[np.int64], topics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """p(w) = [Σ_t (c_t − d) over tables of w + (γ + d T) Σ_k θ_k φ_kw] / (γ + N) of the next token."""
        weight = self.new_topics @ topics[:, words]
        weight[known > 0] += self.repeated
        return np.asarray(weight / self.normalizer)
