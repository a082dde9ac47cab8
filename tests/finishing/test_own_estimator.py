"""An estimator that a user wrote and registered is finished, saved, searched and grouped as ours are."""

import numpy as np
import pytest
from own_estimators import Projected
from small_corpus import documents

import wideangle
from wideangle.baselines.documents import LSI
from wideangle.catalogue import Entry, register, registry
from wideangle.data import count_words
from wideangle.documents import Reading
from wideangle.exceptions import ModelFileError
from wideangle.models._topics import Topical
from wideangle.searching import Searcher
from wideangle.view import ModelView

TEXTS, LABELS = zip(*documents(), strict=True)
CORPUS = count_words(TEXTS, labels=LABELS)


class Grouped(Topical, Projected):
    """With topics."""


@pytest.fixture(autouse=True)
def _nothing_stays_registered(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})


@pytest.fixture
def model():
    register(Entry.of(Grouped, takes="counts"))
    fitted = Grouped(6, random_state=0).fit(CORPUS.counts)
    fitted.vocabulary_, fitted.reading_ = CORPUS.vocabulary.tolist(), Reading("counts", r"\b[a-z]{3,}\b")
    return fitted


def test_it_is_saved_with_its_distance(model, tmp_path):
    model.documents_ = ModelView.of(model).documents(CORPUS.counts, texts=TEXTS, counts=CORPUS.counts)
    model.save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m")
    for name, part in vars(model.halves_).items():
        assert np.array_equal(getattr(again.halves_, name), part)
    for granularity in ("details", 0.3, 1.0):
        found = [each.set_params(granularity=granularity).transform(CORPUS.counts) for each in (model, again)]
        assert np.array_equal(*found)
        kept = ModelView.of(again).vectors(again.documents_)
        np.testing.assert_allclose(kept, found[0], atol=1e-5)


def test_a_wrong_distance_is_refused(model, tmp_path):
    model.halves_ = LSI(3, finish="halves", random_state=0).fit(CORPUS.counts).halves_
    with pytest.raises(ModelFileError, match=r"\(1, 3, 3\).*\(1, 6, 6\)"):
        model.save(tmp_path / "m")


def test_it_is_searched_at_any_granularity(model):
    view = ModelView.of(model)
    assert (view.is_finished, view.granularity) == (True, 0.5)
    found = view.documents(CORPUS.counts, texts=TEXTS, counts=CORPUS.counts)
    assert not found.finished
    hits = Searcher(view, found).search("wheat", 5).hits
    assert sum("wheat" in TEXTS[hit.number].split() for hit in hits) >= 4
    for granularity in (None, 0.0, "groups"):
        asked, stored, metric = view.compared(CORPUS.counts[:3], found, granularity)
        used = 0.25 if granularity is None else granularity  # half of the model's own
        np.testing.assert_allclose(stored, view.represent(CORPUS.counts, used), atol=1e-5)
        np.testing.assert_allclose(asked, stored[:3], atol=1e-5)
        assert metric == "cosine"


def test_topics_are_found_and_assigned_at_one_granularity(model):
    topics = model.topics(CORPUS.counts, 3)
    assert topics.granularity == 0.5
    before = model.assign(CORPUS.counts).topics
    assert np.array_equal(before, model.set_params(granularity="details").assign(CORPUS.counts).topics)
    assert model.topics(CORPUS.counts, 3).granularity == 0.0
