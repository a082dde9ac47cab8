"""What the page is given for the slider from broad to fine, and where there is none."""

import base64

import numpy as np
import pytest
from page_models import fitted
from scipy.special import expit

from wideangle.baselines.documents import LSI
from wideangle.data import synthetic_corpus
from wideangle.documents import Documents
from wideangle.finishing.distances import distance_of
from wideangle.models import ReplicatedSoftmax
from wideangle.report import broad_to_fine
from wideangle.report.broad_to_fine import slider_content
from wideangle.report.explorer import make_page
from wideangle.report.map_documents import Shown, shown_documents
from wideangle.report.page import as_json
from wideangle.report.views import view_of
from wideangle.view import QUERY_SHARE, ModelView

NOTHING = {"slider": None, "no_slider": ""}


def unpacked(text, dtype="f4"):
    return np.frombuffer(base64.b64decode(text), dtype=f"<{dtype}").astype(np.float64)


def content_of(model, documents=None):
    view = view_of(model, "mine", None, documents)
    return slider_content(view, shown_documents([view], np.random.default_rng(0).random((len(view.documents), 2))))


@pytest.fixture(scope="module")
def counts(model):
    return model.documents_.words.matrix(60)


def test_what_the_model_said_comes_within_half_a_step(model):
    slider = content_of(model)["slider"]
    K = slider["components"]
    assert model.n_components == K
    low, step = unpacked(slider["low"]), unpacked(slider["step"])
    read = low + step * unpacked(slider["steps"], "u1").reshape(150, K)
    softened = 1 / (1 + np.exp(-model.documents_.vectors.astype(float) / 4))
    assert (np.abs(read - softened) <= step / 2 + 1e-6).all()
    assert (step < 1 / 255 + 1e-6).all()
    np.testing.assert_allclose(unpacked(slider["centre"]), model._centre_of_logits(), rtol=1e-5)
    assert slider["empty"] == []


def test_the_distance_comes_at_some_granularities_and_at_the_models_own():
    model = fitted().set_params(granularity=0.4)
    slider = content_of(model)["slider"]
    K = slider["components"]
    assert (slider["own"], slider["query_share"]) == (0.4, QUERY_SHARE)
    assert slider["knots"] == [0, 0.25, 0.4, 0.5, 0.75, 0.9, 1]
    middles = unpacked(slider["middles"]).reshape(7, K)
    halves = unpacked(slider["roots"]).reshape(7, K * (K + 1) // 2)
    for number, knot in enumerate(slider["knots"]):
        middle, root = distance_of(model.halves_, "halves", knot)
        np.testing.assert_allclose(middles[number], middle, atol=1e-6)
        packed = iter(halves[number])
        for j in range(K):
            for k in range(j, K):
                assert next(packed) == pytest.approx(root[j, k], rel=1e-5, abs=1e-5)
                assert root[j, k] == pytest.approx(root[k, j])


def test_a_sample_has_the_rows_that_are_shown(model):
    view = view_of(model, "mine", None, None)
    some = Shown(view.documents, np.arange(0, 150, 2), np.zeros((75, 2), np.float32), "")
    slider = slider_content(view, some)["slider"]
    read = unpacked(slider["low"]) + unpacked(slider["step"]) * unpacked(slider["steps"], "u1").reshape(75, -1)
    softened = expit(model.documents_.vectors[::2].astype(float) / 4)
    np.testing.assert_allclose(read, softened, atol=1 / 255)


def test_documents_without_words_are_named(model, counts):
    X = counts.toarray()
    X[[3, 140]] = 0
    slider = content_of(model, ModelView.of(model).documents(X))["slider"]
    assert slider["empty"] == [3, 140]


def test_vectors_that_are_no_logits_have_no_centre_and_stay_as_they_are(counts):
    model = LSI(4, finish="halves").fit(counts)
    documents = ModelView.of(model).documents(counts)
    slider = content_of(model, documents)["slider"]
    assert slider["centre"] is None
    step = unpacked(slider["step"])
    read = unpacked(slider["low"]) + step * unpacked(slider["steps"], "u1").reshape(150, 4)
    assert (np.abs(read - documents.vectors) <= step / 2 + 1e-5).all()


def test_a_model_without_a_finish_has_no_slider_and_says_nothing(counts):
    plain = LSI(4).fit(counts)
    assert content_of(plain, ModelView.of(plain).documents(counts)) == NOTHING
    explicit = fitted().set_params(representation="probabilities")
    assert content_of(explicit, Documents.of(explicit.transform(counts))) == NOTHING
    assert slider_content(view_of(fitted(), "mine", None, None), None) == NOTHING


def test_why_there_is_no_slider_is_said(model, counts, monkeypatch):
    brought = content_of(model, Documents.of(model.transform(counts)))
    assert brought["slider"] is None
    assert "brought as transform gave them" in brought["no_slider"]
    monkeypatch.setattr(broad_to_fine, "MOST_COMPONENTS", 5)
    large = content_of(model)
    assert large["slider"] is None
    assert "with 6 components, more than 5, the page would be large" in large["no_slider"]


def test_documents_that_are_not_on_the_map_have_no_slider(model, other):
    view, elsewhere = view_of(model, "a", None, None), view_of(other, "b", None, None)
    fewer = Shown(elsewhere.documents, np.arange(150), np.zeros((150, 2), np.float32), "")
    assert slider_content(view, fewer)["slider"] is not None  # both carry the same documents
    different = ModelView.of(other).documents(np.eye(60)[:50], names=[f"other {number}" for number in range(50)])
    views = [view, view_of(other, "b", None, different)]
    assert slider_content(views[1], shown_documents(views, np.zeros((150, 2)))) == NOTHING


@pytest.mark.slow
def test_it_adds_little_to_the_page():
    """docs/explorer.md says how much."""
    corpus = synthetic_corpus(3000, 20, 300).corpus
    model = ReplicatedSoftmax(50, max_updates=5, random_state=0, device="cpu").fit(corpus.counts)
    slider = content_of(model, ModelView.of(model).documents(corpus.counts))["slider"]
    assert 200e3 < len(as_json(slider)) < 250e3


def test_the_page_keeps_what_the_model_said_beside_what_is_compared(model):
    made = make_page(model, layout=np.random.default_rng(0).random((150, 2)))
    (view,) = made.views
    np.testing.assert_array_equal(view.said, model.documents_.vectors)
    assert view.documents.finished
    np.testing.assert_allclose(np.linalg.norm(view.documents.vectors, axis=1), 1, rtol=1e-5)


def test_topics_are_grouped_anew_where_the_granularity_was_changed_since():
    model = fitted()
    model.topics()
    kept = view_of(model, "mine", None, None).topics
    assert kept is model.topics_
    changed = view_of(model.set_params(granularity="details"), "mine", None, None).topics
    assert (kept.granularity, changed.granularity) == (0.5, 0.0)
