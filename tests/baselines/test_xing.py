"""The method of Xing et al. against a generic solver."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from wideangle.baselines.metrics import XingMetric
from wideangle.baselines.metrics._pairs import PairMoments
from wideangle.baselines.metrics.xing import mean_distance


def problem(seed, n=60, d=3):
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, d)) * [3.0, 1.0, 0.3]
    X[:, 2] += np.arange(n) % 2
    pairs = generator.integers(0, n, (80, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return X, pairs, np.where((pairs[:, 0] - pairs[:, 1]) % 2, -1, 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_a_generic_solver_and_meets_the_constraint(seed):
    X, pairs, signs = problem(seed)
    model = XingMetric(ridge=0.0, tol=1e-6, max_updates=2000, device="cpu").fit_pairs(pairs, signs, X)
    assert model.stopped_ == "converged"
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]

    def lengths(L, kind):
        return np.linalg.norm(differences[signs == kind] @ L.reshape(3, 3).T, axis=1)

    best = max(
        (
            minimize(
                lambda L: -lengths(L, -1).mean(),
                start.ravel(),
                method="SLSQP",
                constraints={"type": "ineq", "fun": lambda L: 1 - (lengths(L, 1) ** 2).mean()},
                options={"maxiter": 1000, "ftol": 1e-12},
            )
            for start in np.random.default_rng(seed).standard_normal((3, 3, 3)) / 3
        ),
        key=lambda found: -found.fun if found.success else -np.inf,
    )
    distances = model.pair_distance(pairs, X)
    assert (distances[signs == 1] ** 2).mean() == pytest.approx(1)
    assert distances[signs == -1].mean() == pytest.approx(-best.fun, rel=1e-4)
    assert model.objective_ == pytest.approx(-best.fun, rel=1e-4)
    L = best.x.reshape(3, 3)
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), L.T @ L, atol=0.02 * np.abs(L.T @ L).max())


def test_the_gradient_is_that_of_differences():
    generator = np.random.default_rng(0)
    Z = torch.from_numpy(generator.standard_normal((8, 3)))
    pairs = PairMoments(Z, np.array([0, 1, 2, 3]), np.array([4, 5, 6, 7]))
    L = generator.standard_normal((3, 3))
    B = torch.from_numpy(L @ L.T)
    gradient = mean_distance(B, pairs, 1e-9)[1]
    for i in range(3):
        for j in range(3):
            step = torch.zeros(3, 3, dtype=torch.float64)
            step[i, j] = 1e-6
            slope = (mean_distance(B + step, pairs, 1e-9)[0] - mean_distance(B - step, pairs, 1e-9)[0]) / 2e-6
            assert slope == pytest.approx(float(gradient[i, j]), rel=1e-6)


def test_the_ridge_only_tightens_the_constraint():
    X, pairs, signs = problem(0)
    X = np.column_stack([X, X[:, 0]])  # The moment of similar pairs has no inverse.
    model = XingMetric(device="cpu").fit_pairs(pairs, signs, X)
    assert np.isfinite(model.components_).all()
    assert (model.pair_distance(pairs, X)[signs == 1] ** 2).mean() <= 1
