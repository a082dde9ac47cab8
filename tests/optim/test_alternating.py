"""Algorithm 1: known optima, monotone ascent, both modes, every way it stops."""

import itertools
import math

import numpy as np
import pytest
import torch

from wideangle import fit_components, mutual_angular_score
from wideangle.exceptions import ComponentsError, DivergenceError, TooManyComponentsError
from wideangle.functional import pair_angles, row_lengths


def crowded(K=6, D=10, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    A = torch.randn(K, D, generator=generator, dtype=torch.float64)
    return (A + 2 * torch.randn(D, generator=generator, dtype=torch.float64)).to(dtype)


def near(target):
    return lambda A: -(A - target).square().mean()


def nothing(A):
    return A.new_zeros(())


def angles_in_degrees(A):
    return torch.rad2deg(pair_angles(A))


@pytest.mark.parametrize("surrogate", ["angle", "bound", "volume"])
def test_without_an_objective_components_become_orthogonal(surrogate):
    result = fit_components(nothing, crowded(4, 10), 1.0, surrogate=surrogate, max_iterations=500, tolerance=1e-12)
    assert angles_in_degrees(result.components).min() > 89.9


@pytest.mark.slow
def test_more_components_than_dimensions_spread_evenly():
    """Three lines of a plane: the largest mean angle with no variance is 60° each."""
    A = torch.tensor([[1.0, 0.0], [1.0, 0.3], [1.0, -0.2]], dtype=torch.float64)
    result = fit_components(nothing, A, 1.0, max_iterations=500, tolerance=1e-12)
    assert torch.allclose(angles_in_degrees(result.components), torch.full((3,), 60.0, dtype=torch.float64), atol=0.5)


def test_without_diversity_it_is_the_model_alone():
    target = crowded(seed=1)
    result = fit_components(near(target), crowded(), 0.0, max_iterations=1000, tolerance=1e-14)
    assert torch.allclose(result.components, target, atol=1e-3)
    assert result.converged


def test_diversity_trades_the_objective_for_angles():
    target = crowded(seed=1)
    fits = [fit_components(near(target), target, weight) for weight in (0.0, 0.1, 1.0, 10.0)]
    objectives = [fit.history[-1].objective for fit in fits]
    scores = [float(mutual_angular_score(fit.components)) for fit in fits]
    assert objectives == sorted(objectives, reverse=True)
    assert scores == sorted(scores)
    assert scores[-1] > scores[0] + 0.2


@pytest.mark.parametrize("surrogate", ["angle", "bound", "volume"])
def test_no_iteration_lowers_the_total(surrogate):
    result = fit_components(near(crowded(seed=1)), crowded(), 0.3, surrogate=surrogate)
    totals = [p.total for p in result.history]
    assert all(later >= earlier - 1e-12 for earlier, later in itertools.pairwise(totals))
    assert totals[-1] > totals[0]


def test_result_is_consistent():
    result = fit_components(near(crowded(seed=1)), crowded(), 0.3)
    assert torch.allclose(result.components, result.lengths[:, None] * result.directions)
    assert torch.allclose(row_lengths(result.directions), torch.ones(6, dtype=torch.float64))
    assert (result.lengths > 0).all()
    last = result.history[-1]
    assert last.mean_angle == pytest.approx(float(angles_in_degrees(result.components).mean()))
    assert last.total == pytest.approx(last.objective + 0.3 * last.regularizer)
    assert last.objective == pytest.approx(float(near(crowded(seed=1))(result.components)))
    assert last.min_angle == pytest.approx(float(angles_in_degrees(result.components).min()))
    assert [p.iteration for p in result.history] == list(range(1, len(result.history) + 1))
    assert result.stopped.startswith("converged")


@pytest.mark.slow
def test_lengths_stay_positive_where_the_objective_wants_none():
    result = fit_components(lambda A: -A.square().sum(), crowded(), 0.1)
    assert (result.lengths > 0).all()
    assert result.lengths.max() < 1e-3
    assert torch.isfinite(result.components).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_and_zero_rows_are_parted_reproducibly(dtype):
    A = crowded(dtype=dtype)
    A[1] = A[0]
    A[2] = -2 * A[0]
    A[3] = 0
    first, again = (fit_components(nothing, A, 1.0, max_iterations=300, seed=4) for _ in range(2))
    assert torch.equal(first.components, again.components)
    assert angles_in_degrees(first.components).min() > 60
    other = fit_components(nothing, A, 1.0, max_iterations=300, seed=5)
    assert not torch.equal(first.components, other.components)


def test_numpy_in_numpy_out():
    result = fit_components(nothing, crowded().numpy().astype(np.float32), 1.0)
    for part in (result.components, result.directions, result.lengths):
        assert isinstance(part, np.ndarray)
        assert part.dtype == np.float32


def test_the_start_is_left_alone():
    A = crowded()
    before = A.clone()
    fit_components(nothing, A, 1.0)
    fit_components(lambda A, b: A.sum() * 0, A, 1.0, batches=[1], max_iterations=3)
    assert torch.equal(A, before)


def matrix_factorisation_batches(seed=0):
    generator = torch.Generator().manual_seed(seed)
    truth = torch.randn(4, 12, generator=generator)
    X = torch.randn(400, 4, generator=generator) @ truth

    def objective(A, batch):
        codes = batch @ torch.linalg.pinv(A.detach())
        return -(batch - codes @ A).square().mean()

    return X, X.split(50), objective


@pytest.mark.slow
def test_stochastic_reaches_the_quality_of_full_batch():
    X, batches, objective = matrix_factorisation_batches()
    start = crowded(4, 12, dtype=torch.float32)
    full = fit_components(lambda A: objective(A, X), start, 0.05, max_iterations=300)
    noisy = fit_components(objective, start, 0.05, batches=batches, max_iterations=150, learning_rate=0.02)
    assert len(noisy.history) > 5
    at_end = [
        float(objective(r.components, X)) + 0.05 * float(mutual_angular_score(r.components)) for r in (full, noisy)
    ]
    assert at_end[1] > at_end[0] - 0.01
    assert torch.allclose(row_lengths(noisy.directions), torch.ones(4), atol=1e-6)


def test_stochastic_keeps_the_last_finite_components():
    def objective(A, batch):
        return A.sum() * (float("nan") if len(seen) > 10 else 1.0) + 0 * len(seen.append(1) or seen)

    seen = []
    with pytest.raises(DivergenceError, match="nan in iteration 3.*learning_rate") as error:
        fit_components(objective, crowded(), 0.1, batches=[1, 2], max_iterations=50)
    result = error.value.result
    assert not result.converged
    assert (error.value.update, error.value.kept) == (3, 2)
    assert torch.isfinite(result.components).all()


def test_callback_sees_progress_and_can_stop():
    seen = []
    result = fit_components(nothing, crowded(), 1.0, tolerance=0, callback=lambda p: seen.append(p) or len(seen) == 3)
    assert tuple(seen) == result.history
    assert len(seen) == 3
    assert "callback" in result.stopped
    assert not result.converged


def test_iteration_limit_is_named():
    result = fit_components(nothing, crowded(), 1.0, max_iterations=2, tolerance=0)
    assert result.stopped == "stopped after max_iterations=2, still gaining"
    assert not result.converged


def test_one_component():
    target = crowded(1)
    result = fit_components(near(target), crowded(1, seed=3), 1.0, max_iterations=500, tolerance=1e-14)
    assert torch.allclose(result.components, target, atol=1e-3)
    assert math.isnan(result.history[-1].mean_angle)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"diversity": -1.0}, ValueError, "diversity"),
        ({"diversity": float("nan")}, ValueError, "diversity"),
        ({"surrogate": "volum"}, ValueError, "got 'volum'"),
        ({"max_iterations": 0}, ValueError, "max_iterations must be a whole number"),
        ({"A": torch.randn(5, 3), "surrogate": "volume"}, TooManyComponentsError, "K=5"),
        ({"A": torch.randn(5)}, ComponentsError, "1 dimensions"),
        ({"A": torch.full((2, 3), float("nan"))}, ComponentsError, "finite"),
        ({"objective": lambda A: A}, ValueError, r"scalar tensor; got \(6, 10\)"),
        ({"objective": lambda A: 1.0}, ValueError, "scalar tensor; got float"),
        ({"objective": lambda A: A.sum() * float("nan")}, ValueError, "nan at the initial"),
        ({"objective": lambda A, b: A.sum(), "batches": []}, ValueError, "batches gave nothing"),
    ],
)
def test_bad_arguments(changes, error, message):
    arguments = {"objective": nothing, "A": crowded(), "diversity": 1.0} | changes
    with pytest.raises(error, match=message):
        fit_components(arguments.pop("objective"), arguments.pop("A"), arguments.pop("diversity"), **arguments)
