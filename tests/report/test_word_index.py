"""The index by which a saved page is searched."""

import base64
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from page_texts import number_at

from wideangle.documents import Reading
from wideangle.report import word_index
from wideangle.report.map_documents import shown_documents
from wideangle.report.views import view_of
from wideangle.report.word_index import postings, related_words, search_content, stored_order


def lists_of(content, n_words):
    """The rows of each word, read number by number."""
    at, lists = 0, []
    for _ in range(n_words):
        size, at = number_at(content, at)
        rows, row = [], -1
        for _ in range(size):
            between, at = number_at(content, at)
            row += between + 1
            rows.append(row)
        lists.append(rows)
    assert at == len(content)
    return lists


def test_postings_are_the_rows_of_each_word():
    present = np.random.default_rng(0).random((500, 40)) < 0.05
    present[:, 0], present[:, 1] = False, True  # a word that no document has, and one that all have
    expected = [np.flatnonzero(present[:, column]).tolist() for column in range(40)]
    assert lists_of(postings(sp.csr_array(present.astype(float))), 40) == expected


def test_the_index_numbers_documents_as_they_are_stored(model):
    view = view_of(model, "m", None, None)
    shown = shown_documents([view], np.random.default_rng(0).random((150, 2)))
    order = stored_order(view, shown)
    leaves = view.topics.leaves[order]
    assert sorted(order) == list(range(150))
    assert (np.diff(leaves) >= 0).all()
    about, content = search_content([view], shown, order)
    present = model.documents_.words.matrix(60).toarray()
    for column, places in enumerate(lists_of(content, 60)):
        assert sorted(order[places]) == np.flatnonzero(present[:, column]).tolist()
    assert about["indexed"]


def test_without_words_there_is_no_index(model):
    view = view_of(model, "m", None, None)
    shown = shown_documents([view], np.random.default_rng(0).random((150, 2)))
    order = stored_order(view, shown)
    bare = replace(view, documents=replace(view.documents, words=None))
    about, content = search_content([bare], replace(shown, documents=bare.documents), order)
    assert (about["indexed"], content) == (False, b"")
    assert search_content([replace(view, columns="feature")], shown, order) == (None, b"")


def test_stop_words_and_words_in_a_row_are_told(model):
    view = view_of(model, "m", None, None)
    model.reading_ = Reading("counts", stop_words=("the", "and"), ngrams=2)
    try:
        about, _ = search_content([view], None, None)
    finally:
        del model.reading_
    assert (about["stop_words"], about["ngrams"], about["indexed"]) == (["and", "the"], 2, False)


def test_related_words_are_those_that_components_treat_alike(model, monkeypatch):
    view = view_of(model, "m", None, None)
    said = np.zeros((3, 60))
    said[0, :5], said[1, 5:7], said[2, 7] = 1.0, 1.0, 1.0
    monkeypatch.setattr(word_index, "AT_ONCE", 7)  # Blocks of words must not matter.
    found = np.frombuffer(base64.b64decode(related_words(replace(view, effects=said))), "<u2").reshape(60, -1)
    for word in range(5):
        assert sorted(found[word]) == [other for other in range(5) if other != word]
    assert found[5].tolist() == [6, 65535, 65535, 65535]
    assert found[7].tolist() == [65535] * 4
    assert related_words(replace(view, effects=said[:1])) is None
