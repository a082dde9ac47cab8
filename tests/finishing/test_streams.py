"""The distance of a model that learns from a stream of documents."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

import wideangle
from wideangle.data import synthetic_corpus
from wideangle.finishing import finished
from wideangle.models import ReplicatedSoftmax

COUNTS = synthetic_corpus(240, 4, 40, seed=2).corpus.counts.astype(np.float64)


def new(**changes):
    return ReplicatedSoftmax(4, random_state=0, device="cpu", max_updates=20, **changes)


def streamed(model, X, step=20, between=lambda model: None):
    for first in range(0, X.shape[0], step):
        model.partial_fit(X[first : first + step])
        between(model)
    return model


def assert_same(one, other):
    assert np.array_equal(one.transform(COUNTS), other.transform(COUNTS))


def test_nothing_is_known_before_the_first_chunk():
    with pytest.raises(NotFittedError):
        new().transform(COUNTS)


@pytest.mark.parametrize("step", [3, 50])
def test_the_distance_is_that_of_the_recent_documents(step):
    model = streamed(new(), COUNTS, step)
    expected = copy.deepcopy(model).learn_distance(COUNTS)
    assert_same(model, expected)
    assert model._used_finish() == "halves"  # although a chunk of three documents alone could not be halved


def test_only_the_last_documents_are_kept(monkeypatch):
    monkeypatch.setattr(finished, "RECENT", 50)
    model = streamed(new(), COUNTS, 20)
    assert model._recent.rows.shape == (50, 40)
    assert_same(model, copy.deepcopy(model).learn_distance(COUNTS[-50:]))
    model.partial_fit(COUNTS)  # more than are kept
    assert_same(model, copy.deepcopy(model).learn_distance(COUNTS[-50:]))


@pytest.mark.parametrize("step", [5, 60])
def test_asking_between_changes_nothing(step, tmp_path):
    plain = streamed(new(), COUNTS, step)
    asked = streamed(new(), COUNTS, step, lambda model: model.transform(COUNTS[:3]))
    saved = streamed(new(), COUNTS, step, lambda model: model.save(tmp_path / "m"))
    assert_same(plain, asked)
    assert_same(plain, saved)


def test_the_array_of_a_stream_may_be_used_again():
    chunk, model = np.empty((40, 40)), new()
    for first in range(0, 240, 40):
        chunk[:] = COUNTS[first : first + 40].toarray()
        model.partial_fit(chunk)
    chunk[:] = 1
    assert_same(model, streamed(new(), COUNTS.toarray(), 40))


def test_chunks_may_be_sparse_and_dense_by_turns():
    model = new()
    for number, first in enumerate(range(0, 240, 40)):
        chunk = COUNTS[first : first + 40]
        model.partial_fit(chunk if number % 2 else chunk.toarray())
    np.testing.assert_allclose(model.transform(COUNTS), streamed(new(), COUNTS, 40).transform(COUNTS), atol=1e-6)


def test_after_a_fit_both_are_mixed():
    fitted = new().fit(COUNTS[:120])
    before = fitted.halves_
    alone = copy.deepcopy(fitted.partial_fit(COUNTS[120:160])).learn_distance(COUNTS[120:160]).halves_
    fitted.transform(COUNTS)
    assert (before.documents, alone.documents, fitted.halves_.documents) == (120, 40, 160)
    np.testing.assert_allclose(fitted.halves_.noise, 0.75 * before.noise + 0.25 * alone.noise, atol=1e-6)


def test_a_second_fit_forgets_the_stream():
    model = streamed(new(), COUNTS)
    assert_same(model.fit(COUNTS), new().fit(COUNTS))
    assert not hasattr(model, "_recent")


def test_a_file_of_a_stream_knows_what_its_last_documents_taught(tmp_path):
    """They are not saved themselves, and need not have been asked for before."""
    model = streamed(new(), COUNTS)
    model.save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m")
    assert not hasattr(again, "_recent")
    assert_same(again, model)
    assert again.halves_.documents == 240


def test_a_loaded_model_goes_on(tmp_path):
    streamed(new(), COUNTS[:120]).save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m").partial_fit(COUNTS[120:])
    again.transform(COUNTS)
    assert again.halves_.documents == 240


@pytest.mark.parametrize("asked", [False, True])
def test_copies_of_a_stream_answer_and_go_on_alike(asked):
    model = streamed(new(), COUNTS[:120])
    if asked:
        model.transform(COUNTS)
    others = [copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    for other in others:
        assert_same(other, model)
        np.testing.assert_array_equal(other.halves_.noise, model.halves_.noise)


@pytest.mark.parametrize("setting", [{"finish": None}, {"representation": "logits"}])
class TestWithoutFinish:
    def test_a_stream_can_be_saved_when_its_finish_is_taken_away(self, setting, tmp_path):
        model = streamed(new(), COUNTS).set_params(**setting)
        model.save(tmp_path / "m")
        again = wideangle.load(tmp_path / "m")
        assert_same(again, model)
        assert not hasattr(again, "halves_")
        model.set_params(finish="halves", representation=None)
        assert_same(model, streamed(new(), COUNTS))

    def test_a_distance_from_before_does_not_outlive_what_the_model_learns_without_it(self, setting):
        model = new().fit(COUNTS).set_params(**setting).partial_fit(COUNTS)
        model.set_params(finish="halves", representation=None)
        with pytest.raises(ValueError, match="no distance"):
            model.transform(COUNTS)
        assert model.learn_distance(COUNTS).transform(COUNTS).shape == (240, 4)


def test_a_stream_of_single_words_is_compared_by_the_spectrum():
    words = sp.csr_array(np.eye(6)[np.arange(90) % 6])
    model = streamed(new(), words, 9, lambda model: model.transform(words[:2]))
    assert model._used_finish() == "spectrum"
    expected = copy.deepcopy(model).learn_distance(words)
    assert np.array_equal(model.transform(words), expected.transform(words))
