"""Search of a model's documents, from Python."""

import dataclasses

import numpy as np
import pytest
from small_corpus import documents

from wideangle.data import count_words
from wideangle.documents import Documents, Reading
from wideangle.evaluation._faiss import FaissIndex
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner, ReplicatedSoftmax
from wideangle.searching import WEIGHT, Searcher
from wideangle.searching.searcher import read_for
from wideangle.titles import title_of
from wideangle.view import ModelView

TEXTS, LABELS = zip(*documents(), strict=True)
ODD = "captain captain of the year"  # of few words, one of them of another class than its neighbours


@pytest.fixture(scope="module")
def searcher():
    texts = [*TEXTS, ODD, ""]
    corpus = count_words(texts)
    model = ReplicatedSoftmax(4, max_updates=100, random_state=0).fit(corpus.counts)
    model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts", r"\b[a-z]{3,}\b", stop_words=())
    view = ModelView.of(model)
    found = view.documents(
        corpus.counts,
        texts=texts,
        counts=corpus.counts,
        titles=[f"Title {number}" if number % 2 else "" for number in range(len(texts))],
    )
    return Searcher(view, found)


def test_words_of_a_document_find_it(searcher):
    """The words of both signals agree; those that a document has are named in the order of the query."""
    hits = searcher.search("year spaceship captain", by="both").hits
    assert hits[0].number == len(TEXTS)
    assert hits[0].matched == ("year", "captain")
    assert hits[0].name == f"row {len(TEXTS) + 1}"


@pytest.mark.parametrize("by", ["both", "meaning", "words"])
def test_what_a_hit_says_of_its_document(by, searcher):
    found = searcher.search("wheat loan", 12, by=by)
    assert [hit.rank for hit in found.hits] == list(range(1, 13))
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    for hit in found.hits:
        text = TEXTS[hit.number] if hit.number < len(TEXTS) else ODD
        assert hit.matched == tuple(word for word in ("wheat", "loan") if word in text.split())
        assert hit.title == (f"Title {hit.number}" if hit.number % 2 else title_of(text))
        assert hit.snippet == text
    assert all(hit.matched for hit in found.hits) or by != "words"
    assert (found.by, found.query, found.known, found.searched) == (by, "wheat loan", ("wheat", "loan"), 62)


def test_both_is_the_sum_of_its_parts(searcher):
    every = len(TEXTS) + 2
    by = {by: searcher.search("wheat port", every, by=by) for by in ("both", "meaning", "words")}
    meaning = {hit.number: hit.score for hit in by["meaning"].hits}
    words = {hit.number: hit.score for hit in by["words"].hits}
    for hit in by["both"].hits:
        assert hit.score == pytest.approx(meaning[hit.number] + WEIGHT * words.get(hit.number, 0.0))
        assert hit.distance == pytest.approx(1 - meaning[hit.number])


@pytest.mark.parametrize("granularity", ["details", 0.3, "groups"])
def test_a_granularity_is_that_of_the_distances(granularity, searcher):
    found = searcher.search("wheat corn", 62, by="meaning", granularity=granularity)
    row = read_for(searcher.view, "wheat corn").row
    asked, stored, _ = searcher.view.compared(row, searcher.documents, granularity)
    assert len(found.hits) == 62
    for hit in found.hits:
        # Finished rows have unit length; the last document has no words and no direction.
        expected = 1.0 if hit.number == 61 else 1 - float(asked[0] @ stored[hit.number])
        assert hit.distance == pytest.approx(expected, abs=1e-5)


def test_by_default_a_search_is_finer_than_the_model(searcher):
    half = searcher.view.granularity / 2
    usual, fine, own = (
        [hit.distance for hit in searcher.search("wheat corn", granularity=granularity).hits]
        for granularity in (None, half, 2 * half)
    )
    assert usual == fine
    assert usual != own


@pytest.mark.parametrize("granularity", [None, "groups"])
def test_a_metric_that_is_asked_for_compares_what_transform_gives(granularity, searcher):
    hits = searcher.search("wheat corn", 62, by="meaning", metric="euclidean", granularity=granularity).hits
    row = read_for(searcher.view, "wheat corn").row
    asked = searcher.view.represent(row, granularity)
    stored = searcher.view.vectors(searcher.documents, granularity)
    for hit in hits:
        assert hit.distance == pytest.approx(np.linalg.norm(stored[hit.number] - asked[0]), abs=1e-5)


def test_a_granularity_that_cannot_be_chosen(searcher):
    with pytest.raises(ValueError, match=r"0 \(fine\) to 1 \(broad\)"):
        searcher.search("wheat", granularity=2)
    finished = dataclasses.replace(searcher.documents, vectors=searcher.view.vectors(searcher.documents), finished=True)
    with pytest.raises(DataError, match="granularity=0.5"):
        Searcher(searcher.view, finished).search("wheat", granularity=0.5)


def test_documents_whose_words_are_not_known_are_ranked_by_closeness(searcher):
    old = Searcher(searcher.view, dataclasses.replace(searcher.documents, words=None, titles=None))
    found = old.search("wheat corn", 5)
    assert found.by == "meaning"
    assert [hit.number for hit in found.hits] == [
        hit.number for hit in searcher.search("wheat corn", 5, by="meaning").hits
    ]
    assert {hit.matched for hit in found.hits} == {None}
    assert [hit.title for hit in found.hits] == [title_of(hit.snippet) for hit in found.hits]
    with pytest.raises(DataError, match="Search --by meaning"):
        old.search("wheat", by="words")


def test_more_documents_than_there_are(searcher):
    assert len(searcher.search("wheat", 1000).hits) == len(TEXTS) + 2


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "there is no word in ''. Say what to look for"),
        ("  12 !?", "there is no word in"),
        ("wheet", "knows no word of 'wheet'. Did you mean wheat"),
        ("zzzz", "topics MODEL"),
    ],
)
def test_queries_without_a_known_word(query, message, searcher):
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        searcher.search(query)


def test_a_distance_is_searched_by_words_too():
    corpus = count_words(TEXTS, labels=LABELS)
    rows = corpus.counts.toarray().astype(float)
    model = DistanceLearner(3, max_updates=20, random_state=0).fit(rows, corpus.labels)
    model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts", r"\b[a-z]{3,}\b")
    view = ModelView.of(model)
    searcher = Searcher(view, Documents.of(view.represent(rows), counts=rows))
    found = searcher.search("mortgage", len(TEXTS))
    assert found.metric == "euclidean"
    have = np.array(["mortgage" in TEXTS[hit.number].split() for hit in found.hits])
    assert have[: have.sum()].mean() > 0.8
    near = searcher.search("mortgage", len(TEXTS), by="meaning")
    assert [hit.distance for hit in near.hits] == sorted(hit.distance for hit in near.hits)


def test_numbers_cannot_be_searched_by_words():
    X = np.random.default_rng(0).normal(size=(30, 4))
    model = DistanceLearner(2, max_updates=5, random_state=0).fit(X, np.arange(30) % 2)
    view = ModelView.of(model)
    with pytest.raises(DataError, match="has no vocabulary"):
        Searcher(view, Documents.of(view.represent(X))).search("wheat")


@pytest.fixture(scope="module")
def with_copies(searcher):
    """The same documents, of which the first ten are taken for three copies of each other and so on."""
    documents = searcher.documents
    same_as = np.arange(len(documents))
    same_as[:30] = np.repeat(np.arange(0, 30, 3), 3)
    return Searcher(searcher.view, dataclasses.replace(documents, same_as=same_as))


@pytest.mark.parametrize("by", ["both", "meaning", "words"])
@pytest.mark.parametrize("method", ["exact", "faiss"])
def test_of_documents_that_are_the_same_the_best_is_shown(by, method, searcher, with_copies):
    every = searcher.search("wheat loan", len(searcher.documents), by=by).hits
    same_as, expected, seen = with_copies.documents.same_as, [], set()
    for hit in every:
        if same_as[hit.number] not in seen:
            expected.append(hit.number)
            seen.add(same_as[hit.number])
    for count in (1, 5, 12, 100):
        hits = with_copies.search("wheat loan", count, by=by, method=method).hits
        assert [hit.number for hit in hits] == expected[:count]
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert all(hit.others == (2 if hit.number < 30 else 0) for hit in hits)


def test_all_are_shown_where_that_is_asked_for(searcher, with_copies):
    assert with_copies.search("wheat", 20, keep_duplicates=True).hits == searcher.search("wheat", 20).hits


def test_of_equally_good_copies_the_first_is_shown(searcher, with_copies):
    """Rounding may put any of them first, and another one on another CPU."""
    documents = with_copies.documents
    vectors = documents.vectors.copy()
    vectors[:30] = vectors[documents.same_as[:30]] * (1 + 1e-7 * np.arange(30))[:, None].astype(vectors.dtype)
    copies = Searcher(searcher.view, dataclasses.replace(documents, vectors=vectors))
    hits = copies.search("wheat loan", 100, by="meaning").hits
    assert all(hit.number == documents.same_as[hit.number] for hit in hits)
    assert len(hits) == len(np.unique(documents.same_as))


@pytest.mark.parametrize("method", ["exact", "faiss", "faiss-hnsw"])
def test_what_is_kept_between_searches_changes_no_result(searcher, method):
    if method != "exact":
        pytest.importorskip("faiss")
    keeping = dataclasses.replace(searcher, kept=2)
    for granularity in (None, 0.0, 1.0, 0.5, None, 0.0, 0.5, 0.5):
        for query in ("wheat corn", "ship"):
            expected = searcher.search(query, 5, method=method, granularity=granularity)
            assert keeping.search(query, 5, method=method, granularity=granularity) == expected


def test_so_many_granularities_are_kept_and_no_more(searcher, monkeypatch):
    made, make = [], ModelView.searchable

    def counted(view, documents, granularity=None):
        made.append(granularity)
        return make(view, documents, granularity)

    monkeypatch.setattr(ModelView, "searchable", counted)
    keeping = dataclasses.replace(searcher, kept=2)
    for granularity in (None, 0.25, None, 0.75, None, 0.25, 0.25):
        keeping.search("wheat", granularity=granularity)
        assert len(keeping._prepared.kept) <= 2
    assert made == [None, 0.25, 0.75, 0.25]  # 0.25 was the one that had not been asked for the longest.
    plain = dataclasses.replace(searcher, kept=0)
    for _ in range(2):
        plain.search("wheat")
    assert made[4:] == [None, None]


@pytest.mark.parametrize("method", ["faiss", "faiss-hnsw"])
def test_an_index_is_made_once(searcher, method, monkeypatch):
    pytest.importorskip("faiss")
    built, build = [], FaissIndex.__init__

    def counted(self, *given):
        built.append(given)
        build(self, *given)

    monkeypatch.setattr(FaissIndex, "__init__", counted)
    keeping = dataclasses.replace(searcher, kept=2)
    for query in ("wheat", "corn", "ship"):
        keeping.search(query, method=method)
    assert len(built) == 1
