"""Lemma 6, the effective angle and the widest angle."""

import math

import numpy as np
import pytest

from wideangle.functional import pair_angles
from wideangle.theory import angle_lower_bound, effective_angle, largest_angle


def pairs_of(A):
    return pair_angles(A)


def test_lemma_6_grows_with_the_mean_and_falls_with_the_variance():
    assert np.all(np.diff(angle_lower_bound(np.linspace(0.8, 1.5, 20), 0.01, 0.9)) > 0)
    assert np.all(np.diff(angle_lower_bound(1.5, np.linspace(0, 0.1, 20), 0.9)) < 0)
    assert np.all(np.diff([angle_lower_bound(1.5, 0.01, tau) for tau in (0, 0.5, 0.9, 0.99)]) < 0)
    assert angle_lower_bound(1.2, 0.0, 0.999) == 1.2
    assert angle_lower_bound(0.5, 1.0, 0.9) == 0  # the formula is negative; no angle is


@pytest.mark.parametrize("seed", range(5))
def test_lemma_6_holds_for_samples_of_any_distribution(seed):
    """σ is the variance: the mean and variance of a finite set make it a distribution itself."""
    rng = np.random.default_rng(seed)
    angles = rng.beta(*rng.uniform(0.3, 5, 2), size=400) * np.pi / 2
    for tau in (0.5, 0.8, 0.95):
        assert np.mean(angles >= angle_lower_bound(angles.mean(), angles.var(), tau)) >= tau


@pytest.mark.parametrize("seed", range(5))
def test_union_bound_holds_for_all_pairs_at_once(seed):
    """One angle in two hundred is 0: few of 45 pairs, but often one of them."""
    trials = (np.random.default_rng(seed).random((2000, 45)) < 0.995) * 1.5
    mean, variance = 1.5 * 0.995, 1.5**2 * 0.995 * 0.005
    together = [
        np.mean((trials >= angle_lower_bound(mean, variance, 0.9, pairs=pairs)).all(axis=1)) for pairs in (1, 45)
    ]
    assert together[0] < 0.9 <= together[1]
    assert angle_lower_bound(1.5, 1e-4, 0.9, pairs=10) == pytest.approx(1.4)


@pytest.mark.parametrize("seed", range(20))
def test_the_effective_angle_bounds_the_operator_norm_of_any_matrix(seed):
    """‖W‖² ≤ (m − 1) cos θ + 1 for unit rows: the step of Lemma 9 that needs θ, with certainty."""
    rng = np.random.default_rng(seed)
    m, d = rng.integers(2, 20, 2)
    A = rng.normal(size=(m, d)) + rng.uniform(0, 3) * rng.normal(size=d)
    A[: rng.integers(0, m)] = A[0]  # equal rows too
    theta = effective_angle(pairs_of(A))
    unit = A / np.linalg.norm(A, axis=1, keepdims=True)
    assert np.linalg.norm(unit, 2) ** 2 <= (m - 1) * math.cos(theta) + 1 + 1e-9
    assert theta >= pairs_of(A).min() - 1e-9
    assert theta <= largest_angle(int(m), int(d)) + 1e-9


def test_equiangular_rows_attain_the_effective_angle():
    for cosine in (0.0, 0.3, 0.9):
        W = np.linalg.cholesky(np.full((6, 6), cosine) + (1 - cosine) * np.eye(6))
        theta = effective_angle(pairs_of(W))
        assert theta == pytest.approx(math.acos(cosine), abs=1e-9)
        assert np.linalg.norm(W, 2) ** 2 == pytest.approx(5 * math.cos(theta) + 1)


@pytest.mark.parametrize("seed", range(8))
def test_no_set_of_angles_has_an_effective_angle_under_mean_less_deviation(seed):
    """So Lemma 6 bounds it for every τ. Attacked by climbing towards a violation, from sets of any shape."""
    rng = np.random.default_rng(seed)

    def excess(angles):
        return angle_lower_bound(angles.mean(), angles.var(), 0.0) - effective_angle(angles)

    angles = rng.choice([0, rng.uniform(0, 1.5), np.pi / 2], size=rng.integers(2, 12)) + rng.normal(0, 0.1)
    angles = np.clip(angles, 0, np.pi / 2)
    best = excess(angles)
    for step in np.geomspace(0.5, 1e-3, 600):
        tried = np.clip(angles + step * rng.normal(size=angles.size) * (rng.random(angles.size) < 0.5), 0, np.pi / 2)
        if excess(tried) > best:
            angles, best = tried, excess(tried)
    assert best <= 1e-7
    assert best > -1e-2  # the climb came close, as it should: for equal angles the two are equal


def test_one_unit_has_no_pair():
    assert effective_angle([]) == math.pi / 2
    assert largest_angle(1, 1) == math.pi / 2


def test_widest_angles_of_known_frames():
    mercedes = [[math.cos(t), math.sin(t)] for t in np.deg2rad([90, 210, 330])]
    assert pairs_of(mercedes) == pytest.approx(largest_angle(3, 2))
    t = (1 + 5**0.5) / 2
    diagonals = [[0, 1, t], [0, 1, -t], [1, t, 0], [1, -t, 0], [t, 0, 1], [-t, 0, 1]]  # of the icosahedron
    assert pairs_of(diagonals) == pytest.approx(largest_angle(6, 3))
    assert largest_angle(4, 4) == math.pi / 2


def test_bad_input():
    for tau in (1.0, -0.1, 2, math.nan):
        with pytest.raises(ValueError, match="tau is a probability under 1"):
            angle_lower_bound(1.0, 0.1, tau)
    with pytest.raises(ValueError, match="variance .*got -1"):
        angle_lower_bound(1.0, -1, 0.5)
    with pytest.raises(ValueError, match="pairs is a count"):
        angle_lower_bound(1.0, 1, 0.5, pairs=0)
