"""One distribution of a machine trained with dropout; likelihoods that know how far they can be trusted."""

import math
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle.data import synthetic_corpus
from wideangle.diversity import DiversityTerm
from wideangle.exceptions import LikelihoodWarning
from wideangle.functional.boltzmann import Machine, draw_words, sample_words
from wideangle.functional.partition import exact_log_partition
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._base import Randomness
from wideangle.models._boltzmann import likelihood as room
from wideangle.models._boltzmann.contrastive import ContrastiveSettings, ContrastiveTrainer
from wideangle.models._boltzmann.estimator import minus_free_energy
from wideangle.models._boltzmann.visible import by_blocks
from wideangle.models._boltzmann.visible_words import as_they_are
from wideangle.models._training.steps import LearningRate
from wideangle.process_group.group import Part

PLAIN = ContrastiveSettings(
    algorithm="projected",
    optimizer="sgd",
    weight_decay=0.0,
    dropout=0.0,
    batch_size=100,
    cd_steps=1,
    persistent=False,
)


@pytest.fixture(scope="module")
def corpus():
    return synthetic_corpus(600, 8, 120, exponent=0.7, length=40, purity=0.9, background=0.1).corpus


def softmax(K=12, **changes):
    plain = {"weighting": "counts", "representation": "probabilities"}
    return ReplicatedSoftmax(K, **({"max_updates": 600, "random_state": 0, "device": "cpu"} | plain | changes))


def machine_of(model):
    parts = (model.components_, model.intercept_visible_, model.intercept_hidden_)
    return Machine(*(torch.tensor(part, dtype=torch.float64) for part in parts))


def test_the_likelihood_of_a_model_trained_with_dropout_is_that_of_one_machine(corpus):
    """Against plain sums over all hidden states of the machine that components_ and biases are."""
    counts = corpus.test.counts[:20]
    fitted = softmax(dropout=0.5).fit(corpus.train.counts)
    m, lengths = machine_of(fitted), torch.tensor(counts.sum(axis=1), dtype=torch.float64)
    dense = torch.tensor(counts.toarray(), dtype=torch.float64)
    logits = lengths[:, None] * m.hidden_bias + dense @ m.components.mT
    log_p = dense @ m.visible_bias + torch.log1p(logits.exp()).sum(1) - exact_log_partition(m, lengths)
    assert np.allclose(fitted.score_samples(counts), log_p.numpy(), rtol=1e-5)


@pytest.mark.slow
def test_dropout_leaves_a_model_better_than_word_frequencies(corpus):
    train, test = corpus.train.counts, corpus.test.counts
    frequency = np.asarray(train.sum(axis=0)).ravel() + 0.5
    log_p = test @ np.log(frequency / frequency.sum())
    unigram = math.exp(-np.mean(np.asarray(log_p).ravel() / test.sum(axis=1)))
    for seed in range(3):
        assert softmax(dropout=0.5, learning_rate=0.01, random_state=seed).fit(train).perplexity(test) < 0.85 * unigram


@pytest.mark.parametrize("kind", [ReplicatedSoftmax, BernoulliRBM])
def test_all_units_together_say_as_much_as_those_that_were_trained(kind):
    """Random components start at length 1; a step of no length leaves them, times the share that was kept."""
    X = (np.random.default_rng(0).random((50, 20)) < 0.5).astype(np.float64)
    still = {"learning_rate": 1e-12, "weight_decay": 0.0, "diversity": 0.0, "max_updates": 1, "random_state": 0}
    still["init"] = "random"
    fitted = kind(6, dropout=0.3, **still).fit(X)
    assert np.allclose(np.linalg.norm(fitted.components_, axis=1), 0.7, atol=1e-6)
    plain = kind(6, dropout=0.0, **still).fit(X)
    assert np.allclose(fitted.components_, 0.7 * plain.components_, atol=1e-6)
    if kind is ReplicatedSoftmax:  # documents are read longer by as much
        assert np.allclose(fitted.transform(X), plain.transform(X), atol=1e-5)  # Halves are kept in single precision.


def test_transform_sample_and_monitor_are_of_the_same_machine(corpus):
    counts = corpus.test.counts[:30]
    fitted = softmax(dropout=0.4, document_length=20.0, validation_fraction=0.2).fit(corpus.train.counts)
    m, share = machine_of(fitted), shares(counts)
    assert fitted.kept_share_ == pytest.approx(0.6)
    # A document is read at document_length / 0.6 tokens, at which a unit hears as much as in training.
    logits = 20 / 0.6 * (share @ m.components.numpy().T + m.hidden_bias.numpy())
    hidden = 1 / (1 + np.exp(-logits))
    assert np.allclose(fitted.transform(counts), hidden, atol=1e-5)
    held_out = corpus.train.counts[fitted_held_out(fitted, corpus.train.counts.shape[0])]
    share = shares(held_out)
    hidden = 1 / (1 + np.exp(-20 / 0.6 * (share @ m.components.numpy().T + m.hidden_bias.numpy())))
    words = torch.log_softmax(m.visible_bias + torch.tensor(hidden) @ m.components, 1)
    best = max(record.validation for record in fitted.history_)
    assert float((torch.tensor(share) * words).sum(1).mean()) == pytest.approx(best, abs=1e-4)
    drawn = fitted.sample(4000, 30, random_state=0).mean(axis=0) / 30
    near = synthetic_mean(fitted, 30)
    assert np.abs(drawn - near).max() < 0.01


def shares(counts):
    return counts.toarray() / counts.sum(axis=1)[:, None]


def fitted_held_out(model, n):
    """The rows a fit with this random_state holds out."""
    order = Randomness.of(model.random_state, torch.device("cpu")).rows.permutation(n)
    return order[: round(model.validation_fraction * n)]


def synthetic_mean(model, length):
    """Mean word shares of documents of a length, by the sum over all hidden states."""
    m = machine_of(model)
    K = len(m.hidden_bias)
    h = ((torch.arange(2**K)[:, None] >> torch.arange(K)) & 1).double()
    logits = m.visible_bias + h @ m.components
    weight = torch.softmax(length * (h @ m.hidden_bias + logits.logsumexp(1)), 0)
    return (weight @ torch.softmax(logits, 1)).numpy()


def test_going_on_with_a_model_trained_with_dropout_starts_where_it_was(corpus):
    fitted = softmax(dropout=0.5, learning_rate=1e-9, weight_decay=0.0).fit(corpus.train.counts)
    before = fitted.components_.copy()
    fitted.__dict__.pop("_trainer", None)
    assert np.allclose(fitted.partial_fit(corpus.train.counts).components_, before, atol=1e-5)


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", ["softmax", "bernoulli"])
def test_an_estimate_knows_its_error(kind, corpus, monkeypatch):
    monkeypatch.setattr(room, "MOST_TERMS", 0)  # annealing where the sum would be short
    if kind == "softmax":
        fitted, X = softmax(14).fit(corpus.train.counts), corpus.test.counts[:40]
    else:
        X = (np.random.default_rng(0).random((60, 40)) < 0.3).astype(np.float64)
        fitted = BernoulliRBM(14, max_updates=300, random_state=0).fit(X)
    found = fitted.log_likelihood(X)
    assert found.doubt == ""
    assert found.temperatures >= 300
    assert (found.standard_error > 0).all()
    monkeypatch.setattr(room, "MOST_TERMS", 2**28)
    exact = fitted.log_likelihood(X)
    assert exact.temperatures == 0
    assert (exact.standard_error == 0).all()
    assert (np.abs(found.log_p - exact.log_p) < 4 * found.standard_error + 0.02).all()
    assert found.perplexity == pytest.approx(exact.perplexity, rel=4 * found.perplexity_error / found.perplexity + 1e-3)


def hidden_mode(corpus):
    """A model with one state, all units on, that has nearly all the probability and that no chain finds."""
    fitted = softmax(30, max_updates=20).fit(corpus.train.counts)
    fitted.components_ = np.zeros_like(fitted.components_)
    # The first word is next to impossible until 27 of the units are on, and units are best off until then.
    fitted.components_[:, 0] = 3.0
    fitted.intercept_visible_[0] = -85.0
    fitted.intercept_hidden_ = np.full(30, -0.05, dtype=np.float32)
    return fitted


def test_states_that_chains_missed_are_warned_of(corpus, monkeypatch):
    monkeypatch.setattr(room, "TEMPERATURE_GROWTH", 4**4)  # longer runs would miss the states too, and take long
    fitted, X = hidden_mode(corpus), corpus.test.counts[:10]
    with pytest.warns(LikelihoodWarning, match="more cd_steps"):
        perplexity = fitted.perplexity(X)
    with pytest.warns(LikelihoodWarning):
        fitted.score_samples(X)
    # The bound by the states that are known holds all the same.
    m, lengths = machine_of(fitted), X.sum(axis=1)
    top = m.hidden_bias.sum() + (m.visible_bias + m.components.sum(0)).logsumexp(0)
    free = by_blocks(X, m, as_they_are, minus_free_energy)
    assert perplexity >= math.exp(-np.mean((free - lengths * float(top)) / lengths)) * 0.999


def test_a_trusted_estimate_warns_of_nothing(corpus):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        softmax(30, max_updates=300).fit(corpus.train.counts).perplexity(corpus.test.counts[:20])


@pytest.mark.slow
def test_the_budget_is_kept_and_checked(corpus):
    fitted, X = hidden_mode(corpus), corpus.test.counts[:5]
    assert fitted.log_likelihood(X, max_temperatures=1200).temperatures == 1200
    assert fitted.log_likelihood(X, max_temperatures=1199).temperatures == 300
    with pytest.raises(ValueError, match="max_temperatures.*300; got 10"):
        fitted.log_likelihood(X, max_temperatures=10)


def test_words_of_fractional_lengths_sum_to_them_without_bias():
    lengths = torch.tensor([0.0, 0.9, 1.0, 2.5, 10.7], dtype=torch.float64)
    logits = torch.log(torch.tensor([[0.6, 0.3, 0.1]], dtype=torch.float64)).repeat(5, 1)
    generator = torch.Generator().manual_seed(0)
    counts = torch.stack([sample_words(logits, lengths, generator) for _ in range(4000)])
    assert torch.allclose(counts.sum(2), lengths.expand(4000, -1))
    expected = lengths[:, None] * torch.tensor([0.6, 0.3, 0.1], dtype=torch.float64)
    assert torch.allclose(counts.mean(0), expected, atol=0.12)
    drawn, weight = draw_words(logits.clone(), lengths, generator)
    assert drawn.shape == weight.shape == (5, 11)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_gradient_of_word_biases_sums_to_zero_for_any_lengths(sparse):
    """Both phases hold as many tokens: no word count is made or lost."""
    generator = np.random.default_rng(0)
    X = generator.random((40, 60)) * (generator.random((40, 60)) < 0.2)
    X *= np.array([0.9, 2.5, 10.7, 33.0] * 10)[:, None] / X.sum(axis=1, keepdims=True)
    start = Machine(*(torch.from_numpy(generator.normal(size=s)) for s in ((4, 60), (60,), (4,))))
    rate, randomness = LearningRate(0.0, "constant", 10), Randomness.of(0, torch.device("cpu"))
    trainer = ContrastiveTrainer(PLAIN, DiversityTerm(0.0), rate, start, randomness, None, sparse)
    lengths = torch.from_numpy(X.sum(axis=1))
    rows = sp.csr_array(X) if sparse else torch.from_numpy(X)
    gradient = trainer._contrast(rows, lengths, Part(0, 40, 40), None)
    assert float(gradient.visible_bias.sum()) == pytest.approx(0, abs=1e-12)
    assert float(gradient.visible_bias.abs().sum()) > 0.1


def test_weighted_counts_are_learned_from_like_whole_ones(corpus):
    """Counts of half the size, documents as long as training sees them: the same model."""
    whole = softmax(5, max_updates=100).fit(corpus.train.counts)
    halves = softmax(5, max_updates=100, allow_fractions=True).fit((corpus.train.counts * 0.5).astype(np.float32))
    assert np.allclose(whole.components_, halves.components_, atol=1e-4)
