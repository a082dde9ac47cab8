"""What the benchmark of vectors does to texts and words, against plain loops."""

import numpy as np
import pytest
import scipy.sparse as sp
from _vectors_distances import beside, nearest_by_words
from _vectors_encoders import halves_of, tf_idf
from _vectors_sets import short


@pytest.mark.parametrize("text", ["One here. Two there! Three?\nFour", "only six words without any end", "two words"])
def test_halves_share_nothing_and_miss_nothing(text):
    for seed in range(10):
        first, second = halves_of(text, seed)
        assert first
        assert second
        assert sorted((first + " " + second).split()) == sorted(text.split())


def test_halves_keep_sentences_whole():
    sentences = ["One is here.", "Two are there!", "Three?", "Four stay."]
    for half in halves_of(" ".join(sentences), 3):
        assert sum(sentence in half for sentence in sentences) == 2


@pytest.mark.parametrize("text", ["", "  ", "word"])
def test_less_than_two_words_have_no_halves(text):
    assert halves_of(text, 0) == ("", "")


def test_neighbours_are_those_of_all_cosines():
    counts = np.random.default_rng(0).poisson(0.3, (40, 30))
    counts[7], counts[8] = counts[6], 0
    (rows,) = tf_idf(sp.csr_array(counts))
    near = nearest_by_words(rows, 5)
    dense = rows.toarray()
    for row in range(40):
        cosines = {other: dense[row] @ dense[other] for other in range(40)}
        told = [other for other in near[row] if other >= 0]
        wanted = sorted((c for c in cosines.values() if 0 < c <= 0.999), reverse=True)[:5]
        assert [cosines[other] for other in told] == pytest.approx(wanted)
    assert (near[8] == -1).all()
    assert 7 not in near[6]


def test_the_cosine_of_both_is_the_weighted_mean_of_cosines():
    rng = np.random.default_rng(1)
    one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in rng.normal(size=(2, 6, 4)))
    both = beside(one, other, 0.3)
    assert both @ both.T == pytest.approx(0.7 * one @ one.T + 0.3 * other @ other.T)


@pytest.mark.parametrize(
    ("data", "text", "wanted"),
    [
        ("20news", "From: a\nSubject: Re: RE: The bike\nLines: 3\n\nI ride", "The bike"),
        ("20news", "From: a\n\nno header says it", ""),
        ("reuters", "GRAIN PRICES RISE\nCorn rose", "grain prices rise"),
        ("docstrings", "numpy linalg eig\nCompute eigenvalues\nof a matrix. More.", "Compute eigenvalues\nof a matrix"),
        ("docstrings", "numpy linalg eig\nCompute eigenvalues\n\nParameters", "Compute eigenvalues"),
    ],
)
def test_short_texts(data, text, wanted):
    assert short(data, text) == wanted
