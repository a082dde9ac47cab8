"""Distances whose components are kept apart as the points of the pairs see them."""

import numpy as np
import pytest
import reference
import scipy.sparse as sp
import torch

from wideangle.data import make_pairs
from wideangle.diversity import DiversityTerm
from wideangle.functional import mutual_angular_score
from wideangle.functional.mahalanobis import pair_loss, squared_distances
from wideangle.models import DistanceLearner
from wideangle.models._base import Randomness
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.rows import PairRows, aligned
from wideangle.models._distance.trainer import PairTrainer
from wideangle.models._training.steps import LearningRate

CPU = torch.device("cpu")


def points(n=60, D=8, seed=0):
    """Correlated features, many of them 0."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 3, n)
    X = np.maximum(generator.standard_normal((n, D)) @ generator.standard_normal((D, D)), 0)
    X[:, 0] += y
    return X, y


def some_pairs(y, n=400, seed=1):
    left, right = np.random.default_rng(seed).integers(0, len(y), (2, n))
    return IndexPairs(left, right, y[left] == y[right])


def trainer(rows, pairs, metric, K=4):
    A = torch.randn(K, rows.matrix.shape[1], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rate = LearningRate(0.05, "linear", 100)
    term = DiversityTerm(0.3, metric=metric)
    made = PairTrainer(term, rate, aligned(A, rows), 0.5, Randomness.of(0, CPU), 2.0, 400)
    made.welcome(rows, pairs)
    return made


def model(n_components=4, **changes):
    settings = {"max_updates": 200, "n_similar": 2000, "n_dissimilar": 2000, "batch_size": 200, "device": "cpu"}
    settings |= {"learning_rate": 0.05, "random_state": 0, "validation_fraction": 0.0, "metric": "covariance"}
    return DistanceLearner(n_components, **(settings | changes))


def mean_angle(A, X):
    return float(np.rad2deg(np.mean(reference.angles(A @ (X - X.mean(0)).T))))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("metric", ["scales", "covariance"])
def test_the_gradient_of_a_full_batch_is_that_of_the_objective(metric, sparse):
    """Loss of the scaled inputs less λ Ω(A L), L of the points of the pairs, by autograd."""
    X, y = points()
    pairs = some_pairs(y)
    one = trainer(PairRows(sp.csr_array(X) if sparse else X, CPU), pairs, metric)
    ends = X[np.concatenate([pairs.left, pairs.right])]
    L = np.diag(ends.std(0)) if metric == "scales" else (ends - ends.mean(0)).T
    A = one.A.clone().requires_grad_()
    scaled = torch.from_numpy(one.scale * X)
    loss = pair_loss(
        squared_distances(A, scaled[pairs.left], scaled[pairs.right]), torch.from_numpy(pairs.similar), 2.0
    )
    (loss - 0.3 * mutual_angular_score(A @ torch.from_numpy(L))).backward()
    one.update(PairRows(sp.csr_array(X) if sparse else X, CPU), pairs)
    torch.testing.assert_close(one.A.grad, A.grad)


def test_features_of_the_points_become_less_correlated():
    X, y = points(300)
    # Principal directions are both orthogonal and uncorrelated, so that they could not tell metrics apart.
    plain, diverse = (model(diversity=weight, init="random").fit(X, y) for weight in (0.0, 10.0))
    assert mean_angle(diverse.components_, X) > mean_angle(plain.components_, X) + 5
    assert mean_angle(diverse.components_, X) > 85
    assert diverse.history_[-1].mean_angle == pytest.approx(mean_angle(diverse.components_, X), abs=4)  # a sample


def test_it_takes_other_components_apart_than_the_identity_does():
    X, y = points(300)
    metrics = ("covariance", "identity")
    seen, weights = (model(diversity=10.0, init="random", metric=metric).fit(X, y) for metric in metrics)
    assert mean_angle(weights.components_, X) < mean_angle(seen.components_, X) - 5


def test_dense_and_sparse_rows_lead_to_the_same_distances():
    X, y = points(200)
    drawn = make_pairs(y, 1000, 1000, seed=0)
    dense = model(diversity=1.0, max_updates=40).fit_pairs(drawn.indices, drawn.similar, X)
    sparse = model(diversity=1.0, max_updates=40).fit_pairs(drawn.indices, drawn.similar, sp.csr_array(X))
    np.testing.assert_allclose(
        dense.pair_distance(drawn.indices, X), sparse.pair_distance(drawn.indices, X), rtol=1e-6, atol=1e-9
    )


def test_a_shift_of_all_points_changes_nothing():
    X, y = points(200)
    drawn = make_pairs(y, 1000, 1000, seed=0)
    here, there = (
        model(diversity=1.0, max_updates=40).fit_pairs(drawn.indices, drawn.similar, X + shift) for shift in (0.0, 64.0)
    )
    np.testing.assert_allclose(there.components_, here.components_, rtol=1e-6, atol=1e-9)


def test_validation_trains_by_the_points_that_are_not_held_out():
    """The record of the start is the first; it has the angles that the training points see."""
    X, y = points(300)
    fitted = model(validation_fraction=0.2, diversity=1.0).fit(X, y)
    assert fitted.stopped_.startswith("validated")
    angles = [record.mean_angle for record in fitted.history_]
    assert np.isfinite(angles).all()


def test_partial_fit_follows_the_data():
    """Another covariance and another kind of matrix: what counts is the rows of the last calls."""
    X, y = points(600)
    other = np.random.default_rng(3).standard_normal(X.shape) * [9, 1, 1, 1, 1, 1, 1, 9]
    fitted = model(diversity=1.0).partial_fit(X, y).partial_fit(other, y)
    kept = fitted._trainer.seen.rows()
    np.testing.assert_allclose(kept.std(0), other.std(0), rtol=0.2)
    assert fitted.history_[-1].mean_angle == pytest.approx(mean_angle(fitted.components_, kept.numpy()))
    fitted.partial_fit(sp.csr_array(X[:50]), y[:50])  # Fewer points than are kept, of another kind than those before.
    kept = fitted._trainer.seen.rows()
    assert sp.issparse(kept)
    assert fitted.history_[-1].mean_angle == pytest.approx(mean_angle(fitted.components_, kept.toarray()))


def test_identity_takes_the_steps_that_it_took_before_there_were_metrics():
    """The loss is that of a fit by the code before there were metrics."""
    X, y = points(300)
    then = {"diversity": 0.05, "max_updates": 40, "learning_rate": 0.02, "validation_fraction": 0.0, "device": "cpu"}
    default, named = (
        DistanceLearner(4, random_state=0, **then, **more).fit(X, y) for more in ({}, {"metric": "identity"})
    )
    np.testing.assert_array_equal(default.components_, named.components_)
    assert default.history_[-1].loss == pytest.approx(2.171307927662016, rel=1e-6)


def test_an_unknown_metric():
    X, y = points()
    with pytest.raises(ValueError, match="metric .*'covariance'.* None"):
        model(metric=None).fit(X, y)
