"""Boltzmann machines whose angles are measured as the data sees them, and where their components start."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.preprocessing import normalize

from wideangle.data import synthetic_corpus
from wideangle.functional import Covariance, mutual_angular_score
from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._boltzmann.start import svd_components

KINDS = [ReplicatedSoftmax, BernoulliRBM]


@pytest.fixture(scope="module")
def counts():
    return synthetic_corpus(400, 6, 80, seed=1).corpus.counts


def rows_for(kind, counts):
    return counts if kind is ReplicatedSoftmax else (counts > 0).astype(np.float32)


def correlations(model, X):
    found = np.abs(np.corrcoef(model.hidden_logits(X).T))
    return found[np.triu_indices(len(found), 1)]


@pytest.mark.slow
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_data_s_metric_parts_what_units_say_of_rows(kind, counts):
    """Over seeds, hidden logits are less correlated than with angles of weights, and than without a regulariser."""
    X = rows_for(kind, counts)
    found = {}
    for name, settings in {
        "plain": {"diversity": 0.0},
        "weights": {"diversity": 0.3, "metric": "identity"},
        "data": {"diversity": 0.3, "metric": "covariance"},
    }.items():
        fits = [kind(5, max_updates=300, learning_rate=0.01, random_state=seed, **settings).fit(X) for seed in range(3)]
        found[name] = np.mean([correlations(fit, X).mean() for fit in fits])
    assert found["data"] < found["weights"] - 0.02
    assert found["weights"] < found["plain"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["covariance", "scales", "identity"])
@pytest.mark.parametrize("surrogate", ["angle", "volume"])
def test_every_metric_and_regulariser_trains_on_sparse_and_dense_rows(kind, metric, surrogate, counts):
    X = rows_for(kind, counts)
    weight = 0.003 if surrogate == "volume" else 0.1
    fits = [
        kind(5, metric=metric, surrogate=surrogate, diversity=weight, max_updates=40, random_state=0).fit(rows)
        for rows in (X, X.toarray())
    ]
    assert np.allclose(fits[0].components_, fits[1].components_, atol=2e-2)
    assert np.isfinite(fits[0].components_).all()


def test_recorded_angles_are_those_that_recent_rows_see(counts):
    """The last record's Ω is that of the components in the metric of the rows of the last updates."""
    model = ReplicatedSoftmax(6, dropout=0.0, max_updates=40, batch_size=400, random_state=0, weighting="counts")
    model.fit(counts)
    shares = counts / counts.sum(axis=1)[:, None]  # Every batch has all documents, so these are the rows it saw.
    expected = mutual_angular_score(model.components_.astype(np.float64), metric=Covariance(shares))
    assert model.history_[-1].score == pytest.approx(float(expected), abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_in_a_stream_the_metric_follows_the_data(kind, counts):
    """The first half of the columns varies in the first chunks, the second half in later ones."""
    X = rows_for(kind, counts).toarray()
    first, later = X.copy(), X.copy()
    first[:, 40:], later[:, :40] = 0, 0
    model = kind(4, random_state=0)
    for chunk in (first, later, later, later, later):
        model.partial_fit(chunk)
    kept = model._trainer.seen.rows()
    kept = kept.toarray() if sp.issparse(kept) else np.asarray(kept)
    assert not kept[:, :40].any()
    assert kept[:, 40:].any()


def test_a_stream_of_equal_documents_has_no_angles_and_no_push():
    """Rows that do not vary see no direction: the fit goes on without the regulariser, and says NaN for the angles."""
    model = ReplicatedSoftmax(3, random_state=0).partial_fit(np.tile([[1, 2, 3, 0]], (20, 1)))
    assert np.isfinite(model.components_).all()
    assert np.isnan(model.history_[-1].mean_angle)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_metric_or_start_is_an_error_with_the_choices(kind, counts):
    with pytest.raises(ValueError, match="metric .*'covariance'.*'euclid'"):
        kind(metric="euclid").fit(rows_for(kind, counts))
    with pytest.raises(ValueError, match="init .*'svd'.*'pca'"):
        kind(init="pca").fit(rows_for(kind, counts))


def test_the_first_components_are_directions_of_centred_documents_as_long_as_their_signal(counts):
    """By NumPy's full decomposition, up to signs; there is no push at a rate of almost 0."""
    still = {"learning_rate": 1e-12, "weight_decay": 0.0, "max_updates": 1, "dropout": 0.0, "diversity": 0.0}
    model = ReplicatedSoftmax(5, weighting="counts", random_state=0, **still).fit(counts.astype(np.float64))
    rows = normalize(counts.toarray().astype(np.float64))
    _, values, vectors = np.linalg.svd(rows - rows.mean(axis=0))
    lengths = np.linalg.norm(model.components_, axis=1)
    assert np.allclose(np.abs((model.components_ / lengths[:, None]) @ vectors[:5].T), np.eye(5), atol=1e-2)
    alone = (values**2).sum() / min(len(rows), rows.shape[1] - 1)  # what one document would make
    assert np.allclose(lengths, 3 * (1 - alone / values[:5] ** 2), rtol=1e-3)


@pytest.mark.parametrize(("shape", "K"), [((3, 40), 8), ((40, 3), 8), ((1, 10), 4), ((200, 12), 12)])
def test_components_beyond_the_rank_start_at_random(shape, K):
    rows = np.random.default_rng(0).integers(1, 5, shape).astype(np.float64)
    start = svd_components(rows, K, torch.Generator().manual_seed(0), torch.float64)
    found = min(K, min(shape) - 1)
    assert start.shape == (K, shape[1])
    lengths = torch.linalg.vector_norm(start, dim=1)
    assert torch.allclose(lengths[:found], torch.tensor(3.0, dtype=torch.float64))
    assert torch.allclose(lengths[found:], torch.tensor(1.0, dtype=torch.float64))
    assert torch.linalg.matrix_rank(start) == min(K, shape[1])


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_and_more_components_than_rows_are_fitted(kind):
    X = np.array([[1, 0, 1, 1, 0]])
    for init in ("svd", "random"):
        model = kind(7, init=init, max_updates=5, random_state=0).fit(X)
        assert np.isfinite(model.transform(X)).all()


def test_an_svd_start_needs_fewer_updates():
    """After 50 updates the words of held-out documents are guessed better than from a random start, on three seeds."""
    corpus = synthetic_corpus(600, 8, 120, seed=2).corpus
    for seed in range(3):
        scores = [
            ReplicatedSoftmax(8, init=init, max_updates=50, learning_rate=0.01, weighting="counts", random_state=seed)
            .fit(corpus.train.counts)
            .history_[-1]
            .loss
            for init in ("svd", "random")
        ]
        assert scores[0] < scores[1]
