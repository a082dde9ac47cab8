"""Training follows how much there is to learn from."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

from wideangle.evaluation import precision_among
from wideangle.models import ReplicatedSoftmax
from wideangle.models._boltzmann.start import SVD_LENGTH, signal_components


def noise(n, columns, words, seed=0):
    """Documents of random words, which have nothing in common."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((n, columns))
    for row in rows:
        row[rng.choice(columns, words, replace=False)] = 1
    return sp.csr_array(rows)


def texts(n, seed):
    """Documents of thirty words: a third of them of their class's forty, the others as frequent as words of a language.

    The few frequent words are in most documents, and most words are rare.
    """
    rng = np.random.default_rng(seed)
    common = 1 / np.arange(1, 2001)
    labels = rng.integers(0, 8, n)
    rows = rng.multinomial(20, common / common.sum(), n).astype(float)
    for row, label in zip(rows, labels, strict=True):
        row[rng.integers(200 + 40 * label, 240 + 40 * label, 10)] += 1
    return sp.csr_array(rows), labels


def start(rows, K, seed=0):
    return signal_components(rows, K, torch.Generator().manual_seed(seed), torch.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_documents_many_times_carry_as_many_components(dtype):
    """Rounding must not grow into a bar that weak directions of many documents fail to pass."""
    rows = sp.csr_array(texts(3000, 0)[0].astype(dtype))
    _, once = start(rows, 40)
    components, often = start(sp.csr_array(sp.vstack([rows] * 10)), 40)
    assert once == often == 40
    assert torch.linalg.vector_norm(components, dim=1).min() > 0.1 * SVD_LENGTH


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_documents_carry_none(dtype):
    rows = sp.csr_array(np.tile(texts(1, 0)[0].toarray().astype(dtype), (20_000, 1)))
    assert start(rows, 5)[1] == 0


@pytest.mark.parametrize("seed", range(3))
def test_directions_of_noise_start_short_and_those_of_groups_long(seed):
    rng = np.random.default_rng(seed)
    grouped = noise(200, 400, 10, seed).toarray()
    which = rng.integers(0, 3, 200)
    grouped[np.arange(200), 400 - 3 + which] = 6  # One word of each group is frequent in its documents.
    lengths, carried = start(sp.csr_array(grouped), 10, seed)
    lengths = torch.linalg.vector_norm(lengths, dim=1) / SVD_LENGTH
    assert (lengths[:2] > 0.95).all()  # Three groups part in two directions.
    assert (lengths[2:] < 0.7 * lengths[1]).all()
    assert 2 <= carried <= 10


def test_a_document_that_is_unlike_all_others_has_no_direction_of_its_own():
    """Documents without a word in common: all singular values are equal, and none is clear of their mean."""
    components, _ = start(sp.csr_array(np.eye(12, 40)), 8)
    assert (torch.linalg.vector_norm(components, dim=1) < 0.1 * SVD_LENGTH).all()


def test_the_start_is_that_of_centred_rows_by_numpy():
    rows = np.random.default_rng(1).poisson(0.4, (80, 30)) + np.eye(80, 30)
    components, carried = start(sp.csr_array(rows), 6)
    unit = normalize(rows)
    _, values, vectors = np.linalg.svd(unit - unit.mean(axis=0))
    shares = 1 - (values**2).sum() / 29 / values[:6] ** 2  # 30 words have 29 directions.
    assert np.allclose(np.abs(components.numpy() @ vectors[:6].T), np.diag(SVD_LENGTH * shares), atol=2e-2)
    assert carried == (shares > 0).sum()


def test_few_documents_get_fewer_components_unless_they_are_asked_for():
    X = noise(40, 60, 6)
    few = ReplicatedSoftmax(random_state=0).fit(X)
    assert 1 <= len(few.components_) <= 25
    assert few.transform(X).shape == (40, len(few.components_))
    assert len(ReplicatedSoftmax(50, random_state=0).fit(X).components_) == 50
    assert len(ReplicatedSoftmax(init="random", random_state=0).fit(X).components_) == 50
    assert len(ReplicatedSoftmax(random_state=0).partial_fit(X).components_) == 50  # More may come.


def test_few_documents_are_trained_on_gently():
    X = noise(40, 60, 6)
    few = ReplicatedSoftmax(random_state=0).fit(X)
    assert few.n_updates_ == 40
    assert few.stopped_ == "finished: 40 updates suit so few rows"
    assert few._first_rate() == pytest.approx(0.01 * 40 / 5000)
    named = ReplicatedSoftmax(learning_rate=0.02, max_updates=70, random_state=0).fit(X)
    assert named.n_updates_ == 70
    assert ReplicatedSoftmax(max_updates=10, random_state=0).fit(X).n_updates_ == 10
    assert few.weighting_ == "tf-idf"
    many = ReplicatedSoftmax(3, max_updates=2, random_state=0).fit(sp.vstack([X] * 50).tocsr())
    assert many.weighting_ == "balanced"


def test_in_a_stream_the_rate_grows_with_the_documents_seen():
    X = noise(100, 60, 6)
    model = ReplicatedSoftmax(5, random_state=0)
    rates = [model.partial_fit(X)._trainer.rate.first for _ in range(3)]
    assert rates == pytest.approx([0.01 * seen / 5000 for seen in (100, 200, 300)])


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [60, 150, 400])
def test_few_documents_are_compared_no_worse_than_by_their_words(n, seed):
    X, labels = texts(n, seed)
    ours = precision_among(ReplicatedSoftmax(random_state=seed).fit(X).transform(X), labels, 5).mean()
    words = normalize(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    assert ours > precision_among(words.toarray(), labels, 5).mean() - 0.02


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_handful_of_documents_is_fitted(n):
    X = noise(n, 30, 4)
    model = ReplicatedSoftmax(random_state=0).fit(X)
    assert np.isfinite(model.transform(X)).all()
    assert 1 <= len(model.topics(X, vocabulary=[str(word) for word in range(30)])) <= n
