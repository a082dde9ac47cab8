"""What moves a Boltzmann machine besides the data: the regulariser's push, and the two steps of Algorithm 1."""

import math

import numpy as np
import pytest
import reference
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional.boltzmann import Machine
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.contrastive import ContrastiveSettings, ContrastiveTrainer
from wideangle.models._boltzmann.visible_words import SparseRows
from wideangle.models._training.steps import LearningRate

K, D, RATE, WEIGHT, GAMMA = 3, 5, 0.1, 0.7, 2.0
REFERENCES = {"angle": reference.score, "bound": reference.bound, "volume": lambda A, gamma: reference.volume(A)}
of_units = pytest.mark.parametrize(("units", "sparse"), [("Bernoulli", False), ("Softmax", False), ("Softmax", True)])


def start():
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) for shape in ((K, D), (D,), (K,))]


def rows(units):
    rng = np.random.default_rng(1)
    made = rng.integers(0, 2, (30, D)) if units == "Bernoulli" else rng.integers(0, 4, (30, D))
    made[:, 0] = made[:, 0] + (units == "Softmax")  # Every document has a word.
    return made.astype(float)


def updated(units, sparse=False, weight=WEIGHT, algorithm="projected", surrogate="angle", metric="identity"):
    """The components after one plain step. The draws are the same at every call."""
    settings = ContrastiveSettings(algorithm, "sgd", 0.0, 0.0, 30, 1, False)
    term, rate = DiversityTerm(weight, surrogate, GAMMA, metric), LearningRate(RATE, "constant", None)
    machine = Machine(*map(torch.tensor, start()))
    trained = ContrastiveTrainer(settings, term, rate, machine, Randomness.of(0, torch.device("cpu")), None, sparse)
    X = rows(units)
    lengths = None if units == "Bernoulli" else torch.tensor(X.sum(1))
    trained.update(SparseRows.of(X) if sparse else torch.tensor(X), lengths)
    return trained.machine.components.numpy()


def push(A, surrogate="angle", L=None):
    """λ ∂R(A L)/∂A by central differences of explicit loops."""
    L, slope = np.eye(D) if L is None else L, np.zeros_like(A)
    for entry in np.ndindex(A.shape):
        ends = []
        for step in (1e-5, -1e-5):
            moved = A.copy()
            moved[entry] += step
            ends.append(REFERENCES[surrogate](moved @ L, GAMMA))
        slope[entry] = WEIGHT * (ends[0] - ends[1]) / 2e-5
    return slope


@of_units
@pytest.mark.parametrize(
    ("surrogate", "metric"),
    [
        ("angle", "identity"),
        ("bound", "identity"),
        ("volume", "identity"),
        ("angle", "scales"),
        ("angle", "covariance"),
    ],
)
def test_the_regulariser_adds_its_gradient_to_that_of_the_data(units, sparse, surrogate, metric):
    """In the metric of the batch, whose documents count alike however long they are."""
    X = rows(units) / (rows(units).sum(1, keepdims=True) if units == "Softmax" else 1)
    L = {"identity": np.eye(D), "scales": np.diag(X.std(0)), "covariance": (X - X.mean(0)).T}[metric]
    pushed = updated(units, sparse, surrogate=surrogate, metric=metric)
    change = (pushed - updated(units, sparse, weight=0.0)) / RATE
    np.testing.assert_allclose(change, push(start()[0], surrogate, L), atol=1e-7)


@of_units
def test_algorithm_1_steps_in_lengths_and_in_directions(units, sparse):
    """The data's gradient is that of a plain step, which other tests compare with enumeration.

    A length moves along the gradient's part in its direction. A direction turns along the tangential part, by an angle
    whose tangent is the rate: the first step of Adam has the length of the rate.
    """
    A = start()[0]
    gradient = (updated(units, sparse, weight=0.0) - A) / RATE
    lengths = np.linalg.norm(A, axis=1)
    directions = A / lengths[:, None]
    uphill, expected = push(directions), np.zeros_like(A)
    rate = RATE * math.sqrt(D)
    for k in range(K):
        length = lengths[k] + rate * gradient[k] @ directions[k]
        turn = lengths[k] * gradient[k] + uphill[k]
        turn -= (turn @ directions[k]) * directions[k]
        turned = directions[k] + rate / max(1.0, lengths.mean()) * turn / np.linalg.norm(turn)
        expected[k] = length * turned / np.linalg.norm(turned)
    np.testing.assert_allclose(updated(units, sparse, algorithm="alternating"), expected, atol=1e-6)
