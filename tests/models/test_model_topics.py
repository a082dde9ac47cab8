"""`topics`, `assign` and `component_words` of estimators, and how topics travel with a model file."""

import copy

import numpy as np
import pytest

import wideangle
from wideangle.data import synthetic_corpus
from wideangle.exceptions import DataError, ModelFileError
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, ReplicatedSoftmax
from wideangle.view import ModelView

MADE = synthetic_corpus(240, 4, 60, seed=2)
COUNTS, WORDS = MADE.corpus.counts, [f"w{number}" for number in range(60)]
LABELS = np.asarray(MADE.corpus.labels)


@pytest.fixture(scope="module")
def fitted():
    return ReplicatedSoftmax(6, max_updates=200, random_state=0, device="cpu").fit(COUNTS)


def carrying(model, **changes):
    """The model with documents, as `wideangle fit` leaves it."""
    texts = [" ".join(WORDS[w] for w in np.flatnonzero(row)) for row in COUNTS.toarray()]
    given = {"counts": COUNTS, "labels": LABELS, "texts": texts} | changes
    model.vocabulary_ = WORDS
    model.documents_ = ModelView.of(model).documents(COUNTS, **given)
    return model


def test_topics_of_counts_and_of_carried_documents_are_the_same(fitted, tmp_path):
    by_counts = fitted.topics(COUNTS, 4, vocabulary=WORDS, labels=LABELS)
    fitted.save(tmp_path / "m")
    loaded = carrying(wideangle.load(tmp_path / "m"))
    del loaded.topics_
    by_documents = loaded.topics(n_topics=4)
    assert [(t.size, t.words, t.classes) for t in by_counts] == [(t.size, t.words, t.classes) for t in by_documents]


def test_what_was_found_is_kept_saved_and_renamed(fitted, tmp_path):
    model = carrying(fitted)
    model.topics_ = model.topics(n_topics=5).rename(2, "mine")
    model.save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m")
    assert again.topics_.items == model.topics_.items
    assert again.topics()[2].name == "mine"
    assert "mine" in {topic.name for topic in again.topics(n_topics=6)} | {t.name for t in again.topics(n_topics=4)}
    assert again.topics(n_topics=5)[2].name == "mine"
    again.save(tmp_path / "copy")
    np.testing.assert_array_equal(again.assign(COUNTS).topics, model.assign(COUNTS).topics)
    again.fit(COUNTS)
    assert not hasattr(again, "topics_")


def test_topics_know_the_granularity_that_they_were_found_at(fitted, tmp_path):
    model = carrying(copy.deepcopy(fitted)).set_params(granularity="groups")
    model.topics_ = model.topics(n_topics=4).rename(0, "mine")
    assert model.topics_.granularity == 1.0
    model.set_params(granularity="details").save(tmp_path / "m")
    again = wideangle.load(tmp_path / "m")
    assert (again.granularity, again.topics_.granularity) == ("details", 1.0)
    # Documents are assigned at the topics' granularity, so that they stay in their topics whatever the model's is.
    sizes = np.bincount(again.assign(COUNTS).topics, minlength=4)
    assert sizes.tolist() == [topic.size for topic in again.topics_]
    # Other distances make another tree, in which names of nodes would be those of other topics.
    assert "mine" not in [topic.name for topic in again.topics(n_topics=4)]
    assert again.topics_.granularity == 0.0


def test_carried_documents_are_grouped_as_transform_gives_them_at_any_granularity(fitted):
    for granularity in ("details", 0.3, "groups"):
        model = carrying(copy.deepcopy(fitted)).set_params(granularity=granularity)
        model.__dict__.pop("topics_", None)
        by_documents = model.topics(n_topics=4)
        by_counts = model.topics(COUNTS, 4, vocabulary=WORDS)
        assert [(t.size, t.words) for t in by_documents] == [(t.size, t.words) for t in by_counts]


def test_new_documents_are_assigned_as_the_old_ones(fitted):
    topics = fitted.topics(COUNTS, 4, vocabulary=WORDS)
    found = fitted.assign(COUNTS)
    np.testing.assert_array_equal(found.topics, topics.of_documents)
    np.testing.assert_array_equal(fitted.assign(COUNTS.toarray()).topics, found.topics)
    empty = fitted.assign(np.zeros((2, 60)))
    assert (empty.topics.tolist(), empty.sure.tolist()) == ([-1, -1], [0.0, 0.0])


@pytest.mark.parametrize("representation", ["probabilities", "logits", "centred logits"])
def test_every_representation_has_topics_and_empty_documents_have_none(representation, fitted):
    model = ReplicatedSoftmax(6, max_updates=200, representation=representation, random_state=0, device="cpu")
    model.fit(COUNTS)
    X = np.vstack([COUNTS.toarray(), np.zeros((2, 60))])
    topics = model.topics(X, 4, vocabulary=WORDS)
    assert (topics.of_documents[-2:] == -1).all()
    np.testing.assert_array_equal(model.assign(X).topics, topics.of_documents)
    # The groups do not depend much on how the same hidden units are written down.
    usual = fitted.topics(COUNTS, 4, vocabulary=WORDS).of_documents
    agree = wideangle.evaluation.clustering_accuracy(usual, topics.of_documents[:-2])
    assert agree > 0.7


@pytest.mark.parametrize(
    "estimator",
    [
        BernoulliRBM(4, max_updates=50, random_state=0, device="cpu"),
        DistanceLearner(4, max_updates=50, random_state=0, device="cpu"),
        MLPClassifier((8, 5), max_updates=50, random_state=0, device="cpu"),
    ],
)
def test_other_estimators_have_topics_too(estimator):
    X = np.minimum(COUNTS.toarray(), 1).astype(np.float32)
    estimator.fit(X) if isinstance(estimator, BernoulliRBM) else estimator.fit(X, LABELS)
    topics = estimator.topics(X, 3, vocabulary=WORDS)
    assert sum(topic.size for topic in topics) == len(X)
    np.testing.assert_array_equal(estimator.assign(X).topics, topics.of_documents)


def test_transform_is_not_changed_by_topics(fitted):
    before = fitted.transform(COUNTS)
    fitted.topics(COUNTS, vocabulary=WORDS)
    np.testing.assert_array_equal(fitted.transform(COUNTS), before)


def test_what_is_missing_is_said():
    model = ReplicatedSoftmax(3, max_updates=5, random_state=0, device="cpu").fit(COUNTS)
    with pytest.raises(DataError, match="No documents"):
        model.topics()
    with pytest.raises(DataError, match="Give the vocabulary"):
        model.topics(COUNTS)
    with pytest.raises(ValueError, match="X .*got int.*component_words"):
        model.topics(8, WORDS)
    with pytest.raises(ValueError, match="belong to X"):
        model.topics(vocabulary=WORDS)
    with pytest.raises(ValueError, match="Call topics"):
        model.assign(COUNTS)
    with pytest.raises(DataError, match="without their words"):
        carrying(model, counts=None).topics()


def test_topics_of_other_documents_are_not_saved_with_these(fitted, tmp_path):
    model = carrying(fitted)
    model.topics(COUNTS[:100], 3, vocabulary=WORDS)
    with pytest.raises(ModelFileError, match="100 documents.* 240.*documents_"):
        model.save(tmp_path / "m")


def test_words_of_components(fitted):
    words = fitted.component_words(5, WORDS)
    effects = fitted.effects()
    assert words == [[WORDS[c] for c in np.argsort(-row, kind="stable")[:5]] for row in effects]
    by_weight = fitted.component_words(5, WORDS, by="weight")
    assert by_weight == [[WORDS[c] for c in np.argsort(-row, kind="stable")[:5]] for row in fitted.components_]
    with pytest.raises(ValueError, match="0 words.* 7 columns"):
        BernoulliRBM(2, max_updates=2, random_state=0).fit(np.eye(7)).component_words()
    with pytest.raises(ValueError, match="2 words.* 60 columns"):
        fitted.component_words(5, ["a", "b"])
    with pytest.raises(ValueError, match="by .*'rank'"):
        fitted.component_words(5, WORDS, by="rank")
