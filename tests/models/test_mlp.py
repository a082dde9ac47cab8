"""The networks: what they minimise, what they learn, stopping, every kind of input."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wideangle.exceptions import DivergenceError, TooManyComponentsError
from wideangle.functional import mutual_angular_score
from wideangle.models import MLPClassifier, MLPRegressor
from wideangle.models._base import Randomness
from wideangle.models._training.loop import held_out_rows


def classifier(**changes):
    defaults = {"hidden_layer_sizes": 20, "learning_rate": 1e-2, "max_updates": 300, "random_state": 0, "device": "cpu"}
    return MLPClassifier(**(defaults | changes))


def regressor(**changes):
    defaults = {"hidden_layer_sizes": 20, "learning_rate": 1e-2, "max_updates": 300, "random_state": 0, "device": "cpu"}
    return MLPRegressor(**(defaults | changes))


def digits(n=600):
    X, y = load_digits(return_X_y=True)
    return (X[:n] / 16).astype(np.float32), y[:n]


def by_hand(fitted, X):
    """The outputs from coefs_ and intercepts_ alone, unit by unit."""
    activations = {"relu": lambda z: max(z, 0.0), "tanh": np.tanh, "sigmoid": lambda z: 1 / (1 + np.exp(-z))}
    out = []
    for row in X:
        values = list(row)
        for layer, (weights, biases) in enumerate(zip(fitted.coefs_, fitted.intercepts_, strict=True)):
            sums = [biases[k] + sum(values[d] * weights[d, k] for d in range(len(values))) for k in range(len(biases))]
            last = layer == len(fitted.coefs_) - 1
            values = sums if last else [activations[fitted.activation](z) for z in sums]
        out.append(values)
    return np.array(out)


@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
def test_outputs_are_those_of_the_weights_by_hand(activation):
    X, y = digits(100)
    fitted = classifier(hidden_layer_sizes=(7, 5), activation=activation, max_updates=20).fit(X, y)
    assert [w.shape for w in fitted.coefs_] == [(64, 7), (7, 5), (5, 10)]
    assert np.allclose(fitted.decision_function(X[:4]), by_hand(fitted, X[:4].astype(float)), atol=1e-4)
    X, y = X.astype(np.float64), X[:, [3, 20]].astype(np.float64)
    fitted = regressor(hidden_layer_sizes=(7, 5), activation=activation, max_updates=20).fit(X, y)
    assert np.allclose(fitted.predict(X[:4]), by_hand(fitted, X[:4]))


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("loss", ["cross_entropy", "logistic", "hinge", "squared"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_loss_learns(loss, n_classes):
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    X, X_test, y, y_test = train_test_split(X / 16, y, random_state=0)
    assert classifier(loss=loss).fit(X, y).score(X_test, y_test) > 0.93


def test_two_classes_that_no_line_parts():
    X, y = make_moons(400, noise=0.1, random_state=0)
    for optimizer, rate in (("adam", 3e-2), ("momentum", 0.1)):
        fitted = classifier(optimizer=optimizer, learning_rate=rate, max_updates=500, diversity=0.0).fit(X, y)
        assert fitted.score(X, y) > 0.97
        assert fitted.decision_function(X).shape == (400,)


def test_full_batch_step_is_that_of_the_regularised_loss():
    """One step of plain gradient descent against finite differences of loss − λ Σ Ω over hidden layers only."""
    X, y = load_digits(n_class=3, return_X_y=True)
    X, y = X[:40] / 16, y[:40]
    settings = {"hidden_layer_sizes": (4, 3), "activation": "tanh", "diversity": 0.7, "weight_decay": 0.0}
    settings |= {"optimizer": "sgd", "learning_rate": 1.0, "schedule": "constant", "batch_size": 40}
    # A learning rate too small to move anything leaves the start.
    start = classifier(**settings | {"learning_rate": 1e-300, "max_updates": 1}).fit(X, y)
    stepped = classifier(**settings, max_updates=1).fit(X, y)

    def objective(coefs):
        values = X
        for layer, (weights, biases) in enumerate(zip(coefs, start.intercepts_, strict=True)):
            values = values @ weights + biases
            values = np.tanh(values) if layer < len(coefs) - 1 else values
        log_p = values - np.log(np.exp(values).sum(1, keepdims=True))
        spread = sum(float(mutual_angular_score(np.ascontiguousarray(w.T))) for w in coefs[:-1])
        return -log_p[np.arange(len(y)), y].mean() - 0.7 * spread

    for layer, where in [(0, (10, 1)), (0, (20, 3)), (1, (0, 0)), (1, (3, 2)), (2, (1, 1)), (2, (2, 0))]:
        differences = []
        for sign in (1, -1):
            coefs = start.coefs_
            coefs[layer][where] += sign * 1e-6
            differences.append(objective(coefs))
        slope = (differences[0] - differences[1]) / 2e-6
        moved = stepped.coefs_[layer][where] - start.coefs_[layer][where]
        assert moved == pytest.approx(-slope, abs=1e-6)


def test_diversity_widens_the_angles_of_every_hidden_layer():
    X, y = digits()
    means = {}
    for diversity in (0.0, 3.0):
        fitted = classifier(hidden_layer_sizes=(15, 10), diversity=diversity).fit(X, y)
        means[diversity] = [float(mutual_angular_score(np.ascontiguousarray(w.T))) for w in fitted.coefs_]
    for layer in range(2):
        assert means[3.0][layer] > means[0.0][layer] + 0.05
        assert means[3.0][layer] > 1.45


@pytest.mark.slow
def test_a_held_gradient_does_as_well_as_a_fresh_one(monkeypatch):
    """With 120 units and batches of 20 the regulariser is refreshed every twelfth update."""
    X, y = digits()
    scores = []
    for share in (0.5, 1e9):
        monkeypatch.setattr("wideangle.models._network.backprop.REGULARISER_SHARE", share)
        settings = {"hidden_layer_sizes": 120, "batch_size": 20, "diversity": 1.0, "learning_rate": 1e-3}
        fits = [classifier(**settings, random_state=s).fit(X, y) for s in range(2)]
        scores.append(np.mean([fit.history_[-1].score for fit in fits]))
    assert scores[0] == pytest.approx(scores[1], abs=0.01)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("loss", "n_classes"), [("cross_entropy", 3), ("logistic", 3), ("squared", 3), ("squared", 2)])
def test_probabilities_tell_how_often_a_class_comes(loss, n_classes):
    """One binary feature, classes with known frequencies for each of its values."""
    generator = np.random.default_rng(0)
    X = generator.integers(0, 2, (4000, 1)).astype(float)
    truth = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]]) if n_classes == 3 else np.array([[0.8, 0.2], [0.3, 0.7]])
    y = np.array([generator.choice(n_classes, p=truth[int(x)]) for x in X[:, 0]])
    fitted = classifier(hidden_layer_sizes=5, activation="tanh", loss=loss, max_updates=600, diversity=0.0).fit(X, y)
    probabilities = fitted.predict_proba(np.array([[0.0], [1.0]]))
    assert np.allclose(probabilities.sum(1), 1)
    # One class against the rest, normalised, is no proper estimate of three, but near.
    assert np.allclose(probabilities, truth, atol=0.05)


def test_the_hinge_has_no_probabilities():
    X, y = digits(100)
    fitted = classifier(loss="hinge", max_updates=5).fit(X, y)
    assert not hasattr(fitted, "predict_proba")
    assert hasattr(fitted, "decision_function")


def test_class_weight_is_like_repeating_a_class():
    """Over the whole data in one batch, weight 3 for a class moves the weights as three copies of it do."""
    X, y = load_digits(n_class=2, return_X_y=True)
    X, y = X[:60] / 16, y[:60]
    rare = y == 1
    repeated = np.concatenate([X, X[rare], X[rare]]), np.concatenate([y, y[rare], y[rare]])
    settings = {"batch_size": 1000, "max_updates": 40, "activation": "tanh"}
    weighted = classifier(**settings, class_weight={1: 3.0}).fit(X, y)
    copied = classifier(**settings).fit(*repeated)
    assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(weighted.coefs_, copied.coefs_, strict=True))
    balanced = classifier(**settings, class_weight="balanced").fit(X[:40], y[:40])
    assert not np.allclose(balanced.coefs_[0], classifier(**settings).fit(X[:40], y[:40]).coefs_[0])


def test_labels_of_any_kind():
    X, y = load_digits(n_class=3, return_X_y=True)
    names = np.array(["zero", "one", "two"])
    fitted = classifier().fit(X / 16, names[y])
    assert fitted.classes_.tolist() == ["one", "two", "zero"]
    assert (fitted.predict(X / 16) == names[y]).mean() > 0.98


@pytest.mark.slow
def test_regression_of_several_targets_of_different_scale():
    X = np.linspace(-2, 2, 300)[:, None]
    y = np.column_stack([1e4 * np.sin(2 * X[:, 0]) + 5e5, 1e-3 * X[:, 0] ** 2])
    fitted = regressor(hidden_layer_sizes=40, activation="tanh", max_updates=800).fit(X, y)
    assert fitted.score(X, y) > 0.99
    assert fitted.predict(X).shape == (300, 2)
    with torch.no_grad():
        assert np.allclose(fitted.module_(torch.tensor(X)).numpy(), fitted.predict(X))
    one = regressor(max_updates=20).fit(X, y[:, 0])
    assert one.predict(X).shape == (300,)


def test_a_scaled_target_gives_the_same_network():
    X, _ = digits(200)
    target = X[:, 10] + X[:, 20] ** 2
    one = regressor(max_updates=50).fit(X, target).predict(X)
    other = regressor(max_updates=50).fit(X, 1e3 * target - 7).predict(X)
    assert np.allclose(other, 1e3 * one - 7, atol=1.0)


def test_a_constant_target_is_learnt():
    X, _ = digits(50)
    assert np.allclose(regressor().fit(X, np.full(50, 3.0)).predict(X), 3.0, atol=0.1)


def test_sparse_dense_and_kinds_agree():
    X, y = digits(200)
    X = np.round(X * 16)
    reference = classifier(max_updates=30).fit(X, y)
    for same in (sp.csr_matrix(X), sp.csc_array(X), X.astype(int), X.astype(np.uint8)):
        fitted = classifier(max_updates=30).fit(same, y)
        assert np.allclose(fitted.coefs_[0], reference.coefs_[0], atol=1e-5)
        assert np.array_equal(fitted.predict(same), reference.predict(X))
    double = classifier(max_updates=30).fit(X.astype(np.float64), y)
    assert double.coefs_[0].dtype == np.float64
    assert np.allclose(double.coefs_[0], reference.coefs_[0], atol=1e-3)


def test_sparse_rows_are_never_all_dense(monkeypatch):
    X, y = digits(500)
    dense = sp.csr_matrix.toarray
    tallest = []

    def noting(matrix, *arguments, **options):
        tallest.append(matrix.shape[0])
        return dense(matrix, *arguments, **options)

    monkeypatch.setattr(sp.csr_matrix, "toarray", noting)
    classifier(max_updates=20, batch_size=50).fit(sp.csr_matrix(X), y)
    assert max(tallest) <= 50


def test_the_same_seed_gives_the_same_bits_and_nothing_global_is_touched():
    X, y = digits(200)
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    one, again, other = (classifier(max_updates=30, random_state=s).fit(X, y).coefs_[0] for s in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("monitor", ["loss", "score"])
def test_early_stopping_keeps_the_best(monitor):
    X, y = digits(300)
    noisy = np.where(np.random.default_rng(0).random(300) < 0.3, np.random.default_rng(1).integers(0, 10, 300), y)
    settings = {"validation_fraction": 0.3, "patience": 5, "max_updates": 3000, "schedule": "constant"}
    fitted = classifier(**settings, monitor=monitor).fit(X, noisy)
    best = max(fitted.history_, key=lambda record: record.validation)
    assert f"in 5 records; update {best.update}, the best," in fitted.stopped_
    assert fitted.n_updates_ == best.update + 5 * 30
    held_out, _ = held_out_rows(
        len(noisy), fitted.validation_fraction, Randomness.of(0, torch.device("cpu")).rows, noisy
    )
    if monitor == "score":
        assert fitted.score(X[held_out], noisy[held_out]) == pytest.approx(best.validation)
    else:
        p = fitted.predict_proba(X[held_out])[np.arange(len(held_out)), noisy[held_out]]
        assert np.log(p).mean() == pytest.approx(best.validation, abs=1e-5)


def test_early_stopping_of_a_regressor():
    X, _ = digits(200)
    noise = np.random.default_rng(0).normal(size=200)
    fitted = regressor(validation_fraction=0.3, patience=3, max_updates=3000).fit(X, noise)
    assert fitted.n_updates_ < 1000
    assert fitted.stopped_.startswith("converged")


def test_held_out_rows_come_from_every_class():
    y = np.repeat([0, 1, 2], [100, 50, 10])
    network = classifier(validation_fraction=0.2)
    for seed in range(3):
        generator = Randomness.of(seed, torch.device("cpu")).rows
        held_out, rows = held_out_rows(len(y), network.validation_fraction, generator, y)
        assert np.bincount(y[held_out]).tolist() == [20, 10, 2]
        assert sorted([*held_out, *rows]) == list(range(160))


def test_divergence_is_named_and_the_last_finite_state_kept():
    X, y = digits(100)
    network = classifier(learning_rate=1e37, optimizer="sgd", schedule="constant", diversity=0.0)
    with pytest.raises(DivergenceError, match="lower learning_rate"):
        network.fit(X, y)
    assert all(np.isfinite(weights).all() for weights in network.coefs_)


def test_the_volume_of_too_many_units_names_the_layer():
    X, y = digits(100)
    with pytest.raises(TooManyComponentsError, match="hidden layer 1"):
        classifier(hidden_layer_sizes=(10, 20), surrogate="volume").fit(X, y)
    assert classifier(hidden_layer_sizes=(10, 8), surrogate="volume").fit(X, y).score(X, y) > 0.8


def test_in_a_pipeline_under_grid_search_and_pickled():
    X, y = digits(300)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), classifier(max_updates=150)), {"mlpclassifier__diversity": [0.0, 0.1]}, cv=2
    ).fit(X, y)
    assert search.score(X, y) > 0.9
    again = pickle.loads(pickle.dumps(search))
    assert np.array_equal(again.predict_proba(X), search.predict_proba(X))
    assert clone(search.best_estimator_[-1]).diversity in (0.0, 0.1)


class Stopping:
    """A callback of scikit-learn's that stops after some records."""

    def __init__(self, after):
        self.after, self.seen, self.coefs = after, 0, None

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        pass

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, metadata=None, fitted_estimator=None):
        self.seen += 1
        if self.seen <= self.after:
            self.coefs = fitted_estimator.coefs_
        return self.seen >= self.after

    def teardown(self, estimator, context):
        pass


def test_scikit_learn_callbacks_see_the_network_and_can_stop():
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from 1.9 on")
    X, y = digits(200)
    callback = Stopping(after=4)
    fitted = classifier(max_updates=200).set_callbacks(callback).fit(X, y)
    assert fitted.n_updates_ == 4 * 20  # a record every 25 updates
    assert fitted.stopped_ == "stopped by a callback"
    assert np.array_equal(callback.coefs[0], fitted.coefs_[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_layer_sizes": ()},
        {"hidden_layer_sizes": (5, 0)},
        {"hidden_layer_sizes": 2.5},
        {"activation": "logistic"},
        {"loss": "crossentropy"},
        {"diversity": -1},
        {"diversity": float("nan")},
        {"surrogate": "angles"},
        {"gamma": -1.0},
        {"optimizer": "lbfgs"},
        {"learning_rate": 0},
        {"schedule": "cosine"},
        {"weight_decay": float("inf")},
        {"batch_size": 0},
        {"max_updates": 0},
        {"validation_fraction": 1.0},
        {"validation_fraction": 0.001},
        {"monitor": "accuracy"},
        {"patience": 0},
        {"device": "tpu9"},
    ],
)
def test_bad_parameters(changes):
    with pytest.raises(ValueError, match=next(iter(changes))):
        classifier(**changes).fit(*digits(50))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        classifier().fit(digits(20)[0], np.zeros(20))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_on_a_gpu(kind):
    X, y = digits()
    fitted = classifier(device="cuda", diversity=1.0).fit(kind(X), y)
    assert fitted.score(kind(X), y) > 0.95
    assert next(fitted.module_.parameters()).device.type == "cpu"


@pytest.mark.parametrize("schedule", ["linear", "constant"])
def test_weights_that_see_nothing_only_decay_by_the_schedule(schedule):
    """Of features that are all zero the first layer learns nothing: w_T = w_0 Π (1 − rate_t · decay)."""
    X, y = np.zeros((40, 6)), np.arange(40) % 2
    settings = {"schedule": schedule, "learning_rate": 0.01, "diversity": 0.0, "max_updates": 20}
    start, decayed = (classifier(**settings, weight_decay=decay).fit(X, y) for decay in (0.0, 2.0))
    shares = 1 - np.arange(20) / 20 if schedule == "linear" else np.ones(20)
    assert np.allclose(decayed.coefs_[0], start.coefs_[0] * np.prod(1 - 0.01 * shares * 2.0))
