"""The distance learner: what it learns, by which way it is told, and every kind of input."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from wideangle.data import make_pairs
from wideangle.evaluation import knn_accuracy, pair_average_precision
from wideangle.exceptions import DataError, DivergenceError, TooManyComponentsError
from wideangle.models import DistanceLearner


def hidden(n=300, D=10, seed=0):
    """Four classes in the first two features, and loud features that say nothing."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 4, n)
    centres = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    X = 3 * generator.standard_normal((n, D))
    X[:, :2] = centres[y] + 0.25 * generator.standard_normal((n, 2))
    return X, y


def model(n_components=4, **changes):
    """Without validation, which test_distance_validation.py is about."""
    settings = {"max_updates": 400, "n_similar": 5000, "n_dissimilar": 5000, "random_state": 0, "device": "cpu"}
    settings |= {"batch_size": 500, "learning_rate": 0.1, "hinge_weight": 2.0, "validation_fraction": 0.0}
    return DistanceLearner(n_components, **(settings | changes))


@pytest.mark.parametrize("init", ["pca", "random"])
@pytest.mark.parametrize("near", [0.0, 0.5])
def test_finds_the_features_that_tell_classes_apart(init, near):
    X, y = hidden()
    fitted = model(init=init, near_similar=near, near_dissimilar=near).fit(X, y)
    weight = np.diag(fitted.get_mahalanobis_matrix())
    assert weight[:2].min() > 20 * weight[2:].max()
    new, truth = hidden(seed=1)
    assert knn_accuracy(fitted.transform(X), y, fitted.transform(new), truth) > 0.98
    assert knn_accuracy(X, y, new, truth) < 0.7


def test_one_feature_and_two_points_reach_the_known_optimum():
    """Similar pairs at distance ½, dissimilar at 1: a²/4 + w max(0, 1 − a²) is least at a = 1 if w > ¼, else at 0."""
    pairs = np.array([[[0.0], [0.5]], [[0.0], [1.0]]] * 50)
    fitted = model(1, hinge_weight=1.0, max_updates=1000).fit_pairs(pairs, [1, -1] * 50)
    assert abs(float(fitted.components_[0, 0])) == pytest.approx(1.0, abs=0.02)
    light = model(1, hinge_weight=0.1, max_updates=1000).fit_pairs(pairs, [1, -1] * 50)
    assert abs(float(light.components_[0, 0])) < 0.05


def test_labels_and_pairs_lead_to_the_same_metric():
    X, y = hidden()
    drawn = make_pairs(y, 5000, 5000, seed=3)
    by_index = model().fit_pairs(drawn.indices, drawn.similar, X)
    by_points = model().fit_pairs(X[drawn.indices], drawn.similar)
    for fitted in (by_index, by_points):
        distances = fitted.pair_distance(drawn.indices, X)
        assert pair_average_precision(distances, drawn.similar > 0) > 0.99
        assert np.mean(fitted.predict_pairs(drawn.indices, X) == drawn.similar) > 0.98


def test_scale_of_the_inputs_is_undone():
    X, y = hidden()
    # A power of two changes no digit, so that training takes the same steps.
    small, large = (model().fit(factor * X, y) for factor in (2.0**-20, 2.0**20))
    np.testing.assert_allclose(small.transform(2.0**-20 * X), large.transform(2.0**20 * X), rtol=1e-9)
    assert [r.loss for r in small.history_] == pytest.approx([r.loss for r in large.history_], rel=1e-9)


def test_the_margin_sets_the_scale_and_nothing_else():
    X, y = hidden()
    one, nine = model().fit(X, y), model(margin=9.0).fit(X, y)
    np.testing.assert_allclose(3 * one.components_, nine.components_)
    assert nine.threshold_ == pytest.approx(3 * one.threshold_)
    assert nine.violations_ == one.violations_


@pytest.mark.parametrize("init", ["pca", "random"])
@pytest.mark.parametrize("seed", range(4))
def test_dense_and_sparse_learn_the_same(init, seed):
    X, y = hidden(seed=seed)
    X[:, 2:][np.abs(X[:, 2:]) < 1.5] = 0
    # Without validation, which decides between equal states by the last digit, and without steps so long that the last
    # digit grows.
    settings = {
        "init": init,
        "random_state": seed,
        "validation_fraction": 0.0,
        "max_updates": 30,
        "learning_rate": 0.01,
    }
    dense, sparse = (model(6, **settings).fit(matrix, y) for matrix in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense.components_, sparse.components_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(dense.transform(X), sparse.transform(sp.csr_array(X)), rtol=1e-4, atol=1e-5)


def test_sparse_rows_stay_sparse(monkeypatch):
    """5000-dimensional rows: no dense array of rows or pairs is ever asked for."""
    generator = np.random.default_rng(0)
    X = sp.csr_array(np.where(generator.random((200, 5000)) < 0.01, generator.random((200, 5000)), 0), dtype=np.float32)
    real = sp.csr_array.toarray

    def watched(rows, *arguments, **options):
        assert rows.shape[1] < 5000, "rows were made dense"
        return real(rows, *arguments, **options)

    for name in ("toarray", "todense"):
        monkeypatch.setattr(sp.csr_array, name, watched)
    fitted = model(5, max_updates=5).fit(X, np.arange(200) % 3)
    assert fitted.transform(X).shape == (200, 5)
    assert fitted.components_.dtype == np.float32


def test_diversity_widens_the_angles():
    X, y = hidden()
    plain, wide = (model(6, init="random", diversity=d).fit(X, y).history_[-1] for d in (0.0, 1.0))
    assert wide.mean_angle > plain.mean_angle + 10
    assert wide.score > plain.score
    volume = model(6, init="random", diversity=0.05, surrogate="volume").fit(X, y).history_[-1]
    assert volume.min_angle > plain.min_angle + 10


def test_components_recorded_are_those_of_the_score():
    from wideangle import mutual_angular_score

    fitted = model(5).fit(*hidden())
    assert fitted.history_[-1].score == pytest.approx(float(mutual_angular_score(fitted.components_)), abs=1e-6)


def test_the_hinge_weight_rises_until_few_pairs_violate_the_margin():
    X, y = hidden()
    X[:, :2] += 0.2 * np.random.default_rng(5).standard_normal((len(X), 2))
    soft = model(max_updates=200).fit(X, y)
    hard = model(max_updates=200, max_violations=0.01).fit(X, y)
    assert soft.violations_ > 0.01 > hard.violations_
    assert hard.hinge_weight_ > soft.hinge_weight_ == 2.0
    weights = [record.hinge_weight for record in hard.history_]
    assert weights == sorted(weights)
    assert hard.history_[-1].violations < soft.history_[-1].violations
    assert hard.n_updates_ % 200 == 0
    assert "violate the margin" in hard.stopped_


def test_equal_points_called_dissimilar_make_it_give_up():
    pairs = np.array([[[0.0], [0.1]], [[1.0], [1.0]], [[0.0], [2.0]]] * 5)
    with pytest.warns(ConvergenceWarning, match="equal points"):
        fitted = model(1, max_updates=10, max_violations=0.1).fit_pairs(pairs, [1, -1, -1] * 5)
    assert fitted.violations_ >= 0.5
    assert fitted.stopped_.startswith("gave up")


def test_violations_are_those_of_the_training_pairs():
    X, y = hidden()
    drawn = make_pairs(y, 500, 500)
    fitted = model(max_updates=50, margin=2.0).fit_pairs(drawn.indices, drawn.similar, X)
    squared = fitted.pair_distance(drawn.indices, X)[drawn.similar < 0] ** 2
    assert fitted.violations_ == pytest.approx(np.mean(squared < 2.0))


@pytest.mark.parametrize("way", ["points", "indices", "labels"])
def test_partial_fit_goes_on_learning(way):
    X, y = hidden()
    drawn = make_pairs(y, 4000, 4000, seed=1)
    fitted = model()
    calls = {
        "points": lambda: fitted.partial_fit(X[drawn.indices], drawn.similar),
        "indices": lambda: fitted.partial_fit(X, drawn.similar, pairs=drawn.indices),
        "labels": lambda: fitted.partial_fit(X, y),
    }
    losses = []
    for _ in range(6 if way != "labels" else 60):
        calls[way]()
        losses.append(fitted.history_[-1].loss)
    assert losses[-1] < 0.6 * losses[0]
    assert len(fitted.history_) == len(losses)


def test_partial_fit_takes_pairs_of_one_kind_once_it_has_begun():
    X, y = hidden()
    drawn = make_pairs(y, 500, 500)
    fitted = model().partial_fit(X, drawn.similar, pairs=drawn.indices)
    before = fitted.components_.copy()
    alike = drawn.similar > 0
    fitted.partial_fit(X, drawn.similar[alike], pairs=drawn.indices[alike])
    assert (fitted.components_ != before).any()
    with pytest.raises(DataError, match="no dissimilar pairs"):
        model().partial_fit(X, drawn.similar[alike], pairs=drawn.indices[alike])


def test_partial_fit_after_fit_starts_from_what_was_learned():
    X, y = hidden()
    fitted = model().fit(X, y)
    before = fitted.components_.copy()
    fitted.learning_rate = 1e-6
    fitted.partial_fit(X.astype(np.float32), y)
    np.testing.assert_allclose(fitted.components_, before, atol=1e-3 * np.abs(before).max())
    fitted.partial_fit(X, y)  # another precision than the one before


def test_balance_lets_rare_classes_count():
    """The rare classes differ in a quiet direction of their own; only drawn often enough do they shape the metric."""
    generator = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [500, 500, 6, 6])
    X = 0.3 * generator.standard_normal((len(y), 6))
    X[:, 0] += np.where(y < 2, 2.0 * y, 0.0)
    X[:, 1] += np.where(y >= 2, 2.0 * y - 5, 0.0)
    weights = {}
    for balance in ("samples", "classes"):
        fitted = model(3, balance=balance, near_similar=0, near_dissimilar=0, diversity=0.0).fit(X, y)
        weights[balance] = np.diag(fitted.get_mahalanobis_matrix())
    assert weights["classes"][1] > 2 * weights["samples"][1]


def test_in_a_pipeline_and_a_grid():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), model(max_updates=100), KNeighborsClassifier(3))
    grid = GridSearchCV(pipeline, {"distancelearner__diversity": [0.0, 0.1]}, cv=3).fit(X, y)
    assert grid.best_score_ > 0.93
    names = grid.best_estimator_[:-1].get_feature_names_out()
    assert names.tolist() == [f"distancelearner{k}" for k in range(4)]


def test_more_components_than_features_work_with_the_angle():
    X, y = hidden(D=4)
    fitted = model(9).fit(X, y)
    assert fitted.components_.shape == (9, 4)
    with pytest.raises(TooManyComponentsError, match="angle|Ω|score"):
        model(9, surrogate="volume").fit(X, y)


def test_components_by_default():
    X, y = hidden()
    assert model(None, max_updates=2).fit(X, y).components_.shape == (10, 10)
    wide = np.random.default_rng(0).standard_normal((60, 120))
    assert model(None, max_updates=2).fit(wide, np.arange(60) % 2).components_.shape == (100, 120)


def test_repeats_with_a_seed_and_survives_pickling():
    X, y = hidden()
    one, same, other = (model(random_state=s, max_updates=20).fit(X, y).components_ for s in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    fitted = model(max_updates=20).partial_fit(X, y)
    again = pickle.loads(pickle.dumps(fitted)).partial_fit(X, y)
    np.testing.assert_allclose(again.components_, fitted.partial_fit(X, y).components_)
    assert clone(fitted).get_params() == fitted.get_params()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keeps_the_precision_of_its_input(dtype):
    X, y = hidden()
    fitted = model(max_updates=20).fit(X.astype(dtype), y)
    assert fitted.components_.dtype == fitted.transform(X.astype(dtype)).dtype == dtype


def test_constant_features_are_no_obstacle():
    X, y = hidden()
    X[:, 4] = 7.0
    fitted = model().fit(X, y)
    assert np.isfinite(fitted.components_).all()
    assert knn_accuracy(fitted.transform(X), y, fitted.transform(hidden(seed=1)[0] * 1.0), hidden(seed=1)[1]) > 0.5


def test_copies_of_one_point():
    with pytest.raises(DataError, match="nothing to tell apart"):
        model().fit(np.ones((20, 3)), np.arange(20) % 2)
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 10, axis=0)  # every class is one point
    fitted = model(2).fit(X, np.repeat([0, 1], 10))
    assert fitted.violations_ < 0.01


def test_labels_that_cannot_be_learned_from():
    X, y = hidden()
    with pytest.raises(DataError, match="two classes; got 1"):
        model().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="requires y"):
        model().fit(X, None)
    with pytest.raises(ValueError, match="NaN"):
        model().fit(np.where(X > 0, X, np.nan), y)
    with pytest.raises(ValueError, match=r"\+1 for similar and -1"):
        model().fit_pairs([[0, 1], [1, 2]], [0, 1], X)
    with pytest.raises(ValueError, match="out of range"):
        model().fit_pairs([[0, 1], [1, 999]], [1, -1], X)
    for signs, kind in (([1, 1], "dissimilar"), ([-1, -1], "similar")):
        with pytest.raises(DataError, match=f"no {kind} pairs"):
            model().fit_pairs([[0, 1], [1, 2]], signs, X)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_components", 0),
        ("n_similar", 0),
        ("batch_size", 0),
        ("diversity", -1.0),
        ("hinge_weight", float("nan")),
        ("margin", 0.0),
        ("learning_rate", 0.0),
        ("near_similar", 1.5),
        ("validation_fraction", -0.1),
        ("monitor", "accuracy"),
        ("max_violations", 0.0),
        ("balance", "rows"),
        ("init", "zeros"),
        ("schedule", "cosine"),
        ("surrogate", "area"),
        ("device", "abacus"),
    ],
)
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        model(**{name: value}).fit(*hidden())


def test_divergence_keeps_the_last_finite_state():
    X, y = hidden()
    fitted = model(learning_rate=1e30, schedule="constant")
    with pytest.raises(DivergenceError, match="learning_rate"):
        fitted.fit(X.astype(np.float32), y)
    assert np.isfinite(fitted.components_).all()


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_cuda_learns_what_the_cpu_learns(kind):
    X, y = hidden()
    fits = [model(init="pca", device=device, diversity=0.0).fit(kind(X), y) for device in ("cpu", "cuda")]
    np.testing.assert_allclose(*(f.get_mahalanobis_matrix() for f in fits), atol=0.02)
