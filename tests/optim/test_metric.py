"""Algorithm 1 with angles in the data's metric: the same fit in other coordinates."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle import fit_components
from wideangle.exceptions import MetricError
from wideangle.functional import ColumnScales, Covariance, LinearMap, pair_angles, value_and_gradient

SURROGATES = ["angle", "bound", "volume"]


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rows(n=80, D=6, seed=3):
    """Correlated columns of different sizes, far from 0."""
    return randn(n, D, seed=seed) @ randn(D, D, seed=seed + 1) * torch.logspace(-1, 1, D, dtype=torch.float64) + 5


def start(K=4, D=6):
    return randn(K, D, seed=1) + 2 * randn(D, seed=2)


def near(target):
    return lambda A: -(A - target).square().mean()


def nothing(A):
    return 0 * A.sum()


def degrees(A, X):
    """Angles of the responses to centred rows."""
    return torch.rad2deg(pair_angles(A @ (X - X.mean(0)).T))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("metric", [np.ones(6), 3 * np.ones(6), LinearMap(np.eye(6))], ids=["ones", "threes", "eye"])
def test_the_metric_of_the_paper_gives_the_fit_without_one(surrogate, metric):
    without, with_one = (
        fit_components(near(randn(4, 6, seed=5)), start(), 0.1, surrogate=surrogate, metric=chosen, tolerance=1e-11)
        for chosen in (None, metric)
    )
    torch.testing.assert_close(with_one.components, without.components, rtol=1e-4, atol=1e-4)
    assert with_one.history[-1].total == pytest.approx(without.history[-1].total, abs=1e-9)
    assert with_one.history[-1].mean_angle == pytest.approx(without.history[-1].mean_angle, abs=1e-2)
    assert with_one.converged


@pytest.mark.parametrize("batches", [None, [0, 1]])
@pytest.mark.parametrize("surrogate", SURROGATES)
def test_a_change_of_basis_changes_nothing(surrogate, batches):
    """Rows X T and components A T⁻ᵀ have the same responses. Fits in both bases map onto each other."""
    X, T, target = rows(), randn(6, 6, seed=9), randn(4, 6, seed=5)
    # The search measures lengths in units of the total deviation. T keeps it, so that even the steps are the same.
    T *= (X.var(0).sum() / (X @ T).var(0).sum()) ** 0.5
    # Rounding errors grow from step to step, so that the first steps are compared.
    options = {"surrogate": surrogate, "batches": batches, "max_iterations": 30 if batches else 2}

    def objective(A, *batch):
        return -(A - target - sum(batch) / 10).square().mean()

    here = fit_components(objective, start(), 0.1, metric=X, **options)
    there = fit_components(
        lambda B, *batch: objective(B @ T.T, *batch), start() @ torch.linalg.inv(T.T), 0.1, metric=X @ T, **options
    )
    # The best step at a kink of Ω is found in rounds, and rounding may end them one round earlier: 2.5e-5 was seen.
    torch.testing.assert_close(there.components @ T.T, here.components, rtol=1e-4, atol=2e-4)
    assert [p.mean_angle for p in there.history] == pytest.approx([p.mean_angle for p in here.history], rel=1e-5)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("sparse", [False, True])
def test_at_large_weights_responses_are_uncorrelated(surrogate, sparse):
    X = rows() * (rows(seed=7) > 5)
    metric = sp.csr_array(X.numpy()) if sparse else X
    result = fit_components(near(start()), start(), 100.0, surrogate=surrogate, metric=metric, max_iterations=200)
    correlations = np.corrcoef(result.components @ X.T)
    assert np.abs(correlations - np.eye(4)).max() < 0.01
    assert degrees(start(), X).min() < 80
    # The paper's regulariser makes the components themselves orthogonal, and their responses stay correlated.
    plain = fit_components(near(start()), start(), 100.0, surrogate=surrogate, max_iterations=200)
    assert np.abs(np.corrcoef(plain.components @ X.T) - np.eye(4)).max() > 0.1


@pytest.mark.parametrize("surrogate", SURROGATES)
def test_the_history_is_in_the_metric_and_the_components_are_the_users(surrogate):
    X, target = rows(), randn(4, 6, seed=5)
    result = fit_components(near(target), start(), 0.3, surrogate=surrogate, metric=X, max_iterations=10)
    torch.testing.assert_close(result.components, result.lengths[:, None] * result.directions)
    torch.testing.assert_close(torch.linalg.vector_norm(result.directions, dim=1), torch.ones(4).double())
    last = result.history[-1]
    assert last.objective == pytest.approx(float(near(target)(result.components)))
    assert last.regularizer == pytest.approx(
        float(value_and_gradient(result.components, surrogate, metric=X)[0]), rel=1e-6
    )
    assert last.total == pytest.approx(last.objective + 0.3 * last.regularizer)
    assert last.mean_angle == pytest.approx(float(degrees(result.components, X).mean()), rel=1e-6)
    assert last.min_angle == pytest.approx(float(degrees(result.components, X).min()), rel=1e-6)


def by_responses(target):
    """The mean squared difference of the responses to a batch of centred rows, negated."""
    return lambda A, batch: -((A - target) @ batch.T).square().mean()


def standard_rows(seed=3):
    X = rows(seed=seed)
    return (X - X.mean(0)) / X.std()


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("surrogate", SURROGATES)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_has_converged_is_as_good_as_a_long_run(surrogate, seed):
    X, objective = standard_rows(3 + 10 * seed), by_responses(randn(4, 6, seed=5 + seed))
    options = {"surrogate": surrogate, "metric": X}
    result = fit_components(lambda A: objective(A, X), start(), 0.1, **options)
    long = fit_components(lambda A: objective(A, X), start(), 0.1, max_iterations=400, tolerance=1e-13, **options)
    assert result.converged
    assert long.history[-1].total - result.history[-1].total < 2e-5


def test_without_diversity_the_optimum_is_that_of_the_model():
    target = randn(4, 6, seed=5)
    metric = ColumnScales(np.linspace(0.5, 2, 6))
    result = fit_components(near(target), start(), 0.0, metric=metric, tolerance=1e-12)
    torch.testing.assert_close(result.components, target, atol=1e-3, rtol=0)


@pytest.mark.slow
def test_mini_batches_reach_what_the_line_search_reaches():
    X, objective = standard_rows(), by_responses(randn(4, 6, seed=5))
    whole = fit_components(lambda A: objective(A, X), start(), 0.1, metric=X)
    parts = fit_components(objective, start(), 0.1, metric=X, batches=X.split(20), learning_rate=0.05)
    final = float(objective(parts.components, X)) + 0.1 * float(value_and_gradient(parts.components, metric=X)[0])
    assert final == pytest.approx(whole.history[-1].total, abs=0.002)
    assert parts.history[-1].mean_angle == pytest.approx(whole.history[-1].mean_angle, abs=0.5)


def test_shrinkage_lies_between_the_data_and_the_identity():
    X = rows(n=4)  # fewer rows than columns
    shrunk, whole = (
        fit_components(nothing, start(), 1.0, metric=Covariance(X, shrinkage=share), max_iterations=300)
        for share in (0.1, 1.0)
    )
    assert shrunk.history[-1].mean_angle > 89.9
    assert degrees(shrunk.components, X).shape == (6,)
    plain = fit_components(nothing, start(), 1.0, max_iterations=300)
    torch.testing.assert_close(whole.components, plain.components, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "metric",
    [
        ColumnScales([1.0, 0.0, 2.0, 0.5, 3.0, 1.0]),
        LinearMap(randn(6, 3)),
        Covariance(rows()),
        Covariance(sp.csr_array(rows().numpy())),
        Covariance(rows(n=4), shrinkage=0.3),
    ],
    ids=["scales", "map", "dense", "sparse", "shrunk"],
)
def test_a_root_has_the_angles_of_its_metric(metric):
    root, L = metric.root(start()), metric.map(torch.eye(6, dtype=torch.float64))
    torch.testing.assert_close(root @ root.T, L @ L.T)
    assert torch.equal(root, root.tril())
    assert (root.diagonal() >= 0).all()
    torch.testing.assert_close(pair_angles(start() @ root), pair_angles(metric.map(start())))


def constant_column():
    X = rows()
    X[:, 2] = 0.1
    return X


def dependent_column():
    X = rows()
    X[:, 2] = X[:, 0] - 2 * X[:, 1]
    return X


@pytest.mark.parametrize(
    ("metric", "rank"),
    [
        (constant_column(), 5),
        (dependent_column(), 5),
        (rows(n=5), 4),
        ([1.0, 2.0, 0.0, 1.0, 0.0, 1.0], 4),
        (LinearMap(randn(6, 3)), 3),
    ],
    ids=["constant", "dependent", "few rows", "zero scales", "narrow map"],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_metric_that_does_not_see_all_directions(metric, rank, dtype):
    words = rf"rank {rank}.* 6 columns.*constant.*Covariance\(rows, shrinkage=0.1\)"
    with pytest.raises(MetricError, match=words):
        fit_components(nothing, start().to(dtype), 1.0, metric=metric)


def test_units_of_columns_do_not_make_a_metric_singular():
    units = torch.logspace(-8, 8, 6, dtype=torch.float64)
    result = fit_components(nothing, start().float(), 1.0, metric=rows() * units, max_iterations=300)
    assert result.history[-1].min_angle > 89
    assert degrees(result.components.double(), rows() * units).min() > 89


@pytest.mark.parametrize("metric", ["covariance", rows(D=5), np.full(6, math.nan)])
def test_metrics_that_are_none(metric):
    with pytest.raises(MetricError):
        fit_components(nothing, start(), 1.0, metric=metric)


def test_numpy_in_numpy_out():
    result = fit_components(nothing, start().numpy(), 1.0, metric=rows().numpy())
    for part in (result.components, result.directions, result.lengths):
        assert isinstance(part, np.ndarray)
        assert part.dtype == np.float64
