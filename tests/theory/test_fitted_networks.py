"""bounds_for: constants by naive loops, real fitted networks, attacks on deep networks with biases."""

import math

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.datasets import load_diabetes, load_digits
from sklearn.neural_network import MLPClassifier, MLPRegressor
from theory_networks import network
from torch import nn

from wideangle import MutualAngularRegularizer
from wideangle.theory import (
    ConditionError,
    HiddenLayer,
    angle_lower_bound,
    bounds_for,
    deep_estimation_error_bound,
    estimation_error_bound,
)

MODULES = {"relu": nn.ReLU, "tanh": nn.Tanh, "logistic": nn.Sigmoid}
ignore_unconverged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order] / 16, y[order]


def test_constants_by_naive_loops():
    model = network(5, 4, 3, bias=False)
    X = np.random.default_rng(0).normal(size=(50, 5))
    bounds = bounds_for(model, X, loss="cross_entropy", delta=0.1)
    W, V = model[0].weight.detach().numpy(), model[2].weight.detach().numpy()
    (layer,) = bounds.layers
    assert pytest.approx(max(math.sqrt(sum(v * v for v in x)) for x in X)) == bounds.C1
    assert pytest.approx(max(math.sqrt(sum(v * v for v in w)) for w in W)) == layer.C3
    assert pytest.approx(max(math.sqrt(sum(v * v for v in w)) for w in V)) == bounds.C4
    cosines = [abs(sum(W[i] * W[j])) / math.sqrt(sum(W[i] ** 2) * sum(W[j] ** 2)) for i in range(4) for j in range(i)]
    angles = [math.acos(c) for c in cosines]
    assert layer.smallest_angle == pytest.approx(min(angles))
    assert layer.mean_angle == pytest.approx(sum(angles) / 6)
    assert layer.angle_variance == pytest.approx(sum((a - sum(angles) / 6) ** 2 for a in angles) / 6)
    assert math.cos(layer.effective_angle) == pytest.approx(math.sqrt(sum(c * c for c in cosines) / 6))
    assert layer.theta == layer.effective_angle
    assert (bounds.n, layer.m, bounds.outputs, bounds.biases) == (50, 4, 3, False)
    assert bounds.largest_output == pytest.approx(float(model(torch.tensor(X)).abs().max()))
    by_hand = {"m": 4, "n": 50, "C1": bounds.C1, "C3": layer.C3, "C4": bounds.C4}
    expected = estimation_error_bound(
        layer.theta, loss="cross_entropy", outputs=3, activation="tanh", delta=0.1, **by_hand
    )
    assert bounds.estimation == pytest.approx(expected)
    assert bounds.gap == bounds.estimation / 2


def test_theta_at_a_given_tau_is_lemma_6():
    model, X = network(5, 12, 1), torch.randn(20, 5)
    sure = bounds_for(model, X, loss="hinge")
    for tau in (0.0, 0.5, 0.9):
        bounds = bounds_for(model, X, loss="hinge", tau=tau)
        (layer,) = bounds.layers
        assert layer.theta == angle_lower_bound(layer.mean_angle, layer.angle_variance, tau)
        assert layer.theta <= layer.effective_angle
        assert bounds.output_bound >= sure.output_bound


def test_biases_are_weights_of_a_constant():
    """For one hidden layer of rectifiers, a bias of the output is a unit that is constantly 1."""
    model, X = network(4, 6, 1, activation=nn.ReLU), np.random.default_rng(0).normal(size=(30, 4))
    bounds = bounds_for(model, X, loss="hinge")
    same = network(5, 6, 1, activation=nn.ReLU, bias=False)
    with torch.no_grad():
        same[0].weight.copy_(torch.cat([model[0].weight, model[0].bias[:, None]], dim=1))
        same[2].weight.copy_(model[2].weight)
    X1 = np.column_stack([X, np.ones(30)])
    without_last = bounds_for(same, X1, loss="hinge")
    assert bounds.biases
    assert not without_last.biases
    assert bounds.C1 == without_last.C1
    assert bounds.layers == without_last.layers
    last = math.hypot(without_last.C4, float(model[2].bias.detach()))
    assert pytest.approx(last) == bounds.C4
    hidden = without_last.output_bound / without_last.C4
    assert bounds.output_bound == pytest.approx(last * math.hypot(hidden, 1))


def test_deep_network_is_theorem_6():
    model, X = network(4, 6, 5, 2, bias=False), torch.randn(30, 4)
    bounds = bounds_for(model, X, torch.randn(30, 2), loss="squared")
    layers = [HiddenLayer(layer.m, layer.C3, layer.theta) for layer in bounds.layers]
    expected = deep_estimation_error_bound(
        layers, n=30, C1=bounds.C1, C2=bounds.C2, C4=bounds.C4, outputs=2, activation="tanh"
    )
    assert bounds.estimation == pytest.approx(expected)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("activation", MODULES)
@pytest.mark.parametrize("bias", [False, True])
def test_lemma_11_withstands_a_climb_towards_a_violation(activation, bias):
    """Random changes of all weights and of the input of a deep network, kept when |f|/√𝒥 grows."""
    model = network(3, 4, 3, 1, activation=MODULES[activation], bias=bias, scale=3.0)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 3, generator=generator, dtype=torch.float64)
    places = [*model.parameters(), x]
    best = first = 0.0
    for step in np.geomspace(0.5, 0.02, 300):
        before = [p.detach().clone() for p in places]
        with torch.no_grad():
            for p in places:
                p.add_(step * torch.randn(p.shape, generator=generator, dtype=p.dtype))
        bounds = bounds_for(model, x, loss="hinge")
        assert bounds.largest_output == pytest.approx(abs(float(model(x).detach())))
        ratio = bounds.largest_output / bounds.output_bound
        assert ratio <= 1 + 1e-9
        first = first or ratio
        if ratio > best:
            best = ratio
        else:
            with torch.no_grad():
                for p, old in zip(places, before, strict=True):
                    p.copy_(old)
    assert best > max(0.15, first)  # the climb got somewhere


@ignore_unconverged
@pytest.mark.parametrize("activation", MODULES)
def test_fitted_classifiers_keep_the_bounds(digits, activation):
    X, y = digits
    model = MLPClassifier((20,), activation=activation, max_iter=60, random_state=0).fit(X[:400], y[:400])
    bounds = bounds_for(model, X, n=400)
    assert (bounds.loss, bounds.outputs, bounds.n, bounds.biases) == ("cross_entropy", 10, 400, True)
    assert 0 < bounds.largest_output <= bounds.output_bound
    loss = -np.log(model.predict_proba(X)[np.arange(len(y)), y])
    gap = loss[400:].mean() - loss[:400].mean()
    assert 0.01 < gap <= bounds.gap
    # the outputs read from the estimator are its own
    assert loss.max() <= np.log(10) + 2 * bounds.largest_output
    assert bounds_for(model, sparse.csr_matrix(X), n=400) == bounds


@ignore_unconverged
def test_binary_classifiers_and_regressors_are_recognised(digits):
    X, y = digits
    model = MLPClassifier((10, 5), max_iter=40, random_state=0).fit(X[:300], y[:300] > 4)
    bounds = bounds_for(model, X, n=300)
    assert (bounds.loss, bounds.outputs, len(bounds.layers)) == ("logistic", 1, 2)
    scores = np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0])
    assert bounds.largest_output == pytest.approx(np.abs(scores).max(), rel=1e-4)
    assert bounds.largest_output <= bounds.output_bound

    X, y = load_diabetes(return_X_y=True)
    X, y = X * 20, (y - y.mean()) / y.std()
    model = MLPRegressor(hidden_layer_sizes=(30,), activation="logistic", max_iter=300, random_state=0).fit(
        X[:200], y[:200]
    )
    bounds = bounds_for(model, X, y, n=200)
    assert bounds.loss == "squared"
    assert pytest.approx(np.abs(y).max()) == bounds.C2
    prediction = model.predict(X)
    assert bounds.largest_output == pytest.approx(np.abs(prediction).max())
    assert bounds.largest_output <= bounds.output_bound
    errors = (prediction - y) ** 2
    assert errors[200:].mean() - errors[:200].mean() <= bounds.gap


@pytest.mark.parametrize("weight", [0.0, 3.0])
def test_networks_trained_with_the_regulariser_keep_the_bounds(digits, weight):
    X, y = (torch.tensor(values) for values in digits)
    model = network(64, 20, 10, activation=nn.Sigmoid)
    regularizer = MutualAngularRegularizer()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(150):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(X[:300]), y[:300])
        (loss + regularizer.penalty(model, weight)).backward()
        optimizer.step()
    with torch.no_grad():
        gap = nn.functional.cross_entropy(model(X[300:]), y[300:]) - nn.functional.cross_entropy(
            model(X[:300]), y[:300]
        )
    bounds = bounds_for(model, X, loss="cross_entropy", n=300)
    assert float(gap) <= bounds.gap
    assert bounds.largest_output <= bounds.output_bound


def test_the_regulariser_lowers_the_output_bound_at_equal_lengths():
    """Wider angles at the same C₁, C₃, C₄: what the paper says MAR is for."""
    X = np.random.default_rng(0).normal(size=(20, 30))
    crowded = np.random.default_rng(1).normal(size=(12, 30)) + 2 * np.random.default_rng(2).normal(size=30)
    reach = []
    for A in (crowded, np.linalg.svd(crowded, full_matrices=False)[2]):
        model = network(30, 12, 1, activation=nn.ReLU, bias=False)
        with torch.no_grad():
            model[0].weight.copy_(torch.tensor(A / np.linalg.norm(A, axis=1, keepdims=True)))
        reach.append(bounds_for(model, X, loss="hinge").output_bound)
    assert reach[1] < 0.5 * reach[0]


def test_approximation_where_the_smoothness_is_known():
    model = network(1, 2, 1, activation=nn.Sigmoid, scale=20.0)
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[9.0], [1.0]]))
        model[0].bias.copy_(torch.tensor([1.0, 9.0]))
    X, y = np.linspace(-2, 2, 50)[:, None], np.sin(0.1 * np.linspace(-2, 2, 50))
    bounds = bounds_for(model, X, y, loss="squared", C=0.2)
    assert bounds.approximation > 0
    assert bounds.total == bounds.estimation + bounds.approximation**2
    assert bounds_for(model, X, y, loss="squared").total is None
    with pytest.raises(ConditionError, match="C4 ≥ 2 √m C"):
        bounds_for(model, X, y, loss="squared", C=1e3)
    with pytest.raises(ConditionError, match="one hidden layer .* sigmoid units"):
        bounds_for(network(1, 2, 2, 2), X, loss="cross_entropy", C=0.2)
    with pytest.raises(ConditionError, match="networks with biases"):
        bounds_for(network(1, 2, 1, activation=nn.Sigmoid, bias=False), X, y, loss="squared", C=0.2)


def test_one_hidden_unit():
    assert bounds_for(network(3, 1, 1), torch.randn(5, 3), loss="hinge").layers[0].theta == math.pi / 2
