"""Vectors from any encoder: what is kept of them, what pairs teach, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from wideangle.data import count_words
from wideangle.finishing.neighbours import neighbours_by_words
from wideangle.models import VectorSpace
from wideangle.models.vector_space import OF_PAIRS, OF_SPECTRUM

RNG = np.random.default_rng(0)


def cosines(rows):
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def noisy(n=400, n_classes=8, D=24, noise=3.0, seed=0):
    """Vectors of classes with a few directions of large noise, and the class of each."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    centres = np.zeros((n_classes, D))
    centres[:, :n_classes] = 2 * np.eye(n_classes)
    scales = np.r_[np.full(n_classes, 0.5), np.full(D - n_classes, noise)]
    return centres[labels] + rng.normal(size=(n, D)) * scales + 1.0, labels


def precision(Z, labels, k=10):
    near = Z @ Z.T
    np.fill_diagonal(near, -np.inf)
    return (labels[np.argsort(-near, axis=1)[:, :k]] == labels[:, None]).mean()


def test_without_a_finish_it_is_the_cosine_of_centred_rows_of_unit_length():
    X = RNG.normal(size=(60, 7)) * 10.0 ** RNG.integers(-3, 4, size=(60, 1)) + 0.1
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    Z = VectorSpace(finish=None).fit_transform(X)
    np.testing.assert_allclose(cosines(Z), cosines(rows - rows.mean(axis=0)), atol=1e-9)


def test_at_the_balance_the_spectrum_changes_no_cosine_but_for_the_middle():
    X = RNG.normal(size=(500, 6)) + 1
    plain = VectorSpace(finish=None).fit_transform(X)
    balanced = VectorSpace(finish="spectrum", granularity="balance").fit_transform(X)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(cosines(plain - plain.mean(axis=0)), cosines(balanced), atol=1e-6)


def test_scale_and_rotation_of_all_vectors_change_no_distance():
    X, _ = noisy(n=200)
    rotation = np.linalg.qr(RNG.normal(size=(24, 24)))[0]
    words = sp.random_array((200, 50), density=0.2, rng=np.random.default_rng(0)).astype(bool).astype(float)
    first = VectorSpace().fit(X, words=words).transform(X)
    second = VectorSpace().fit(7.0 * X @ rotation, words=words).transform(7.0 * X @ rotation)
    np.testing.assert_allclose(first @ first.T, second @ second.T, atol=1e-6)


def test_kept_directions_are_those_of_largest_variance():
    X = RNG.normal(size=(300, 5)) * [5, 4, 1, 0.1, 0.1]
    model = VectorSpace(2, finish=None).fit(X)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(np.cov(rows.T, bias=True))
    np.testing.assert_allclose(np.abs(model.components_ @ vectors[:, ::-1][:, :2]), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(model.explained_, values[::-1][:2] / values.sum())
    # The sign of a direction is free, and chosen so that equal data has equal components.
    whole = VectorSpace(finish=None).fit(X).components_
    assert (whole[np.arange(5), np.abs(whole).argmax(axis=1)] > 0).all()


def test_the_usual_granularity_is_broader_where_pairs_teach():
    X, _ = noisy(n=100)
    for halves, usual in ((None, OF_SPECTRUM), ((X, noisy(n=100, seed=1)[0]), OF_PAIRS)):
        unsaid, said = (VectorSpace(granularity=each).fit(X, halves=halves) for each in (None, usual))
        np.testing.assert_array_equal(unsaid.transform(X), said.transform(X))
    assert OF_SPECTRUM != OF_PAIRS


@pytest.mark.parametrize("seed", range(3))
def test_pairs_find_what_is_signal(seed):
    X, labels = noisy(seed=seed)
    halves = noisy(seed=seed + 100)[0], noisy(seed=seed + 200)[0]
    plain = precision(VectorSpace(finish="spectrum").fit_transform(X), labels)
    taught = precision(VectorSpace().fit(X, halves=halves).transform(X), labels)
    assert taught > plain + 0.1


def test_neighbours_by_words_teach_as_halves_do():
    X, labels = noisy()
    rng = np.random.default_rng(1)
    words = np.zeros((len(X), 80))
    for row, label in enumerate(labels):
        words[row, rng.choice(10, 5) + 10 * label] = 1
    plain = precision(VectorSpace(finish="spectrum").fit_transform(X), labels)
    model = VectorSpace().fit(X, words=words)
    assert model.halves_.documents > 300
    assert precision(model.transform(X), labels) > plain + 0.1
    again = VectorSpace().fit(X).learn_distance(X, words=words)
    np.testing.assert_allclose(again.transform(X), model.transform(X))


def test_a_vector_of_zeros_is_no_document_and_one_whose_sum_is_zero_is():
    X = RNG.normal(size=(30, 4)) + 1
    X[3], X[5] = 0.0, [1.0, -1.0, 0.0, 0.0]
    Z = VectorSpace().fit_transform(X)
    assert not Z[3].any()
    np.testing.assert_allclose(np.linalg.norm(np.delete(Z, 3, axis=0), axis=1), 1.0)
    np.testing.assert_allclose(VectorSpace().fit(np.delete(X, 3, axis=0)).transform(X), Z, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_fewer_documents_than_columns(n):
    X = np.random.default_rng(n).normal(size=(n, 40))
    model = VectorSpace().fit(X)
    assert model.components_.shape == (max(1, n - 1), 40)
    assert np.isfinite(model.transform(np.vstack([X, 2 * X, RNG.normal(size=(3, 40))]))).all()


def test_many_rows_have_the_same_answer_in_blocks(monkeypatch):
    from wideangle.models import vector_space

    X = RNG.normal(size=(50, 6)).astype(np.float32)
    whole = VectorSpace().fit_transform(X)
    monkeypatch.setattr(vector_space, "BLOCK", 7)
    np.testing.assert_allclose(VectorSpace().fit_transform(X), whole, atol=1e-6)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"halves": 3}, "halves must be a pair of arrays; got int"),
        ({"halves": (np.ones((2, 4)), np.ones((3, 4)))}, r"got \(2, 4\) and \(3, 4\)"),
        ({"halves": (np.ones((2, 3)), np.ones((2, 3)))}, "documents × 4 columns"),
        ({"halves": (np.full((2, 4), np.nan), np.ones((2, 4)))}, "NaN"),
        ({"words": np.ones((3, 2))}, "words must be of the same 20 documents as X; got 3"),
        ({"words": -np.ones((20, 2))}, "negative|at least 0"),
        ({"words": np.ones((20, 2)), "halves": (np.ones((2, 4)), np.ones((2, 4)))}, "Give one of them"),
    ],
)
def test_pairs_that_are_none(more, message):
    with pytest.raises(ValueError, match=message):
        VectorSpace().fit(RNG.normal(size=(20, 4)), **more)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (np.zeros((5, 3)), {}, "all vectors are zeros"),
        (np.ones((5, 3)), {"n_components": 4}, r"at most the number of columns \(3\); got 4"),
        (np.ones((5, 3)), {"n_components": 0}, "n_components must be"),
        (np.ones((5, 3)), {"finish": "whole"}, "finish must be one of"),
        (np.ones((5, 3)), {"granularity": 2}, "granularity must be"),
    ],
)
def test_what_cannot_be_fitted(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        VectorSpace(**parameters).fit(X)


def test_topics_of_vectors_with_words():
    texts = ["wheat corn barley farm"] * 6 + ["ship sea port anchor"] * 6
    texts = [f"{text} {text.split()[number % 4]}" for number, text in enumerate(texts)]
    corpus = count_words(texts)
    vectors = np.repeat(np.eye(2), 6, axis=0) + 0.1 * np.random.default_rng(0).normal(size=(12, 2))
    model = VectorSpace().fit(vectors)
    topics = model.topics(vectors, 2, words=corpus.counts, vocabulary=corpus.vocabulary)
    assert sorted(topic.size for topic in topics) == [6, 6]
    assert {*topics[0].words[:4], *topics[1].words[:4]} == set(corpus.vocabulary)
    assert len(set(model.assign(vectors).topics[:6])) == 1


class TestNeighboursByWords:
    def test_copies_and_documents_without_words_have_no_pair(self):
        counts = np.array([[3, 1, 0, 0], [3, 1, 0, 0], [1, 3, 1, 0], [0, 0, 0, 2], [0, 0, 0, 0]])
        asked, nearest = neighbours_by_words(counts)
        assert list(zip(asked.tolist(), nearest.tolist(), strict=True)) == [(0, 2), (1, 2), (2, 0), (2, 1)]

    def test_a_naive_search_finds_the_same(self):
        from sklearn.feature_extraction.text import TfidfTransformer

        counts = np.random.default_rng(0).poisson(0.4, size=(60, 30))
        near = TfidfTransformer(sublinear_tf=True).fit_transform(counts).toarray()
        near = near @ near.T
        asked, nearest = neighbours_by_words(counts)
        for row in range(60):
            rest = sorted(near[row, j] for j in range(60) if j != row and 0 < near[row, j] <= 0.999)[::-1]
            assert near[row, nearest[asked == row]].tolist() == pytest.approx(rest[:3])
            assert row not in nearest[asked == row]

    def test_of_many_documents_some_are_asked(self, monkeypatch):
        from wideangle.finishing import neighbours

        counts = np.random.default_rng(0).poisson(0.4, size=(60, 30))
        monkeypatch.setattr(neighbours, "MOST", 10)
        asked, _ = neighbours_by_words(counts)
        assert len(np.unique(asked)) <= 10
        assert asked[-1] > 50
