"""Information-theoretic metric learning against a generic convex solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from wideangle.baselines.metrics import ITML
from wideangle.baselines.metrics.itml import distance_percentiles, whitening
from wideangle.exceptions import DataError


def lower(entries, d):
    L = np.zeros((d, d))
    L[np.tril_indices(d)] = entries
    return L


def divergence(M, prior):
    ratio = M @ np.linalg.inv(prior)
    return np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(M)


@pytest.mark.parametrize("slack", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("prior", ["identity", "covariance"])
def test_the_solution_is_that_of_a_generic_solver(slack, prior):
    generator = np.random.default_rng(0)
    X = generator.standard_normal((12, 2)) * [2.0, 0.5]
    pairs, signs = np.arange(12).reshape(6, 2), np.array([1, -1, 1, -1, 1, -1])
    model = ITML(slack=slack, prior=prior, tol=1e-10, max_updates=5000, random_state=0).fit_pairs(pairs, signs, X)
    assert model.stopped_ == "converged"
    M0 = np.eye(2) if prior == "identity" else np.linalg.inv(np.cov(X.T, bias=True))
    wanted = np.where(signs == 1, *model.bounds_)
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]

    def objective(variables):
        L, bounds = lower(variables[:3], 2), np.exp(variables[3:])
        ratios = bounds / wanted
        return divergence(L @ L.T, M0) + slack * (ratios - np.log(ratios) - 1).sum()

    def room(variables):
        squared = ((differences @ lower(variables[:3], 2)) ** 2).sum(axis=1)
        return signs * (np.exp(variables[3:]) - squared)

    start = np.concatenate([np.linalg.cholesky(M0)[np.tril_indices(2)], np.log(wanted)])
    found = minimize(
        objective,
        start,
        method="SLSQP",
        constraints={"type": "ineq", "fun": room},
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    L = lower(found.x[:3], 2)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), L @ L.T, rtol=2e-3, atol=2e-3 * np.abs(L @ L.T).max())


@pytest.mark.parametrize("slack", [0.3, 5.0])
def test_with_its_defaults_it_comes_within_the_tolerance_of_the_optimum(slack):
    generator = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = generator.standard_normal((40, 4)) * np.linspace(2, 0.5, 4)
    X[:, 0] += y
    model = ITML(slack=slack, random_state=0).fit(X, y)
    long = ITML(slack=slack, tol=1e-8, max_updates=3000, random_state=0).fit(X, y)
    assert model.stopped_ == "converged"
    assert model.lower_bound_ <= long.objective_ * (1 + 1e-9)
    assert long.objective_ <= model.objective_ <= long.objective_ * (1 + 1e-4)
    # Strong convexity: a matrix whose objective is nearly the smallest is nearly the best one.
    best = long.get_mahalanobis_matrix()
    assert np.abs(model.get_mahalanobis_matrix() - best).max() < 0.02 * np.abs(best).max()


def test_constraints_that_hold_leave_the_prior():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [0.0, 5.0]] * 5)
    X += 1e-3 * np.random.default_rng(0).standard_normal(X.shape)
    model = ITML(similar_percentile=37, dissimilar_percentile=40, random_state=0)
    model.fit_pairs([[0, 1], [0, 2]], [1, -1], X)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), np.eye(2), atol=1e-12)


def test_a_strict_slack_meets_the_bounds():
    generator = np.random.default_rng(1)
    X = generator.standard_normal((8, 5))
    pairs, signs = np.arange(8).reshape(4, 2), np.array([1, -1, 1, -1])
    model = ITML(slack=1e4, tol=1e-10, max_updates=20000, random_state=0).fit_pairs(pairs, signs, X)
    squared = model.pair_distance(pairs, X) ** 2
    assert (squared[signs == 1] <= model.bounds_[0] * 1.01).all()
    assert (squared[signs == -1] >= model.bounds_[1] * 0.99).all()


def test_bounds_are_percentiles_of_the_distances_of_different_rows():
    X = np.array([[0.0], [1.0], [3.0]])
    low, high = distance_percentiles(X, (0, 100), np.random.default_rng(0))
    assert (low, high) == (1.0, 9.0)
    with pytest.raises(DataError, match="all rows are equal"):
        distance_percentiles(np.ones((5, 2)), (5, 95), np.random.default_rng(0))


def test_pairs_of_equal_points_are_left_out():
    X = np.random.default_rng(0).standard_normal((10, 2))
    X[1] = X[0]
    pairs, signs = np.arange(10).reshape(5, 2), np.array([-1, 1, -1, 1, -1])
    with_them = ITML(random_state=0).fit_pairs(pairs, signs, X).get_mahalanobis_matrix()
    assert np.isfinite(with_them).all()
    strict = {"tol": 1e-13, "max_updates": 3000, "random_state": 0}
    with_them, without = (ITML(**strict).fit_pairs(pairs[k:], signs[k:], X).get_mahalanobis_matrix() for k in (0, 1))
    np.testing.assert_allclose(with_them, without, rtol=1e-5, atol=1e-8)


def test_a_constant_feature_has_no_weight_under_the_covariance_prior():
    X = np.column_stack([np.random.default_rng(0).standard_normal((20, 2)), np.ones(20)])
    assert whitening(X - X.mean(0)).shape == (3, 2)
    model = ITML(prior="covariance", random_state=0).fit(X, np.arange(20) % 2)
    np.testing.assert_allclose(model.components_[:, 2], 0, atol=1e-12)


def test_the_number_of_pairs_follows_the_number_of_classes():
    assert ITML()._numbers_of_pairs(np.arange(9) % 3) == (120, 120)
    assert ITML(n_similar=5)._numbers_of_pairs(np.arange(9) % 3) == (5, 120)


def test_percentiles_in_the_wrong_order():
    with pytest.raises(ValueError, match="similar_percentile"):
        ITML(similar_percentile=95, dissimilar_percentile=5).fit(np.eye(4), [0, 0, 1, 1])
