"""The step in the presence of kinks, on its own: what it holds, what it lets go, and that no other step is better."""

import itertools
import math

import pytest
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional import mutual_angular_bound, mutual_angular_score, retract, tangent, value_and_gradient
from wideangle.optim.curvature import Memory, RowSteps
from wideangle.optim.ridge import Kinks, best_move, moved_along, rounded_score, slopes

PLANE = torch.eye(2, 4, dtype=torch.float64)  # two orthogonal rows
EXACT = 1e-14


def rows(K=4, D=6, seed=0):
    return retract(torch.randn(K, D, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)))


def one_kink(limit, lack=0.0):
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    return Kinks(lack * swap, limit * swap)


def toward_each_other(strength):
    """A gradient that turns both rows of PLANE toward each other."""
    return strength * PLANE[[1, 0]]


def steps(K, size=1.0):
    return RowSteps(torch.full((K,), size, dtype=torch.float64))


def moved(W, move):
    return retract(W + move.displacement)


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
    after = moved(W, moved_along(W, gradient, kinks, steps(2, 10.0), EXACT))
    assert abs(float(after[0] @ after[1])) < 1e-5


def test_motion_that_keeps_the_pair_orthogonal_is_free():
    gradient = torch.zeros(2, 4, dtype=torch.float64)
    gradient[0, 2], gradient[1, 3] = 0.5, -2.0
    move = best_move(PLANE, gradient + toward_each_other(0.7), one_kink(1.0), steps(2, 0.1), EXACT)
    assert torch.allclose(move.displacement, 0.1 * gradient, atol=1e-7)
    assert move.promised == pytest.approx(0.1 * float(gradient.square().sum()) / 2)


def as_matrix(reach, like):
    """H, applied to one entry after the other. It acts on tangent vectors; the rest of the space is not asked for."""
    units = torch.eye(like.numel(), dtype=like.dtype).view(-1, *like.shape)
    return torch.stack([reach.apply(unit).flatten() for unit in units])


def model(W, gradient, kinks, curvature, displacement):
    """The model that the step maximises, pair by pair."""
    flat = displacement.flatten()
    value = float((gradient * displacement).sum()) - float(flat @ curvature @ flat) / 2
    after = {}
    for i, j in itertools.combinations(range(len(W)), 2):
        after[i, j] = abs(float(kinks.lack[i, j] + displacement[i] @ W[j] + W[i] @ displacement[j]))
    if kinks.radius is not None:
        return value - float(kinks.radius) * math.sqrt(sum(c * c for c in after.values()))
    width = kinks.width
    heights = {pair: c**2 / (2 * width) if c < width else c - width / 2 for pair, c in after.items()}
    return value - sum(float(kinks.limit[pair]) * height for pair, height in heights.items())


def learned_reach(W, generator):
    """The inverse of a random curvature, as two steps show it."""
    memory = Memory()
    for _ in range(2):
        step, other = (tangent(W, torch.randn(W.shape, dtype=W.dtype, generator=generator)) for _ in range(2))
        memory.learn(0.1 * step, step + 0.2 * other)
    assert len(memory.steps) == 2
    return memory.reach(W).times(0.5)


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize(("surrogate", "width"), [("angle", 0.0), ("angle", 0.02), ("bound", 0.0)])
@pytest.mark.parametrize("seed", range(2))
def test_no_other_step_is_better_in_the_model(surrogate, width, learned, seed):
    generator = torch.Generator().manual_seed(seed)
    W = retract(torch.eye(4, 6, dtype=torch.float64) + 0.03 * rows(seed=seed))
    smooth, kinks = slopes(W, DiversityTerm(1.0, surrogate, 0.5), width)
    gradient = smooth + tangent(W, 0.2 * torch.randn(4, 6, dtype=torch.float64, generator=generator))
    reach = RowSteps(0.3 * torch.rand(4, dtype=torch.float64, generator=generator) + 0.05)
    if learned:
        reach = learned_reach(W, generator)
    curvature = torch.linalg.inv(as_matrix(reach, W))
    move = best_move(W, gradient, kinks, reach, EXACT)
    best = model(W, gradient, kinks, curvature, move.displacement)
    assert best - model(W, gradient, kinks, curvature, 0 * W) == pytest.approx(move.promised, abs=1e-9)
    assert move.promised > 0
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            other = move.displacement + size * tangent(W, torch.randn(4, 6, dtype=torch.float64, generator=generator))
            assert model(W, gradient, kinks, curvature, other) < best + 0.02 * move.promised


def test_rows_that_are_orthogonal_but_for_rounding_stay():
    """Products in single precision may give a pair two cosines of either sign."""
    for seed in range(5):
        normal = torch.randn(10, 6, generator=torch.Generator().manual_seed(seed))
        W = torch.linalg.qr(normal).Q.mT.contiguous()
        gradient, kinks = slopes(W, DiversityTerm(1.0, "angle", 1.0))
        assert torch.equal(kinks.lack, kinks.lack.mT)
        move = best_move(W, gradient, kinks, RowSteps(torch.ones(6)), 1e-12)
        assert float(move.displacement.abs().max()) < 1e-5


@pytest.mark.parametrize("width", [0.02, 0.1])
@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_rounded_kinks_have_the_slope_of_the_rounded_score(gamma, width):
    W = retract(torch.eye(4, 6, dtype=torch.float64) + 0.1 * rows(seed=2))
    smooth, kinks = slopes(W, DiversityTerm(3.0, "angle", gamma), width)
    whole = smooth - tangent(W, kinks.pull() @ W)
    assert 0 < int((kinks.lack.abs() < width).sum()) - 4 < 12  # Some pairs are within the width, and some beyond.
    for seed in range(3):
        direction = tangent(W, rows(seed=10 + seed))
        up, down = (rounded_score(retract(W + h * direction), gamma, width) for h in (1e-6, -1e-6))
        assert 3.0 * float(up - down) / 2e-6 == pytest.approx(float((whole * direction).sum()), abs=1e-6)


def test_the_rounded_score_differs_from_the_score_by_at_most_half_the_width():
    W = rows()
    assert float(rounded_score(W, 0.0, 0.0)) == pytest.approx(float(mutual_angular_score(W, 0.0)), abs=1e-12)
    assert 0 < float(rounded_score(W, 0.0, 0.1) - mutual_angular_score(W, 0.0)) <= 0.05


@pytest.mark.parametrize("gamma", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("cosine", [0.002, 0.01])
def test_the_cone_is_as_steep_as_the_bound_near_its_apex(gamma, cosine):
    """With s = π/2 − arcsin ‖cos‖ the bound is π/2 − ‖cos‖ − γ ‖cos‖² but for cubes: its slope is 1 + 2γ ‖cos‖."""

    def pair(c):
        return torch.tensor([[1.0, 0.0, 0.0], [c, math.sqrt(1 - c * c), 0.0]], dtype=torch.float64)

    fall = float(mutual_angular_bound(pair(cosine - 1e-5), gamma) - mutual_angular_bound(pair(cosine + 1e-5), gamma))
    radius = float(slopes(pair(cosine), DiversityTerm(3.0, "bound", gamma)).kinks.radius)
    assert radius == pytest.approx(3.0 * fall / 2e-5, rel=2e-4)


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
    straight, bent = (step(W, gradient, kinks, steps(4, 0.1), EXACT) for step in (best_move, moved_along))
    drift, left = ((V @ V.T - torch.eye(4)).abs().max() for V in (moved(W, straight), moved(W, bent)))
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
