"""Contrastive divergence against the exact expectation of its gradient, by enumeration of all states."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional.boltzmann import Machine
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.contrastive import ContrastiveSettings, ContrastiveTrainer
from wideangle.models._training.steps import LearningRate

K, D, DRAWS = 2, 3, 60_000
PLAIN = ContrastiveSettings(
    algorithm="projected",
    optimizer="sgd",
    weight_decay=0.0,
    dropout=0.0,
    batch_size=DRAWS,
    cd_steps=1,
    persistent=False,
)


def machine():
    rng = np.random.default_rng(3)
    return Machine(*(torch.tensor(rng.normal(size=shape)) for shape in ((K, D), (D,), (K,))))


def trainer(settings=PLAIN, sparse=False):
    rate, randomness = LearningRate(0.1, "constant", None), Randomness.of(0, torch.device("cpu"))
    return ContrastiveTrainer(settings, DiversityTerm(0.0), rate, machine(), randomness, None, sparse)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def reconstructions(logits, length):
    """Every visible state and its probability: of units that are 0 or 1, or of documents of a length, word by word."""
    if length is None:
        p = sigmoid(logits)
        for v in itertools.product([0, 1], repeat=D):
            yield np.array(v, float), np.prod([p[j] if v[j] else 1 - p[j] for j in range(D)])
    else:
        p = np.exp(logits) / np.exp(logits).sum()
        for words in itertools.product(range(D), repeat=length):
            yield np.bincount(words, minlength=D).astype(float), np.prod([p[word] for word in words])


def expected_gradient(rows, lengths):
    """E[h vᵀ − h′ v′ᵀ], E[v − v′] and N E[h − h′] per unit or token, mean over rows; h′ and v′ are one sweep later."""
    A, alpha, beta = (part.numpy() for part in machine())
    gradient = [np.zeros_like(A), np.zeros_like(alpha), np.zeros_like(beta)]
    for v, length in zip(np.array(rows, float), lengths, strict=True):
        N = 1 if length is None else length
        share = 1 / len(rows) / (D if length is None else length)
        h = sigmoid(N * beta + A @ v)
        gradient[0] += share * np.outer(h, v)
        gradient[1] += share * v
        gradient[2] += share * N * h
        for state in itertools.product([0, 1], repeat=K):
            of_state = np.prod([h[k] if state[k] else 1 - h[k] for k in range(K)])
            for imagined, p in reconstructions(alpha + np.array(state) @ A, length):
                answer = sigmoid(N * beta + A @ imagined)
                gradient[0] -= share * of_state * p * np.outer(answer, imagined)
                gradient[1] -= share * of_state * p * imagined
                gradient[2] -= share * N * of_state * p * answer
    return gradient


ROWS = {
    "Bernoulli": ([[1, 0, 1], [0, 1, 1], [1, 1, 0]], [None, None, None]),
    "Softmax": ([[2, 0, 1], [0, 1, 1], [0, 3, 0]], [3, 2, 3]),
}


@pytest.mark.parametrize("part", ["components", "visible_bias", "hidden_bias"])
@pytest.mark.parametrize(("units", "sparse"), [("Bernoulli", False), ("Softmax", False), ("Softmax", True)])
def test_the_mean_of_many_draws_is_the_expected_gradient(units, sparse, part):
    rows, lengths = ROWS[units]
    many = np.tile(np.array(rows, float), (DRAWS, 1))
    visible = sp.csr_array(many) if sparse else torch.tensor(many)
    sizes = None if lengths[0] is None else torch.tensor(lengths, dtype=torch.float64).repeat(DRAWS)
    found = getattr(trainer(sparse=sparse)._contrast(visible, sizes), part).numpy()
    expected = expected_gradient(rows, lengths)[Machine._fields.index(part)]
    # A draw's part of the gradient lies within 1, so that its mean has a standard error of less than 0.0025.
    assert np.abs(expected).max() > 0.02
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.006)


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "sgd"])
def test_weights_decay_and_biases_do_not(optimizer, monkeypatch):
    trained, start = trainer(replace(PLAIN, optimizer=optimizer, weight_decay=0.5)), machine()
    nothing = Machine(*(torch.zeros_like(part) for part in start))
    monkeypatch.setattr(trained, "_contrast", lambda visible, lengths: nothing)
    trained.update(torch.ones(1, D, dtype=torch.float64), None)
    np.testing.assert_allclose(trained.machine.components, start.components * (1 - 0.1 * 0.5))
    assert torch.equal(trained.machine.visible_bias, start.visible_bias)
    assert torch.equal(trained.machine.hidden_bias, start.hidden_bias)


@pytest.mark.parametrize("kind", [BernoulliRBM, ReplicatedSoftmax])
def test_free_energy_as_a_monitor_falls_when_held_out_rows_are_strange(kind):
    """Minus F(held out) − F(trained on), per unit or token; F(v) = −log Σ_h exp(−E(v, h)), by enumeration."""
    rng = np.random.default_rng(0)
    usual = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 40, axis=0)
    X = np.vstack([usual, np.repeat([[1, 0, 0, 1]], 8, axis=0)]) * (1 if kind is BernoulliRBM else 2)
    settings = {"monitor": "free_energy", "max_updates": 200, "learning_rate": 0.05, "random_state": 0}
    settings |= {} if kind is BernoulliRBM else {"document_length": None, "weighting": "counts"}
    model = kind(2, diversity=0.0, **settings).fit(X[:80])
    A, alpha, beta = (
        np.asarray(getattr(model, name), np.float64)
        for name in ("components_", "intercept_visible_", "intercept_hidden_")
    )

    def free_energy(v):
        N = 1 if kind is BernoulliRBM else v.sum()
        states = np.array(list(itertools.product([0, 1], repeat=2)))
        return -np.logaddexp.reduce([v @ alpha + h @ (N * beta + A @ v) for h in states])

    strange, common = np.arange(80, 88), np.sort(rng.permutation(80)[:8])
    gap = np.mean([free_energy(v) for v in X[strange]]) - np.mean([free_energy(v) for v in X[common]])
    found = model._validation(model._checked(X, reset=False), strange, common, model._machine(torch.device("cpu")))
    assert found < 0
    assert found == pytest.approx(-gap / 4, rel=1e-4)  # a row has four units, and a document four tokens
