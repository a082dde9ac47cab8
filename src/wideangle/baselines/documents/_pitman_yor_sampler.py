"""The Gibbs sampler of `PitmanYorTopicModel`. The model and its conditionals are in `pitman_yor`.

A cell is one word of one document, with n tokens. Tokens of a cell are exchangeable, so that only the tables are kept:
cell c owns the slots `slots[c]` to `slots[c + 1]`, as many as it has tokens, and its `tables[c]` tables take the first
of them. A table has a size and a topic.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import gammaln

from wideangle.baselines.documents._compiled import compiled
from wideangle.baselines.documents._slice import dirichlet_log_likelihood, slice_positive, slice_sample

CONCENTRATION_MEAN = 100.0  # the mean of the prior of the concentration; those of α and β have mean 1
ALMOST_ONE = 1 - 1e-9  # A discount of 1 has no distribution.

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled
def topic_weights(document: Floats, word: Floats, scale: Floats, weights: Floats) -> float:
    """(n_jk + α)(m_kw + β) / (m_k + Vβ) of each topic, and their sum."""
    total = 0.0
    for k in range(len(weights)):
        weights[k] = document[k] * word[k] * scale[k]
        total += weights[k]
    return total


@compiled
def drawn_topic(weights: Floats, u: float) -> int:
    """The topic at which the sum of the weights passes u."""
    for k in range(len(weights) - 1):
        u -= weights[k]
        if u < 0:
            return k
    return len(weights) - 1


@compiled
def sweep_document(
    first_cell: int,
    last_cell: int,
    words: Ints,
    slots: Ints,
    tables: Ints,
    sizes: Ints,
    topics: Ints,
    word_topic: Floats,
    topic_total: Floats,
    scale: Floats,
    alpha: float,
    discount: float,
    concentration: float,
    seating: bool,
    learning: bool,
    document: Floats,
    weights: Floats,
    rng: Any,
) -> int:
    """Seat every token of a document once, and give each larger table a topic. Returns the number of tables.

    While `seating`, no token has a seat at first. Unless `learning`, the topics are fixed: `word_topic` holds their
    probabilities, and `scale` is 1. `document` is filled with n_jk + α, and `weights` is overwritten.
    """
    K = len(document)
    document[:] = alpha
    n_tables = 0
    if not seating:
        for cell in range(first_cell, last_cell):
            for slot in range(slots[cell], slots[cell] + tables[cell]):
                document[topics[slot]] += 1
            n_tables += tables[cell]
    for cell in range(first_cell, last_cell):
        start = slots[cell]
        n_tokens = slots[cell + 1] - start
        word = word_topic[words[cell]]
        for step in range(n_tokens):
            seated = step
            if not seating:
                # A token of the cell, all with the same chance, leaves its table.
                seated = n_tokens - 1
                slot, left = start, np.int64(rng.random() * n_tokens)
                while left >= sizes[slot]:
                    left -= sizes[slot]
                    slot += 1
                sizes[slot] -= 1
                if sizes[slot] == 0:
                    k = topics[slot]
                    document[k] -= 1
                    if learning:
                        word[k] -= 1
                        topic_total[k] -= 1
                        scale[k] = 1 / topic_total[k]
                    tables[cell] -= 1
                    n_tables -= 1
                    sizes[slot] = sizes[start + tables[cell]]
                    topics[slot] = topics[start + tables[cell]]
            total = topic_weights(document, word, scale, weights)
            share = (concentration + discount * n_tables) / (n_tables + K * alpha)
            old = seated - discount * tables[cell]
            u = rng.random() * (share * total + old)
            if tables[cell] == 0 or u < share * total:
                k = drawn_topic(weights, u / share)
                document[k] += 1
                if learning:
                    word[k] += 1
                    topic_total[k] += 1
                    scale[k] = 1 / topic_total[k]
                sizes[start + tables[cell]] = 1
                topics[start + tables[cell]] = k
                tables[cell] += 1
                n_tables += 1
            else:
                u -= share * total
                slot, last = start, start + tables[cell] - 1
                while slot < last and u >= sizes[slot] - discount:
                    u -= sizes[slot] - discount
                    slot += 1
                sizes[slot] += 1
        # A table of one token got its topic with the token. The others would keep theirs for long.
        for slot in range(start, start + tables[cell]):
            if sizes[slot] == 1:
                continue
            k = topics[slot]
            document[k] -= 1
            if learning:
                word[k] -= 1
                topic_total[k] -= 1
                scale[k] = 1 / topic_total[k]
            total = topic_weights(document, word, scale, weights)
            k = drawn_topic(weights, rng.random() * total)
            document[k] += 1
            if learning:
                word[k] += 1
                topic_total[k] += 1
                scale[k] = 1 / topic_total[k]
            topics[slot] = k
    return n_tables


@compiled
def sweep_corpus(
    indptr: Ints,
    words: Ints,
    slots: Ints,
    tables: Ints,
    sizes: Ints,
    topics: Ints,
    word_topic: Floats,
    topic_total: Floats,
    alpha: float,
    discount: float,
    concentration: float,
    seating: bool,
    n_tables: Ints,
    topic_histogram: Ints,
    rng: Any,
) -> None:
    """One sweep over all documents.

    `n_tables` is filled with the tables of each document. `topic_histogram[n]` becomes the number of (document,
    topic) with n tables.
    """
    K = len(topic_total)
    document, weights = np.empty(K), np.empty(K)
    scale = 1 / topic_total
    topic_histogram[:] = 0
    for j in range(len(indptr) - 1):
        n_tables[j] = sweep_document(
            indptr[j],
            indptr[j + 1],
            words,
            slots,
            tables,
            sizes,
            topics,
            word_topic,
            topic_total,
            scale,
            alpha,
            discount,
            concentration,
            seating,
            True,
            document,
            weights,
            rng,
        )
        for k in range(K):
            topic_histogram[np.int64(document[k] - alpha + 0.5)] += 1


@compiled
def count_tables(words: Ints, slots: Ints, tables: Ints, topics: Ints, word_topic: Floats) -> None:
    """Add the tables of each word and topic to `word_topic`."""
    for cell in range(len(words)):
        for slot in range(slots[cell], slots[cell] + tables[cell]):
            word_topic[words[cell], topics[slot]] += 1


@compiled
def fold_in(
    words: Ints,
    slots: Ints,
    phi: Floats,
    alpha: float,
    discount: float,
    concentration: float,
    n_sweeps: int,
    rng: Any,
    proportions: Floats,
    new_topics: Floats,
    mean_tables: Floats,
) -> None:
    """Seat one document's tokens, with the fixed topics phi (words × topics). The last half of the sweeps is averaged.

    `proportions` gets the mean of θ, `new_topics` that of (γ + d T) θ, and `mean_tables` that of each word's tables.
    """
    K = len(proportions)
    tables = np.zeros(len(words), dtype=np.int64)
    sizes, topics = np.zeros(slots[-1], dtype=np.int64), np.zeros(slots[-1], dtype=np.int64)
    document, weights = np.empty(K), np.empty(K)
    ones, unused = np.ones(K), np.ones(K)
    rows = np.arange(len(words))
    kept = 0
    for sweep in range(n_sweeps + 1):
        n_tables = sweep_document(
            0,
            len(words),
            rows,
            slots,
            tables,
            sizes,
            topics,
            phi,
            unused,
            ones,
            alpha,
            discount,
            concentration,
            sweep == 0,
            False,
            document,
            weights,
            rng,
        )
        if 2 * sweep > n_sweeps:
            kept += 1
            for k in range(K):
                theta = document[k] / (n_tables + K * alpha)
                proportions[k] += theta
                new_topics[k] += (concentration + discount * n_tables) * theta
            mean_tables += tables
    proportions /= kept
    new_topics /= kept
    mean_tables /= kept


def seating_log_likelihood(
    discount: float, concentration: float, lengths: Ints, more_than: Ints, size_histogram: Ints
) -> float:
    """Log-probability of who sits with whom, for all documents.

    `more_than[t]` is the number of documents with more than t tables, and `size_histogram[c]` that of tables of c
    tokens. Both have an entry 0, which is not used.
    """
    t, c = np.arange(1, len(more_than)), np.flatnonzero(size_histogram[1:]) + 1
    opened = (more_than[1:] * np.log(concentration + discount * t)).sum()
    joined = (size_histogram[c] * (gammaln(c - discount) - gammaln(1 - discount))).sum()
    return float(opened + joined + (gammaln(concentration + 1) - gammaln(concentration + lengths)).sum())


@dataclass
class PitmanYorChain:
    """The tables of all documents, and the hyperparameters."""

    counts: sp.csr_array
    n_topics: int
    alpha: float
    beta: float
    discount: float
    concentration: float
    concentration_mean: float = CONCENTRATION_MEAN

    def __post_init__(self) -> None:
        self.indptr = self.counts.indptr.astype(np.int64)
        self.words = self.counts.indices.astype(np.int64)
        self.slots = np.concatenate([[0], np.cumsum(self.counts.data)]).astype(np.int64)
        self.tables = np.zeros(len(self.words), dtype=np.int64)
        self.sizes = np.zeros(self.slots[-1], dtype=np.int64)
        self.topics = np.zeros(self.slots[-1], dtype=np.int64)
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel().astype(np.int64)
        self.n_tables = np.zeros(len(self.lengths), dtype=np.int64)
        self.topic_histogram = np.zeros(self.lengths.max() + 1, dtype=np.int64)
        self.seated = False
        self._count()

    def _count(self) -> None:
        """m_kw + β and m_k + Vβ, anew from the tables, so that rounding errors do not add up."""
        V = self.counts.shape[1]
        self.word_topic = np.full((V, self.n_topics), self.beta)
        count_tables(self.words, self.slots, self.tables, self.topics, self.word_topic)
        self.topic_total = self.word_topic.sum(axis=0)

    def sweep(self, rng: np.random.Generator, progress: float = 1.0) -> None:
        """Seat every token once. The first sweep seats one after the other, by the tables so far."""
        self._count()
        sweep_corpus(
            self.indptr,
            self.words,
            self.slots,
            self.tables,
            self.sizes,
            self.topics,
            self.word_topic,
            self.topic_total,
            self.alpha,
            self.discount,
            self.concentration,
            not self.seated,
            self.n_tables,
            self.topic_histogram,
            rng,
        )
        self.seated = True

    def update_hyperparameters(self, rng: np.random.Generator) -> None:
        """Draw discount, concentration, α and β in turn, given the tables."""
        written = self.lengths > 0
        lengths, n_tables = self.lengths[written], self.n_tables[written]
        more_than = n_tables.size - np.cumsum(np.bincount(n_tables))
        sizes = np.bincount(self.sizes[self._taken()], minlength=2)

        def seating(discount: float, concentration: float) -> float:
            return seating_log_likelihood(discount, concentration, lengths, more_than, sizes)

        self.discount = slice_sample(lambda d: seating(d, self.concentration), self.discount, 0.0, ALMOST_ONE, rng)
        self.concentration = slice_positive(
            lambda g: seating(self.discount, g), self.concentration, self.concentration_mean, rng
        )
        K, V = self.n_topics, self.counts.shape[1]
        allowed = np.full(len(n_tables), K)
        self.alpha = slice_positive(
            lambda a: dirichlet_log_likelihood(a, allowed, n_tables, self.topic_histogram), self.alpha, 1.0, rng
        )
        m = np.rint(self.word_topic - self.beta).astype(np.int64)
        totals, histogram = m.sum(axis=0), np.bincount(m.ravel())
        totals = totals[totals > 0]
        self.beta = slice_positive(
            lambda b: dirichlet_log_likelihood(b, np.full(len(totals), V), totals, histogram), self.beta, 1.0, rng
        )

    def _taken(self) -> NDArray[np.bool_]:
        """Which slots hold a table."""
        in_cell = np.arange(len(self.sizes)) - np.repeat(self.slots[:-1], np.diff(self.slots))
        return in_cell < np.repeat(self.tables, np.diff(self.slots))

    def estimates(self) -> dict[str, Any]:
        """The topics' expected word probabilities given the tables, and the hyperparameters."""
        self._count()
        return {
            "components": np.ascontiguousarray((self.word_topic / self.topic_total).T),
            "alpha": self.alpha,
            "beta": self.beta,
            "discount": self.discount,
            "concentration": self.concentration,
        }
