"""Fits whose best value is known: whoever says that it has converged is there, on a ridge or off it."""

import math
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from wideangle import fit_components, mutual_angular_score

STARTS = range(3)
AXES = torch.eye(6, dtype=torch.float64)


def reconstruction(spectrum, A):
    """Principal components. Off the span of the first K axes all stationary points are saddles."""
    rest = torch.eye(len(spectrum), dtype=A.dtype) - A.T @ A
    return -(rest.square() * torch.tensor(spectrum, dtype=A.dtype)).sum()


def pulled(targets, A):
    """Each direction is pulled to a target of its own, or shared."""
    return (normalize(A) * targets).sum()


def near(target, A):
    return -(A - target).square().sum() / 2


def nothing(A):
    return A.new_zeros(())


def best_for_two_rows_at_one_target_and_one_at_another(weight, gamma):
    """The third row is orthogonal to both; the best angle of the two is found on a fine grid."""
    angle = np.linspace(0, math.pi / 2, 100_001)
    mean, variance = (angle + math.pi) / 3, 2 / 9 * (math.pi / 2 - angle) ** 2
    return float((weight * (mean - gamma * variance) + 2 * np.cos(angle / 2) + 2).max())


# name: objective, K, D, diversity, gamma, the best value. Where rows are pulled to one target, an angle of 2φ costs
# 2 − 2 cos φ and gains 2λφ. Three lines of a plane have angles that add up to 180° at most, four lines to 360°.
PROBLEMS = {
    f"components, {weight}": (partial(reconstruction, [4, 2, 1, 0.5]), 2, 4, weight, 1.0, -1.5 + weight * math.pi / 2)
    for weight in (0.1, 1.0, 10.0, 100.0)
}
PROBLEMS |= {
    "components, K = D": (partial(reconstruction, [4, 2, 1, 0.5]), 4, 4, 1.0, 0.3, math.pi / 2),
    "target shared, 60°": (partial(pulled, AXES[[0, 0]]), 2, 6, 0.5, 0.0, math.pi / 6 + math.sqrt(3)),
    "target shared, 90°": (partial(pulled, AXES[[0, 0]]), 2, 6, 2.0, 0.0, math.pi + math.sqrt(2)),
    "three lines of a plane": (nothing, 3, 2, 1.0, 1.0, math.pi / 3),
    "four lines of a plane": (nothing, 4, 2, 2.0, 0.5, 2 * (math.pi / 3 - 0.5 * 450 * math.radians(1) ** 2)),
    "near orthogonal rows": (partial(near, AXES[:4] * 1.5), 4, 6, 1.0, 1.0, math.pi / 2),
}
PROBLEMS |= {
    f"some pairs orthogonal, {weight}, gamma {gamma}": (
        partial(pulled, AXES[[0, 0, 1]] * torch.tensor([[1.0], [1.0], [2.0]])),
        *(3, 6, weight, gamma),
        best_for_two_rows_at_one_target_and_one_at_another(weight, gamma),
    )
    for weight, gamma in ((0.5, 0.0), (1.5, 1.0), (3.0, 1.0))
}


def start(K, D, seed, dtype=torch.float64):
    return torch.randn(K, D, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS.keys())
def test_converged_is_at_the_optimum(problem):
    objective, K, D, weight, gamma, best = problem
    fits = [fit_components(objective, start(K, D, seed), weight, gamma=gamma) for seed in STARTS]
    gaps = [best - fit.history[-1].total for fit in fits]
    assert all(-1e-6 < gap < 1e-3 for gap in gaps), gaps
    assert all(fit.converged for fit in fits), [fit.stopped for fit in fits]


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("name", ["components, 1.0", "components, 10.0", "some pairs orthogonal, 1.5, gamma 1.0"])
def test_float32_comes_as_near_as_it_can(name):
    objective, K, D, weight, gamma, best = PROBLEMS[name]
    for seed in STARTS:
        fit = fit_components(
            lambda A: objective(A).float(), start(K, D, seed, torch.float32), weight, gamma=gamma, max_iterations=50
        )
        assert best - fit.history[-1].total < 1e-3
        assert fit.converged or "slope" in fit.stopped


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("weight", [0.3, 3.0])
def test_the_bound_peaks_like_a_cone_and_is_followed_too(weight):
    objective = partial(reconstruction, [4, 2, 1, 0.5])
    fits = [fit_components(objective, start(2, 4, seed), weight, surrogate="bound") for seed in STARTS]
    gaps = [-1.5 + weight * math.pi / 2 - fit.history[-1].total for fit in fits]
    assert all(gap < 1e-3 for gap, fit in zip(gaps, fits, strict=True) if fit.converged)
    assert all(fit.converged for fit in fits), [fit.stopped for fit in fits]


def batches_with_a_known_best(weight):
    """Samples in batches; the best value is that of the whole sample's spectrum."""
    X = torch.randn(200, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    X = X * torch.tensor([2.0, 1.4, 0.7, 0.5], dtype=torch.float64)
    spectrum = torch.linalg.eigvalsh(X.T @ X / len(X))
    return (
        X.split(20),
        lambda A, x: -(x - x @ A.T @ A).square().sum(1).mean(),
        weight * math.pi / 2 - spectrum[:2].sum(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("weight", [1.0, 10.0])
def test_mini_batches_follow_ridges_and_do_not_claim_more_than_they_reach(weight):
    batches, objective, best = batches_with_a_known_best(weight)
    reached = 0
    for seed in STARTS:
        fit = fit_components(
            objective, start(2, 4, seed), weight, batches=batches, max_iterations=60, learning_rate=0.05
        )
        score = float(mutual_angular_score(fit.components))
        value = float(sum(objective(fit.components, x) for x in batches)) / len(batches) + weight * score
        gap = float(best) - value
        assert not fit.converged or gap < 1e-3
        assert score == pytest.approx(math.pi / 2, abs=1e-4)
        reached += gap < 1e-2
    assert reached >= 2


def test_a_learning_rate_that_ends_is_no_convergence():
    batches, objective, _ = batches_with_a_known_best(1.0)
    fit = fit_components(objective, start(2, 4, 0), 1.0, batches=batches, max_iterations=3)
    assert not fit.converged
    assert "learning rate has reached 0" in fit.stopped
    assert "slope" in fit.stopped


def test_mini_batches_can_converge():
    """Without noise, since all batches are the same."""
    objective, K, D, weight, gamma, best = PROBLEMS["components, 10.0"]
    fit = fit_components(
        lambda A, _: objective(A), start(K, D, 1), weight, gamma=gamma, batches=[0] * 20, learning_rate=0.05
    )
    assert fit.converged
    assert best - fit.history[-1].total < 1e-3


@pytest.mark.slow
def test_an_objective_with_a_kink_of_its_own_is_not_called_converged():
    """|a| of an objective stops the line search, and nothing is known of the slope beyond it."""
    target = start(2, 3, 9)
    fit = fit_components(lambda A: -(A - target).abs().sum(), start(2, 3, 0), 1.0, max_iterations=500)
    assert not fit.converged
    assert "is the objective smooth" in fit.stopped or "still gaining" in fit.stopped
