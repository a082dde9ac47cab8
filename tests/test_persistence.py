"""Saved and loaded models are the same to the bit."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from saved_models import MODELS, SMALL, answers, assert_same, data, small_machine
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import wideangle
from wideangle import persistence
from wideangle.baselines import documents, metrics
from wideangle.catalogue import entries
from wideangle.exceptions import ModelFileError
from wideangle.models import BernoulliRBM, MLPRegressor, ReplicatedSoftmax


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    estimator, target, dtype = MODELS[request.param]
    X, y = data(target, dtype)
    return clone(estimator).fit(X, y), X, y


@pytest.fixture(scope="module")
def machine():
    return small_machine()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.wideangle"


def test_the_same_after_loading(fitted, path):
    model, X, y = fitted
    model.save(path)
    again = wideangle.load(path)
    assert_same(again.get_params(), model.get_params())
    state, loaded = ({k: v for k, v in vars(m).items() if k != "_trainer"} for m in (model, again))
    assert_same(dict(sorted(loaded.items())), dict(sorted(state.items())))
    assert_same(answers(again, X, y), answers(model, X, y))
    for attribute in ("coefs_", "intercepts_", "history_"):
        if hasattr(model, attribute):
            assert_same(getattr(again, attribute), getattr(model, attribute))


def test_the_same_bytes_each_time(fitted, path, tmp_path):
    model, _, _ = fitted
    model.save(path)
    first = path.read_bytes()
    model.save(path)
    assert path.read_bytes() == first
    wideangle.load(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == first
    turned = clone(model)
    turned.__dict__ = dict(reversed(vars(model).items()))  # whatever came first
    turned.save(path)
    assert path.read_bytes() == first


@pytest.mark.quick_cases(8)
def test_loaded_models_learn_on_and_anew(fitted, path):
    model, X, y = fitted
    model.save(path)
    again = wideangle.load(path)
    if hasattr(model, "partial_fit"):
        again.partial_fit(X, y)
        before, after = model._shown_components(), again._shown_components()
        assert not np.array_equal(after, before)
        assert np.abs(after - before).max() < 1  # from there, not from the start
    again.fit(X, y)
    assert_same(answers(again, X, y), answers(model, X, y))


@pytest.mark.parametrize("name", ["rbm", "softmax", "distance"])
def test_saved_between_partial_fits(name, path):
    estimator, target, dtype = MODELS[name]
    X, y = data(target, dtype)
    model = clone(estimator).partial_fit(X, y).partial_fit(X, y)
    assert hasattr(model, "_trainer")
    model.save(path)
    again = wideangle.load(path)
    assert not hasattr(again, "_trainer")
    assert_same(again.transform(X), model.transform(X))
    before = again.components_.copy()
    assert 0 < np.abs(again.partial_fit(X, y).components_ - before).max() < 0.5


@pytest.mark.parametrize("name", ["rbm", "softmax", "weighted"])
def test_the_average_row_goes_on_after_loading(name, path):
    estimator, target, dtype = MODELS[name]
    X, _ = data(target, dtype)
    model = clone(estimator).partial_fit(X[:20])
    model.save(path)
    again = wideangle.load(path)
    for each in (model, again):
        each.partial_fit(X[20:])
    assert again.n_rows_ == len(X)
    assert_same(again.mean_row_, model.mean_row_)
    if name == "rbm":  # The others weigh counts by what the first rows told them.
        np.testing.assert_allclose(again.mean_row_, X.mean(axis=0), rtol=1e-5)


def test_every_estimator_is_tested_and_can_be_saved():
    named = {*wideangle.models.__all__, *documents.__all__, *metrics.__all__}
    known = {entry.name for entry in entries()}
    assert named == known == {type(estimator).__name__ for estimator, _, _ in MODELS.values()}


SOME = ("softmax", "distance32", "objects")


@pytest.mark.parametrize("names", [SOME, pytest.param(tuple(MODELS), marks=pytest.mark.slow)], ids=["some", "all"])
def test_a_fresh_process_gives_the_same_bits(names, tmp_path):
    expected = []
    for name in names:
        estimator, target, dtype = MODELS[name]
        X, y = data(target, dtype)
        model = clone(estimator).fit(X, y)
        model.save(tmp_path / f"{name}.wideangle")
        np.save(tmp_path / f"{name}.npy", X)
        out = (model.transform if hasattr(model, "transform") else model.predict)(X)
        expected.append(out.toarray() if hasattr(out, "toarray") else out)
    script = """
import sys, pathlib, numpy as np, wideangle
assert not {"sklearn", "torch"} & set(sys.modules)
import torch
torch.set_num_threads(1)
for name in sys.argv[2:]:
    folder = pathlib.Path(sys.argv[1])
    model, X = wideangle.load(folder / f"{name}.wideangle"), np.load(folder / f"{name}.npy")
    out = (model.transform if hasattr(model, "transform") else model.predict)(X)
    out = out.toarray() if hasattr(out, "toarray") else out
    np.save(folder / f"{name}.out.npy", out.astype("U9") if out.dtype == object else out)
"""
    subprocess.run([sys.executable, "-c", script, tmp_path, *names], check=True, timeout=300)
    for name, values in zip(names, expected, strict=True):
        found = np.load(tmp_path / f"{name}.out.npy")
        assert found.tobytes() == (values.astype("U9") if values.dtype == object else values).tobytes()


def test_names_of_columns_and_output_settings_are_kept(path):
    X = pd.DataFrame(data(None, np.float64)[0], columns=[*"abcdef", "größe ☃"])
    model = BernoulliRBM(3, **SMALL).set_output(transform="pandas").fit(X)
    model.save(path)
    again = wideangle.load(path)
    assert_same(again.feature_names_in_, model.feature_names_in_)
    pd.testing.assert_frame_equal(again.transform(X), model.transform(X), check_exact=True)
    with pytest.raises(ValueError, match="feature names"):
        again.transform(X.rename(columns={"a": "z"}))


def test_callbacks_are_named(machine, path):
    callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9 has no callbacks")
    model = clone(machine).set_callbacks(callback.ProgressBar())
    model.__dict__.update(vars(machine))
    with pytest.raises(ModelFileError, match=r"ProgressBar.*set_callbacks\(\)"):
        model.save(path)
    model.set_callbacks().save(path)
    assert wideangle.load(path).n_components == 2


@pytest.mark.parametrize("estimator", [case[0] for case in MODELS.values()], ids=MODELS)
def test_unfitted(estimator, path):
    with pytest.raises(NotFittedError):
        clone(estimator).save(path)
    begun = clone(estimator)
    begun.n_features_in_ = 7  # what a fit that failed leaves
    with pytest.raises(NotFittedError):
        begun.save(path)


def test_other_classes_are_refused(machine, path):
    class Mine(BernoulliRBM):
        pass

    class MLPRegressor(BernoulliRBM):
        pass

    for cls in (Mine, MLPRegressor):
        with pytest.raises(ModelFileError, match="can be saved; got .*"):
            cls(2, **SMALL).fit(data(None, np.float32)[0]).save(path)
    with pytest.raises(ModelFileError, match="got .*dict"):
        persistence.save({}, path)


def test_a_module_of_another_kind_is_refused(path):
    X, y = data("numbers", np.float32)
    model = MLPRegressor(5, **SMALL).fit(X, y)
    model.module_.append(torch.nn.Dropout())
    with pytest.raises(ModelFileError, match="Dropout"):
        model.save(path)


def test_the_activation_is_that_of_the_fit(path):
    X, y = data("numbers", np.float32)
    model = MLPRegressor(5, activation="tanh", **SMALL).fit(X, y).set_params(activation="relu")
    model.save(path)
    assert_same(wideangle.load(path).predict(X), model.predict(X))


class TestVocabulary:
    words = ("eins", "zwei", "drei", "vier", "fünf", "sechs", "雪")

    @pytest.fixture
    def topics(self):
        return ReplicatedSoftmax(3, **SMALL).fit(data("counts", np.float32)[0])

    @pytest.mark.parametrize("kind", [list, tuple, np.array, lambda w: np.array(w, dtype=object)])
    def test_words_of_components_use_it(self, topics, path, kind):
        topics.save(path, vocabulary=kind(self.words))
        again = wideangle.load(path)
        assert_same(again.vocabulary_, list(self.words))
        assert again.component_words(4) == topics.component_words(4, self.words)
        assert again.component_words(4, self.words[::-1]) == topics.component_words(4, self.words[::-1])
        assert not hasattr(topics, "vocabulary_")

    def test_it_goes_before_names_of_columns(self, path):
        X = pd.DataFrame(data("counts", np.float32)[0], columns=list("abcdefg"))
        model = ReplicatedSoftmax(3, **SMALL).fit(X)
        model.save(path, vocabulary=self.words)
        again = wideangle.load(path)
        assert again.component_words(4) == model.component_words(4, self.words) != model.component_words(4)

    @pytest.mark.quick_cases(8)
    def test_kept_when_saved_again_and_forgotten_by_fit(self, fitted, path):
        model, X, y = fitted
        model.save(path, vocabulary=self.words)
        again = wideangle.load(path)
        again.save(path)
        again = wideangle.load(path)
        assert again.vocabulary_ == list(self.words)
        assert not hasattr(again.fit(X, y), "vocabulary_")

    @pytest.mark.parametrize("wrong", ["abcdefg", {"a": 1}, [1] * 7, [], ["a"]])
    def test_wrong_ones(self, topics, path, wrong):
        with pytest.raises(ValueError, match="vocabulary"):
            topics.save(path, vocabulary=wrong)
        assert not path.exists()

    def test_one_too_long_for_a_header(self, topics, path, monkeypatch):
        monkeypatch.setattr(persistence, "LONGEST_HEADER", 5000)
        with pytest.raises(ModelFileError, match="without the vocabulary"):
            topics.save(path, vocabulary=["a" * 1000] * 7)
