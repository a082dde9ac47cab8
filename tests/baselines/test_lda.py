"""LDA and DPP-LDA: inference against loops, the kernel's gradient, the M-step, the bound, and what is learned."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.special import digamma, gammaln

from wideangle.baselines.documents import lda
from wideangle.baselines.documents._lda import inference
from wideangle.baselines.documents._lda.inference import first_gamma, infer, log_p_of_words
from wideangle.baselines.documents._lda.kernel import improved_topics, log_det, log_det_gradient, penalised
from wideangle.baselines.documents.dpp_lda import DPPLDA
from wideangle.baselines.documents.lda import LDA, first_topics
from wideangle.data import synthetic_corpus
from wideangle.evaluation import split_words

MADE = synthetic_corpus(500, 5, 100, exponent=0.5, background=0.1, words_per_topic=15)
TRAIN, TEST = MADE.corpus.counts[:350], MADE.corpus.counts[350:]
both = pytest.mark.parametrize("kind", [LDA, DPPLDA])


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def overlap(topics):
    """The mean over pairs of Σ_v √(β_iv β_jv)."""
    K = len(topics)
    return np.mean([np.sqrt(topics[i] * topics[j]).sum() for i in range(K) for j in range(i)])


def random_topics(K, V, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(V, 0.5), K)


def naive_document(counts, topics, prior, gamma, rounds):
    """γ, the expected counts and the bound of one document, with q(z) of each word written out."""
    K, V = topics.shape
    gamma = gamma.copy()

    def responsibilities(word):
        q = np.array([topics[k, word] * math.exp(digamma(gamma[k])) for k in range(K)])
        return q / q.sum()

    for _ in range(rounds):
        q = {word: responsibilities(word) for word in range(V) if counts[word]}
        gamma = prior + sum((counts[word] * q[word] for word in q), np.zeros(K))
    q = {word: responsibilities(word) for word in range(V) if counts[word]}
    logs = digamma(gamma) - digamma(gamma.sum())
    bound = gammaln(K * prior) - K * gammaln(prior) + ((prior - 1) * logs).sum()  # E log p(θ)
    bound -= gammaln(gamma.sum()) - gammaln(gamma).sum() + ((gamma - 1) * logs).sum()  # − E log q(θ)
    expected = np.zeros((K, V))
    for word in q:
        expected[:, word] = counts[word] * q[word]
        bound += counts[word] * (q[word] * (logs + np.log(topics[:, word]) - np.log(q[word]))).sum()
    return gamma, expected, bound


@pytest.mark.parametrize("block", [2**15, 7])
def test_inference_is_that_of_loops(block, monkeypatch):
    monkeypatch.setattr(inference, "BLOCK", block)
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (9, 8))
    counts[3] = 0
    topics, sparse = random_topics(3, 8), sp.csr_array(counts).astype(float)
    found = infer(sparse, topics, 0.4, first_gamma(sparse, 3, 0.4), rounds=4, tol=0.0)
    naive = [naive_document(row, topics, 0.4, np.full(3, 0.4 + row.sum() / 3), 4) for row in counts]
    np.testing.assert_allclose(found.gamma, [each[0] for each in naive])
    np.testing.assert_allclose(found.expected, sum(each[1] for each in naive), atol=1e-12)
    assert found.bound == pytest.approx(sum(each[2] for each in naive))


def test_settled_documents_do_not_depend_on_others():
    sparse, topics = sp.csr_array(TRAIN[:40]).astype(float), random_topics(4, 100)
    start = first_gamma(sparse, 4, 0.2)
    together = infer(sparse, topics, 0.2, start, 100, 1e-4).gamma
    alone = [infer(sparse[n : n + 1], topics, 0.2, start[n : n + 1], 100, 1e-4).gamma[0] for n in range(40)]
    np.testing.assert_allclose(together, alone, rtol=1e-9)
    # Some documents take many rounds. All of them end at a fixed point.
    settled = infer(sparse, topics, 0.2, start, 5000, 1e-8)
    again = infer(sparse, topics, 0.2, settled.gamma, 50, 0.0)
    np.testing.assert_allclose(again.gamma, settled.gamma, atol=1e-4)
    assert again.bound >= settled.bound - 1e-9


@pytest.mark.parametrize("power", [0.5, 1.0, 0.3])
def test_the_kernel_and_its_gradient(power):
    topics = random_topics(4, 7)
    kernel = np.array([[((a * b) ** power).sum() for b in topics] for a in topics])
    kernel /= np.sqrt(np.outer(np.diag(kernel), np.diag(kernel)))
    assert log_det(topics, power) == pytest.approx(math.log(np.linalg.det(kernel)))
    # central differences in the logits of each topic's softmax
    logits, step, slopes = np.log(topics), 1e-6, np.zeros((4, 7))
    for place in np.ndindex(4, 7):
        values = []
        for sign in (1, -1):
            moved = logits.copy()
            moved[place] += sign * step
            moved = np.exp(moved)
            values.append(log_det(moved / moved.sum(axis=1, keepdims=True), power))
        slopes[place] = (values[0] - values[1]) / (2 * step)
    np.testing.assert_allclose(log_det_gradient(topics, power), slopes, atol=1e-7)


def test_topics_without_common_words_have_the_largest_determinant_and_equal_ones_the_least():
    assert log_det(np.array([[0.5, 0.5, 0, 0], [0, 0, 0.1, 0.9]]), 0.5) == pytest.approx(0)
    assert log_det(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]]), 0.5) < -30


def test_the_m_step_without_a_weight_is_that_of_lda():
    expected = np.random.default_rng(0).gamma(0.3, 50, (4, 9)) + 1e-3
    found = improved_topics(expected, random_topics(4, 9), 0.0, 0.5, steps=1)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("weight", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_m_step_ends_where_the_objective_is_level(weight, power):
    expected = np.random.default_rng(0).gamma(0.5, 40, (4, 9)) + 0.01
    topics, value = random_topics(4, 9), -np.inf
    for _ in range(300):
        assert penalised(expected, topics, weight, power) >= value
        value = penalised(expected, topics, weight, power)
        topics = improved_topics(expected, topics, weight, power, steps=1)
    # central differences in the logits, independent of the closed form
    for place in np.ndindex(4, 9):
        values = []
        for sign in (1, -1):
            moved = np.log(topics)
            moved[place] += sign * 1e-4
            moved = np.exp(moved)
            values.append(penalised(expected, moved / moved.sum(axis=1, keepdims=True), weight, power))
        assert abs(values[0] - values[1]) / 2e-4 < 1e-3 * (expected.sum() + weight)


def test_a_plain_run_is_that_of_loops(monkeypatch):
    monkeypatch.setattr(lda, "ROUNDS", 3)
    monkeypatch.setattr(lda, "SETTLED", 0.0)
    counts = TRAIN[:25, :30].toarray()
    topics = first_topics(sp.csr_array(counts), 3, 0.02, np.random.RandomState(5))
    gammas = [np.full(3, 0.3 + row.sum() / 3) for row in counts]
    for iteration in range(4):
        each = [naive_document(row, topics, 0.3, gamma, 3) for row, gamma in zip(counts, gammas, strict=True)]
        gammas = [found[0] for found in each]
        if iteration < 3:
            smoothed = sum(found[1] for found in each) + 0.02
            topics = smoothed / smoothed.sum(axis=1, keepdims=True)
    objective = (sum(found[2] for found in each) + 0.02 * np.log(topics).sum()) / counts.sum()
    settings = {"document_prior": 0.3, "topic_prior": 0.02, "max_iter": 4, "tol": 0.0, "random_state": 5}
    for model in (LDA(3, **settings), DPPLDA(3, diversity=0.0, **settings)):
        model.fit(counts)
        np.testing.assert_allclose(model.components_, topics, rtol=1e-8)
        assert model.bounds_[-1] == pytest.approx(objective)


@pytest.mark.parametrize("seed", range(3))
def test_no_weight_is_plain_lda(seed):
    plain = LDA(5, max_iter=30, random_state=seed).fit(TRAIN)
    none = DPPLDA(5, diversity=0.0, max_iter=30, random_state=seed).fit(TRAIN)
    np.testing.assert_allclose(none.components_, plain.components_, rtol=1e-6)
    np.testing.assert_allclose(none.transform(TEST), plain.transform(TEST), rtol=1e-6)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("seed", range(3))
def test_more_weight_shares_fewer_words(seed):
    fits = [DPPLDA(6, diversity=weight, random_state=seed).fit(TRAIN) for weight in (0.0, 0.003, 0.03, 0.3)]
    overlaps = [overlap(model.components_) for model in fits]
    assert all(more > less + 0.01 for more, less in itertools.pairwise(overlaps))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("diversity", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_objective_rises(diversity, power):
    model = DPPLDA(6, diversity=diversity, power=power, max_iter=25, tol=0.0, random_state=0).fit(TRAIN)
    assert len(model.bounds_) == model.n_iter_ > 5
    assert np.diff(model.bounds_).min() > -1e-10
    assert np.isfinite(model.bounds_).all()


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", [LDA(6), DPPLDA(6, diversity=0.003)], ids=lambda model: type(model).__name__)
def test_known_topics_are_found(model, seed):
    model.set_params(random_state=seed).fit(TRAIN)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)
    cosines = unit(MADE.topics) @ unit(model.components_).T
    assert np.median(cosines[linear_sum_assignment(-cosines)]) > 0.9
    # The truth is not beaten by much, and frequencies are beaten clearly.
    frequencies = np.asarray(TRAIN.sum(axis=0)).ravel() + 0.5
    unigram = LDA(1, random_state=0).fit(TRAIN).perplexity(TEST)
    lengths = np.asarray(TEST.sum(axis=1)).ravel()
    assert unigram == pytest.approx(
        np.exp(-np.mean(TEST @ np.log(frequencies / frequencies.sum()) / lengths)), rel=0.05
    )
    assert model.perplexity(TEST) < 0.6 * unigram


def test_perplexity_guesses_one_half_from_the_other():
    model = LDA(4, max_iter=10, random_state=0).fit(TRAIN)
    shown, hidden = split_words(TEST, 7)
    shares, each = model.transform(shown), []
    for theta, row in zip(shares, hidden.toarray(), strict=True):
        if row.sum():
            each.append(-sum(n * math.log(theta @ model.components_[:, w]) for w, n in enumerate(row) if n) / row.sum())
    assert model.perplexity(TEST, random_state=7) == pytest.approx(math.exp(np.mean(each)))
    assert model.perplexity(TEST) == model.perplexity(TEST) != model.perplexity(TEST, random_state=7)


def test_log_p_of_words_is_that_of_loops(monkeypatch):
    monkeypatch.setattr(inference, "BLOCK", 5)
    counts, topics = np.random.default_rng(0).poisson(0.6, (6, 7)), random_topics(3, 7)
    counts[2] = 0
    shares = np.random.default_rng(1).dirichlet(np.ones(3), 6)
    expected = [sum(n * math.log(shares[d] @ topics[:, w]) for w, n in enumerate(row)) for d, row in enumerate(counts)]
    np.testing.assert_allclose(log_p_of_words(sp.csr_array(counts), topics, shares), expected)


@both
def test_the_same_seed_gives_the_same_topics(kind):
    first, again, other = (kind(4, max_iter=5, random_state=seed).fit(TRAIN) for seed in (1, 1, 2))
    assert (first.components_ == again.components_).all()
    assert not np.allclose(first.components_, other.components_)


@both
def test_documents_without_words_have_equal_shares(kind):
    counts = sp.vstack([TRAIN[:20], sp.csr_array((1, 100), dtype=TRAIN.dtype)], format="csr")
    model = kind(4, max_iter=5, random_state=0).fit(counts)
    np.testing.assert_allclose(model.transform(counts)[-1], 0.25)
    assert math.isfinite(model.perplexity(counts))
    with pytest.raises(ValueError, match="every document"):
        kind(2).fit(np.zeros((3, 4)))


@both
def test_one_document(kind):
    model = kind(2, max_iter=5, random_state=0).fit([[3, 1, 0]])
    np.testing.assert_allclose(model.transform([[3, 1, 0]]).sum(), 1)
    assert np.isfinite(model.components_).all()


def test_more_topics_than_words():
    assert LDA(5, max_iter=5, random_state=0).fit([[1, 2], [3, 0]]).components_.shape == (5, 2)
    assert DPPLDA(5, diversity=0, max_iter=5, random_state=0).fit([[1, 2], [3, 0]]).components_.shape == (5, 2)
    with pytest.raises(ValueError, match="5 topics of 2.*diversity=0"):
        DPPLDA(5).fit([[1, 2], [3, 0]])


def test_as_many_topics_as_words():
    model = DPPLDA(3, max_iter=10, random_state=0).fit([[1, 2, 0], [3, 0, 1], [0, 0, 5]])
    assert np.isfinite(model.bounds_).all()


@pytest.mark.parametrize(
    ("counts", "settings", "message"),
    [
        ([[1, -1]], {}, "negative"),
        ([[1, 0.5]], {}, "whole numbers"),
        ([[1, 2]], {"diversity": -1}, "diversity"),
        ([[1, 2]], {"power": 0}, "power"),
        ([[1, 2]], {"topic_prior": 0}, "topic_prior"),
        ([[1, 2]], {"document_prior": 0}, "document_prior .*None"),
        ([[1, 2]], {"max_iter": 0}, "max_iter must be a whole number"),
    ],
)
def test_bad_input_is_named(counts, settings, message):
    with pytest.raises(ValueError, match=message):
        DPPLDA(2, **settings).fit(counts)
