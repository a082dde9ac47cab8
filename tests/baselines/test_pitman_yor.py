"""The Pitman–Yor topic model against exact posteriors, the joint-distribution test, and LDA."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from gibbs_checks import assert_chains_agree, assert_means_agree, lda_cells, urn, with_products

from wideangle.baselines.documents import _pitman_yor_sampler as sampler
from wideangle.baselines.documents._pitman_yor_sampler import PitmanYorChain
from wideangle.baselines.documents.pitman_yor import PitmanYorTopicModel

TINY = np.array([[3, 1, 0], [1, 0, 2]])


def seatings(counts, K, alpha, beta, discount, concentration, phi=None):
    """All seatings of all tokens, one token after the other, each with its probability and that of the words.

    A seating is a list of tables (document, word, topic, size). With phi the topics are fixed.
    """
    D, V = counts.shape
    tokens = [(d, w) for d in range(D) for w in range(V) for _ in range(counts[d, w])]

    def continued(tables, p, i):
        if i == len(tokens):
            yield tables, p
            return
        d, w = tokens[i]
        here = [table for table in tables if table[0] == d]
        n, T = sum(table[3] for table in here), len(here)
        for t, (dd, ww, k, size) in enumerate(tables):
            if (dd, ww) == (d, w):
                joined = [*tables[:t], (d, w, k, size + 1), *tables[t + 1 :]]
                yield from continued(joined, p * (size - discount) / (concentration + n), i + 1)
        opening = p * (concentration + discount * T) / (concentration + n)
        for k in range(K):
            in_topic = [table for table in tables if table[2] == k]
            theta = (sum(table[2] == k for table in here) + alpha) / (T + K * alpha)
            word = (sum(table[1] == w for table in in_topic) + beta) / (len(in_topic) + V * beta)
            if phi is not None:
                word = phi[k, w]
            yield from continued([*tables, (d, w, k, 1)], opening * theta * word, i + 1)

    return continued([], 1.0, 0)


def seen(tables, counts):
    """For each cell its tables, those of topic 0, its largest table, and products of these."""
    values = []
    for d, w in zip(*np.nonzero(counts), strict=True):
        own = [table for table in tables if table[:2] == (d, w)]
        values += [len(own), sum(table[2] == 0 for table in own), max(table[3] for table in own)]
    return with_products(values)


def tables_of(chain):
    found = []
    for d in range(chain.counts.shape[0]):
        for cell in range(chain.indptr[d], chain.indptr[d + 1]):
            for slot in range(chain.slots[cell], chain.slots[cell] + chain.tables[cell]):
                found.append((d, int(chain.words[cell]), int(chain.topics[slot]), int(chain.sizes[slot])))
    return found


def ran(chain, n_sweeps, seed, see):
    rng = np.random.default_rng(seed)
    chain.sweep(rng)
    series = []
    for _ in range(n_sweeps):
        chain.sweep(rng)
        series.append(see(chain))
    return np.array(series)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("discount", "concentration"), [(0.6, 0.7), (0.0, 1.5), (0.9, 3.0)])
def test_the_chain_has_the_exact_posterior(discount, concentration):
    alpha, beta = 0.4, 0.3
    every = [(seen(tables, TINY), p) for tables, p in seatings(TINY, 2, alpha, beta, discount, concentration)]
    values, p = np.array([value for value, _ in every]), np.array([p for _, p in every])
    exact = p @ values / p.sum()
    chain = PitmanYorChain(sp.csr_array(TINY), 2, alpha, beta, discount, concentration)
    series = ran(chain, 6000, 0, lambda chain: seen(tables_of(chain), TINY))
    assert_means_agree(series, exact, range(len(exact)))


def drawn_corpus(rng, lengths, K, V, mean):
    """Hyperparameters and tables from the prior, by the generative story."""
    alpha, beta, discount = rng.exponential(), rng.exponential(), rng.uniform()
    concentration = mean * rng.exponential()
    words = [Counter() for _ in range(K)]
    tables = []
    for d, length in enumerate(lengths):
        topics, own = Counter(), []
        for i in range(length):
            weights = [table[3] - discount for table in own] + [concentration + discount * len(own)]
            t = rng.choice(len(weights), p=np.array(weights) / (concentration + i))
            if t < len(own):
                own[t][3] += 1
                continue
            k = urn(range(K), topics, alpha, rng)
            own.append([d, urn(range(V), words[k], beta, rng), k, 1])
        tables += [tuple(table) for table in own]
    return (alpha, beta, discount, concentration), tables


def told(hyperparameters, tables):
    alpha, beta, discount, concentration = hyperparameters
    documents = Counter(table[0] for table in tables)
    words = Counter(table[1] for table in tables)
    cells = Counter()
    for d, w, _, size in tables:
        cells[d, w] += size
    return [
        np.log(alpha),
        np.log(beta),
        discount,
        discount**2,
        np.log(concentration),
        len(tables),
        len(tables) ** 2,
        documents[0],
        len(words),
        len(cells),
        max(cells.values()),
        sum(table[2] == 0 for table in tables),
        sum(table[2] == 0 for table in tables) ** 2,
        sum(table[3] ** 2 for table in tables),
        discount * len(tables),
        np.log(concentration) * len(tables),
        np.log(alpha) * len({table[2] for table in tables}),
        np.log(beta) * len(words),
    ]


def chain_with(tables, hyperparameters, n_documents, K, V, mean):
    """A chain whose state is these tables."""
    counts = np.zeros((n_documents, V), dtype=np.int64)
    for d, w, _, size in tables:
        counts[d, w] += size
    alpha, beta, discount, concentration = hyperparameters
    chain = PitmanYorChain(sp.csr_array(counts), K, alpha, beta, discount, concentration, mean)
    for d in range(n_documents):
        for cell in range(chain.indptr[d], chain.indptr[d + 1]):
            own = [table for table in tables if table[:2] == (d, chain.words[cell])]
            chain.tables[cell] = len(own)
            for slot, (_, _, k, size) in enumerate(own, start=chain.slots[cell]):
                chain.topics[slot], chain.sizes[slot] = k, size
    chain.seated = True
    return chain


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_joint_distribution_of_geweke(seed):
    lengths, K, V, mean = (4, 3, 2), 2, 3, 3.0
    rng = np.random.default_rng(seed)
    marginal = [told(*drawn_corpus(rng, lengths, K, V, mean)) for _ in range(4000)]
    hyperparameters, tables = drawn_corpus(rng, lengths, K, V, mean)
    successive = []
    for _ in range(4000):
        chain = chain_with(tables, hyperparameters, len(lengths), K, V, mean)
        chain.sweep(rng)
        chain.update_hyperparameters(rng)
        hyperparameters = (chain.alpha, chain.beta, chain.discount, chain.concentration)
        words = [Counter() for _ in range(K)]  # New words for the same tables and topics.
        tables = [(d, urn(range(V), words[k], chain.beta, rng), k, size) for d, _, k, size in tables_of(chain)]
        successive.append(told(hyperparameters, tables))
    assert_chains_agree(marginal, successive, range(len(marginal[0])))


def test_without_discount_and_with_a_huge_concentration_it_is_lda():
    counts = np.array([[2, 1, 0], [1, 0, 2]])
    exact = lda_cells(counts, 2, 0.4, 0.3)
    chain = PitmanYorChain(sp.csr_array(counts), 2, 0.4, 0.3, 0.0, 1e12)

    def in_first(chain):
        assert (chain.sizes == 1).all()
        topics = np.add.reduceat(chain.topics == 0, chain.slots[:-1], dtype=int)
        return with_products(topics)

    assert_means_agree(ran(chain, 6000, 0, in_first), exact, range(len(exact)))


def test_the_weights_of_a_new_table_are_those_of_lda():
    rng = np.random.default_rng(0)
    K, V, alpha, beta = 7, 5, 0.3, 0.2
    n_jk, m_kw = rng.integers(0, 5, K), rng.integers(0, 9, (K, V))
    weights = np.empty(K)
    total = sampler.topic_weights(n_jk + alpha, m_kw[:, 2] + beta, 1 / (m_kw.sum(axis=1) + V * beta), weights)
    lda = [(n_jk[k] + alpha) * (m_kw[k, 2] + beta) / (m_kw[k].sum() + V * beta) for k in range(K)]
    assert np.allclose(weights, lda)
    assert np.isclose(total, sum(lda))


def fitted_by_hand(phi, alpha, discount, concentration, **settings):
    model = PitmanYorTopicModel(len(phi), n_iterations=2, burn_in=1, random_state=0, **settings)
    model.fit(np.ones((2, phi.shape[1])))
    model.components_, model.alpha_, model.discount_, model.concentration_ = phi, alpha, discount, concentration
    return model


def test_folding_in_has_the_exact_posterior():
    phi = np.array([[0.6, 0.3, 0.1], [0.1, 0.1, 0.8]])
    alpha, discount, concentration = 0.4, 0.5, 0.8
    document = np.array([[3, 0, 1]])
    mean, after, total = np.zeros(2), np.zeros(3), 0.0
    for tables, p in seatings(document, 2, alpha, 1.0, discount, concentration, phi):
        theta = np.array([sum(table[2] == k for table in tables) + alpha for k in range(2)])
        theta /= theta.sum()
        next_word = (concentration + discount * len(tables)) * theta @ phi
        for _, w, _, size in tables:
            next_word[w] += size - discount
        mean, after, total = mean + p * theta, after + p * next_word / (concentration + 4), total + p
    model = fitted_by_hand(phi, alpha, discount, concentration, fold_in_iterations=40000)
    assert np.allclose(model.transform(document)[0], mean / total, atol=0.01)
    folded = model._folder()(np.array([0, 2]), np.array([3, 1]), np.random.default_rng(0))
    found = folded.probabilities(np.arange(3), document[0], phi)
    assert np.allclose(found, after / total, atol=0.01)
    assert np.isclose(found.sum(), 1)


def test_tables_stay_consistent():
    rng = np.random.default_rng(0)
    counts = sp.csr_array(rng.poisson(0.7, (30, 20)))
    chain = PitmanYorChain(counts, 5, 0.1, 0.1, 0.5, 2.0)
    for _ in range(20):
        chain.sweep(rng)
        chain.update_hyperparameters(rng)
        taken = chain._taken()
        cell_of = np.repeat(np.arange(counts.nnz), counts.data)
        assert (np.bincount(cell_of, chain.sizes * taken) == counts.data).all()
        assert (chain.sizes[taken] > 0).all()
        assert (chain.topics[taken] < 5).all()
        word_topic = np.zeros((20, 5))
        np.add.at(word_topic, (chain.words[cell_of[taken]], chain.topics[taken]), 1)
        kept = chain.word_topic - chain.word_topic.min()
        assert np.allclose(kept, word_topic - word_topic.min())
    assert 0 < chain.discount < 1
