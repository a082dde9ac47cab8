"""Statements of the paper that do not hold, each refuted; docs/theory.md says what we use instead."""

import math

import numpy as np
import pytest
import torch
from scipy.special import expit

from wideangle.theory import (
    ConditionError,
    angle_lower_bound,
    approximation_error_bound,
    barron_constant,
    squared_output_bound,
    trade_off,
    widest_theta,
)


def theorem_7_as_printed(theta, *, m, C, C1, C3):
    """With m for n, which is a mere misprint."""
    return 2 * C * (1 / math.sqrt(m) + (1 + 2 * math.log(C1 * C3)) / (C1 * C3)) + 4 * m * C * C1 * C3 * math.sin(
        min(3 * m * theta, math.pi) / 2
    )


def test_lemma_6_does_not_hold_for_all_pairs_at_once():
    """Theorem 5 supposes all angles over θ with probability τ; Lemma 6 gives it for each. Ten units, 45 angles,
    i.i.d. as the paper has them: one in twenty is 0, the others are right."""
    share, right, tau = 0.05, math.pi / 2, 0.94
    theta = angle_lower_bound((1 - share) * right, share * (1 - share) * right**2, tau)
    assert theta > 0  # so an angle of 0 is under it
    assert 1 - share >= tau  # Lemma 6, for one pair
    assert (1 - share) ** 45 < 0.1 < tau  # for all 45


def test_theorem_7_needs_the_radius_in_its_smoothness():
    """g = sin(ωx) for |x| ≤ 1000, ω = π/2000: the printed integral is ω, but |f| ≤ Σ|α| ≤ √m C₄ = 2mω is tiny."""
    radius, m = 1000.0, 1
    C = math.pi / (2 * radius)
    C4 = 2 * math.sqrt(m) * C
    x = np.linspace(-radius, radius, 2001)
    size = np.sqrt(np.mean(np.sin(C * x) ** 2))
    least_error = size - math.sqrt(m) * C4  # for any f of the class, by the triangle inequality
    printed = theorem_7_as_printed(1e-9, m=m, C=C, C1=math.hypot(radius, 1), C3=1.0)
    assert printed < 0.01 < 0.7 < least_error
    C = barron_constant(C, radius)
    assert approximation_error_bound(1e-9, m=m, C=C, C1=2 * radius, C3=1.0, C4=2 * C) > size


def test_theorem_7_is_false_without_a_constant_input():
    """σ(t) − ½ is odd, so without biases the even part of f is a constant, and an even g stays as far as it was
    from constants, whatever the weights; the printed bound goes to 0."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(500, 2))
    X = np.concatenate([X, -X]) / math.sqrt(2)  # any symmetric distribution in the unit disk
    g = 1 - np.cos(3 * X[:, 0])  # moment 3, radius 1
    far = g.std()
    for _ in range(20):
        m = int(rng.integers(1, 40))
        hidden = expit(X @ (rng.normal(size=(2, m)) * rng.uniform(0.1, 30)))
        f = hidden @ np.linalg.lstsq(hidden, g, rcond=None)[0]  # the best α there is
        assert np.sqrt(np.mean((g - f) ** 2)) >= far - 1e-9
    assert theorem_7_as_printed(1e-20, m=10**4, C=3.0, C1=1.0, C3=10**4) < 0.1 < far


def test_theorem_7_has_less_steepness_than_c1_c3():
    """With the dummy feature 1 and inputs of length 1e9, C₃ = 1e-6 has C₁C₃ = 1000, but biases of at most 1e-6: all
    steps are at the origin, and the even part of f is nearly constant."""
    radius, m, C3 = 1e9, 400, 1e-6
    frequency = math.pi / radius
    C = barron_constant(frequency, radius)  # with the radius, as it should be
    C4 = 2 * math.sqrt(m) * C
    far = (1 - np.cos(frequency * np.linspace(-radius, radius, 2001))).std()
    # |even part of σ(wx + b) − σ(0)| ≤ |b|/4, and Σ|α| ≤ √m C₄
    least_error = far - math.sqrt(m) * C4 * C3 / 4
    assert theorem_7_as_printed(1e-15, m=m, C=C, C1=radius, C3=C3) < 0.5 < least_error
    with pytest.raises(ConditionError, match="τ ≥ 1"):
        approximation_error_bound(1e-15, m=m, C=C, C1=radius, C3=C3, C4=C4, constant=1.0)


def test_the_approximation_bound_stops_growing():
    """Printed as "an increasing function of θ"; θ' is full at θ = π/(3m), long before the widest θ, about π/m."""
    constants = {"m": 8, "C": 1.0, "C1": 1.0, "C3": 50.0, "C4": 6.0}
    theta = np.linspace(math.pi / 24, widest_theta(8), 20)
    assert widest_theta(8) > 2.9 * math.pi / 24
    assert np.ptp(approximation_error_bound(theta, **constants)) == 0


def test_the_approximation_bound_is_beaten_by_a_network_that_is_zero():
    """|g| ≤ C, so f = 0 has an error of at most C, while Theorem 7 says more from θ = 1/(6m²C₁C₃) on at the latest
    (2 sin(t/2) ≥ t·2√2/π for t ≤ π/2)."""
    for m in (1, 4, 20):
        for slope in (2.0, 50.0, 1e4):
            theta = math.pi / (2 * math.sqrt(2)) / (6 * m**2 * slope)
            bound = approximation_error_bound(theta, m=m, C=1.0, C1=1.0, C3=slope, C4=2 * math.sqrt(m))
            assert bound > 1


def test_errors_of_different_units_are_added():
    """With y twice as large, squared losses are four times as large. Estimation + approximation², which we use, is
    so too; the sum that the paper speaks of is not."""
    theta = np.linspace(0, widest_theta(4), 10)
    once, twice = (
        trade_off(theta, m=4, n=10**6, C=s * 1.0, C1=1.0, C2=s * 1.0, C3=9.0, C4=s * 4.0, constant=0.6) for s in (1, 2)
    )
    assert twice.total == pytest.approx(4 * once.total)
    ratio = (twice.estimation + twice.approximation) / (once.estimation + once.approximation)
    assert np.all(ratio < 3.95)


@pytest.mark.parametrize("sharp", [False, True])
def test_the_trade_off_has_no_optimum_inside(sharp):
    """The paper's "θ has an optimal value" is at one end: near 0 the approximation bound rises in proportion to θ
    and the estimation bound falls with θ²; once θ' is full only the estimation bound moves. Random search."""
    rng = np.random.default_rng(0)
    ends = set()
    for _ in range(700):
        m = int(rng.integers(2, 40))
        C, C2, C1, slope = 10 ** rng.uniform(-2, 2, 4)
        C4 = 2 * math.sqrt(m) * C * 10 ** rng.uniform(0, 3)
        theta = np.concatenate([[0], np.geomspace(1e-9, 1, 400) * widest_theta(m)])
        n = int(10 ** rng.uniform(0, 10))
        curve = trade_off(theta, m=m, n=n, C=C, C1=C1, C2=C2, C3=(2 + slope) / C1, C4=C4, sharp=sharp)
        for total in (curve.total, curve.estimation + curve.approximation):
            assert total[1:-1].min() >= min(total[0], total[-1]) * (1 - 1e-12)
            ends.add(bool(total[0] < total[-1]))
    assert ends == {False, True}  # both ends occur


def test_the_derivative_of_the_cross_entropy_is_misprinted():
    """Proof of Lemma 14: 1/(1 + Σ_{j≠k'} exp f_j) for k ≠ k', where softmax(f)_k is meant. The lemma stands."""
    scores = torch.tensor([0.0, 1.0, 0.0], requires_grad=True)
    torch.nn.functional.cross_entropy(scores[None], torch.tensor([0])).backward()
    printed = 1 / (1 + math.e + 1)
    assert float(scores.grad[1]) == pytest.approx(math.e / (2 + math.e))
    assert float(scores.grad[1]) > 2 * printed


def test_the_shells_of_lemma_17_coincide():
    """E_i and E_−i, which its proof takes for θ apart, are one set, for the cosine is even. The lemma stands by
    another proof (tests/theory/test_approximation_bound.py)."""
    theta = 0.3
    shells = {i: math.copysign(theta / 2 + (abs(i) - 1) * theta, i) for i in (-2, -1, 1, 2)}
    e = np.array([math.cos(shells[1]), math.sin(shells[1]), 0])
    assert e[0] == math.cos(shells[1]) == math.cos(shells[-1])  # e is in both, at angle 0 < θ to itself


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_for_bounded_activations_the_angle_soon_does_not_matter(activation):
    """|h| ≤ 1 gives |f| ≤ C₄√m, which is under √𝒥 even for right angles once C₁C₃ is over 2√m."""
    for m in (2, 10, 100):
        J = squared_output_bound(math.pi / 2, m=m, C1=2.01, C3=math.sqrt(m), C4=1.0, activation=activation)
        assert math.sqrt(J) > math.sqrt(m)
