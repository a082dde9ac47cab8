"""What the page holds of a model."""

import numpy as np
import pytest

from wideangle.data import synthetic_corpus
from wideangle.documents import Documents
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
from wideangle.report import explore
from wideangle.report.topics import topics_of
from wideangle.report.views import View, view_of

COUNTS = synthetic_corpus(150, 5, 60, seed=1).corpus.counts.toarray()  # those of the model


def view(components, documents=None, **changes):
    components = np.asarray(components, dtype=float)
    words = [f"w{number}" for number in range(components.shape[1])]
    return View("a", "ReplicatedSoftmax", components, words, "word", documents, changes.get("effects"))


def test_top_words_are_those_of_largest_weight(model):
    found = topics_of(view_of(model, "a", None, None))
    for topic, row in zip(found.topics, model.components_, strict=True):
        assert [column for column, _ in topic.top[:5]] == np.argsort(-row, kind="stable")[:5].tolist()
        assert [value for _, value in topic.top] == pytest.approx([row[c] for c, _ in topic.top], rel=1e-2)


def test_every_word_is_found_in_its_strongest_components(model):
    found = topics_of(view_of(model, "a", None, None))
    assert len(found.words) == len(model.vocabulary_)
    for column, flat in enumerate(found.words):
        weights = model.components_[:, column]
        numbers, values, ranks = flat[::3], flat[1::3], flat[2::3]
        if weights.max() > 0:
            assert numbers[0] == weights.argmax()
            assert ranks[0] == 1 + (model.components_[numbers[0]] > weights.max()).sum()
        if weights.min() < 0:
            assert min(values) == pytest.approx(weights.min(), rel=1e-2)


def test_words_of_largest_effect_are_those_of_the_model(model):
    effects = model.effects()
    found = topics_of(view_of(model, "a", None, None)).topics[2].effect
    assert found[0][0] == effects[2].argmax()
    assert found[0][1] == pytest.approx(100 * effects[2].max() / effects.max(), rel=1e-2)


def test_angles_and_near_duplicates():
    found = topics_of(view([[1, 0, 0], [-1, 0.1, 0], [0, 0, 1]]))
    assert found.links == [(0, 1, 5.7)]
    assert found.topics[0].near == [(1, 5.7, True), (2, 90.0, False)]
    assert (found.angles.redundant, found.angles.dead, sum(found.angles.histogram)) == (1, 0, 3)
    assert found.angles.smallest == pytest.approx(5.71, abs=0.01)


def test_angles_are_those_that_the_documents_see(model):
    logits = model.hidden_logits(COUNTS)
    assert topics_of(view_of(model, "a", None, None)).angles.kind == "of the weights"  # no logits came with it
    found = topics_of(view_of(model, "a", None, Documents.of(model.transform(COUNTS), logits=logits)))
    correlation = np.corrcoef(logits.T)
    degrees = np.degrees(np.arccos(np.minimum(np.abs(correlation), 1)))
    assert found.angles.kind == "as the documents see them"
    assert found.angles.smallest == pytest.approx(degrees[np.triu_indices(6, 1)].min(), abs=0.01)
    for k, topic in enumerate(found.topics):
        for other, angle, opposite in topic.near:
            assert angle == pytest.approx(degrees[k, other], abs=0.06)
            assert opposite == (correlation[k, other] < 0)


def test_documents_without_words_have_no_use_and_no_nan(model):
    X = np.vstack([COUNTS, np.zeros((3, COUNTS.shape[1]))])
    whole, part = (Documents.of(model.transform(rows), logits=model.hidden_logits(rows)) for rows in (X, COUNTS))
    assert not whole.vectors[-3:].any()
    used = [[topic.usage for topic in topics_of(view_of(model, "a", None, each)).topics] for each in (whole, part)]
    expected = (1 / (1 + np.exp(-model.hidden_logits(COUNTS).astype(float)))).sum(axis=0)
    assert used[0] == used[1] == pytest.approx(expected, abs=0.06)
    labelled = Documents.of(whole.vectors, logits=whole.logits, labels=np.arange(len(X)) % 2)
    assert explore(model, documents=labelled).title  # The page's JSON refuses NaN.


def test_logits_are_compared_by_their_direction():
    topics = ReplicatedSoftmax(3, representation="logits", max_updates=5, random_state=0, device="cpu").fit(COUNTS)
    topics.documents_ = Documents.of(topics.transform(COUNTS))
    seen = view_of(topics, "a", None, None)
    np.testing.assert_allclose(np.linalg.norm(seen.documents.vectors, axis=1), 1, atol=1e-6)
    assert seen.angular.kind == "as the documents see them"


def test_a_component_of_zeros_is_listed_without_a_place():
    found = topics_of(view([[1, 0], [0, 0], [0, 1]]))
    dead = found.topics[1]
    assert (dead.x, dead.y, dead.near, dead.top) == (None, None, [], [])
    assert [near for near, *_ in found.topics[0].near] == [2]
    assert found.angles.dead == 1


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [[0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[-1.0, -2.0], [0.0, 0.0]]])
def test_the_smallest_models_have_a_page_too(rows):
    found = topics_of(view(rows))
    assert len(found.topics) == len(rows)
    assert all(topic.top or topic.against or topic.x is None for topic in found.topics)


def test_weights_against_show_only_where_they_matter():
    found = topics_of(view([[1.0, -0.1], [1.0, -0.9]]))
    assert found.topics[0].against == []
    assert found.topics[1].against == [(1, -0.9)]


def test_examples_are_the_documents_in_which_it_is_strongest():
    vectors = np.random.default_rng(0).random((40, 2))
    documents = Documents.of(vectors, names=[f"n{i}" for i in range(40)], labels=np.arange(40) % 2)
    found = topics_of(view(np.eye(2), documents))
    for k, topic in enumerate(found.topics):
        names = [found.documents[number][0] for number, _ in topic.examples]
        assert names == [f"n{row}" for row in np.argsort(-vectors[:, k])[:5]]
        assert topic.usage == pytest.approx(vectors[:, k].sum(), abs=0.1)
    assert found.documents[0][2] in ("0", "1")


def test_vectors_beyond_probabilities_count_no_usage():
    found = topics_of(view(np.eye(2), Documents.of([[1.5, -2], [0, 1]])))
    assert [topic.usage for topic in found.topics] == [None, None]
    assert found.topics[0].examples


def test_why_there_are_no_examples_is_said():
    assert "No documents came" in topics_of(view(np.eye(2))).without_examples
    assert "3 numbers each" in topics_of(view(np.eye(2), Documents.of(np.eye(3)))).without_examples


GENERATOR = np.random.default_rng(0)
X, Y = GENERATOR.random((60, 7)), np.arange(60) % 3


@pytest.mark.parametrize(
    ("estimator", "K"),
    [
        (BernoulliRBM(4, max_updates=5, device="cpu"), 4),
        (DistanceLearner(3, max_updates=5, n_similar=20, n_dissimilar=20, device="cpu"), 3),
        (MLPClassifier((5, 4), max_updates=5, device="cpu"), 5),
        (MLPRegressor(6, max_updates=5, device="cpu"), 6),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int) else None,
)
def test_every_estimator_can_be_seen(estimator, K):
    found = view_of(estimator.fit(X, Y), "a", None, None)
    assert found.components.shape == (K, 7)
    assert found.vocabulary[0] == "feature 1"
    assert (found.noun, found.columns) == ("component", "feature")
    assert len(topics_of(found).topics) == K
