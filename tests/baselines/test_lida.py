"""LIDA against exact posteriors, the joint-distribution test, and LDA."""

from collections import Counter
from itertools import product
from math import exp, factorial, gamma

import numpy as np
import pytest
import scipy.sparse as sp
from gibbs_checks import assert_chains_agree, assert_means_agree, lda_cells, urn, with_products
from scipy.special import gammaln

from wideangle.baselines.documents import _lida_sampler as sampler
from wideangle.baselines.documents._lida_sampler import Buffet, LidaChain, expected_columns
from wideangle.baselines.documents.lida import LIDA, prior_mean

TINY = np.array([[2, 1, 0], [0, 1, 1]])


def new_rate(i, mass, c, s):
    """The rate of new columns of row i (from 1)."""
    return mass * gamma(1 + c) * gamma(i - 1 + c + s) / (gamma(i + c) * gamma(c + s))


def mask_probability(mask, mass, c, s):
    """Row after row. New columns are a set of numbers that are free, all sets with the same chance."""
    p, (n, C) = 1.0, mask.shape
    for i in range(1, n + 1):
        taken = mask[: i - 1].sum(axis=0)
        for k in range(C):
            if taken[k]:
                q = (taken[k] - s) / (i - 1 + c)
                p *= q if mask[i - 1, k] else 1 - q
        free, new = int((taken == 0).sum()), int((mask[i - 1] * (taken == 0)).sum())
        rate = new_rate(i, mass, c, s)
        p *= exp(-rate) * rate**new / factorial(new)
        p *= factorial(new) * factorial(free - new) / factorial(free)
    return p


def urn_probability(draws, allowed, prior):
    """Draws from a categorical distribution with a Dirichlet prior on the allowed categories, one after the other."""
    seen, p = Counter(), 1.0
    for i, draw in enumerate(draws):
        p *= (seen[draw] + prior) * allowed[draw] / (i + prior * sum(allowed)) if sum(allowed) else 0.0
        seen[draw] += 1
    return p


def seen(doc_mask, word_mask, z):
    """Entries of both masks, whether tokens have topic 0, and products of these."""
    return with_products(np.concatenate([doc_mask.ravel(), word_mask.ravel(), np.asarray(z) == 0]))


def masks(rows, columns):
    for bits in product((0, 1), repeat=rows * columns):
        yield np.array(bits).reshape(rows, columns)


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("of_topics", "of_words"), [((1.5, 0.8, 0.4), (2.0, 1.2, 0.6)), ((0.6, 2.0, 0.0), (4.0, 0.5, 0.2))]
)
def test_the_chain_has_the_exact_posterior(of_topics, of_words):
    K, (D, V), alpha, beta = 2, TINY.shape, 0.7, 0.5
    documents = [[w for w in range(V) for _ in range(TINY[d, w])] for d in range(D)]
    tokens = [(d, w) for d in range(D) for w in documents[d]]
    doc_masks = [(mask, mask_probability(mask, *of_topics)) for mask in masks(D, K)]
    word_masks = [(mask, mask_probability(mask, *of_words)) for mask in masks(K, V) if mask.any(axis=1).all()]
    mean, total = 0.0, 0.0
    for z in product(range(K), repeat=len(tokens)):
        by_document = [[k for (d, _), k in zip(tokens, z, strict=True) if d == dd] for dd in range(D)]
        by_topic = [[w for (_, w), k in zip(tokens, z, strict=True) if k == kk] for kk in range(K)]
        for b, p_b in doc_masks:
            p_z = p_b * np.prod([urn_probability(by_document[d], b[d], alpha) for d in range(D)])
            if p_z == 0:
                continue
            for a, p_a in word_masks:
                p = p_z * p_a * np.prod([urn_probability(by_topic[k], a[k], beta) for k in range(K)])
                if p:
                    mean, total = mean + p * seen(b, a, z), total + p
    chain = LidaChain(sp.csr_array(TINY), K, alpha, beta, Buffet(*of_topics, 1.0), Buffet(*of_words, 1.0))
    rng = np.random.default_rng(0)
    series = []
    for _ in range(20000):
        chain.sweep(rng)
        series.append(seen(chain.doc_mask, chain.word_mask.T, chain.assigned))
    assert_means_agree(series[100:], mean / total, range(len(mean)))


def drawn_mask(rng, n, C, mass, c, s):
    """A mask by the buffet's story; None where it needs more than C columns."""
    mask = np.zeros((n, C), dtype=np.uint8)
    for i in range(n):
        taken = mask.sum(axis=0)
        mask[i] = (taken > 0) & (rng.random(C) < (taken - s) / (i + c))
        free = np.flatnonzero(taken == 0)
        new = rng.poisson(
            min(np.exp(np.log(mass) + gammaln(1 + c) + gammaln(i + c + s) - gammaln(i + 1 + c) - gammaln(c + s)), 1e6)
        )
        if new > len(free):
            return None
        mask[i, rng.choice(free, new, replace=False)] = 1
    return mask


def drawn_prior(rng, lengths, K, V, mean):
    """Hyperparameters and masks from the prior, until they are ones that can make the tokens."""
    while True:
        of_topics = (mean * rng.exponential(), rng.exponential(), rng.uniform())
        of_words = (mean * rng.exponential(), rng.exponential(), rng.uniform())
        b = drawn_mask(rng, len(lengths), K, *of_topics)
        if b is None or (b.any(axis=1) < (np.array(lengths) > 0)).any():
            continue
        a = drawn_mask(rng, K, V, *of_words)
        if a is not None and a.any(axis=1).all():
            return of_topics, of_words, b, a


def drawn_words(rng, z, a, beta):
    words = [Counter() for _ in a]
    return [urn(np.flatnonzero(a[k]).tolist(), words[k], beta, rng) for k in z]


def told(alpha, beta, of_topics, of_words, b, a, z, words):
    z, words = np.asarray(z), np.asarray(words)
    return [
        np.log(alpha),
        np.log(beta),
        *np.log(of_topics[:2]),
        of_topics[2],
        *np.log(of_words[:2]),
        of_words[2],
        b.sum(),
        float(b.sum()) ** 2,
        b[0].sum(),
        b.any(axis=0).sum(),
        a.sum(),
        float(a.sum()) ** 2,
        a[0].sum(),
        a.any(axis=0).sum(),
        (z == 0).sum(),
        (z == 0).sum() ** 2,
        (words == 0).sum(),
        (words == 0).sum() ** 2,
        len(set(words.tolist())),
        np.log(alpha) * (z == 0).sum() ** 2,
        np.log(beta) * len(set(words.tolist())),
        of_topics[2] * b.sum(),
        of_words[2] * a.sum(),
        np.log(of_words[1]) * a.any(axis=0).sum(),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_joint_distribution_of_geweke(seed):
    lengths, K, V, mean = (3, 2, 0), 2, 3, 2.0
    rng = np.random.default_rng(seed)

    def from_the_prior():
        alpha, beta = rng.exponential(size=2)
        of_topics, of_words, b, a = drawn_prior(rng, lengths, K, V, mean)
        z = []
        for d, length in enumerate(lengths):
            topics = Counter()
            z += [urn(np.flatnonzero(b[d]).tolist(), topics, alpha, rng) for _ in range(length)]
        return alpha, beta, of_topics, of_words, b, a, z, drawn_words(rng, z, a, beta)

    marginal = [told(*from_the_prior()) for _ in range(3000)]
    alpha, beta, of_topics, of_words, b, a, z, words = from_the_prior()
    counts = np.zeros((len(lengths), V), dtype=np.int64)  # Only the lengths matter: the words are set below.
    counts[:, 0] = lengths
    sparse = sp.csr_array(counts)
    chain = LidaChain(sparse, K, alpha, beta, Buffet(*of_topics, mean), Buffet(*of_words, mean), masked=True)
    chain.doc_mask[:], chain.word_mask[:], chain.assigned[:] = b, a.T, z
    np.add.at(chain.doc_topic, (np.repeat(np.arange(len(lengths)), lengths), chain.assigned), 1)
    successive = []
    for _ in range(6000):
        chain.words[:] = words
        chain.word_topic[:] = 0
        np.add.at(chain.word_topic, (chain.words, chain.assigned), 1)
        chain.sweep(rng)
        chain.update_hyperparameters(rng)
        words = drawn_words(rng, chain.assigned.tolist(), chain.word_mask.T, chain.beta)
        buffets = [(buffet.mass, buffet.concentration, buffet.discount) for buffet in (chain.of_topics, chain.of_words)]
        state = (chain.doc_mask, chain.word_mask.T, chain.assigned, words)
        successive.append(told(chain.alpha, chain.beta, *buffets, *state))
    assert_chains_agree(marginal, successive, range(len(marginal[0])))


def test_with_all_masks_on_it_is_lda():
    exact = lda_cells(TINY, 2, 0.4, 0.3)
    chain = LidaChain(sp.csr_array(TINY), 2, 0.4, 0.3)
    cells = np.repeat(np.arange(np.count_nonzero(TINY)), TINY[TINY > 0])
    rng = np.random.default_rng(0)
    series = []
    for _ in range(6000):
        chain.sweep_tokens(rng)
        series.append(with_products(np.bincount(cells, chain.assigned == 0)))
    assert_means_agree(series[10:], exact, range(len(exact)))


def test_the_weights_of_topics_are_those_of_lda_where_the_masks_allow_them():
    rng = np.random.default_rng(0)
    K, V, alpha, beta = 7, 5, 0.3, 0.2
    n_dk, n_kw = rng.integers(0, 5, K), rng.integers(0, 9, (K, V))
    allowed, weights = np.arange(K), np.empty(K)
    scale = 1 / (n_kw.sum(axis=1) + V * beta)
    total = sampler.topic_weights(allowed, K, n_dk + alpha, n_kw[:, 2] + beta, scale, weights)
    lda = np.array([(n_dk[k] + alpha) * (n_kw[k, 2] + beta) / (n_kw[k].sum() + V * beta) for k in range(K)])
    assert np.allclose(weights, lda)
    assert np.isclose(total, lda.sum())
    few = np.array([1, 4, 5])
    assert np.isclose(
        sampler.topic_weights(few, 3, n_dk[few] + alpha, n_kw[:, 2] + beta, scale, weights), lda[few].sum()
    )


@pytest.mark.parametrize("discount", [0.0, 1e-7, 1e-3, 0.3, 0.95])
def test_expected_columns_are_the_sum_of_the_rates(discount):
    for concentration in (0.01, 1.0, 7.0):
        slow = sum(new_rate(i, 1.0, concentration, discount) for i in range(1, 41))
        assert np.isclose(expected_columns(40, concentration, discount), slow, rtol=1e-10)
    assert np.isclose(expected_columns(40, 1e9, discount), 40, rtol=1e-6)  # Rows of a huge concentration share nothing.


def test_the_rate_and_odds_of_the_buffet_are_ratios_of_the_prior():
    buffet = Buffet(1.7, 0.9, 0.35, 1.0)
    mask = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    parameters = (buffet.mass, buffet.concentration, buffet.discount)
    for i, k in product(range(3), range(4)):
        on, off = mask.copy(), mask.copy()
        on[i, k], off[i, k] = 1, 0
        free = 4 - np.delete(off, k, axis=1).any(axis=0).sum()
        odds = buffet.odds(off[:, k].sum(), 3, free)
        assert np.isclose(odds, mask_probability(on, *parameters) / mask_probability(off, *parameters))


def test_the_prior_mean_is_that_of_all_masks():
    inclusion = np.array([0.9, 0.5, 0.2, 0.05])
    slow = np.zeros(4)
    for b in masks(1, 4):
        if b.any():
            slow += np.prod(np.where(b[0], inclusion, 1 - inclusion)) * b[0] / b.sum()
    assert np.allclose(prior_mean(inclusion), slow / slow.sum())


def test_folding_in_has_the_exact_posterior():
    phi = np.array([[0.6, 0.3, 0.1], [0.1, 0.1, 0.8], [0.3, 0.4, 0.3]])
    inclusion, alpha, words = np.array([0.3, 0.6, 0.1]), 0.5, [0, 0, 2]
    mean, total = np.zeros(3), 0.0
    for z in product(range(3), repeat=3):
        for b in masks(1, 3):
            p = np.prod(np.where(b[0], inclusion, 1 - inclusion)) * urn_probability(z, b[0], alpha)
            p *= np.prod([phi[k, w] for k, w in zip(z, words, strict=True)])
            if p:
                n = np.bincount(z, minlength=3)
                mean, total = mean + p * (n + alpha * b[0]) / (3 + alpha * b.sum()), total + p
    model = LIDA(3, n_iterations=2, burn_in=1, random_state=0, fold_in_iterations=40000).fit(np.ones((2, 3)))
    model.components_, model.inclusion_, model.alpha_ = phi, inclusion, alpha
    assert np.allclose(model.transform([[2, 0, 1]])[0], mean / total, atol=0.015)
    assert np.allclose(model.transform([[0, 0, 0]])[0], prior_mean(inclusion))


def test_expected_words_are_those_of_the_entries_of_the_mask():
    """Each entry of the mask without tokens is summed over by hand, given everything else."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, (8, 6))
    counts[:, 5] = 0  # a word that no document has
    chain = LidaChain(sp.csr_array(counts), 3, 0.5, 0.4, Buffet(2.0, 1.0, 0.3, 1.0), Buffet(3.0, 0.8, 0.4, 1.0))
    for _ in range(30):
        chain.sweep(rng)
    buffet, beta = chain.of_words, chain.beta
    n, a = chain.word_topic.T, chain.word_mask.T.astype(int)
    slow = np.zeros(a.shape)
    for k, w in product(*map(range, a.shape)):
        total = 0.0
        for entry in (0, 1):
            mask = a.copy()
            mask[k, w] = entry
            if (mask < (n > 0)).any() or not mask[k].any():
                continue
            tokens = [word for word in range(6) for _ in range(n[k, word])]
            p = mask_probability(mask, buffet.mass, buffet.concentration, buffet.discount)
            p *= urn_probability(tokens, mask[k], beta)
            slow[k, w] += p * entry * (n[k, w] + beta) / (n[k].sum() + beta * mask[k].sum())
            total += p
        slow[k, w] /= total
    found = chain.estimates()["components"]
    assert np.allclose(found, slow / slow.sum(axis=1, keepdims=True))
    assert (found > 0).all()
