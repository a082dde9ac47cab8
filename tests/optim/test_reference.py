"""fit_components against a plain optimiser: L-BFGS of SciPy on A, with |cos| smoothed less and less.

The reference shares no code with the fit: it works on A itself and knows neither ridges nor spheres.
"""

import math
import time

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from wideangle import fit_components, mutual_angular_score

SMOOTHINGS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
GAP = 1e-4  # The fit may end below a reference by this share of the model's own scale.
WEIGHTS = (0.05, 1.0, 30.0, 100.0)


def randn(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def rows(n, D, spread=0.5, seed=3):
    """Correlated columns; `spread` is by how many powers of ten their sizes differ from the middle one's."""
    X = randn(n, D, seed=seed) @ randn(D, D, seed=seed + 1) * torch.logspace(-spread, spread, D, dtype=torch.float64)
    return (X + 1) / X.std()


def network(K, D, spread=0.5):
    """A layer of tanh units whose output weights are known, with a little weight decay."""
    X, v, A = rows(120, D, spread), randn(K, seed=13), randn(K, D, seed=11) + randn(D, seed=12)
    y = torch.tanh(X @ A.T) @ v + 0.1 * randn(120, seed=14)
    return lambda A: -(torch.tanh(X @ A.T) @ v - y).square().mean() - 1e-3 * A.square().mean(), X


def least_squares(K, D, spread=0.5):
    X, target = rows(120, D, spread), randn(K, D, seed=5) + randn(D, seed=6)
    return lambda A: -((A - target) @ X.T).square().mean(), X


def reconstruction(K, D, spread=0.5):
    X = rows(120, D, spread)
    return lambda A: -(X - X @ A.T @ A).square().sum(1).mean(), None


def reference(objective, start, weight, metric, smoothings=SMOOTHINGS):
    """The total and the components that L-BFGS finds."""
    X = torch.eye(start.shape[1], dtype=torch.float64) if metric is None else metric - metric.mean(0)
    first, second = torch.triu_indices(len(start), len(start), 1)
    A = start.numpy().ravel()
    for smoothing in smoothings:

        def negated(entries, smoothing=smoothing):
            A = torch.tensor(entries.reshape(start.shape), requires_grad=True)
            B = A @ X.T
            B = B / B.norm(dim=1, keepdim=True)
            cosine = ((B @ B.T)[first, second].square() + smoothing**2).sqrt() / math.sqrt(1 + smoothing**2)
            angle = math.pi / 2 - torch.arcsin(cosine.clamp(max=1 - 1e-14))
            total = objective(A) + weight * (angle.mean() - angle.var(correction=0))
            (slope,) = torch.autograd.grad(total, A)
            return -float(total.detach()), -slope.numpy().ravel()

        options = {"maxiter": 500, "maxfun": 1000, "ftol": 1e-14, "gtol": 1e-9, "maxcor": 30}
        A = minimize(negated, A, jac=True, method="L-BFGS-B", options=options).x
    found = torch.tensor(A.reshape(start.shape))
    return float(objective(found) + weight * mutual_angular_score(found, metric=metric)), found


def has_one_maximum(problem, K, D, spread):
    """Else which maximum is reached depends on the way there, and on the last digits of the sums."""
    return problem is not network and K <= D and spread < 1


def fitted(problem, K, D, weight, seed, spread=0.5):
    """A fit, its objective and metric, its start, and the scale of the model's own term, whatever the weight."""
    objective, metric = problem(K, D, spread)
    start = randn(K, D, seed=100 + seed)
    fit = fit_components(objective, start, weight, metric=metric)
    return fit, objective, metric, start, max(abs(float(objective(start))), abs(fit.history[-1].objective))


def check(problem, K, D, weight, seed, spread=0.5):
    fit, objective, metric, start, scale = fitted(problem, K, D, weight, seed, spread)
    total = fit.history[-1].total
    # From where the fit has ended, a plain optimiser climbs no further.
    higher, _ = reference(objective, fit.components, weight, metric, SMOOTHINGS[-2:])
    assert total >= higher - GAP * scale, (total, higher, fit.stopped)
    if has_one_maximum(problem, K, D, spread):
        plain, _ = reference(objective, start, weight, metric)
        assert total >= plain - GAP * scale, (total, plain, fit.stopped)
    assert fit.converged, fit.stopped


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("problem", "K", "D"), [(network, 4, 6), (least_squares, 6, 4), (reconstruction, 3, 6)])
def test_the_fit_ends_no_lower_than_a_plain_optimiser(problem, K, D):
    check(problem, K, D, 1.0, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("problem", "K", "D", "spread"),
    [
        (network, 4, 6, 0.5),
        (least_squares, 4, 6, 0.5),
        (least_squares, 4, 6, 1.5),
        (least_squares, 6, 4, 0.5),
        (reconstruction, 3, 6, 0.5),
        (reconstruction, 3, 6, 1.5),
    ],
)
def test_no_problem_of_the_bench_ends_lower(problem, K, D, weight, spread, seed):
    check(problem, K, D, weight, seed, spread)


@pytest.mark.slow
@pytest.mark.parametrize("weight", WEIGHTS[:3])
def test_of_several_maxima_the_fit_finds_as_good_ones_as_a_plain_optimiser(weight):
    """From one start either may reach the higher of two maxima. Over several, the fit is no lower in the middle."""
    differences = []
    for seed in range(6):
        fit, objective, metric, start, scale = fitted(network, 4, 6, weight, seed)
        differences.append((fit.history[-1].total - reference(objective, start, weight, metric)[0]) / scale)
    assert np.median(differences) >= -GAP, differences


def test_the_models_own_term_does_not_suffer_from_a_large_weight():
    """All pairs are orthogonal at both weights. What is left is the model's, and its best value knows no weight."""
    objective, metric = least_squares(4, 6)
    start = randn(4, 6, seed=100)
    fits = [fit_components(objective, start, weight, metric=metric) for weight in (30.0, 3000.0)]
    for fit in fits:
        assert fit.converged
        assert fit.history[-1].regularizer == pytest.approx(math.pi / 2, abs=1e-8)
    assert fits[0].history[-1].objective == pytest.approx(fits[1].history[-1].objective, abs=1e-5)


def test_the_number_of_evaluations_is_bounded():
    """However ill the problem, an iteration costs a bounded number of evaluations, and there are so many iterations."""
    calls = []

    def ill(A):
        calls.append(time.perf_counter())
        return -(A * torch.logspace(-4, 4, 6, dtype=A.dtype)).square().sum().sqrt() + 0 * len(calls)

    fit = fit_components(ill, randn(4, 6), 1.0, max_iterations=3, inner_steps=2)
    assert len(fit.history) <= 3
    assert len(calls) < 3 * (2 * 2 * 41 + 10)
    assert np.isfinite(fit.history[-1].total)
