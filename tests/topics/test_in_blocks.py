"""Topics of documents that are gone through in blocks, or that are in files, are those of documents in memory."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from planted_topics import made, vocabulary

from wideangle._mapped import map_array
from wideangle.documents import Strings, WordLists
from wideangle.models import ReplicatedSoftmax
from wideangle.topics import find_topics
from wideangle.topics.directions import DocumentDirections
from wideangle.topics.of_model import _centre, continued_topics, corpus_of, topics_of_documents
from wideangle.topics.phrases import phrases_of, sample_of_texts
from wideangle.topics.tree import TopicTree
from wideangle.topics.words_present import WordsOfLists, WordsPresent
from wideangle.view import ModelView

# Names, sizes and first central documents of the planted topics, as they were before there were blocks.
PLANTED = [
    ("e5, e1, e2", 95, 317),
    ("c5, c0, c7", 83, 113),
    ("d1, d5, d0", 80, 276),
    ("a6, a2, a7", 77, 27),
    ("b2, b7, b0", 65, 254),
]


def texts_of(counts):
    return [" ".join(np.asarray(vocabulary())[np.flatnonzero(row)]) for row in counts]


def equal(found, expected):
    """Whether topics are the same, but for rounding."""
    assert np.array_equal(found.leaves, expected.leaves)
    assert np.array_equal(found.tree.merges, expected.tree.merges)
    assert np.allclose(found.tree.centres, expected.tree.centres, atol=1e-6)
    assert np.allclose(found.centre, expected.centre)
    assert (found.sureness is None) == (expected.sureness is None)
    if found.sureness is not None:
        assert np.allclose(found.sureness, expected.sureness, rtol=1e-3, atol=1e-3)
    for one, other in zip(found, expected, strict=True):
        assert dataclasses.replace(one, angle=None) == dataclasses.replace(other, angle=None)
        assert one.angle == pytest.approx(other.angle)


def small_blocks(monkeypatch, rows):
    monkeypatch.setattr("wideangle.topics.directions.MOST_ROWS", rows)
    monkeypatch.setattr("wideangle.topics.words_present.ROWS", rows)


def test_planted_topics_are_what_they_were():
    rows, counts, which = made()
    found = find_topics(rows, counts, vocabulary(), n_topics=5, labels=which)
    assert [(topic.name, topic.size, topic.central[0]) for topic in found] == PLANTED


@pytest.mark.parametrize("size", [1, 7, 399])
def test_blocks_of_any_size_give_the_same(size, monkeypatch):
    rows, counts, which = made()
    rows[[3, 50]], counts[60] = 0, 0
    once = np.arange(400) % 9 > 0
    given = {"labels": which, "texts": texts_of(counts), "once": once, "is_train": np.arange(400) % 5 > 0}
    halves = [(made(seed=1)[0], made(seed=1)[0] + 0.1)]
    expected = find_topics(rows, counts, vocabulary(), halves=halves, centre=rows.mean(axis=0), **given)
    whole = expected.assign(rows)
    small_blocks(monkeypatch, size)
    found = find_topics(rows, counts, vocabulary(), halves=halves, centre=rows.mean(axis=0), **given)
    equal(found, expected)
    equal(found.merge([0, 2]).split(1), expected.merge([0, 2]).split(1))
    assigned = found.assign(rows)
    assert np.array_equal(assigned.topics, whole.topics)
    assert np.array_equal(assigned.second, whole.second)
    assert np.allclose(assigned.sure, whole.sure)


@pytest.fixture(scope="module")
def model():
    _, counts, which = made(600)
    fitted = ReplicatedSoftmax(5, max_updates=200, random_state=0).fit(counts)
    fitted.vocabulary_ = vocabulary()
    view = ModelView.of(fitted)
    same_as = np.arange(600)
    same_as[100:140] = 7
    documents = view.documents(counts, labels=which, texts=texts_of(counts), counts=counts, same_as=same_as)
    return view, documents


def mapped(documents, folder):
    """The same documents, of which all that is large is in files."""

    def in_file(name, array):
        array = np.ascontiguousarray(array)
        array.tofile(folder / name)
        return map_array(folder / name, array.dtype, array.shape)

    snippets, words = documents.snippets, documents.words
    return dataclasses.replace(
        documents,
        vectors=in_file("vectors", documents.vectors),
        snippets=Strings(in_file("content", snippets.content), in_file("ends", snippets.ends)),
        words=WordLists(in_file("columns", words.columns), in_file("word_ends", words.ends), words.times),
    )


@pytest.mark.parametrize("finished", [False, True])
def test_documents_in_files_give_the_same(model, finished, tmp_path, monkeypatch):
    view, documents = model
    if finished:
        documents = dataclasses.replace(documents, vectors=view.vectors(documents), finished=True)
    expected = topics_of_documents(view, documents)
    nodes = corpus_of(view, documents, vocabulary(), expected)
    small_blocks(monkeypatch, 64)
    in_files = mapped(documents, tmp_path)
    found = topics_of_documents(view, in_files)
    equal(found, expected)
    equal(topics_of_documents(view, in_files, 9, like=found), topics_of_documents(view, documents, 9, like=expected))
    again = corpus_of(view, in_files, vocabulary(), found)
    assert np.allclose(again.vectors[:], nodes.vectors[:])
    assert (again.present[:] != nodes.present[:]).nnz == 0
    assert [again.texts[row] for row in (0, 599)] == [nodes.texts[row] for row in (0, 599)]


@pytest.mark.parametrize("has_moved", [False, True])
def test_topics_go_on_in_blocks(model, has_moved, tmp_path, monkeypatch):
    view, documents = model
    before = topics_of_documents(view, documents, 4)
    old = np.where(np.arange(600) < 450, np.arange(600), -1)
    expected = continued_topics(view, documents, before, old, has_moved=has_moved)
    small_blocks(monkeypatch, 50)
    found = continued_topics(view, mapped(documents, tmp_path), before, old, has_moved=has_moved)
    equal(found.topics, expected.topics)
    assert found.same == expected.same


def test_new_vectors_are_made_for_the_documents_that_are_asked_for(model):
    view, documents = model
    counts, rows = made(600)[1], np.array([5, 3, 599])
    assert np.allclose(view.vectors_of(documents, rows), view.represent(counts)[rows], atol=1e-5)
    assert np.allclose(view.vectors_of(documents, slice(2, 9), 0.2), view.represent(counts, 0.2)[2:9], atol=1e-5)


def test_the_centre_of_documents_is_added_up_over_blocks(monkeypatch):
    small_blocks(monkeypatch, 7)
    vectors, chosen = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32), np.arange(50) % 3 > 0
    found = _centre(SimpleNamespace(is_centred=False), vectors, None, chosen)
    assert np.allclose(found, vectors[chosen].mean(axis=0, dtype=np.float64))


@pytest.mark.parametrize("rows", [slice(2, 5), [4, 0, 0], np.array([True, False, True, False, False, True]), slice(0)])
def test_words_of_some_documents(rows):
    counts = np.array([[0, 2, 1], [0, 0, 0], [1, 0, 0], [3, 1, 1], [0, 0, 0], [0, 1, 0]])
    for words in (WordsOfLists(WordLists.of(counts), 3), WordsPresent(counts)):
        assert words[rows].toarray().tolist() == (counts[rows] > 0).astype(float).tolist()
        assert words.entries.tolist() == [2, 0, 1, 3, 0, 1]


def test_k_means_reads_only_the_documents_that_it_sees(monkeypatch):
    """The same documents are drawn whether all vectors are there or are made when they are asked for."""
    from wideangle.topics import tree

    monkeypatch.setattr(tree, "MOST_ROWS", 150)
    rows, _, _ = made()
    among = np.flatnonzero(np.arange(400) % 3 > 0)
    asked = []

    class Asked:
        def __getitem__(self, numbers):
            asked.append(numbers)
            return rows[numbers]

    found, expected = tree.grow(Asked(), None, 3, among), tree.grow(rows[among], None, 3)
    assert np.array_equal(found.centres, expected.centres)
    places = np.random.default_rng(3).choice(len(among), 150, replace=False)
    assert [numbers.tolist() for numbers in asked] == [among[places].tolist()]


def test_phrases_of_a_sample_of_each_leaf(monkeypatch):
    """Small leaves are read whole, and the phrases of large ones are those of all their documents."""
    tree = TopicTree(np.eye(3, dtype=np.float32), np.ones(3, int), np.array([[0, 1], [2, 3]], np.int32))
    rng = np.random.default_rng(0)
    leaves = rng.permutation(np.repeat([0, 1, 2, -1], [900, 700, 20, 60])).astype(np.int32)
    own = ["sparse matrix", "random number", "rare bird", "without topic"]
    words = [*(word for phrase in own for word in phrase.split()), "some", "other", "words"]
    texts = [f"{own[leaf]} {' '.join(rng.choice(words, 3))}" for leaf in leaves]
    whole = phrases_of(tree, leaves, sample_of_texts(texts, leaves), words, r"\w+", 5)
    monkeypatch.setattr("wideangle.topics.phrases.MOST_TEXTS", 300)
    sample = sample_of_texts(texts, leaves)
    assert np.bincount(leaves[sample.numbers]).tolist() == [140, 140, 20]
    assert list(sample) == [texts[number] for number in sample.numbers]
    found = phrases_of(tree, leaves, sample, words, r"\w+", 5)
    assert [best[0] for best in found] == [best[0] for best in whole]
    assert found[2][0] == "rare bird"


def test_vectors_may_be_anything_that_gives_rows():
    rows, counts, _ = made()
    given = DocumentDirections(rows, np.zeros(5), np.ones(400, dtype=bool))
    equal(
        find_topics(given, sp.csr_array(counts), vocabulary(), n_topics=5),
        find_topics(rows, counts, vocabulary(), n_topics=5),
    )
