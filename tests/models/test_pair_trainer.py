"""The trainer by itself: steps against autograd, the held regulariser."""

import numpy as np
import pytest
import torch

from wideangle.diversity import DiversityTerm, HeldPush
from wideangle.functional import mutual_angular_score
from wideangle.functional.mahalanobis import pair_loss, squared_distances
from wideangle.models._base import Randomness
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.start import first_components, input_scale, resumed
from wideangle.models._distance.trainer import PairTrainer
from wideangle.models._distance.training import Course, Run, Stopping
from wideangle.models._training.steps import LearningRate

CPU = torch.device("cpu")


def example(seed=0, n=60, D=30, n_pairs=400):
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 3, n)
    X = generator.standard_normal((n, D))
    X[:, 0] += 2 * y
    left, right = generator.integers(0, n, (2, n_pairs))
    return PairRows(X, CPU), IndexPairs(left, right, y[left] == y[right])


def trainer(rows, pairs, n_updates=100, K=4, diversity=0.3):
    randomness, rate = Randomness.of(0, CPU), LearningRate(0.05, "linear", n_updates)
    A = first_components(rows.matrix.numpy(), K, "random", randomness, rows)
    made = PairTrainer(DiversityTerm(diversity), rate, A, input_scale(A, rows, pairs), randomness, 2.0, 100)
    made.welcome(rows, pairs)
    return made


def train(one, rows, pairs, n_updates, told=lambda trainer: False):
    one.n_similar = one.n_dissimilar = 0  # a run counts its pairs itself
    return Course(Run(one, rows, pairs, Stopping(n_updates, 10, None)), [], told).train()


def test_the_gradient_of_a_full_batch_is_that_of_the_objective():
    """Loss of the scaled inputs less λ Ω, by autograd."""
    rows, pairs = example()
    one = trainer(rows, pairs)
    A = one.A.clone().requires_grad_()
    X = one.scale * rows.matrix
    loss = pair_loss(squared_distances(A, X[pairs.left], X[pairs.right]), torch.from_numpy(pairs.similar), 2.0)
    (loss - 0.3 * mutual_angular_score(A)).backward()
    one.update(rows, pairs)
    torch.testing.assert_close(one.A.grad, A.grad)


def test_updates_are_adam_s_by_the_rate_of_a_whole_component():
    """Five updates in loops, from the gradients as they came: an entry moves by the rate over √D, which falls to 0."""
    rows, pairs = example(D=9)
    one = trainer(rows, pairs, n_updates=8)
    A = one.A.numpy().copy()
    first, second = np.zeros_like(A), np.zeros_like(A)
    for update in range(5):
        one.update(rows, pairs.subset(np.arange(80 * update, 80 * (update + 1))))
        gradient, rate = one.A.grad.numpy(), 0.05 * (1 - update / 8) / 3
        for entry in np.ndindex(A.shape):
            first[entry] = 0.9 * first[entry] + 0.1 * gradient[entry]
            second[entry] = 0.999 * second[entry] + 0.001 * gradient[entry] ** 2
            size = np.sqrt(second[entry] / (1 - 0.999 ** (update + 1))) + 1e-8
            A[entry] -= rate * first[entry] / (1 - 0.9 ** (update + 1)) / size
        np.testing.assert_allclose(one.A.numpy(), A, rtol=1e-9, atol=1e-12)


def test_mini_batches_are_unbiased():
    """Gradients of the parts of a pass average to that of the whole, however few similar pairs a part has."""
    rows, pairs = example()
    whole = trainer(rows, pairs, diversity=0.0)
    start = whole.A.clone()
    whole.update(rows, pairs)
    parts = []
    for which in np.array_split(np.arange(len(pairs)), 8):
        part = trainer(rows, pairs, diversity=0.0)
        part.A.copy_(start)
        part.update(rows, pairs.subset(which))
        parts.append(part.A.grad)
    torch.testing.assert_close(torch.stack(parts).mean(0), whole.A.grad)


def test_similar_pairs_start_at_half_a_margin():
    rows, pairs = example()
    one = trainer(rows, pairs)
    alike = pairs.subset(pairs.similar)
    squared = one.scale**2 * rows.squared_distances(one.A, alike.left, alike.right)
    assert float(squared.mean()) == pytest.approx(0.5)
    torch.testing.assert_close(torch.linalg.vector_norm(one.A, dim=1), torch.ones(4, dtype=torch.float64))


def test_what_was_learned_is_taken_up_again():
    rows, _ = example()
    components = np.random.default_rng(0).standard_normal((4, 30))
    A, scale = resumed(components, 9.0, rows)
    assert float(torch.linalg.vector_norm(A, dim=1).mean()) == pytest.approx(1.0)
    np.testing.assert_allclose(3.0 * scale * A.numpy(), components)


def test_a_held_regulariser_is_found_less_often_and_does_as_well():
    rows, pairs = example()
    often, seldom = (trainer(rows, pairs, K=20, n_updates=300) for _ in range(2))
    often._push = HeldPush(often.term, often.A, 1.0, 1e9)
    ends = []
    for one in (often, seldom):
        train(one, rows, pairs, 300)
        ends.append(one.history.records[-1])
    assert (often._push.updates_held, seldom._push.updates_held) == (1, 4)
    assert ends[1].loss == pytest.approx(ends[0].loss, rel=0.1)
    assert ends[1].score == pytest.approx(ends[0].score, abs=0.03)


def test_a_callback_stops_it():
    rows, pairs = example()
    one = trainer(rows, pairs)
    reason = train(one, rows, pairs, 100, lambda trainer: trainer.updates >= 60)
    assert reason == "stopped by a callback"
    assert one.updates == 60
