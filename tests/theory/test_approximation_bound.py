"""Theorem 7: its conditions, its monotony, and networks built as its proof builds them."""

import math

import numpy as np
import pytest
from scipy.special import expit

from wideangle.functional import pair_angles
from wideangle.theory import (
    ConditionError,
    approximation_error_bound,
    barron_constant,
    barron_slope,
    estimation_error_bound,
    trade_off,
    widest_theta,
)

GOOD = {"m": 6, "C": 1.0, "C1": 2.0, "C3": 10.0, "C4": 5.0}


def parted(W, theta, rng):
    """Directions turned one after the other, each in a random plane, until all lines are at least θ apart."""
    placed = []
    for w in W:
        u = w / np.linalg.norm(w)
        v = rng.normal(size=u.size)
        v -= (v @ u) * u
        v /= np.linalg.norm(v)
        # Along u cos t + v sin t, the lines within θ of a placed one are |t − centre| < width, modulo π.
        centres, widths = [], []
        for p in placed:
            shadow = math.hypot(p @ u, p @ v)
            if shadow > math.cos(theta):
                centres.append(math.atan2(p @ v, p @ u))
                widths.append(math.acos(min(1, math.cos(theta) / shadow)))
        edges = [c + sign * w for c, w in zip(centres, widths, strict=True) for sign in (-1, 1)]
        candidates = sorted(((t + np.pi / 2) % np.pi - np.pi / 2 for t in [0.0, *edges]), key=abs)
        t = next(
            t
            for t in candidates
            if all(
                abs((t - c + np.pi / 2) % np.pi - np.pi / 2) >= width - 1e-9
                for c, width in zip(centres, widths, strict=True)
            )
        )
        placed.append(u * math.cos(t) + v * math.sin(t))
    return np.array(placed) * np.linalg.norm(W, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [2, 3, 10])
@pytest.mark.parametrize("seed", range(4))
def test_directions_can_be_parted_by_small_turns(d, seed):
    """Lemma 17 with θ' = min((m − 1)θ, π/2), which implies the paper's min(3mθ, π); worst where all agree."""
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 12))
    theta = np.pi / (2 * (m - 1)) * rng.uniform(0.05, 1)
    W = rng.normal(size=(m, d)) * rng.choice([0, 1]) * 0.1 + rng.normal(size=d)
    moved = parted(W, theta, rng)
    assert pair_angles(moved).min() >= theta - 1e-7
    assert np.linalg.norm(moved, axis=1) == pytest.approx(np.linalg.norm(W, axis=1))
    cosines = (moved * W).sum(axis=1) / np.linalg.norm(W, axis=1) ** 2
    assert np.arccos(np.clip(cosines, -1, 1)).max() <= (m - 1) * theta + 1e-7


@pytest.mark.parametrize("m", range(1, 12))
def test_the_widest_theta_is_that_of_the_printed_condition(m):
    widest = widest_theta(m)
    for theta, holds in ((widest * (1 - 1e-9), True), (widest * (1 + 1e-9), False)):
        assert (m <= 2 * (math.floor((np.pi / 2 - theta) / theta) + 1)) is holds
    # 2⌈m/2⌉ lines of the plane at equal distances are so far apart, as the lemma needs
    lines = np.arange(2 * math.ceil(m / 2)) * widest
    apart = np.pi - lines[-1] if len(lines) > 1 else np.pi
    assert apart >= widest - 1e-12


@pytest.mark.parametrize("target", ["sine", "even"])
@pytest.mark.parametrize("m", [2, 4, 12])
def test_a_network_built_as_in_the_proof_keeps_the_bound(target, m):
    """Barron's greedy sum of m sigmoids, then directions parted; all conditions are checked on the way."""
    rng = np.random.default_rng(m)
    radius, frequency, tau = 3.0, 0.8, 8.0
    C = barron_constant(frequency, radius)
    x = np.linspace(-radius, radius, 401)
    g = np.sin(frequency * x) if target == "sine" else 1 - np.cos(frequency * x)
    C1, C3 = radius * math.sqrt(2), tau * math.sqrt(2) / radius
    assert barron_slope(C1, C3) == pytest.approx(tau)
    inputs = np.column_stack([x, np.full_like(x, radius)])

    a, b = np.meshgrid(np.linspace(-1, 1, 21) / radius, np.linspace(-1, 1, 41))
    dictionary = tau * np.column_stack([a.ravel(), b.ravel() / radius])
    atoms = expit(inputs @ dictionary.T)
    alpha, chosen, f = np.zeros(0), [], np.zeros_like(x)
    for _ in range(m):
        pull = atoms.T @ (g - f)
        best = int(np.argmax(np.abs(pull)))
        vertex = 2 * C * math.copysign(1, pull[best])
        move = vertex * atoms[:, best] - f
        share = np.clip((g - f) @ move / (move @ move), 0, 1)
        alpha = np.append((1 - share) * alpha, share * vertex)
        chosen.append(dictionary[best])
        f = f + share * move
    assert np.abs(alpha).sum() <= 2 * C + 1e-9

    for theta in np.array([0.001, 0.01, 0.1, 1]) * np.pi / (2 * (m - 1)):
        W = parted(np.array(chosen), theta, rng)
        error = np.sqrt(np.mean((g - expit(inputs @ W.T) @ alpha) ** 2))
        assert np.linalg.norm(W, axis=1).max() <= C3 + 1e-9
        constants = {"m": m, "C": C, "C1": C1, "C3": C3, "C4": 2 * math.sqrt(m) * C}
        sharp = approximation_error_bound(min(theta, widest_theta(m)), sharp=True, **constants)
        assert error <= sharp <= approximation_error_bound(min(theta, widest_theta(m)), **constants)


def test_bound_by_hand():
    """m=4, C=2, C1=1, C3=2e: τ = e, so that the first part is 4(½ + 3/e); 12θ = π/3 for the second."""
    value = approximation_error_bound(math.pi / 36, m=4, C=2, C1=1, C3=2 * math.e, C4=8)
    assert value == pytest.approx(4 * (0.5 + 3 / math.e) + 4 * 4 * 2 * 2 * math.e * 0.5)
    sharp = approximation_error_bound(math.pi / 9, m=4, C=2, C1=1, C3=2 * math.e, C4=4, sharp=True)  # 3θ = π/3
    assert sharp == pytest.approx(4 * (0.5 + 3 / math.e) + 2 * 2 * math.e * 0.5)


@pytest.mark.parametrize("sharp", [False, True])
def test_grows_with_theta(sharp):
    rising = np.linspace(0, math.pi / 18 - 1e-6, 50)
    assert np.all(np.diff(approximation_error_bound(rising, sharp=sharp, **GOOD)) > 0)
    everywhere = approximation_error_bound(np.linspace(0, widest_theta(6), 50), sharp=sharp, **GOOD)
    assert np.all(np.diff(everywhere) >= 0)


def test_the_unconstrained_part_falls_with_units_and_steepness():
    for name, values, more in (("m", [2, 10, 100], {}), ("C3", [5, 20, 1000], {})):
        bounds = [approximation_error_bound(0.0, **GOOD | {"C4": 1e3, name: value} | more) for value in values]
        assert np.all(np.diff(bounds) < 0)


def test_barron_slope_is_what_is_left_for_weights_and_biases():
    """Every steepness up to τ, and none beyond, has room for all of Barron's units."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        C1, C3, share = rng.uniform(0.5, 5), rng.uniform(0.5, 5), rng.uniform(0.05, 0.95)
        s, radius = C1 * share, C1 * math.sqrt(1 - share**2)
        tau = barron_slope(C1, C3, s)
        longest = np.hypot(tau / radius, tau / s)  # slope 1/radius and bias 1, both times τ
        assert longest == pytest.approx(C3)
        assert tau <= barron_slope(C1, C3) + 1e-12
    assert barron_slope(2.0, 3.0, math.sqrt(2)) == pytest.approx(barron_slope(2.0, 3.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C3": 0.9}, r"needs C1 C3 ≥ 1, in its corrected form τ ≥ 1; got τ = 0.9"),
        ({"C4": 4.8}, r"needs C4 ≥ 2 √m C = 4.899; got C4 = 4.8"),
        ({"m": 7}, r"C4 ≥ 2 √m C"),
        ({"theta": 0.53}, r"needs m ≤ 2\(⌊\(π/2 − θ\)/θ⌋ \+ 1\); got m = 6 units at θ = 0.53.*at most 0.5236"),
        ({"C4": 1.9, "sharp": True}, r"needs C4 ≥ 2 C = 2; got C4 = 1.9"),
    ],
)
def test_the_error_names_the_condition_that_fails(change, message):
    assert approximation_error_bound(theta=[0.0, widest_theta(6)], **GOOD).shape == (2,)
    with pytest.raises(ConditionError, match=message):
        approximation_error_bound(**{"theta": 0.1} | GOOD | change)


def test_bad_input():
    for name, value, message in [
        ("m", 0, "m is a count"),
        ("C", 0, "C must be finite and positive"),
        ("C1", -1, "C1 must be finite and positive"),
        ("theta", 2, "non-obtuse angle"),
        ("constant", 2.0, "constant is one of the inputs and must lie between 0 and C1 = 2.0; got 2.0"),
    ]:
        with pytest.raises(ValueError, match=message):
            approximation_error_bound(**{"theta": 0.1} | GOOD | {name: value})


@pytest.mark.parametrize("sharp", [False, True])
def test_the_trade_off_is_the_sum_of_its_parts(sharp):
    theta = np.linspace(0, widest_theta(6), 40)
    curve = trade_off(theta, n=1000, C2=1.0, delta=0.1, sharp=sharp, **GOOD)
    network = {name: value for name, value in GOOD.items() if name != "C"}
    assert curve.estimation == pytest.approx(estimation_error_bound(theta, n=1000, C2=1.0, delta=0.1, **network))
    assert curve.approximation == pytest.approx(approximation_error_bound(theta, sharp=sharp, **GOOD))
    assert curve.total == pytest.approx(curve.estimation + curve.approximation**2)
    assert curve.best == theta[np.argmin(curve.total)]
