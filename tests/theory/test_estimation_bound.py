"""Theorems 5 and 6: laws, hand-made numbers, and attacks on the lemmas beneath them."""

import itertools
import math

import numpy as np
import pytest
import torch

from wideangle.functional import pair_angles
from wideangle.theory import (
    ACTIVATIONS,
    HiddenLayer,
    cross_entropy_largest,
    cross_entropy_lipschitz,
    deep_estimation_error_bound,
    deep_rademacher_bound,
    deep_squared_output_bound,
    effective_angle,
    estimation_error_bound,
    loss_constants,
    rademacher_bound,
    squared_output_bound,
)

HALF = math.pi / 2
CONSTANTS = {"m": 30, "C1": 2.0, "C3": 1.5, "C4": 0.7}
LOSSES = {
    "squared": {"C2": 1.0},
    "logistic": {},
    "hinge": {},
    "cross_entropy": {"outputs": 4},
}
NAMES = ["relu", "tanh", "sigmoid", "identity"]


@pytest.mark.parametrize("name", NAMES)
def test_lipschitz_constants_and_values_at_zero(name):
    h = ACTIVATIONS[name]
    t = np.linspace(-8, 8, 100_001)
    slopes = np.abs(np.diff(h.function(t)) / np.diff(t))
    assert slopes.max() <= h.lipschitz * (1 + 1e-9)
    assert slopes.max() == pytest.approx(h.lipschitz, rel=1e-6)
    assert h.function(np.zeros(1))[0] == h.at_zero


def test_numbers_by_hand():
    """Theorem 5 for m=4, C1=C3=C4=1, θ=60°, sigmoid: √𝒥 = 2·½ + ¼·√2.5, complexity (½ + ½)·2/√n."""
    reach = 1 + 0.25 * math.sqrt(2.5)
    one = {"m": 4, "C1": 1, "C3": 1, "C4": 1}
    assert squared_output_bound(math.pi / 3, **one) == pytest.approx(reach**2)
    assert rademacher_bound(n=400, **one) == pytest.approx(0.1)
    root = math.sqrt(2 * math.log(40) / 400)
    for loss, expected in {
        "squared": 8 * (reach + 3) * 0.1 + (reach + 3) ** 2 * root,
        "logistic": 4 / (1 + math.exp(-reach)) * 0.1 + math.log(1 + math.exp(reach)) * root,
        "hinge": 4 * 0.1 + (1 + reach) * root,
    }.items():
        bound = estimation_error_bound(math.pi / 3, n=400, loss=loss, C2=3, delta=0.05, **one)
        assert bound == pytest.approx(expected)


@pytest.mark.parametrize("activation", NAMES)
def test_j_is_a_perfect_square(activation):
    h = ACTIVATIONS[activation]
    for theta in (0.0, 0.7, HALF):
        spread = math.sqrt(29 * math.cos(theta) + 1)
        root = 0.7 * (math.sqrt(30) * h.at_zero + h.lipschitz * 2.0 * 1.5 * spread)
        assert squared_output_bound(theta, activation=activation, **CONSTANTS) == pytest.approx(root**2)


@pytest.mark.parametrize("activation", NAMES)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_estimation_bound_falls_as_theta_grows(loss, activation):
    theta = np.linspace(0, HALF, 50)
    bound = estimation_error_bound(theta, n=1000, loss=loss, activation=activation, **LOSSES[loss], **CONSTANTS)
    assert bound.shape == theta.shape
    assert np.all(np.diff(bound) < 0)
    one_unit = estimation_error_bound(theta, n=1000, loss=loss, **LOSSES[loss], **CONSTANTS | {"m": 1})
    assert np.ptp(one_unit) < 1e-9  # one unit has no angle


@pytest.mark.parametrize("which", range(3))
def test_the_deep_bound_falls_as_the_theta_of_any_layer_grows(which):
    theta = np.linspace(0, HALF, 30)
    layers = [HiddenLayer(10, 1.0, 1.0), HiddenLayer(7, 2.0, 0.5), HiddenLayer(12, 0.4, 1.2)]
    layers[which] = HiddenLayer(layers[which].m, layers[which].C3, theta)
    assert np.all(np.diff(deep_estimation_error_bound(layers, n=100, C1=3.0, C4=2.0, C2=1.0)) < 0)


@pytest.mark.parametrize("activation", NAMES)
@pytest.mark.parametrize("loss", LOSSES)
def test_one_hidden_layer_of_theorem_6_is_theorem_5(loss, activation):
    theta = np.linspace(0, HALF, 7)
    options = {"n": 500, "loss": loss, "activation": activation, "delta": 0.01, **LOSSES[loss]}
    deep = deep_estimation_error_bound([HiddenLayer(30, 1.5, theta)], C1=2.0, C4=0.7, **options)
    assert deep == pytest.approx(estimation_error_bound(theta, **options, **CONSTANTS))


def test_the_complexity_of_theorem_6_as_printed():
    """The recursion unrolled: sums and products over layers, Lemma 10."""
    L, h0, C1, n = 0.25, 0.5, 3.0, 50
    m, C3 = [10, 7, 12], [1.0, 2.0, 0.4, 1.7]
    P = 3
    printed = (2 * L) ** P * C1 * C3[P] / math.sqrt(n) * math.prod(math.sqrt(m[p]) * C3[p] for p in range(P))
    printed += (h0 / math.sqrt(n)) * sum(
        (2 * L) ** (P - 1 - p) * math.prod(math.sqrt(m[j]) * C3[j + 1] for j in range(p, P)) for p in range(P)
    )
    layers = [HiddenLayer(units, length, 1.0) for units, length in zip(m, C3[:-1], strict=True)]
    assert deep_rademacher_bound(layers, n=n, C1=C1, C4=C3[P]) == pytest.approx(printed)


def test_the_complexity_of_biases_covers_a_constant():
    """Of f(x) = β, |β| ≤ C₄, the complexity is C₄ E|Σσ_i|/n. By hand: √(m + 1) C₄ (2L C₁C₃ + |h(0)| + 1)/√n."""
    n, C4 = 40, 3.0
    signs = np.random.default_rng(0).choice([-1, 1], size=(5000, n))
    constants = C4 * np.abs(signs.mean(axis=1)).mean()
    bound = deep_rademacher_bound([HiddenLayer(8, 0.0, 1.0)], n=n, C1=1, C4=C4, activation="relu", biases=True)
    assert constants <= bound
    assert bound == pytest.approx(3 * C4 / math.sqrt(n))
    bound = deep_rademacher_bound([HiddenLayer(8, 2.0, 1.0)], n=n, C1=1.5, C4=C4, biases=True)
    assert bound == pytest.approx(3 * C4 * (2 * 0.25 * 1.5 * 2.0 + 0.5 + 1) / math.sqrt(n))


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
@pytest.mark.parametrize("seed", range(3))
def test_lemma_9_withstands_a_search_for_a_violation(activation, seed):
    """Climb |f(x)|/√𝒥 over weights and input; the constants are those of the network itself."""
    torch.manual_seed(seed)
    h = ACTIVATIONS[activation]
    torch_h = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}[activation]
    m, d = [(3, 3), (6, 10), (8, 2)][seed]
    W = torch.randn(m, d, dtype=torch.float64).requires_grad_()
    alpha, x = (torch.randn(size, dtype=torch.float64).requires_grad_() for size in (m, d))
    optimizer = torch.optim.Adam([W, alpha, x], lr=0.02)
    ratios = []
    for step in range(400):
        f = alpha @ torch_h(W @ x)
        unit = torch.nn.functional.normalize(W)
        spread = (m - 1) * (unit @ unit.T).abs()[~torch.eye(m, dtype=bool)].max() + 1
        root = alpha.norm() * (m**0.5 * h.at_zero + h.lipschitz * x.norm() * W.norm(dim=1).max() * spread.sqrt())
        optimizer.zero_grad()
        (root.log() - f.abs().log()).backward()
        optimizer.step()
        if step % 40 == 39:
            A = W.detach().numpy()
            angles = pair_angles(A)
            value = abs(float(alpha @ torch_h(W @ x)))
            lengths = {
                "C1": float(x.norm()),
                "C3": float(W.norm(dim=1).max()),
                "C4": float(alpha.norm()),
            }
            for theta in (angles.min(), effective_angle(angles)):
                J = squared_output_bound(theta, m=m, activation=activation, **lengths)
                ratios.append(value / math.sqrt(J))
    assert max(ratios) <= 1 + 1e-9
    assert max(ratios) > 0.6  # the search got somewhere


def test_lemma_9_is_attained_by_equiangular_rectifiers():
    for cosine in (0.1, 0.8):
        W = np.linalg.cholesky(np.full((5, 5), cosine) + (1 - cosine) * np.eye(5))
        x = 2 * np.linalg.svd(W)[2][0]
        hidden = np.maximum(W @ (x if (W @ x).sum() > 0 else -x), 0)
        output = hidden @ hidden / np.linalg.norm(hidden)
        J = squared_output_bound(math.acos(cosine), m=5, C1=2, C3=1, C4=1, activation="relu")
        assert output == pytest.approx(math.sqrt(J))


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
def test_lemma_8_against_the_complexity_itself(activation):
    """In the plane the supremum over a unit's direction is a grid search; all units do best to agree."""
    rng = np.random.default_rng(0)
    n, m, C1, C3, C4 = 60, 5, 1.5, 2.0, 0.8
    angle = rng.uniform(0, 2 * np.pi, n)
    X = C1 * np.column_stack([np.cos(angle), np.sin(angle)])
    turns = np.linspace(0, 2 * np.pi, 181)
    W = np.concatenate([length * np.column_stack([np.cos(turns), np.sin(turns)]) for length in (0.1, 0.5, 1, 2)])
    values = ACTIVATIONS[activation].function(X @ W.T)
    signs = rng.choice([-1, 1], size=(400, n))
    # sup over α of α·(c, …, c) is C₄ √m |c|
    complexity = C4 * math.sqrt(m) * np.abs(signs @ values / n).max(axis=1).mean()
    bound = rademacher_bound(m=m, n=n, C1=C1, C3=C3, C4=C4, activation=activation)
    assert 0.15 * bound < complexity < bound


@pytest.mark.parametrize("outputs", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_cross_entropy_constants_withstand_random_scores(outputs, seed):
    """Lemma 14, each partial derivative, and the loss's bound; both are attained at corners of the cube."""
    torch.manual_seed(seed)
    reach = [0.3, 1.0, 3.0, 10.0][seed]
    scores = (2 * torch.rand(5000, outputs, dtype=torch.float64) - 1) * reach
    scores[0] = reach
    scores[0, 0] = -reach
    scores.requires_grad_()
    loss = torch.nn.functional.cross_entropy(scores, torch.zeros(5000, dtype=int), reduction="none")
    (gradient,) = torch.autograd.grad(loss.sum(), scores)
    lipschitz, largest = cross_entropy_lipschitz(reach, outputs), cross_entropy_largest(reach, outputs)
    assert float(gradient.abs().max()) == pytest.approx(lipschitz)
    assert float(loss.max()) == pytest.approx(largest)
    # ‖∇ℓ‖₂ ≤ √2 lipschitz, which the vector contraction uses
    assert float(gradient.norm(dim=1).max()) <= math.sqrt(2) * lipschitz + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_complexity_factor_of_the_cross_entropy(seed):
    """R_n(loss∘F) ≤ c ΣR_n(F_k) on small classes, where all expectations are finite sums."""
    rng = np.random.default_rng(seed)
    K, n = int(rng.integers(2, 5)), 5
    classes = [rng.normal(scale=3, size=(3, n)) for _ in range(K)]
    labels = rng.integers(K, size=n)
    signs = np.array(list(itertools.product([-1, 1], repeat=n)))
    scores = np.stack([np.stack(rows) for rows in itertools.product(*classes)])
    losses = np.logaddexp.reduce(scores, axis=1) - scores[:, labels, np.arange(n)]
    whole = (signs @ losses.T).max(axis=1).mean()
    parts = np.mean([(signs @ F.T).max(axis=1).mean() for F in classes])
    assert whole <= loss_constants("cross_entropy", np.abs(scores).max(), outputs=K).complexity_factor * parts


@pytest.mark.parametrize("loss", ["squared", "logistic", "hinge"])
def test_several_outputs_sum_the_bounds(loss):
    one, three = (
        estimation_error_bound(0.8, n=100, loss=loss, C2=2, outputs=outputs, **CONSTANTS) for outputs in (1, 3)
    )
    assert three == pytest.approx(3 * one)


@pytest.mark.parametrize("loss", ["squared", "logistic", "hinge"])
def test_loss_constants_withstand_random_scores(loss):
    f = np.linspace(-2, 2, 2001)
    y = {"squared": 1.5}.get(loss, 1.0)
    values = {"squared": (f - y) ** 2, "logistic": np.log1p(np.exp(-y * f)), "hinge": np.maximum(0, 1 - y * f)}[loss]
    constants = loss_constants(loss, 2.0, C2=1.5)
    assert values.max() == pytest.approx(constants.largest)
    slopes = np.abs(np.diff(values) / np.diff(f)).max()
    assert constants.lipschitz * 0.998 <= slopes <= constants.lipschitz * (1 + 1e-9)


def test_large_outputs_do_not_overflow():
    with np.errstate(all="raise", under="ignore"):
        for loss, options in LOSSES.items():
            assert np.isfinite(loss_constants(loss, 1e4, **options).largest)


def test_bad_input():
    good = {"n": 10, "C2": 1.0, **CONSTANTS}
    for name, value, message in [
        ("n", 0, "n is a count"),
        ("m", 2.5, "m is a count"),
        ("C1", -1, "C1 must be finite and at least 0, .*; got -1"),
        ("C3", math.inf, "C3 must be finite"),
        ("C2", None, "squared loss needs C2"),
        ("delta", 0, "delta"),
        ("delta", 1, "delta"),
        ("loss", "absolute", "loss must be one of 'squared'"),
        ("activation", "gelu", "activation .*'relu'.*got 'gelu'"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimation_error_bound(0.5, **good | {name: value})
    for theta in (-0.1, 1.6, math.nan, [0.1, 2]):
        with pytest.raises(ValueError, match="non-obtuse angle in radians"):
            estimation_error_bound(theta, **good)
    with pytest.raises(ValueError, match="at least one hidden layer"):
        deep_squared_output_bound([], C1=1, C4=1)
    with pytest.raises(ValueError, match="m of layer 0"):
        deep_squared_output_bound([HiddenLayer(0, 1, 1)], C1=1, C4=1)
    with pytest.raises(ValueError, match="at least two classes.*logistic"):
        loss_constants("cross_entropy", 1.0, outputs=1)
