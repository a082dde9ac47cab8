"""Which words tell a topic."""

import math

import numpy as np
import pytest

from wideangle.topics.phrases import phrases_of, sample_of_texts
from wideangle.topics.telling_words import fewest_documents, first_words, name_from_words, word_scores
from wideangle.topics.tree import TopicTree


def naive(a, N, f, n, e, prior=20.0):
    """The score of one word in one topic, written out."""
    share = f / n
    a1, b1 = a + prior * share, N - a + prior * (1 - share)
    a2, b2 = f - a + prior * share, n - N - (f - a) + prior * (1 - share)
    delta = math.log(a1 / b1) - math.log(a2 / b2)
    return delta / (1 / a1 + 1 / b1 + 1 / a2 + 1 / b2) ** (1 - e)


@pytest.mark.parametrize("exclusive", [0.0, 0.5, 0.6, 1.0])
def test_scores_are_the_formula(exclusive):
    rng = np.random.default_rng(0)
    sizes = np.array([30, 60, 10])
    having = rng.integers(0, sizes[:, None] + 1, (3, 7))
    corpus = having.sum(axis=0)
    found = word_scores(having, sizes, corpus, 100, exclusive)
    for t in range(3):
        for w in range(7):
            assert found[t, w] == pytest.approx(naive(having[t, w], sizes[t], corpus[w], 100, exclusive))


def test_with_half_it_is_the_difference_over_its_standard_error():
    having, sizes, corpus = np.array([[20]]), np.array([40]), np.array([30])
    difference = word_scores(having, sizes, corpus, 200, 1.0, prior=5)[0, 0]
    parts = (20 + 0.75, 20 + 4.25, 10 + 0.75, 150 + 4.25)
    assert word_scores(having, sizes, corpus, 200, 0.5, prior=5)[0, 0] == pytest.approx(
        difference / math.sqrt(sum(1 / part for part in parts))
    )


def test_the_slider_goes_from_frequent_to_exclusive_words():
    """Word 0 is in 90 of 100 documents of the topic and 300 outside; word 1 in 15 and 1."""
    having, sizes, corpus = np.array([[90, 15]]), np.array([100]), np.array([390, 16])
    assert first_words(having, sizes, corpus, 1000, 2, 0.0)[0].tolist() == [0, 1]
    assert first_words(having, sizes, corpus, 1000, 2, 1.0)[0].tolist() == [1, 0]


def test_only_words_that_speak_for_the_topic_and_that_enough_documents_have():
    having = np.array([[50, 5, 9, 0], [0, 45, 0, 0]])
    sizes, corpus = np.array([50, 950]), np.array([50, 500, 9, 0])
    assert first_words(having, sizes, corpus, 1000, 10)[0].tolist() == [0]
    assert fewest_documents(1000) == 10
    assert fewest_documents(300) == 3
    assert fewest_documents(5) == 1


def test_of_all_documents_the_frequent_words_are_told():
    assert first_words(np.array([[3, 9, 5]]), np.array([10]), np.array([3, 9, 5]), 10, 2)[0].tolist() == [1, 2]


@pytest.mark.parametrize("exclusive", [-0.1, 1.1, float("nan")])
def test_a_slider_beyond_its_ends_is_refused(exclusive):
    with pytest.raises(ValueError, match="exclusive"):
        word_scores(np.ones((1, 1)), np.ones(1), np.ones(1), 1, exclusive)


def test_names_leave_out_what_only_varies():
    assert name_from_words(["matrix", "matrices", "sparse", "csr"]) == "matrix, matrices, sparse"
    assert name_from_words(["test", "tests", "testing", "value"]) == "test, value"
    assert name_from_words(["a", "ab", "abc"]) == "a, ab, abc"  # short words are words of their own
    assert name_from_words([]) == ""


def test_phrases_stand_side_by_side_in_their_topic():
    tree = TopicTree(np.eye(2, dtype=np.float32), np.array([20, 20]), np.array([[0, 1]], np.int32))
    texts = ["Sparse matrix of the product"] * 20 + ["the random number of a matrix"] * 20
    words = ["sparse", "matrix", "random", "number", "product"]
    leaves = np.array([0] * 20 + [1] * 20, dtype=np.int32)
    found = phrases_of(tree, leaves, sample_of_texts(texts, leaves), words, r"\w+", 3)
    assert found[:2] == [["sparse matrix"], ["random number"]]  # "of a matrix" has no two neighbours that are words


def test_phrases_of_no_text_and_of_documents_without_a_topic():
    tree = TopicTree(np.eye(2, dtype=np.float32), np.array([1, 1]), np.array([[0, 1]], np.int32))
    both, none_of_them = np.array([0, 1], np.int32), np.full(5, -1, np.int32)
    assert phrases_of(tree, both, sample_of_texts(["", ""], both), ["a"], r"\w+", 3) == [[], [], []]
    texts = sample_of_texts(["one two"] * 5, none_of_them)
    none = phrases_of(tree, none_of_them, texts, ["one", "two"], r"\w+", 3)
    assert none == [[], [], []]
