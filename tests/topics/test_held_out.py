"""How sure topics of few documents are: nobody is sure where a model knows its documents by heart."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import synthetic_corpus
from wideangle.models import BernoulliRBM, DistanceLearner, ReplicatedSoftmax
from wideangle.topics import held_out
from wideangle.topics.sureness import FEWEST
from wideangle.view import ModelView

WORDS = [f"word{column}" for column in range(400)]


def noise(n, seed):
    """Documents of random words: what a model finds in them is true of them alone."""
    return sp.csr_array(np.random.default_rng(seed).poisson(0.05, (n, 400)))


def planted(n, seed):
    return synthetic_corpus(n, 4, 400, seed=seed).corpus.counts


def model_of(X, **settings):
    return ReplicatedSoftmax(8, max_updates=100, random_state=0, device="cpu", **settings).fit(X)


def mean_sure(model, X, new):
    model.topics(X, vocabulary=WORDS)
    return model.assign(new).sure.mean()


def test_topics_of_noise_are_not_sure(monkeypatch):
    X, new = noise(150, 0), noise(150, 1)
    model = model_of(X)
    honest = mean_sure(model, X, new)
    monkeypatch.setattr(held_out, "FEW", 0)
    assert mean_sure(model, X, new) > honest + 0.1
    assert honest < 0.6


def test_topics_that_are_there_are_sure():
    assert mean_sure(model_of(planted(150, 0)), planted(150, 0), planted(300, 0)[150:]) > 0.8


def test_the_seed_decides_and_the_model_stays_as_it_is():
    X = planted(90, 0)
    model = model_of(X).set_params(random_state=None)
    before = model.components_.copy()
    found = [model.topics(X, vocabulary=WORDS, random_state=seed).sureness for seed in (0, 0, 1)]
    np.testing.assert_array_equal(found[0], found[1])
    assert np.abs(found[0] - found[2][: len(found[0])]).max() > 1e-6
    np.testing.assert_array_equal(model.components_, before)


def test_the_second_model_has_its_own_seed_and_tells_nobody_of_its_progress(monkeypatch):
    X = planted(90, 0)
    model = model_of(X).set_params(verbose=True)
    model._skl_callbacks = ["somebody who is told"]  # as scikit-learn keeps them
    seen, fit = [], ReplicatedSoftmax.fit

    def watched(second, rows, y=None):
        seen.append((second.random_state, second.verbose, hasattr(second, "_skl_callbacks"), rows.shape[0]))
        return fit(second, rows, y)

    monkeypatch.setattr(ReplicatedSoftmax, "fit", watched)
    model.topics(X, vocabulary=WORDS, random_state=7)
    assert seen == [(7, False, False, 60)]


@pytest.mark.parametrize(
    ("n", "expected"), [(FEWEST - 1, False), (FEWEST, True), (held_out.FEW - 1, True), (held_out.FEW, False)]
)
def test_few_documents_need_it(n, expected):
    assert held_out.is_known_by_heart(ModelView.of(model_of(planted(30, 0))), n) is expected


def test_a_model_that_learns_from_labels_has_no_second_one():
    X = np.random.default_rng(0).random((40, 5))
    view = ModelView.of(DistanceLearner(2, max_updates=5).fit(X, np.arange(40) % 2))
    assert not held_out.is_known_by_heart(view, 40)


def test_documents_of_one_word_teach_nothing():
    X = np.eye(40, 400, dtype=np.int64)
    assert model_of(X).topics(X, vocabulary=WORDS).sureness is None


def test_rows_are_what_the_model_is_fitted_to():
    """Counts of a machine of presence are at most 1 there, and counts elsewhere."""
    X = planted(60, 0).toarray()
    model = BernoulliRBM(4, max_updates=30, random_state=0, device="cpu").fit(np.minimum(X, 1).astype(float))
    assert model.topics(np.minimum(X, 1).astype(float), vocabulary=WORDS).is_calibrated
