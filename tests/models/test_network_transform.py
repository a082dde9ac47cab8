"""A network as a transformer: the activations of its last hidden layer."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import wideangle
from wideangle.models import MLPClassifier, MLPRegressor

X, Y = load_iris(return_X_y=True)
NAMES = {"relu": lambda z: np.maximum(z, 0), "tanh": np.tanh, "sigmoid": lambda z: 1 / (1 + np.exp(-z))}


def fitted(kind=MLPClassifier, **changes):
    small = {"hidden_layer_sizes": (7, 5), "max_updates": 30, "random_state": 0, "device": "cpu"}
    return kind(**small | changes).fit(X, Y)


@pytest.mark.parametrize("kind", [MLPClassifier, MLPRegressor])
@pytest.mark.parametrize("activation", NAMES)
def test_activations_are_those_of_the_weights_by_hand(kind, activation):
    model = fitted(kind, activation=activation)
    first = NAMES[activation](X @ model.coefs_[0] + model.intercepts_[0])
    second = NAMES[activation](first @ model.coefs_[1] + model.intercepts_[1])
    np.testing.assert_allclose(model.transform(X), second, atol=1e-9)
    np.testing.assert_allclose(model.transform(sp.csr_array(X)), model.transform(X), rtol=1e-12, atol=1e-12)


def test_outputs_have_names_and_come_as_pandas():
    model = fitted()
    assert model.get_feature_names_out().tolist() == [f"mlpclassifier{k}" for k in range(5)]
    assert model.set_output(transform="pandas").transform(X).columns[0] == "mlpclassifier0"
    assert model.predict_transformed(model.transform(X)).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("labels", [Y, (Y > 0).astype(int), np.array(["a", "b", "c"])[Y]], ids=["3", "2", "words"])
def test_classes_from_activations_are_those_that_predict_gives(labels):
    model = MLPClassifier(6, max_updates=20, random_state=0).fit(X, labels)
    found = model.predict_transformed(model.transform(X).astype(np.float32))
    assert found.dtype == labels.dtype
    assert (found == model.predict(X)).mean() > 0.99  # a row on the border may fall otherwise in single precision


def test_before_another_estimator_in_a_pipeline():
    network = MLPClassifier(8, learning_rate=1e-2, max_updates=200, random_state=0)
    assert make_pipeline(network, KNeighborsClassifier()).fit(X, Y).score(X, Y) > 0.9


def test_a_loaded_network_transforms_alike(tmp_path):
    model = fitted()
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(wideangle.load(tmp_path / "m").transform(X), model.transform(X))
