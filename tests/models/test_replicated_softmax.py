"""The Replicated Softmax: likelihood by enumeration, topics, documents of every length."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import synthetic_corpus
from wideangle.evaluation import topic_coverage
from wideangle.models import ReplicatedSoftmax
from wideangle.models._boltzmann.visible import VisibleRows
from wideangle.models._boltzmann.visible_words import VisibleWords


@pytest.fixture(scope="module")
def made():
    return synthetic_corpus(800, 8, 120, exponent=0.7, length=40, purity=0.9, background=0.1)


def model(K=8, **changes):
    return ReplicatedSoftmax(K, **({"max_updates": 800, "random_state": 0, "device": "cpu"} | changes))


def every_document(words, length):
    orders = itertools.product(range(words), repeat=length)
    return np.array([np.bincount(order, minlength=words) if order else np.zeros(words, int) for order in orders])


@pytest.mark.parametrize("length", [0, 1, 2, 4])
def test_probabilities_of_all_documents_of_a_length_sum_to_one(length):
    fitted = model(4, max_updates=50).fit(synthetic_corpus(100, 3, 5, words_per_topic=2, length=6).corpus.counts)
    assert np.exp(fitted.score_samples(every_document(5, length))).sum() == pytest.approx(1)


def test_perplexity_is_hinton_and_salakhutdinovs(made):
    counts = made.corpus.test.counts[:50]
    fitted = model(max_updates=100).fit(made.corpus.train.counts)
    log_p, lengths = fitted.score_samples(counts), counts.sum(axis=1)
    assert fitted.perplexity(counts) == pytest.approx(math.exp(-np.mean(log_p / lengths)))
    assert fitted.perplexity(counts, rescaled=True) > 1


def test_perplexity_beats_word_frequencies(made):
    train, test = made.corpus.train.counts, made.corpus.test.counts
    frequency = np.asarray(train.sum(axis=0)).ravel() + 0.5
    log_frequency = np.log(frequency / frequency.sum())
    unigram = math.exp(-np.mean(np.asarray(test @ log_frequency) / test.sum(axis=1)))
    assert model().fit(train).perplexity(test) < 0.85 * unigram


@pytest.mark.slow
def test_annealed_log_partition_of_a_fitted_model_is_that_of_enumeration(made):
    """At every length from one run, to a thousandth of a nat per token; and log Z is convex in the length."""
    fitted = model(max_updates=300).fit(made.corpus.train.counts)
    lengths = np.arange(1.0, 400.0)
    exact, annealed = (fitted.log_partition(lengths, exact=exact).value.numpy() for exact in (True, False))
    assert (np.abs(annealed - exact) / lengths).max() < 1e-2
    assert np.median(np.abs(annealed - exact) / lengths) < 1e-3
    assert (np.diff(exact, 2) > -1e-9).all()


@pytest.mark.slow
def test_components_resemble_the_true_topics(made):
    trained, untrained = (
        topic_coverage(
            model(max_updates=n, init="random").fit(made.corpus.train.counts).components_, made.topics
        ).best.mean()
        for n in (800, 1)
    )
    assert trained > 0.45
    assert trained > untrained + 0.15


@pytest.mark.slow
def test_diversity_parts_topics(made):
    plain, wide = (
        np.mean(
            [
                model(20, diversity=d, random_state=s, max_updates=400).fit(made.corpus.counts).history_[-1].min_angle
                for s in range(3)
            ]
        )
        for d in (0.0, 0.3)
    )
    assert wide > plain + 10


@pytest.mark.slow
def test_both_algorithms_reach_the_same_quality(made):
    train, test = made.corpus.train.counts, made.corpus.test.counts
    perplexities = {}
    for algorithm in ("projected", "alternating"):
        fits = [model(6, algorithm=algorithm, learning_rate=0.01, random_state=s).fit(train) for s in range(3)]
        perplexities[algorithm] = np.mean([f.perplexity(test) for f in fits])
    assert perplexities["alternating"] == pytest.approx(perplexities["projected"], rel=0.1)


def test_empty_documents_are_half_known_and_lost_nowhere(made):
    counts = sp.vstack([made.corpus.counts, sp.csr_array((2, 120), dtype=np.int32)], format="csr")
    fitted = model(max_updates=20).fit(counts)
    assert (fitted.transform(counts)[-2:] == 0).all()  # It has no direction from the average document.
    assert (fitted.set_params(representation="probabilities").transform(counts)[-2:] == 0.5).all()
    assert fitted.score_samples(counts)[-1] == pytest.approx(0)
    assert np.isfinite(fitted.perplexity(counts))
    with pytest.raises(ValueError, match="every document is empty"):
        model().fit(np.zeros((3, 4), int))


def test_length_does_not_matter_when_counts_are_scaled(made):
    counts = made.corpus.counts[:20]
    plain = {"weighting": "counts", "representation": "probabilities"}
    fitted = model(max_updates=50, **plain).fit(made.corpus.counts)
    assert np.allclose(fitted.transform(counts), fitted.transform(counts * 7), atol=1e-5)
    unscaled = model(max_updates=50, document_length=None, **plain).fit(made.corpus.counts)
    assert not np.allclose(unscaled.transform(counts), unscaled.transform(counts * 7), atol=1e-2)


def test_logits_are_length_normalised(made):
    fitted = model(max_updates=50, weighting="counts", representation="logits").fit(made.corpus.counts)
    counts = made.corpus.counts[:5].toarray()
    expected = fitted.intercept_hidden_ + counts / counts.sum(1, keepdims=True) @ fitted.components_.T
    assert np.allclose(fitted.transform(made.corpus.counts[:5]), expected, atol=1e-5)


@pytest.mark.slow
def test_sampled_documents_have_the_length_and_the_words(made):
    fitted = model().fit(made.corpus.counts)
    drawn = fitted.sample(300, length=40, random_state=0)
    assert (drawn.sum(1) == 40).all()
    frequency, expected = drawn.sum(0) / drawn.sum(), made.corpus.counts.sum(axis=0) / made.corpus.counts.sum()
    assert np.corrcoef(frequency, np.asarray(expected).ravel())[0, 1] > 0.7


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.array([[1.0, -1.0]] * 2), "negative; got -1"),
        (np.array([[0.5, 1.0]] * 2), "whole numbers.*allow_fractions"),
        (np.array([[np.nan, 1.0]] * 2), "NaN"),
        (np.array([[np.inf, 1.0]] * 2), "infinity"),
    ],
)
def test_bad_counts(counts, message):
    with pytest.raises(ValueError, match=message):
        model().fit(counts)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"document_length": 0.0}, "document_length"), ({"representation": "logit"}, "representation")],
)
def test_bad_parameters(changes, message, made):
    with pytest.raises(ValueError, match=message):
        model(max_updates=3, **changes).fit(made.corpus.counts).transform(made.corpus.counts)


def test_the_corpus_is_never_dense(made, monkeypatch):
    """Batches and blocks are; the whole never is."""
    largest = []
    original = sp.csr_array.toarray

    def counting(self, *arguments, **options):
        largest.append(self.shape[0])
        return original(self, *arguments, **options)

    monkeypatch.setattr(sp.csr_array, "toarray", counting)
    counts = sp.vstack([made.corpus.counts] * 4, format="csr")
    model(max_updates=5).fit(counts).transform(counts)
    assert 0 < max(largest) <= 1024 < counts.shape[0]


@pytest.mark.parametrize("way", ["fit", "partial_fit"])
def test_presence_is_the_share_of_documents_sparse_or_dense(way, monkeypatch):
    monkeypatch.setattr("wideangle.word_counts.PIECE", 7)  # several pieces, the last one shorter
    counts = sp.csr_array(np.random.default_rng(0).poisson(0.5, (20, 9)))
    counts.data[:3] = 0  # stored, but not there
    share = np.mean(counts.toarray() > 0, axis=0)
    for X in (counts, counts.toarray()):
        fitted = getattr(ReplicatedSoftmax(2, max_updates=2, random_state=0), way)(X)
        assert np.allclose(fitted.presence_, share)


def test_a_stream_of_dense_batches_that_ends_is_not_followed_by_sparse_ones(monkeypatch):
    monkeypatch.setattr(VisibleRows, "batches", lambda self, X, rows, size, trainer, skip: iter([("dense", None)]))
    trainer = SimpleNamespace(
        sparse=False, numpy_dtype=np.float32, randomness=SimpleNamespace(rows=np.random.default_rng(0))
    )
    words = VisibleWords("counts", np.ones(3), document_length=50.0, kept_share=1.0)
    stream = words.batches(sp.csr_array(np.eye(3)), np.arange(3), 2, trainer)
    assert [batch for batch, _ in itertools.islice(stream, 5)] == ["dense"]
