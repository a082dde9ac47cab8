"""Seraph: its terms by finite differences, its solution against a generic solver, with and without unlabelled rows."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from wideangle.baselines.metrics import Seraph
from wideangle.baselines.metrics.seraph import log_likelihood, negative_entropy, unlabelled_pairs


def data(seed=0, n=40):
    generator = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = generator.standard_normal((n, 3)) * [2.0, 1.0, 0.5]
    X[:, 1] += 2 * y
    return X, y, generator


def similar_probability(squared):
    return 1 / (1 + np.exp(squared - 1))


def test_terms_are_those_of_the_definition_and_slopes_those_of_differences():
    squared = torch.tensor([0.0, 0.3, 1.0, 2.5, 30.0], dtype=torch.float64)
    signs = torch.tensor([1.0, -1.0, 1.0, -1.0, -1.0], dtype=torch.float64)
    p = similar_probability(squared.numpy())
    value, slopes = log_likelihood(squared, signs)
    assert value == pytest.approx(np.log(np.where(signs == 1, p, 1 - p)).mean())
    certainty, certainty_slopes = negative_entropy(squared)
    assert certainty == pytest.approx((p * np.log(p) + (1 - p) * np.log1p(-p)).mean())
    for i in range(5):
        step = torch.zeros(5, dtype=torch.float64)
        step[i] = 1e-6
        rise = log_likelihood(squared + step, signs)[0] - log_likelihood(squared - step, signs)[0]
        assert rise / 2e-6 == pytest.approx(float(slopes[i]), abs=1e-8)
        rise = negative_entropy(squared + step)[0] - negative_entropy(squared - step)[0]
        assert rise / 2e-6 == pytest.approx(float(certainty_slopes[i]), abs=1e-8)


def test_large_distances_give_finite_terms():
    value, slopes = negative_entropy(torch.tensor([1e4], dtype=torch.float64))
    assert value == 0
    assert float(slopes) == 0
    assert np.isfinite(log_likelihood(torch.tensor([1e4]), torch.tensor([1.0]))[0])


@pytest.mark.parametrize("trace_weight", [0.0, 0.05])
def test_the_supervised_solution_is_that_of_a_generic_solver(trace_weight):
    X, y, generator = data()
    pairs = generator.integers(0, 40, (200, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    signs = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    model = Seraph(trace_weight=trace_weight, tol=1e-8, max_updates=5000, device="cpu").fit_pairs(pairs, signs, X)
    assert model.stopped_.startswith("converged")
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]
    scale = np.sqrt(3 / (differences**2).sum(1).mean())
    differences *= scale

    def loss(L):
        p = similar_probability(((differences @ L.reshape(3, 3).T) ** 2).sum(axis=1))
        return -np.log(np.where(signs == 1, p, 1 - p)).mean() + trace_weight * (L**2).sum()

    best = min(
        (minimize(loss, start, options={"gtol": 1e-9}) for start in generator.standard_normal((3, 9))),
        key=lambda found: found.fun,
    )
    assert model.objective_ == pytest.approx(-best.fun, rel=1e-6)
    L = scale * best.x.reshape(3, 3)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), L.T @ L, atol=1e-3 * np.abs(L.T @ L).max())


def settings(**others):
    return {"n_similar": 300, "n_dissimilar": 300, "device": "cpu", "random_state": 0, **others}


def test_without_weight_unlabelled_rows_change_nothing():
    X, y, generator = data()
    more = generator.standard_normal((50, 3))
    plain = Seraph(**settings()).fit(X, y)
    weightless = Seraph(**settings(entropy_weight=0.0)).fit(X, y, unlabelled=more)
    np.testing.assert_allclose(weightless.get_mahalanobis_matrix(), plain.get_mahalanobis_matrix(), rtol=1e-6)
    weighty = Seraph(**settings()).fit(X, y, unlabelled=more)
    assert np.abs(weighty.get_mahalanobis_matrix() - plain.get_mahalanobis_matrix()).max() > 1e-3


def test_more_weight_makes_unlabelled_pairs_more_certain():
    X, y, generator = data()
    more = generator.standard_normal((50, 3)) * [2.0, 1.0, 0.5]
    pairs = generator.integers(0, 50, (500, 2))
    certainties = []
    for weight in (0.0, 1.0, 10.0):
        model = Seraph(**settings(entropy_weight=weight, trace_weight=0.0)).fit(X, y, unlabelled=more)
        p = similar_probability(model.pair_distance(pairs, more) ** 2).clip(1e-12, 1 - 1e-12)
        certainties.append((p * np.log(p) + (1 - p) * np.log(1 - p)).mean())
    assert certainties == sorted(certainties)
    assert certainties[2] > certainties[0] + 0.05


def test_pairs_with_unlabelled_rows():
    X, _, generator = data()
    pairs, signs = np.arange(40).reshape(20, 2), np.where(np.arange(20) % 2, 1, -1)
    more = generator.standard_normal((5, 3))
    model = Seraph(**settings()).fit_pairs(pairs, signs, X, unlabelled=more)
    assert np.isfinite(model.components_).all()
    with pytest.raises(ValueError, match="features"):
        model.fit_pairs(pairs, signs, X, unlabelled=more[:, :2])


def test_a_larger_trace_weight_gives_fewer_components():
    generator = np.random.default_rng(0)
    X, y = generator.standard_normal((200, 8)), np.arange(200) % 4
    X[:, :3] += 2 * np.eye(4)[y, :3]
    ranks = [len(Seraph(**settings(trace_weight=w)).fit(X, y).components_) for w in (0.0, 0.3)]
    assert ranks[1] < ranks[0]
    assert not Seraph(**settings(trace_weight=100.0)).fit(X, y).components_.any()


def test_unlabelled_pairs_have_an_unlabelled_row_and_another_one():
    left, right = unlabelled_pairs(3, 2, 500, np.random.default_rng(0))
    assert set(left) == {3, 4}
    assert set(right) == {0, 1, 2, 3, 4}
    assert (left != right).all()
