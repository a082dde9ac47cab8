"""The method of Ying and Li against eigenvalue problems that are solved directly."""

import numpy as np
import pytest
from scipy.optimize import minimize

from wideangle.baselines.metrics import DMLEig


def problem(seed, n_dissimilar, d=3):
    generator = np.random.default_rng(seed)
    points = generator.standard_normal((20 + n_dissimilar, 2, d)) * np.geomspace(2.0, 0.5, d)
    signs = np.repeat([1, -1], [20, n_dissimilar])
    differences = points[:, 0] - points[:, 1]
    moment = differences[:20].T @ differences[:20] / 20
    return points, signs, differences[20:], moment


def test_for_one_dissimilar_pair_the_optimum_is_an_eigenvalue():
    points, signs, (difference,), moment = problem(0, 1)
    model = DMLEig(ridge=0.0, tol=1e-5, device="cpu").fit_pairs(points, signs)
    best = difference @ np.linalg.solve(moment, difference)  # the one eigenvalue of S^-½ ddᵀ S^-½ that is not 0
    assert model.objective_ == pytest.approx(best, rel=1e-4)
    assert model.pair_distance(points)[-1] ** 2 == pytest.approx(best, rel=1e-4)
    direction = np.linalg.solve(moment, difference)
    M = model.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, np.outer(direction, direction) / best, atol=0.01 * np.abs(M).max())


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_the_smallest_largest_eigenvalue_of_weighted_moments(seed):
    points, signs, differences, moment = problem(seed, 4)
    values, vectors = np.linalg.eigh(moment)
    white = differences @ vectors / np.sqrt(values)

    def largest_eigenvalue(logits):
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        return np.linalg.eigvalsh((white.T * weights) @ white)[-1]

    starts = np.random.default_rng(seed).standard_normal((4, 4))
    options = {"maxiter": 5000, "xatol": 1e-8, "fatol": 1e-12}
    best = min(minimize(largest_eigenvalue, start, method="Nelder-Mead", options=options).fun for start in starts)
    model = DMLEig(ridge=0.0, tol=1e-3, max_updates=5000, device="cpu").fit_pairs(points, signs)
    assert model.stopped_ == "converged"
    assert model.objective_ <= best * (1 + 1e-6)
    assert model.objective_ == pytest.approx(best, rel=2e-3)
    assert model.bound_ >= best * (1 - 1e-4)
    squared = model.pair_distance(points) ** 2
    assert squared[20:].min() == pytest.approx(model.objective_)
    assert squared[:20].mean() == pytest.approx(1)


def test_few_updates_leave_a_gap_that_is_told():
    points, signs, _, _ = problem(0, 4)
    model = DMLEig(ridge=0.0, tol=1e-6, max_updates=2, device="cpu").fit_pairs(points, signs)
    assert model.n_updates_ == 2
    assert model.stopped_ == "max_updates=2 reached"
    assert model.objective_ < model.bound_


@pytest.mark.parametrize("seed", range(3))
def test_where_many_pairs_are_equally_near_it_comes_as_close_as_a_generic_solver(seed):
    """With its defaults. Steps toward one eigenvector at a time would creep here."""
    d = 5
    points, signs, differences, moment = problem(seed, 20, d)
    values, vectors = np.linalg.eigh(moment)
    white = differences @ vectors / np.sqrt(values)

    def room(variables):
        factor = variables[:-1].reshape(d, d)
        return ((white @ factor) ** 2).sum(axis=1) / (factor**2).sum() - variables[-1]

    best = 0.0
    for start in np.random.default_rng(seed).standard_normal((2, d * d)):
        found = minimize(
            lambda variables: -variables[-1],
            [*start, 0.0],
            method="SLSQP",
            constraints={"type": "ineq", "fun": room},
            options={"maxiter": 500, "ftol": 1e-12},
        )
        best = max(best, found.x[-1] + min(0.0, room(found.x).min()))
    model = DMLEig(ridge=0.0, device="cpu").fit_pairs(points, signs)
    assert model.objective_ <= model.bound_
    assert best <= model.bound_ * (1 + 1e-6)
    assert model.objective_ >= best * (1 - 2e-3)
