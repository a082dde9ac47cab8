"""The Gibbs sampler of `LIDA`. The model and its conditionals are in `lida`.

Arrays of documents are documents × topics, and arrays of words are words × topics, so that loops over topics read
neighbouring numbers.
"""

from dataclasses import dataclass, field
from math import exp, lgamma
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln

from wideangle.baselines.documents._compiled import compiled
from wideangle.baselines.documents._slice import dirichlet_log_likelihood, slice_positive, slice_sample

ALMOST_ONE = 1 - 1e-9  # A discount of 1 has no distribution.
TOPIC_MASS_MEAN, WORD_MASS_MEAN = 10.0, 1000.0  # the means of the priors of the masses
WITHOUT_MASKS = 0.5  # For this share of the burn-in all masks are on: sparse ones move slowly between modes.

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.uint8]


@compiled
def topic_weights(
    allowed: Ints, n_allowed: int, document: Floats, word: Floats, scale: Floats, weights: Floats
) -> float:
    """(n_dk + α) a_kw (n_kw + β) / (n_k + β s_k) of each topic that the document may have, and their sum."""
    total = 0.0
    for i in range(n_allowed):
        k = allowed[i]
        weights[i] = document[i] * word[k] * scale[k]
        total += weights[i]
    return total


@compiled
def drawn_place(weights: Floats, n_allowed: int, u: float) -> int:
    """The place at which the sum of the weights passes u; a weight of 0 is not taken."""
    last = 0
    for i in range(n_allowed):
        if weights[i] > 0:
            last = i
            u -= weights[i]
            if u < 0:
                break
    return last


@compiled
def sweep_tokens(
    indptr: Ints,
    words: Ints,
    assigned: Ints,
    mask: Mask,
    doc_topic: Ints,
    word_topic: Ints,
    word_weight: Floats,
    topic_weight: Floats,
    alpha: float,
    starting: bool,
    learning: bool,
    rng: Any,
) -> None:
    """Draw the topic of each token, given all masks.

    `words` has one entry per token. `word_weight` is a_kw (n_kw + β) and `topic_weight` n_k + β s_k; both are updated.
    While `starting`, no token has a topic at first. Unless `learning`, `word_weight` holds the probabilities of fixed
    topics, and `topic_weight` is 1.
    """
    K = mask.shape[1]
    # Zeros, so that no mask, whatever a file holds, leads outside of the arrays.
    allowed, place = np.zeros(K, dtype=np.int64), np.zeros(K, dtype=np.int64)
    document, weights = np.empty(K), np.empty(K)
    scale = 1 / topic_weight
    for d in range(len(indptr) - 1):
        n_allowed = 0
        for k in range(K):
            if mask[d, k]:
                allowed[n_allowed] = k
                place[k] = n_allowed
                document[n_allowed] = doc_topic[d, k] + alpha
                n_allowed += 1
        for token in range(indptr[d], indptr[d + 1]):
            w = words[token]
            word = word_weight[w]
            if not starting:
                k = assigned[token]
                document[place[k]] -= 1
                if learning:
                    word[k] -= 1
                    word_topic[w, k] -= 1
                    topic_weight[k] -= 1
                    scale[k] = 1 / topic_weight[k]
            total = topic_weights(allowed, n_allowed, document, word, scale, weights)
            i = drawn_place(weights, n_allowed, rng.random() * total)
            k = allowed[i]
            assigned[token] = k
            document[i] += 1
            if learning:
                word[k] += 1
                word_topic[w, k] += 1
                topic_weight[k] += 1
                scale[k] = 1 / topic_weight[k]
        for i in range(n_allowed):
            doc_topic[d, allowed[i]] = np.int64(document[i] - alpha + 0.5)


@compiled
def without_tokens(prior: float, size: int, n_tokens: int) -> float:
    """How much less likely the tokens of a row are where one more category is allowed, which none of them has.

    Γ(a (s + 1)) Γ(a s + n) / (Γ(a s) Γ(a (s + 1) + n)), with a the Dirichlet's weight, s categories and n tokens.
    """
    if n_tokens == 0:
        return 1.0
    old, new = prior * size, prior * (size + 1)
    return exp(lgamma(new) - lgamma(old) + lgamma(old + n_tokens) - lgamma(new + n_tokens))


@compiled
def update_mask(
    mask: Mask,
    counts: Ints,
    totals: Ints,
    prior: float,
    taken: Ints,
    concentration: float,
    discount: float,
    new_rate: float,
    may_be_empty: bool,
    rng: Any,
) -> None:
    """Draw each entry of a mask, rows × columns, given the topics of all tokens.

    `counts` are the tokens of each entry and `totals` those of each row. `taken` is the number of rows that have each
    column, and is updated. `new_rate` is ρ(1), see `Buffet`. Unless rows may be empty, the last entry of a row stays.
    """
    n_rows, n_columns = mask.shape
    active = 0
    for k in range(n_columns):
        active += taken[k] > 0
    # The likelihood's factor depends on the row's size alone, which is most often one of two neighbouring numbers.
    factor, factor_of = np.empty(2), np.empty(2, dtype=np.int64)
    for d in range(n_rows):
        size = 0
        for k in range(n_columns):
            size += mask[d, k]
        factor_of[:] = -1
        for k in range(n_columns):
            if counts[d, k] > 0:
                continue
            on = np.int64(mask[d, k])
            rest = size - on
            if rest == 0 and not may_be_empty:
                continue
            parity = rest % 2
            if factor_of[parity] != rest:
                factor_of[parity] = rest
                factor[parity] = without_tokens(prior, rest, totals[d])
            others = taken[k] - on
            if others > 0:
                odds = (others - discount) / (n_rows - 1 - others + concentration + discount)
            else:
                active -= on
                odds = new_rate / (n_columns - active)
            odds *= factor[parity]
            now = np.int64(rng.random() * (1 + odds) < odds)
            if others == 0:
                active += now
            if now != on:
                mask[d, k] = now
                size = rest + now
                taken[k] = others + now


@compiled
def fold_in(
    words: Ints, phi: Floats, inclusion: Floats, alpha: float, n_sweeps: int, rng: Any, proportions: Floats
) -> None:
    """Draw topics and mask of one document, with the fixed topics phi (words × topics). The last half is averaged.

    `words` has one row of phi per token. `inclusion` is the probability that a document may have each topic.
    """
    K, n_tokens = len(inclusion), len(words)
    indptr = np.array([0, n_tokens])
    assigned = np.zeros(n_tokens, dtype=np.int64)
    mask = np.ones((1, K), dtype=np.uint8)
    doc_topic = np.zeros((1, K), dtype=np.int64)
    unused = np.zeros((1, 1), dtype=np.int64)
    ones = np.ones(K)
    kept = 0
    for sweep in range(n_sweeps + 1):
        sweep_tokens(indptr, words, assigned, mask, doc_topic, unused, phi, ones, alpha, sweep == 0, False, rng)
        if sweep == 0:
            for k in range(K):
                mask[0, k] = doc_topic[0, k] > 0
        size = 0
        for k in range(K):
            size += mask[0, k]
        for k in range(K):
            if doc_topic[0, k] == 0:
                rest = size - np.int64(mask[0, k])
                if inclusion[k] < 1:
                    odds = inclusion[k] / (1 - inclusion[k]) * without_tokens(alpha, rest, n_tokens)
                    mask[0, k] = rng.random() * (1 + odds) < odds
                else:  # Its odds are infinite.
                    mask[0, k] = 1
                size = rest + np.int64(mask[0, k])
        if 2 * sweep > n_sweeps:
            kept += 1
            for k in range(K):
                proportions[k] += (doc_topic[0, k] + alpha * mask[0, k]) / (n_tokens + alpha * size)
    proportions /= kept


def expected_columns(n_rows: int, concentration: float, discount: float) -> float:
    """The expected number of columns that n rows have, for mass 1.

    Σ_{i=0}^{n−1} Γ(1 + c) Γ(i + c + σ) / (Γ(i + 1 + c) Γ(c + σ))
    """
    c, s = concentration, discount
    rows = np.arange(n_rows) + c
    if s == 0:
        return float(c * (1 / rows).sum())
    # With g(i) = Γ(i + c + σ) / Γ(i + c), a term is proportional to (g(i + 1) − g(i)) / σ, so that the sum telescopes.
    # g(n) / g(0) = ∏ (1 + σ / (i + c)) keeps its digits where Γ's of large numbers would not.
    return float(c * np.expm1(np.log1p(s / rows).sum()) / s)


@dataclass
class Buffet:
    """The three-parameter Indian buffet process as the prior of a mask; rows are customers."""

    mass: float
    concentration: float
    discount: float
    mass_mean: float
    """the mean of the exponential prior of the mass; that of the concentration is 1, and the discount is uniform"""

    def rate(self, n_rows: int) -> float:
        """ρ(1): the rate of columns that one of n rows has, and no other."""
        c, s = self.concentration, self.discount
        return float(
            self.mass * np.exp(gammaln(1 + c) + gammaln(n_rows - 1 + c + s) - gammaln(c + s) - gammaln(n_rows + c))
        )

    def odds(self, others: Ints, n_rows: int, n_free: NDArray[Any]) -> Floats:
        """Prior odds that a row has a column which `others` of the n − 1 other rows have."""
        c, s = self.concentration, self.discount
        return np.where(others > 0, (others - s) / (n_rows - 1 - others + c + s), self.rate(n_rows) / n_free)

    def update(self, taken: Ints, n_rows: int, rng: np.random.Generator) -> None:
        """Draw the three parameters, given how many rows have each column. The mass is integrated out at first."""
        histogram = np.bincount(taken[taken > 0], minlength=n_rows + 1)
        m = np.flatnonzero(histogram)
        h, active = histogram[m], int(histogram.sum())

        def log_density(concentration: float, discount: float) -> float:
            c, s = concentration, discount
            each = gammaln(1 + c) - gammaln(1 - s) - gammaln(c + s) - gammaln(n_rows + c)
            columns = (h * (gammaln(m - s) + gammaln(n_rows - m + c + s))).sum()
            expected = expected_columns(n_rows, c, s)
            return float(active * each + columns - (active + 1) * np.log(1 / self.mass_mean + expected))

        self.discount = slice_sample(lambda s: log_density(self.concentration, s), self.discount, 0.0, ALMOST_ONE, rng)
        self.concentration = slice_positive(lambda c: log_density(c, self.discount), self.concentration, 1.0, rng)
        expected = expected_columns(n_rows, self.concentration, self.discount)
        self.mass = float(rng.gamma(active + 1) / (1 / self.mass_mean + expected))


@dataclass
class LidaChain:
    """Topics of all tokens, both masks, and the hyperparameters."""

    counts: sp.csr_array
    n_topics: int
    alpha: float = 0.1
    beta: float = 0.01
    of_topics: Buffet = field(default_factory=lambda: Buffet(5.0, 1.0, 0.25, TOPIC_MASS_MEAN))
    of_words: Buffet = field(default_factory=lambda: Buffet(100.0, 1.0, 0.25, WORD_MASS_MEAN))
    masked: bool = False
    """whether masks are drawn; before, all are on"""

    def __post_init__(self) -> None:
        D, V = self.counts.shape
        K = self.n_topics
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel().astype(np.int64)
        self.indptr = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)
        self.words = np.repeat(self.counts.indices, self.counts.data).astype(np.int64)
        self.assigned = np.full(len(self.words), -1, dtype=np.int64)
        self.doc_mask, self.word_mask = np.ones((D, K), dtype=np.uint8), np.ones((V, K), dtype=np.uint8)
        self.doc_topic, self.word_topic = np.zeros((D, K), dtype=np.int64), np.zeros((V, K), dtype=np.int64)

    def sweep(self, rng: np.random.Generator, progress: float = 1.0) -> None:
        """Draw topics, then masks. At first all masks are on. Then the categories that have tokens are."""
        self.sweep_tokens(rng)
        if not self.masked and progress >= WITHOUT_MASKS:
            # From a mask that is on everywhere, a mask of few entries would take very long.
            self.masked = True
            self.doc_mask[:] = self.doc_topic > 0
            self.word_mask[:] = self.word_topic > 0
            self.word_mask[:, self.word_topic.sum(axis=0) == 0] = 1
        if self.masked:
            self.sweep_masks(rng)

    def sweep_tokens(self, rng: np.random.Generator) -> None:
        """Draw the topic of every token once. The first time, tokens come one after the other."""
        word_weight = self.word_mask * (self.word_topic + self.beta)
        starting = bool(self.assigned[0] < 0)
        sweep_tokens(
            self.indptr,
            self.words,
            self.assigned,
            self.doc_mask,
            self.doc_topic,
            self.word_topic,
            word_weight,
            word_weight.sum(axis=0),
            self.alpha,
            starting,
            True,
            rng,
        )

    def sweep_masks(self, rng: np.random.Generator) -> None:
        """Draw every entry of both masks once."""
        for buffet, mask, counts, totals, prior, may_be_empty in (
            (self.of_topics, self.doc_mask, self.doc_topic, self.lengths, self.alpha, True),
            (self.of_words, self.word_mask.T, self.word_topic.T, self.word_topic.sum(axis=0), self.beta, False),
        ):
            taken = mask.sum(axis=0, dtype=np.int64)
            update_mask(
                mask,
                counts,
                totals,
                prior,
                taken,
                buffet.concentration,
                buffet.discount,
                buffet.rate(len(mask)),
                may_be_empty,
                rng,
            )

    def update_hyperparameters(self, rng: np.random.Generator) -> None:
        """Draw α, β and the parameters of both masks in turn."""
        self.alpha = self._update_prior(self.alpha, self.doc_mask, self.doc_topic, rng)
        self.beta = self._update_prior(self.beta, self.word_mask.T, self.word_topic.T, rng)
        if self.masked:
            self.of_topics.update(self.doc_mask.sum(axis=0, dtype=np.int64), len(self.doc_mask), rng)
            self.of_words.update(self.word_mask.sum(axis=1, dtype=np.int64), self.n_topics, rng)

    @staticmethod
    def _update_prior(prior: float, mask: Mask, counts: Ints, rng: np.random.Generator) -> float:
        totals = counts.sum(axis=1)
        sizes = mask.sum(axis=1, dtype=np.int64)[totals > 0]
        histogram = np.bincount(counts.ravel())
        totals = totals[totals > 0]
        return slice_positive(lambda a: dirichlet_log_likelihood(a, sizes, totals, histogram), prior, 1.0, rng)

    def estimates(self) -> dict[str, Any]:
        """Expected word probabilities of topics, and the probability that a further document may have each topic.

        A word without tokens in a topic enters with the probability of its mask given everything else, so that no
        probability is 0.
        """
        return {
            "components": self._expected_words(),
            "inclusion": self._inclusion(),
            "alpha": self.alpha,
            "beta": self.beta,
            **_named("topic", self.of_topics),
            **_named("word", self.of_words),
        }

    def _expected_words(self) -> Floats:
        n, on = self.word_topic.T, self.word_mask.T.astype(np.int64)
        totals, sizes = n.sum(axis=1, keepdims=True), on.sum(axis=1, keepdims=True)
        rest = sizes - on
        # As in `without_tokens`, for all entries; a row's only entry stays.
        old, new = self.beta * np.maximum(rest, 1), self.beta * (rest + 1)
        two = np.exp(gammaln(new) - gammaln(old) + gammaln(old + totals) - gammaln(new + totals))
        factor = np.where(totals == 0, 1.0, two)
        taken = on.sum(axis=0)
        others = taken - on
        active = (taken > 0).sum() - ((taken > 0) & (others == 0))
        odds = self.of_words.odds(others, self.n_topics, np.maximum(on.shape[1] - active, 1)) * factor
        p = np.where(rest == 0, 1.0, odds / (1 + odds))
        expected = np.where(n > 0, (n + self.beta) / (totals + self.beta * sizes), p * self.beta / (totals + new))
        return np.asarray(expected / expected.sum(axis=1, keepdims=True))

    def _inclusion(self) -> Floats:
        taken = self.doc_mask.sum(axis=0, dtype=np.int64)
        free = max(int((taken == 0).sum()), 1)
        odds = self.of_topics.odds(taken, len(self.doc_mask) + 1, np.asarray(free))
        return np.asarray(odds / (1 + odds))


def _named(of: str, buffet: Buffet) -> dict[str, float]:
    return {
        f"{of}_mass": buffet.mass,
        f"{of}_concentration": buffet.concentration,
        f"{of}_discount": buffet.discount,
    }
