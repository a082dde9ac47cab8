"""NPMI of documents against explicit loops and against gensim, whose window is then the whole document."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse

from wideangle.evaluation import coherence, document_npmi


@pytest.fixture
def gensim():
    return pytest.importorskip("gensim", reason="needs gensim: pip install 'wideangle[coherence]'")


def naive_npmi(topic, counts):
    n = len(counts)
    values = []
    for i, j in itertools.combinations(topic, 2):
        p_i = sum(1 for row in counts if row[i] > 0) / n
        p_j = sum(1 for row in counts if row[j] > 0) / n
        p_ij = sum(1 for row in counts if row[i] > 0 and row[j] > 0) / n
        if p_ij == 0:
            values.append(-1.0)
        elif p_ij == 1:
            values.append(0.0)
        else:
            values.append(math.log(p_ij / (p_i * p_j)) / -math.log(p_ij))
    return sum(values) / len(values)


def corpus(seed, n=60, V=15):
    rng = np.random.default_rng(seed)
    return rng.poisson(0.5 * rng.random(V) + rng.gamma(0.3, size=(n, 1)), size=(n, V))


@pytest.mark.parametrize("seed", range(4))
def test_equals_naive_loops(seed):
    counts = corpus(seed)
    counts[:, 3] = 0  # a word nobody uses
    counts[:, 4:6] += 1  # words everybody uses
    topics = [[0, 1, 2, 3], [4, 5], [7, 4], [14, 9, 3, 2, 8], list(range(15))]
    expected = [naive_npmi(topic, counts.tolist()) for topic in topics]
    for same in (counts, sparse.csr_matrix(counts), sparse.csr_array(counts.astype(np.float32)), counts.tolist()):
        assert document_npmi(topics, same).tolist() == pytest.approx(expected)
    assert document_npmi(np.array([[0, 1], [2, 7]]), counts).shape == (2,)


def test_explicit_zeros_are_no_words():
    stored = sparse.csr_array((np.array([1, 0, 1]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert document_npmi([[0, 1]], stored).tolist() == [-1]


@pytest.mark.parametrize("seed", range(3))
def test_gensim_agrees_where_the_window_is_the_document(gensim, seed):
    counts = corpus(seed, n=200) + (np.random.default_rng(seed).random((200, 15)) < 0.2)  # all pairs occur
    texts = [[f"w{v}" for v in range(15) for _ in range(row[v])] for row in counts if row.any()]
    topics = [[0, 1, 2], [5, 9, 3], [14, 13, 2]]
    words = [[f"w{v}" for v in topic] for topic in topics]
    by_gensim = coherence(words, texts, window=10 + max(map(len, texts)))
    assert document_npmi(topics, counts[counts.any(1)]).tolist() == pytest.approx(by_gensim, abs=1e-6)


@pytest.mark.parametrize("measure", ["npmi", "c_v"])
def test_coherent_topics_score_higher(gensim, measure):
    rng = np.random.default_rng(0)
    farm, bank = [f"farm{i}" for i in range(25)], [f"bank{i}" for i in range(25)]
    texts = [rng.choice(farm if i % 2 else bank, size=40).tolist() for i in range(60)]
    # topics of more words than gensim's default of 20, and of different sizes
    scores = coherence([farm, bank[:10], farm[:12] + bank[:12], [farm[0], bank[0]]], texts, measure)
    assert scores.shape == (4,)
    assert min(scores[:2]) > max(scores[2:])


def test_the_example_of_the_docstring(gensim):
    texts = [["corn", "wheat"], ["corn", "wheat"], ["bank", "rate"], ["bank", "rate"]]
    assert coherence([["corn", "wheat"], ["corn", "bank"]], texts).round(1).tolist() == [1.0, -0.9]


def test_missing_gensim_is_named(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("wideangle._optional.import_module", missing)
    with pytest.raises(ImportError, match=r"'wideangle\[coherence\]'"):
        coherence([["a", "b"]], [["a", "b"]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: coherence([["a", "z"]], [["a", "b"]]), ValueError, "1 top words do not occur in the texts, such as z"),
        (lambda: coherence([["a"]], [["a", "b"]]), ValueError, "topic 0 has only one"),
        (lambda: coherence([["a", "b"]], [["a", "b"]], "umass"), ValueError, "got 'umass'"),
        (lambda: coherence([["a", "b"]], [["a", "b"]], window=1), ValueError, "window.*got 1"),
        (lambda: coherence([["a", "b"]], ["a b"]), TypeError, "tokenised.*Split them"),
        (lambda: coherence(["ab"], [["a", "b"]]), TypeError, "got text where words belong"),
        (lambda: document_npmi([[0, 0]], np.eye(2)), ValueError, "topic 0 names a word twice"),
        (lambda: document_npmi([[0, 2]], np.eye(2)), ValueError, "whole numbers from 0 to 1"),
        (lambda: document_npmi([["a", "b"]], np.eye(2)), ValueError, "whole numbers"),
        (lambda: document_npmi([[0, 1]], -np.eye(2)), ValueError, "at least 0; got -1"),
        (lambda: document_npmi([], np.eye(2)), ValueError, "at least one topic"),
        (lambda: document_npmi([[0, 1]], [[np.nan, 1]]), ValueError, "counts must be finite"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
