"""The step in the presence of kinks, on its own: what it holds, what it lets go, and that no other step is better."""

import itertools
import math

import pytest
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional import retract, tangent, value_and_gradient
from wideangle.optim.ridge import Kinks, best_move, moved_along, slopes

PLANE = torch.eye(2, 4, dtype=torch.float64)  # two orthogonal rows
EXACT = 1e-14


def rows(K=4, D=6, seed=0):
    return retract(torch.randn(K, D, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)))


def one_kink(limit, cosine=0.0):
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    return Kinks(cosine * swap, limit * swap)


def toward_each_other(strength):
    """A gradient that turns both rows of PLANE toward each other."""
    return strength * PLANE[[1, 0]]


def steps(K, size=1.0):
    return torch.full((K,), size, dtype=torch.float64)


@pytest.mark.parametrize("strength", [0.0, 0.3, -0.9])
def test_a_pair_is_held_while_its_multiplier_is_admissible(strength):
    move = best_move(PLANE, toward_each_other(strength), one_kink(1.0), steps(2), EXACT)
    assert move.displacement.abs().max() < 1e-6
    assert float(move.multiplier[0, 1]) == pytest.approx(strength, abs=1e-6)


@pytest.mark.parametrize("strength", [1.5, -4.0])
def test_a_pair_is_released_with_what_its_kink_cannot_hold(strength):
    move = best_move(PLANE, toward_each_other(strength), one_kink(1.0), steps(2, 0.1), EXACT)
    left = strength - math.copysign(1.0, strength)
    assert torch.allclose(move.displacement, 0.1 * toward_each_other(left), atol=1e-9)


def test_a_pair_near_its_kink_comes_onto_it_and_not_beyond():
    W = torch.tensor([[1.0, 0.0], [math.sin(0.01), math.cos(0.01)]], dtype=torch.float64)
    gradient, kinks = slopes(W, DiversityTerm(1.0, "angle", 0.0))
    moved = moved_along(W, gradient, kinks, steps(2, 10.0), EXACT)[0]
    assert abs(float(moved[0] @ moved[1])) < 1e-5


def test_motion_that_keeps_the_pair_orthogonal_is_free():
    gradient = torch.zeros(2, 4, dtype=torch.float64)
    gradient[0, 2], gradient[1, 3] = 0.5, -2.0
    move = best_move(PLANE, gradient + toward_each_other(0.7), one_kink(1.0), steps(2, 0.1), EXACT)
    assert torch.allclose(move.displacement, 0.1 * gradient, atol=1e-7)
    assert move.promised == pytest.approx(0.1 * float(gradient.square().sum()) / 2)


def model(W, gradient, kinks, step, displacement):
    """The model that the step maximises, pair by pair."""
    value = float((gradient * displacement).sum())
    value -= sum(float(d @ d) / (2 * float(t)) for d, t in zip(displacement, step, strict=True))
    after = {}
    for i, j in itertools.combinations(range(len(W)), 2):
        after[i, j] = float(kinks.cosine[i, j] + displacement[i] @ W[j] + W[i] @ displacement[j])
    if kinks.radius is not None:
        return value - float(kinks.radius) * math.sqrt(sum(c * c for c in after.values()))
    return value - sum(float(kinks.limit[pair]) * abs(c) for pair, c in after.items())


@pytest.mark.parametrize("surrogate", ["angle", "bound"])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_step_is_better_in_the_model(surrogate, seed):
    generator = torch.Generator().manual_seed(seed)
    W = retract(torch.eye(4, 6, dtype=torch.float64) + 0.03 * rows(seed=seed))
    smooth, kinks = slopes(W, DiversityTerm(1.0, surrogate, 0.5))
    gradient = smooth + tangent(W, 0.2 * torch.randn(4, 6, dtype=torch.float64, generator=generator))
    step = 0.3 * torch.rand(4, dtype=torch.float64, generator=generator) + 0.05
    move = best_move(W, gradient, kinks, step, EXACT)
    best = model(W, gradient, kinks, step, move.displacement)
    assert best - model(W, gradient, kinks, step, torch.zeros_like(W)) == pytest.approx(move.promised, abs=1e-9)
    assert move.promised > 0
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(30):
            other = move.displacement + size * tangent(W, torch.randn(4, 6, dtype=torch.float64, generator=generator))
            assert model(W, gradient, kinks, step, other) < best + 0.02 * move.promised


@pytest.mark.parametrize("surrogate", ["angle", "bound", "volume"])
@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_smooth_part_and_pull_of_the_kinks_are_the_gradient(surrogate, gamma):
    for W in (rows(), retract(torch.eye(4, 6, dtype=torch.float64) + 0.05 * rows(seed=1))):
        smooth, kinks = slopes(W, DiversityTerm(3.0, surrogate, gamma))
        whole = smooth if kinks is None else smooth - tangent(W, kinks.pull() @ W)
        assert torch.allclose(whole, 3.0 * value_and_gradient(W, surrogate, gamma)[1], rtol=1e-9, atol=1e-12)


def test_pairs_that_are_held_stay_orthogonal_over_a_long_step():
    """On a sphere a straight step would leave the ridge by the square of its length."""
    generator = torch.Generator().manual_seed(3)
    W = torch.eye(4, 6, dtype=torch.float64)
    kinks = slopes(W, DiversityTerm(10.0, "angle", 0.0)).kinks
    gradient = tangent(W, torch.randn(4, 6, dtype=torch.float64, generator=generator))
    moved, move = moved_along(W, gradient, kinks, steps(4, 0.1), EXACT)
    straight = retract(W + move.displacement)
    drift, left = ((V @ V.T - torch.eye(4)).abs().max() for V in (straight, moved))
    assert drift > 5e-3
    assert left < drift / 10


def test_orthogonal_pairs_are_left_where_the_variance_rewards_it():
    """Four rows of a plane, two pairs of them close: for a large γ a right angle is too far from the mean."""
    W = retract(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.1], [1.0, -0.1]], dtype=torch.float64))
    gradient, kinks = slopes(W, DiversityTerm(1.0, "angle", 5.0))
    assert float(kinks.limit[0, 1]) == 0
    assert float(gradient.norm()) > 0


@pytest.mark.parametrize(("surrogate", "weight", "K"), [("volume", 1.0, 3), ("angle", 0.0, 3), ("angle", 1.0, 1)])
def test_no_kinks_no_detour(surrogate, weight, K):
    W = rows(K)
    gradient, kinks = slopes(W, DiversityTerm(weight, surrogate, 1.0))
    assert kinks is None
    step = steps(K, 0.1)
    assert torch.equal(best_move(W, gradient, kinks, step, EXACT).displacement, 0.1 * gradient)
