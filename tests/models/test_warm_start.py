"""`warm_start`: a further fit goes on where the last one ended."""

import numpy as np
import pytest
from sklearn.base import clone

import wideangle
from wideangle.data import synthetic_corpus
from wideangle.models import BernoulliRBM, ReplicatedSoftmax

COUNTS = synthetic_corpus(300, 4, 40).corpus.counts.toarray()
# With a constant rate a fit that goes on is what one long fit would do, but for the optimiser's memory.
STEADY = {"schedule": "constant", "max_updates": 150, "random_state": 0, "device": "cpu"}
MODELS = {
    "rbm": (BernoulliRBM(4, **STEADY), np.minimum(COUNTS, 1).astype(np.float64)),
    "dropout": (BernoulliRBM(6, dropout=0.5, **STEADY), np.minimum(COUNTS, 1).astype(np.float64)),
    "softmax": (ReplicatedSoftmax(4, learning_rate=0.01, **STEADY), COUNTS),
    "found": (ReplicatedSoftmax(learning_rate=0.01, **STEADY), COUNTS),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    estimator, X = MODELS[request.param]
    return clone(estimator).set_params(warm_start=True).fit(X), X


def test_it_begins_where_the_last_fit_ended(fitted):
    model, X = fitted
    last, components = model.history_[-1].loss, model.components_.copy()
    first = model.history_[0].loss
    again = model.set_params(max_updates=1, learning_rate=1e-9).fit(X)
    np.testing.assert_allclose(again.components_, components, rtol=1e-4, atol=1e-5)
    assert abs(again.history_[0].loss - last) < 0.2 * abs(first - last) + 0.02 * abs(last)


def test_it_differs_from_a_fresh_fit_and_has_learned_more(fitted):
    model, X = fitted
    fresh = clone(model).set_params(warm_start=False).fit(X)
    np.testing.assert_array_equal(fresh.components_, model.components_)  # A first fit is as any other.
    model.fit(X)
    assert np.abs(model.components_ - fresh.components_).max() > 1e-3
    assert model.history_[0].loss < fresh.history_[0].loss


def test_the_same_seed_gives_the_same_bits(fitted):
    model, X = fitted
    other = clone(model).fit(X).fit(X)
    np.testing.assert_array_equal(other.components_, model.fit(X).components_)


def test_without_it_every_fit_is_fresh():
    estimator, X = MODELS["rbm"]
    model = clone(estimator).fit(X)
    before = model.components_.copy()
    np.testing.assert_array_equal(model.fit(X).components_, before)


def test_another_number_of_components_or_columns(fitted):
    model, X = fitted
    K = len(model.components_)
    with pytest.raises(ValueError, match=f"from the {K} components of the last fit; got n_components={K + 1}. Set n_c"):
        model.set_params(n_components=K + 1).fit(X)
    model.set_params(n_components=K)
    with pytest.raises(ValueError, match=f"is expecting {X.shape[1]} features"):
        model.fit(X[:, 1:])
    assert model.set_params(n_components=K + 1, warm_start=False).fit(X[:, 1:]).components_.shape == (K + 1, 39)


def test_a_loaded_model_goes_on(fitted, tmp_path):
    model, X = fitted
    model.save(tmp_path / "m")
    loaded = wideangle.load(tmp_path / "m")
    assert loaded.warm_start is True
    np.testing.assert_array_equal(loaded.fit(X).components_, model.fit(X).components_)


def test_it_must_be_true_or_false():
    with pytest.raises(TypeError, match="warm_start .*'yes'"):
        BernoulliRBM(2, warm_start="yes").fit(np.eye(4))
