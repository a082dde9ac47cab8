"""The slope by which convergence is decided, and the rate at which rows turn under kinks."""

import math

import pytest
import torch

from wideangle.diversity import DiversityTerm
from wideangle.functional import retract, tangent
from wideangle.optim.problem import Problem
from wideangle.optim.ridge import slopes
from wideangle.optim.ridge_adam import RidgeAdam
from wideangle.optim.solvers import _slope_over_batches

W = retract(torch.randn(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)))
TARGET = torch.randn(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
g = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
NONE = torch.zeros(3, 5, dtype=torch.float64)


def problem(diversity=0.0):
    return Problem(lambda A, *_: (A * TARGET).sum(), DiversityTerm(diversity, "angle", 0.0))


def test_the_slope_of_the_lengths_counts_by_the_typical_length():
    in_lengths = torch.tensor([0.3, 0.0, -0.4], dtype=torch.float64)
    assert problem().slope_left(g, W, in_lengths, NONE, 1e-3) == pytest.approx(2.0 * 0.5)


def test_the_slope_of_the_directions_is_that_within_the_spheres():
    expected = float(tangent(W, TARGET).norm())
    assert problem().slope_left(g, W, 0 * g, TARGET + 5 * W, 1e-3) == pytest.approx(expected)


@pytest.mark.parametrize(("strength", "left"), [(0.5, 0.0), (3.0, 2.0 * math.sqrt(2))])
def test_on_a_ridge_only_what_the_kink_cannot_hold_is_left(strength, left):
    rows = torch.eye(2, 4, dtype=torch.float64)
    slope = problem(diversity=1.0).slope_left(g[:2], rows, 0 * g[:2], strength * rows[[1, 0]], 1e-3)
    assert slope == pytest.approx(left, abs=1e-3)


@pytest.mark.parametrize("cosine", [1e-2, 0.3])
def test_a_ridge_that_is_not_reached_yet_leaves_a_slope(cosine):
    rows = torch.tensor([[1.0, 0.0], [cosine, math.sqrt(1 - cosine**2)]], dtype=torch.float64)
    assert problem(diversity=1.0).slope_left(g[:2], rows, 0 * g[:2], 0 * rows, 1e-3) == pytest.approx(math.sqrt(2))


def test_the_slope_over_batches_is_that_of_their_mean():
    once, thrice = (_slope_over_batches(problem(), g, W, [0] * n, 1e-6) for n in (1, 3))
    assert thrice == pytest.approx(once)
    assert once == pytest.approx(
        max(float(tangent(W, g[:, None] * TARGET).norm()), 2 * float((W * TARGET).sum(1).norm()))
    )


def test_a_row_turns_by_about_the_rate_when_kinks_alone_pull():
    rows = torch.tensor([[1.0, 0.0], [0.3, math.sqrt(1 - 0.09)]], dtype=torch.float64)
    parameter = rows.clone()
    optimizer = RidgeAdam([parameter], lr=0.01, maximize=True)
    parameter.grad, optimizer.kinks = slopes(rows, DiversityTerm(7.0, "angle", 0.0))
    optimizer.step()
    turned = torch.arccos((parameter * rows).sum(1))
    assert torch.allclose(turned, torch.full((2,), 0.01, dtype=torch.float64), rtol=0.05)
