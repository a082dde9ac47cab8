"""The score of a document for a query, against explicit loops."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.documents import WordLists
from wideangle.searching import SLOPE, WordIndex, rank_documents

RNG = np.random.default_rng(0)
HAVE = RNG.random((40, 12)) < 0.3
HAVE[7] = False  # a document without words
HAVE[:, 5] = False  # a word that no document has
INDEX = WordIndex.of(sp.csr_array(HAVE.astype(float)))
STORED, ASKED = RNG.normal(size=(40, 4)), RNG.normal(size=(1, 4))


def rarity(word):
    having = sum(bool(row[word]) for row in HAVE)
    return math.log(1 + (len(HAVE) - having + 0.5) / (having + 0.5))


def naive_words(query):
    average = sum(int(row.sum()) for row in HAVE) / len(HAVE)
    everything = sum(rarity(word) for word in query)
    return [
        sum(rarity(word) for word in query if row[word]) / everything / (1 - SLOPE + SLOPE * row.sum() / average)
        for row in HAVE
    ]


@pytest.mark.parametrize("query", [[0], [1, 4, 9], [5], [5, 3]])
def test_the_words_count_by_their_rarity_and_by_the_length_of_documents(query):
    np.testing.assert_allclose(INDEX.scores(query), naive_words(query), atol=1e-12)


def test_a_word_that_comes_twice_counts_once():
    np.testing.assert_array_equal(INDEX.scores([2, 2, 3]), INDEX.scores([3, 2]))


def test_an_index_for_many_queries_has_the_same_scores():
    generator = np.random.default_rng(0)
    words = WordLists.of(generator.random((300, 40)) < 0.2, times=False)
    one, many = WordIndex.of_words(words, 50), WordIndex.of_words(words, 50, many=True)
    assert one.documents is None
    assert many.documents is not None
    for count in (0, 1, 3, 30):
        asked = generator.integers(0, 50, count)
        np.testing.assert_allclose(many.scores(asked), one.scores(asked), rtol=1e-12, atol=0)
        assert (many.scores(asked) > 0).any() == bool(count and (asked < 40).any())


def test_no_words_at_all_give_no_score():
    np.testing.assert_array_equal(INDEX.scores([]), np.zeros(40))
    empty = WordIndex.of(sp.csr_array((3, 2)))
    np.testing.assert_array_equal(empty.scores([0, 1]), np.zeros(3))


def naive_closeness(metric):
    if metric == "cosine":
        return [float(y @ ASKED[0] / np.linalg.norm(y) / np.linalg.norm(ASKED[0])) for y in STORED]
    squares = [sum((a - b) ** 2 for a, b in zip(y, ASKED[0], strict=True)) for y in STORED]
    return [1 - square / (sum(squares) / len(squares)) for square in squares]


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("by", ["both", "meaning", "words"])
def test_the_order_is_that_of_a_sort_by_the_score(metric, by):
    words, close = naive_words([1, 4]), naive_closeness(metric)
    score = {
        "both": lambda row: close[row] + 0.7 * words[row],
        "meaning": lambda row: close[row],
        "words": lambda row: words[row],
    }[by]
    candidates = [row for row in range(40) if by != "words" or words[row] > 0]
    expected = sorted(candidates, key=lambda row: (-round(score(row), 9), -close[row]))[:15]
    found = rank_documents(ASKED, STORED, metric, 15, words=INDEX.scores([1, 4]), weight=0.7, by=by)
    assert found.rows.tolist() == expected
    np.testing.assert_allclose(found.scores, [score(row) for row in expected])


def test_closeness_of_unit_vectors_is_the_same_by_both_metrics():
    """Where the cosines with the query have mean 0."""
    stored = np.vstack([STORED, -STORED])
    stored /= np.linalg.norm(stored, axis=1, keepdims=True)
    asked = ASKED / np.linalg.norm(ASKED)
    one, other = (rank_documents(asked, stored, metric, 80, by="meaning") for metric in ("cosine", "euclidean"))
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-12)


def test_words_decide_between_equally_close_documents_and_closeness_between_equal_words():
    same, words = np.ones((3, 2)), np.array([0.0, 0.4, 0.2])
    assert rank_documents(np.ones((1, 2)), same, "cosine", 3, words=words).rows.tolist() == [1, 2, 0]
    apart = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    equal = rank_documents(np.array([[1.0, 0.1]]), apart, "cosine", 3, words=np.ones(3), by="words")
    assert equal.rows.tolist() == [2, 1, 0]
    assert rank_documents(np.ones((1, 2)), same, "euclidean", 3, words=np.ones(3)).rows.tolist() == [0, 1, 2]


def test_only_documents_with_a_word_are_found_by_words():
    words = INDEX.scores([0])
    found = rank_documents(ASKED, STORED, "cosine", 40, words=words, by="words")
    assert sorted(found.rows) == np.flatnonzero(HAVE[:, 0]).tolist()
    assert len(rank_documents(ASKED, STORED, "cosine", 40, words=INDEX.scores([5]), by="words").rows) == 0


def test_a_vector_without_direction_is_close_to_nothing():
    found = rank_documents(np.ones((1, 2)), np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, -1.0]]), "cosine", 3, by="meaning")
    assert found.rows.tolist() == [1, 0, 2]
    np.testing.assert_allclose(found.scores, [1, 0, -1])


def test_an_index_ranks_what_is_best_by_either(monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr("wideangle.searching.ranking.FEWEST_CANDIDATES", 5)
    close = np.array(naive_closeness("cosine"))
    farthest = int(close.argmin())
    words = np.zeros(40)
    words[farthest] = 3.0
    found = rank_documents(ASKED, STORED, "cosine", 1, words=words, weight=1.0, method="faiss")
    assert found.rows.tolist() == [farthest]
    np.testing.assert_allclose(found.scores, close[farthest] + 3)


@pytest.mark.parametrize("by", ["both", "meaning"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_candidates_have_the_scores_that_they_have_among_all_documents(metric, by, monkeypatch):
    """An index finds few candidates; what is close is still told by the mean distance of all documents."""
    pytest.importorskip("faiss")
    monkeypatch.setattr("wideangle.searching.ranking.FEWEST_CANDIDATES", 1)
    words = INDEX.scores([1, 4]) if by == "both" else None
    every, some = (
        rank_documents(ASKED, STORED, metric, 2, words=words, weight=0.5, by=by, method=method)
        for method in ("exact", "faiss")
    )
    close = np.array(naive_closeness(metric)) + (0.5 * np.array(naive_words([1, 4])) if by == "both" else 0)
    np.testing.assert_allclose(some.scores, close[some.rows])
    assert some.rows.tolist() == every.rows.tolist()
    np.testing.assert_allclose(some.scores, every.scores)


@pytest.mark.parametrize("by", ["both", "words"])
def test_words_that_are_not_given(by):
    with pytest.raises(ValueError, match=f"to rank by {by}, pass the score of the words"):
        rank_documents(ASKED, STORED, "cosine", 3, by=by)
