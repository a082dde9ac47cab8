"""Contrastive divergence against the exact expectation of its gradient, by enumeration of all states."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional.boltzmann import Machine
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.contrastive import ContrastiveSettings, ContrastiveTrainer
from wideangle.models._boltzmann.visible_words import SparseRows
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
    """Weights so large that a chain is not at its end after one sweep."""
    rng = np.random.default_rng(3)
    A, alpha, beta = (torch.tensor(rng.normal(size=shape)) for shape in ((K, D), (D,), (K,)))
    return Machine(2 * A, alpha, beta)


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


def of_bits(p):
    """Every state of units that are 1 with the probabilities p, and how probable it is."""
    for state in itertools.product([0, 1], repeat=len(p)):
        yield state, math.prod(p[k] if state[k] else 1 - p[k] for k in range(len(p)))


def dreams(start, length, kept, sweeps):
    """The visible states after so many sweeps from a row, and how probable each is. Dropped units take no part."""
    A, alpha, beta = (part.numpy() for part in machine())
    N = 1 if length is None else length
    chain = dict(of_bits(kept * sigmoid(N * beta + A @ start)))
    for sweep in range(sweeps):
        visible = [
            (v, p * of_state)
            for state, of_state in chain.items()
            for v, p in reconstructions(alpha + np.array(state) @ A, length)
        ]
        if sweep + 1 < sweeps:
            chain = dict.fromkeys(chain, 0.0)
            for v, p in visible:
                for state, of_state in of_bits(kept * sigmoid(N * beta + A @ v)):
                    chain[state] += p * of_state
    return visible


def expected_gradient(rows, lengths, sweeps=1, dropout=0.0, starts=None):
    """E[h vᵀ − h′ v′ᵀ], E[v − v′] and N E[h − h′] per unit or token, mean over rows; h′ and v′ are some sweeps later.

    With dropout, it is the mean over the masks of hidden units, which take part in neither phase where they are
    dropped. The chains start at the rows, or at others.
    """
    A, alpha, beta = (part.numpy() for part in machine())
    gradient = [np.zeros_like(A), np.zeros_like(alpha), np.zeros_like(beta)]
    starts = np.array(rows if starts is None else starts, float)
    for v, length, start in zip(np.array(rows, float), lengths, starts, strict=True):
        N = 1 if length is None else length
        for mask, of_mask in of_bits(np.full(K, 1 - dropout)):
            kept = np.array(mask)
            share = of_mask / len(rows) / (D if length is None else length)
            signed = [(v, 1.0), *((dream, -p) for dream, p in dreams(start, length, kept, sweeps))]
            for visible, sign in signed:
                answer = kept * sigmoid(N * beta + A @ visible)
                gradient[0] += sign * share * np.outer(answer, visible)
                gradient[1] += sign * share * visible
                gradient[2] += sign * share * N * answer
    return gradient


ROWS = {
    "Bernoulli": ([[1, 0, 1], [0, 1, 1], [1, 1, 0]], [None, None, None]),
    "Softmax": ([[2, 0, 1], [0, 1, 1], [0, 3, 0]], [3, 2, 3]),
}
OTHERS = {"Bernoulli": [[0, 0, 0], [0, 0, 1], [0, 0, 0]], "Softmax": [[0, 0, 3], [0, 0, 2], [1, 0, 2]]}
of_units = pytest.mark.parametrize(("units", "sparse"), [("Bernoulli", False), ("Softmax", False), ("Softmax", True)])


def repeated(rows, lengths, sparse):
    """The rows many times over, as a mini-batch."""
    many = np.tile(np.array(rows, float), (DRAWS, 1))
    sizes = None if lengths[0] is None else torch.tensor(lengths, dtype=torch.float64).repeat(DRAWS)
    return SparseRows.of(many) if sparse else torch.tensor(many), sizes


def gradient_of(trained, *batch):
    """What one plain step moves, by the rate. The parameters are then put back."""
    before = trained.state()
    trained.update(*batch)
    moved = [(now - then).numpy() / 0.1 for now, then in zip(trained.state(), before, strict=True)]
    trained.restore(before)
    return moved


def assert_means(found, expected):
    """A draw's part of the gradient lies within 1, so that the mean has a standard error of less than 0.0025."""
    for part, by_enumeration in zip(found, expected, strict=True):
        assert np.abs(by_enumeration).max() > 0.015
        np.testing.assert_allclose(part, by_enumeration, rtol=0, atol=0.006)


@of_units
@pytest.mark.parametrize(("sweeps", "dropout"), [(1, 0.0), (3, 0.0), (1, 0.4), (2, 0.4)])
def test_the_mean_of_many_draws_is_the_expected_gradient(units, sparse, sweeps, dropout):
    rows, lengths = ROWS[units]
    settings = replace(PLAIN, cd_steps=sweeps, dropout=dropout)
    found = gradient_of(trainer(settings, sparse), *repeated(rows, lengths, sparse))
    assert_means(found, expected_gradient(rows, lengths, sweeps, dropout))


@of_units
def test_persistent_chains_go_on_from_where_they_ended_whatever_the_rows(units, sparse):
    """The second update sees other rows, while its chains are two sweeps further away from the first rows."""
    rows, lengths = ROWS[units]
    trained = trainer(replace(PLAIN, persistent=True), sparse)
    gradient_of(trained, *repeated(OTHERS[units], lengths, sparse))
    expected = expected_gradient(rows, lengths, 2, starts=OTHERS[units])
    for other in (expected_gradient(rows, lengths), expected_gradient(rows, lengths, starts=OTHERS[units])):
        assert np.abs(expected[0] - other[0]).max() > 0.012  # Chains that start anew, or stand still, would be seen.
    assert_means(gradient_of(trained, *repeated(rows, lengths, sparse)), expected)


@pytest.mark.parametrize("optimizer", ["adam", "momentum", "sgd"])
def test_weights_decay_and_biases_do_not(optimizer):
    """One update with the same draws, with weight decay and without."""
    plain, decayed = (trainer(replace(PLAIN, optimizer=optimizer, weight_decay=decay)) for decay in (0.0, 0.5))
    for trained in (plain, decayed):
        trained.update(torch.ones(1, D, dtype=torch.float64), None)
    change = decayed.machine.components - plain.machine.components
    np.testing.assert_allclose(change, -0.1 * 0.5 * machine().components)
    np.testing.assert_allclose(decayed.machine.visible_bias, plain.machine.visible_bias, rtol=1e-12)
    np.testing.assert_allclose(decayed.machine.hidden_bias, plain.machine.hidden_bias, rtol=1e-12)


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
