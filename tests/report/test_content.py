"""What the page is given: documents, topics at every level, neighbours, pictures."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest
from page_models import fitted

from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier
from wideangle.report import explore, map_documents
from wideangle.report.drawn_documents import drawn_rows
from wideangle.report.explorer import _model
from wideangle.report.map_documents import Shown, _majority, _without_themselves, neighbours, shown_documents
from wideangle.report.pictures import pictures
from wideangle.report.topics import topics_content, word_frequency
from wideangle.report.views import view_of
from wideangle.topics.telling_words import first_words
from wideangle.view import ModelView


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype=f"<{dtype}")


@pytest.fixture(scope="module")
def view(model):
    return view_of(model, "mine", None, None)


@pytest.fixture(scope="module")
def shown(view):
    return shown_documents([view])


def test_points_classes_and_texts_are_those_of_the_documents(view, shown, model):
    content = shown.content()
    points = unpacked(content["points"], "u2").reshape(-1, 2) / 65535 * 2 - 1
    np.testing.assert_allclose(points, shown.points, atol=2e-5)
    assert np.abs(shown.points).max() == pytest.approx(1)
    assert unpacked(content["classes"], "i2").tolist() == model.documents_.labels.tolist()
    assert unpacked(content["held_out"], "u1").tolist() == (~model.documents_.is_train).astype(int).tolist()
    assert (content["count"], content["shown"], content["sampled"]) == (150, 150, "")
    texts = shown.texts(np.arange(150))
    assert (texts["names"][7], texts["texts"][7]) == ("file7.txt", "The beginning of document 7.")
    assert texts["titles"][7] == "The beginning of document 7."  # There is no column of titles.
    assert texts["kept"] == 1500


def test_topics_of_every_level_agree_with_the_documents(view, shown, model):
    content = topics_content(view, shown)
    leaves = unpacked(content["leaves"], "u2")
    topics, nodes = view.topics, content["nodes"]
    assert leaves.tolist() == topics.leaves.tolist()
    assert content["chosen"] == len(topics)
    present = model.documents_.words.matrix(60).toarray()
    for number in (1, 2, len(topics), topics.tree.n_leaves):
        level = topics.tree.cut(number)[leaves]
        for node in set(level.tolist()):
            mine = level == node
            assert nodes[node]["size"] == mine.sum()
            for column, having in nodes[node]["words"]:
                assert having == present[mine][:, column].sum()
            assert set(nodes[node]["central"]) <= set(np.flatnonzero(mine).tolist())
            counted = np.bincount(model.documents_.labels[mine], minlength=5)
            assert [count for _, count in nodes[node]["classes"]] == sorted(counted[counted > 0].tolist(), reverse=True)
    assert nodes[-1]["name"] == "all documents"
    closeness = unpacked(content["closeness"], "u1").reshape(len(nodes), len(nodes))
    assert (closeness == closeness.T).all()
    assert not closeness.diagonal().any()


def test_the_words_of_both_ends_of_the_slider_are_there(view, shown, model):
    nodes = topics_content(view, shown)["nodes"]
    present = model.documents_.words.matrix(60).toarray()
    leaves, tree = view.topics.leaves, view.topics.tree
    for node in range(tree.n_nodes - 1):
        mine = tree.membership[node][leaves]
        having, sizes = present[mine].sum(axis=0)[None], np.array([mine.sum()])
        for exclusive in (0.1, 0.65, 1.0):
            best = first_words(having, sizes, present.sum(axis=0), 150, 8, exclusive)[0]
            assert set(best.tolist()) <= {column for column, _ in nodes[node]["words"]}


def test_frequencies_are_counted_in_documents(view, model):
    content = word_frequency(view)
    assert content["counted"] == 150
    expected = model.documents_.words.matrix(60).toarray().sum(axis=0)
    assert unpacked(content["frequency"], "u4").tolist() == expected.tolist()


def test_documents_that_repeat_another_are_in_sizes_but_not_in_words():
    model = fitted()
    same_as = np.arange(150)
    same_as[100:] = 4  # which was fitted on
    model.documents_ = replace(model.documents_, same_as=same_as)
    view = view_of(model, "mine", None, None)
    nodes, frequency = topics_content(view, shown_documents([view]))["nodes"], word_frequency(view)
    present = model.documents_.words.matrix(60).toarray()[:100]
    assert (nodes[-1]["size"], nodes[-1]["counted"], frequency["counted"]) == (150, 100, 100)
    assert unpacked(frequency["frequency"], "u4").tolist() == present.sum(axis=0).tolist()
    for node in range(view.topics.tree.n_nodes):
        mine = view.topics.tree.membership[node][view.topics.leaves]
        assert (nodes[node]["size"], nodes[node]["counted"]) == (mine.sum(), mine[:100].sum())
        assert all(having == present[mine[:100]][:, column].sum() for column, having in nodes[node]["words"])
        assert all(row < 100 for row in nodes[node]["central"])


def test_names_that_a_user_gave_are_shown(shown):
    model = fitted()
    model.topics_ = model.topics().rename(0, "mine")
    renamed = view_of(model, "m", None, None)
    named = [node["name"] for node in topics_content(renamed, shown)["nodes"] if node["renamed"]]
    assert named == ["mine"]


def test_neighbours_are_the_nearest_others(view, shown, model):
    content = neighbours(view, shown)
    near = unpacked(content["nearest"], "u2").reshape(150, 5)
    vectors = ModelView.of(model).vectors(model.documents_).astype(float)
    distances = ((vectors[:, None] - vectors[None]) ** 2).sum(-1)
    np.fill_diagonal(distances, np.inf)
    for row in range(150):
        np.testing.assert_allclose(distances[row, near[row]], np.sort(distances[row])[:5], atol=1e-6)


def test_found_is_a_majority_of_the_neighbours():
    labels = np.array([0, 0, 0, 1, 1])
    near = np.array([[1, 2, 3], [3, 4, 0], [3, 4, 1], [4, 0, 1], [3, 0, 2]])
    # Of the second row two of three neighbours are of class 1; of the fourth two of three of class 0.
    assert _majority(labels, near).tolist() == [1, 0, 0, 0, 0]
    assert _majority(labels, np.array([[3], [0], [0], [4], [3]])).tolist() == [0, 1, 1, 1, 1]


def test_a_row_is_not_its_own_neighbour_even_among_ties():
    near = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 3]])  # the third row is not among its own nearest: others tie
    assert _without_themselves(near).tolist() == [[1, 2], [0, 2], [0, 1]]


def test_many_documents_are_sampled_and_rare_classes_stay_whole():
    labels = np.repeat([0, 1, 2], [900, 90, 10])
    rows = drawn_rows(np.arange(1000), labels, 200, np.random.default_rng(0))
    sizes = np.bincount(labels[rows])
    assert len(rows) <= 200
    assert sizes[2] == 10
    assert sizes[1] == 90
    assert sorted(set(rows.tolist())) == rows.tolist()
    assert len(drawn_rows(np.arange(1000), None, 200, np.random.default_rng(0))) == 200


@pytest.mark.parametrize("labelled", [True, False])
def test_a_sample_has_some_of_each_small_topic(labelled):
    leaves = np.repeat(np.arange(-1, 9, dtype=np.int32), [100, 840, 40, 10, 2, 2, 2, 2, 1, 1])
    labels = np.repeat([0, 1], [900, 100]) if labelled else None
    rows = drawn_rows(np.arange(1000), labels, 200, np.random.default_rng(0), leaves)
    counts = np.bincount(leaves[rows] + 1, minlength=10)
    assert len(np.unique(rows)) == len(rows) <= 200
    assert (counts[1:] >= np.minimum(np.bincount(leaves + 1)[1:], 5)).all()


def test_documents_that_are_not_shown_are_not_pointed_at(view, model):
    some = Shown(model.documents_, np.arange(0, 150, 2), np.zeros((75, 2), np.float32), "")
    assert some.place_of([4, 5, 148, 149]) == [2, 74]
    assert "75 of 150 documents" in some.content()["sampled"]
    nodes = topics_content(view, some)["nodes"]
    assert all(place < 75 for node in nodes for place in node["central"])


def test_a_layout_that_is_brought_is_taken(model):
    points = np.random.default_rng(0).random((150, 2))
    shown = shown_documents([view_of(model, "m", None, None)], points)
    np.testing.assert_allclose(np.corrcoef(shown.points[:, 0], points[:, 0])[0, 1], 1, atol=1e-6)
    assert shown.layout == "as it was given"
    with pytest.raises(DataError, match="150"):
        explore(model, layout=points[:20])


@pytest.mark.parametrize("given", [True, False])
def test_of_a_sample_every_document_lies_where_the_layout_has_it(model, given, monkeypatch):
    """Where no layout is given, t-SNE is given the sampled documents; here it takes their first two coordinates."""
    monkeypatch.setattr(map_documents, "MOST", 40)
    monkeypatch.setattr(map_documents, "lay_out", lambda vectors, **_: vectors[:, :2])
    view = view_of(model, "m", None, None)
    points = np.random.default_rng(0).uniform(-1, 1, (150, 2))
    points[:2] = [[-1, -1], [1, 1]]  # Such a layout is neither moved nor scaled.
    some = shown_documents([view], points if given else None)
    assert len(some.rows) <= 40
    assert some.rows.max() > 100
    places = points if given else view.documents.vectors[:, :2]
    for place, row in enumerate(some.rows):
        np.testing.assert_allclose(some.points[place], places[row], atol=1e-6)
    assert some.content()["shown"] == len(some.rows)
    assert some.texts(np.arange(len(some.rows)))["names"] == [f"file{row}.txt" for row in some.rows]


def test_pictures_have_the_shape_and_the_sign_of_the_weights():
    X = np.random.default_rng(0).random((40, 12))
    model = BernoulliRBM(3, max_updates=20, random_state=0, device="cpu").fit(X)
    seen = view_of(model, "m", None, None)
    found = pictures(seen, (3, 4))
    values = np.stack([unpacked(text, "u1") for text in found["values"]]).astype(int)
    assert ((values > 128) <= (model.components_ > 0)).all()
    assert ((values < 128) <= (model.components_ < 0)).all()
    assert (np.abs(values - 128).max(axis=1) == 127).all()
    assert pictures(seen, None) is None
    with pytest.raises(DataError, match="15 pixels.* 12 columns"):
        pictures(seen, (3, 5))


def test_models_without_words_or_documents_say_so(model):
    X = np.random.default_rng(0).random((40, 6)).astype(np.float32)
    for estimator in (
        BernoulliRBM(3, max_updates=5, random_state=0, device="cpu").fit(X),
        DistanceLearner(2, max_updates=5, random_state=0, device="cpu").fit(X, np.arange(40) % 2),
        MLPClassifier((4,), max_updates=5, random_state=0, device="cpu").fit(X, np.arange(40) % 2),
    ):
        seen = view_of(estimator, "m", None, None)
        assert seen.topics is None
        assert seen.no_topics.startswith("No documents")
        assert explore(estimator).html
    wordless = replace(model.documents_, words=None)
    assert view_of(model, "m", None, wordless).no_topics.startswith("The documents")


def test_documents_of_two_models_that_differ_are_not_mixed(model, other):
    fewer = Documents.of(other.documents_.vectors[:50], names=[f"other{i}" for i in range(50)])
    views = [view_of(model, "a", None, None), view_of(other, "b", None, fewer)]
    shown = shown_documents(views)
    assert len(shown.documents) == 150
    content = _model(views[1], list(range(8)), shown, None)
    assert content["nearest"] is None
    assert explore(model, other, other_documents=fewer).html


def test_documents_without_words_and_all_alike_make_a_page(model):
    X = np.zeros((12, 60))
    X[4:] = np.arange(60) % 3
    documents = Documents.of(model.transform(X), counts=X, labels=np.arange(12) % 2)
    page = explore(model, documents=documents)
    content = json.loads(page.html.split('id="data">')[1].split("</script>")[0])
    assert content["models"][0]["topics"]["without"] == 4
    assert explore(model, documents=Documents.of(np.zeros((0, 6)))).html


def test_the_same_models_give_the_same_page(model, other):
    assert explore(model, other).html == explore(model, other).html


@pytest.mark.parametrize(("regularised_last", "opens"), [(True, 1), (False, 0)])
def test_beside_a_plain_model_the_regularised_one_is_opened(model, other, regularised_last, opens):
    pair = (other, model) if regularised_last else (model, other)
    written = explore(*pair).html.split('id="data">', 1)[1].split("</script>", 1)[0]
    content = json.loads(written)
    assert content["opens"] == opens
    assert content["models"][opens]["diversity"] > 0
    each = [given["angles"]["redundant"] for given in content["models"]]
    assert f": {each[0]} → {each[1]}, " in content["duplicates"]


def test_one_model_is_opened_and_not_compared(model):
    content = json.loads(explore(model).html.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert (content["opens"], content["duplicates"]) == (0, "")
