"""Synthetic corpora: the truth they claim is the one they have."""

import numpy as np
import pytest

from wideangle.data import synthetic_corpus


@pytest.mark.slow
def test_popularity_is_a_power_law_and_labels_follow_it():
    made = synthetic_corpus(20_000, 10, 200, exponent=1.5, length=5)
    assert made.popularity == pytest.approx(np.arange(1, 11) ** -1.5 / (np.arange(1, 11) ** -1.5).sum())
    assert made.corpus.class_sizes() / 20_000 == pytest.approx(made.popularity, abs=0.012)


def test_words_follow_the_topics():
    """The mean counts of a topic's documents are the mixture it was drawn from."""
    made = synthetic_corpus(3000, 4, 150, purity=1.0, background=0.0, exponent=0.0, length=100)
    for topic in range(4):
        counts = np.asarray(made.corpus.subset(made.corpus.labels == topic).counts.mean(axis=0)).ravel()
        assert counts / counts.sum() == pytest.approx(made.topics[topic], abs=0.01)


def test_topics_are_distributions():
    made = synthetic_corpus(50, 7, 90, words_per_topic=12)
    assert made.topics.sum(1) == pytest.approx(np.ones(7))
    assert ((made.topics > 0).sum(1) == 12).all()


def test_seed_and_split():
    one, again, other = (synthetic_corpus(100, 5, 80, seed=seed) for seed in (1, 1, 2))
    assert (one.corpus.counts != again.corpus.counts).nnz == 0
    assert (one.corpus.counts != other.corpus.counts).nnz > 0
    assert one.corpus.is_train.sum() == 70


def test_mean_length():
    assert synthetic_corpus(2000, 3, 60, length=40).corpus.lengths.mean() == pytest.approx(40, rel=0.02)


@pytest.mark.parametrize(
    "arguments", [{"purity": 1.5}, {"background": -0.1}, {"n_topics": 0}, {"words_per_topic": 2000}, {"length": 0}]
)
def test_mistakes(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        synthetic_corpus(**arguments)
