"""Networks whose angles are measured as the data sees them: layer by layer, and following the data."""

import numpy as np
import pytest
import reference
import torch

from wideangle.diversity import DiversityTerm
from wideangle.exceptions import TooManyComponentsError
from wideangle.functional import Covariance, pair_angles
from wideangle.models import MLPClassifier, MLPRegressor
from wideangle.models._base import Randomness
from wideangle.models._network.backprop import BackpropSettings, BackpropTrainer, linear_layers, network
from wideangle.models._training.steps import LearningRate

SIZES = (6, 5, 4, 3)


def rows(n=40, seed=0):
    """Correlated inputs of different scales."""
    generator = torch.Generator().manual_seed(seed)
    mix = torch.randn(6, 6, generator=generator, dtype=torch.float64)
    return torch.randn(n, 6, generator=generator, dtype=torch.float64) @ mix + 3


def squared(outputs, target):
    return (outputs - target).square().sum(1)


def trainer(metric="covariance", diversity=0.7, surrogate="angle", sizes=SIZES, batch_size=40):
    module = network(sizes, "tanh", torch.Generator().manual_seed(1), torch.float64)
    settings, rate = BackpropSettings("sgd", 0.0, batch_size), LearningRate(0.01, "constant", 100)
    term = DiversityTerm(diversity, surrogate, 1.0, metric)
    return BackpropTrainer(settings, term, rate, module, squared, Randomness.of(0, torch.device("cpu")))


def classes(n=200, seed=0):
    X = rows(n, seed).numpy()
    return X, (X[:, 0] > 3).astype(int)


def seen_rows(weights, biases, X, number, metric):
    """What hidden layer `number` receives, centred; for "scales" a diagonal of deviations."""
    for W, b in zip(weights[:number], biases[:number], strict=True):
        X = np.tanh(X @ W.T + b)
    return np.diag(X.std(0)) if metric == "scales" else X - X.mean(0)


@pytest.mark.parametrize("metric", ["scales", "covariance"])
def test_the_gradient_is_that_of_the_total(metric):
    """By central differences of the loss less λ Ω of the responses. Where a layer is measured does not depend on A."""
    one, X = trainer(metric), rows()
    target = torch.zeros(len(X), 3, dtype=torch.float64)
    layers = linear_layers(one.module)
    weights = [layer.weight.detach().numpy().copy() for layer in layers]
    biases = [layer.bias.detach().numpy().copy() for layer in layers]
    sees = [seen_rows(weights, biases, X.numpy(), number, metric) for number in range(2)]

    def total(changed):
        out = X.numpy()
        for number, (W, b) in enumerate(zip(changed, biases, strict=True)):
            out = out @ W.T + b
            out = np.tanh(out) if number < 2 else out
        score = sum(reference.score(changed[number] @ sees[number].T) for number in range(2))
        return (out**2).sum(1).mean() - 0.7 * score

    one.update(X, target, None)
    for number in range(3):
        for entry in np.ndindex(weights[number].shape):
            ends = []
            for step in (1e-5, -1e-5):
                changed = [W.copy() for W in weights]
                changed[number][entry] += step
                ends.append(total(changed))
            slope = (ends[0] - ends[1]) / 2e-5
            assert float(layers[number].weight.grad[entry]) == pytest.approx(slope, abs=2e-6)


def test_a_deeper_layer_sees_the_activations_of_now():
    """All kept inputs pass through the layers as they are when the push is due."""
    one = trainer()
    target = torch.zeros(20, 3, dtype=torch.float64)
    for number in range(3):
        one.update(rows(20, seed=number), target, None)
    one.updates = 0  # Every push is due again.
    before = one.state()
    one.update(rows(20, seed=3), target, None)
    kept = torch.cat([rows(20, seed=number) for number in range(4)])
    torch.testing.assert_close(one.seen.rows(), kept)
    torch.testing.assert_close(one.seen_by[1].rows(), torch.tanh(kept @ before[0].T + before[1]))


def test_records_are_of_the_first_layer_in_its_metric():
    one, X = trainer(), rows()
    one.update(X, torch.zeros(len(X), 3, dtype=torch.float64), None)
    expected = torch.rad2deg(pair_angles(one.hidden[0].detach() @ (X - X.mean(0)).T).mean())
    assert one.recorded().mean_angle == pytest.approx(float(expected))


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_diversity_makes_what_units_receive_less_correlated(kind):
    X, y = classes()
    settings = {"metric": "covariance", "max_updates": 600, "learning_rate": 1e-2, "random_state": 0}
    plain, diverse = (kind((5, 4), diversity=weight, **settings).fit(X, y) for weight in (0.0, 10.0))
    for number in range(2):
        sees = [X if number == 0 else np.maximum(X @ m.coefs_[0] + m.intercepts_[0], 0) for m in (plain, diverse)]
        spread = [
            np.rad2deg(reference.angles(m.coefs_[number].T @ (x - x.mean(0)).T))
            for m, x in zip((plain, diverse), sees, strict=True)
        ]
        assert np.mean(spread[1]) > np.mean(spread[0]) + 5
    assert plain.history_[-1].mean_angle < diverse.history_[-1].mean_angle


def test_the_metric_follows_the_data():
    """After partial_fit with rows that vary in other directions, angles are those that these rows see."""
    X, y = classes(1200)
    other = np.random.default_rng(5).standard_normal((1200, 6)) * [1, 9, 1, 1, 1, 9]
    model = MLPClassifier(5, metric="covariance", batch_size=100, random_state=0).partial_fit(X, y, classes=[0, 1])
    model.partial_fit(other, y)
    A, kept = torch.tensor(model.coefs_[0].T), model._trainer.seen.rows()
    assert len(kept) == 1000
    assert model.history_[-1].mean_angle == pytest.approx(
        float(torch.rad2deg(pair_angles(Covariance(kept).map(A)).mean()))
    )
    np.testing.assert_allclose(kept.std(0), other.std(0), rtol=0.1)


def test_identity_takes_the_steps_that_it_took_before_there_were_metrics():
    """The angle is that of a fit by the code before there were metrics."""
    generator = np.random.default_rng(0)
    X = generator.standard_normal((300, 12))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    settings = {"diversity": 0.3, "max_updates": 200, "random_state": 0, "device": "cpu"}
    default, named = (MLPClassifier((10, 8), **settings, **more).fit(X, y) for more in ({}, {"metric": "identity"}))
    for one, other in zip(default.coefs_, named.coefs_, strict=True):
        np.testing.assert_array_equal(one, other)
    assert default.history_[-1].mean_angle == pytest.approx(79.26302633296551, rel=1e-6)


def test_few_rows_at_first_are_no_error():
    """The first batch has fewer rows than there are units; the volume waits until there are more."""
    X, y = classes(300)
    fitted = MLPClassifier(6, surrogate="volume", metric="covariance", batch_size=4, max_updates=20, random_state=0)
    assert np.isfinite(fitted.fit(X, y).history_[-1].mean_angle)
    with pytest.raises(TooManyComponentsError):
        MLPClassifier(7, surrogate="volume", metric="covariance", batch_size=4, max_updates=20).fit(X, y)


def test_rows_that_do_not_vary_push_nothing():
    X = np.ones((30, 4))
    y = np.arange(30) % 2
    settings = {"max_updates": 5, "random_state": 0, "batch_size": 30}
    seen = MLPClassifier((5, 3), diversity=10.0, metric="covariance", **settings).fit(X, y)
    plain = MLPClassifier((5, 3), diversity=0.0, **settings).fit(X, y)
    for one, other in zip(seen.coefs_, plain.coefs_, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.isnan(seen.history_[-1].mean_angle)


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
def test_an_unknown_metric(kind):
    X, y = classes(20)
    with pytest.raises(ValueError, match="metric .*'covariance'.*'cosine'"):
        kind(3, metric="cosine").fit(X, y)
