"""Mini-batches from dense and sparse matrices, and steps replayed on a GPU."""

import pickle
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle.models import BernoulliRBM, ReplicatedSoftmax
from wideangle.models._base import dense_batch, dense_batches
from wideangle.models._boltzmann import contrastive, visible_words
from wideangle.models._boltzmann.visible_words import VisibleWords, sparse_batches

on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=on_gpu)]


def in_parts(X):
    """The same matrix with every entry held in two parts."""
    whole = sp.csr_array(X).tocoo()
    rows, columns = np.tile(whole.row, 2), np.tile(whole.col, 2)
    order = np.argsort(rows, kind="stable")
    parts = np.concatenate([whole.data - 1, np.ones_like(whole.data)])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return sp.csr_array((parts[order], columns[order], indptr), shape=X.shape)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csr_matrix, in_parts])
def test_rows_come_dense(convert, device):
    X = np.random.default_rng(0).integers(0, 4, (9, 5)).astype(np.float64)
    rows = np.array([7, 0, 7, 3])
    batch = dense_batch(convert(X), rows, torch.empty(0, dtype=torch.float32, device=device))
    assert batch.dtype == torch.float32
    assert np.array_equal(batch.cpu().numpy(), X[rows])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_a_pass_brings_every_row_named_once_and_prepared(convert, device):
    X = np.arange(44, dtype=np.float32).reshape(11, 4)
    rows = np.array([0, 2, 3, 5, 6, 8, 9, 10])
    like = torch.empty(0, device=device)
    stream = dense_batches(convert(X), rows, 3, np.random.default_rng(0), like, lambda v: (2 * v, v.sum(1)))
    for _ in range(4):
        visible, extra = zip(*islice(stream, 3), strict=True)
        assert max(map(len, visible)) <= 3
        seen = torch.cat(visible).cpu().numpy() / 2
        order = np.argsort(seen[:, 0])
        assert np.array_equal(seen[order], X[rows])
        assert np.array_equal(torch.cat(extra).cpu().numpy()[order], X[rows].sum(1))


@pytest.mark.parametrize("ahead", [1, 7, 2048])
def test_sparse_batches_are_the_dense_ones_however_many_are_prepared_at_a_time(ahead, monkeypatch):
    """Weighted rows at the wanted lengths, in the same order; one document has no word."""
    monkeypatch.setattr(visible_words, "AHEAD", ahead)
    X = np.random.default_rng(0).poisson(0.3, (11, 9)).astype(np.float64)
    X[4] = 0
    rows = np.array([0, 2, 3, 4, 5, 6, 8, 9, 10])
    words = VisibleWords("log", np.ones(9), document_length=20.0, kept_share=1.0)
    like = torch.empty(0, dtype=torch.float64)
    dense = dense_batches(X, rows, 3, np.random.default_rng(1), like, words.in_training)
    sparse = sparse_batches(sp.csr_array(X), rows, 3, np.random.default_rng(1), words.weighed, words.wanted)
    for (visible, lengths), (batch, sizes) in islice(zip(dense, sparse, strict=True), 9):
        matrix = sp.csr_array((batch.data, batch.indices, batch.indptr), shape=batch.shape)
        np.testing.assert_allclose(matrix.toarray(), visible, rtol=1e-12)
        np.testing.assert_allclose(sizes, lengths)
        assert batch.nnz == matrix.nnz


@pytest.mark.parametrize("n", [7, 105])
def test_persistent_chains_outlive_batches_of_unequal_size(n):
    """A smaller batch leaves the chains it does not need where they are."""
    X = (np.random.default_rng(0).random((n, 6)) < 0.5).astype(np.float32)
    model = BernoulliRBM(4, persistent=True, batch_size=20, max_updates=40, random_state=0)
    fitted = model.fit(X)
    assert np.isfinite(fitted.components_).all()
    trainer = model.partial_fit(X)._trainer
    before = trainer._chains.clone()
    trainer.update(torch.as_tensor(X[:3]), None)
    assert len(before) == 20
    assert torch.equal(trainer._chains[3:], before[3:])


@pytest.mark.parametrize("algorithm", ["projected", "alternating"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_a_pickled_model_goes_on_as_the_model_would(convert, algorithm):
    X = np.random.default_rng(0).poisson(0.05, (130, 200)).astype(np.float64)
    model = ReplicatedSoftmax(6, batch_size=40, algorithm=algorithm, random_state=0, device="cpu")
    begun = model.partial_fit(convert(X)).components_
    copy = pickle.loads(pickle.dumps(model)).partial_fit(convert(X))
    assert np.allclose(copy.components_, model.partial_fit(convert(X)).components_, rtol=1e-12)
    assert not np.allclose(copy.components_, begun)


@on_gpu
@pytest.mark.parametrize("persistent", [False, True])
def test_replayed_steps_are_the_steps(persistent, monkeypatch):
    """The same bits whether steps are recorded or not; 250 rows make batches of two sizes."""
    X = np.random.default_rng(0).poisson(0.5, (250, 30)).astype(np.float32)
    X[:, 0] += 1
    for kind in (ReplicatedSoftmax, BernoulliRBM):
        data = X if kind is ReplicatedSoftmax else (X > 0).astype(np.float32)
        model = kind(
            8, max_updates=60, batch_size=60, dropout=0.2, persistent=persistent, random_state=0, device="cuda"
        )
        replayed = model.fit(data).components_
        with monkeypatch.context() as patch:
            patch.setattr(contrastive, "can_replay", lambda device: False)
            plain = model.fit(data).components_
        assert np.array_equal(replayed, plain)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"document_length": None, "persistent": True},
        {"cd_steps": 3, "dropout": 0.3},
        {"algorithm": "alternating"},
        {"optimizer": "momentum"},
    ],
    ids=str,
)
def test_sparse_products_are_the_dense_ones(settings):
    """The same draws, the same components, whether batches stay sparse or not.

    In the metric of the rows a push is held for longer where products are dear, so that angles here are of the weights;
    singular vectors of sparse and dense rows differ in rounding.
    """
    generator = np.random.default_rng(0)
    X = generator.poisson(0.05, (130, 200)).astype(np.float64)
    X[3] = 0  # a document without a word
    fixed = {"metric": "identity", "init": "random", "random_state": 0, "device": "cpu"}
    model = ReplicatedSoftmax(6, batch_size=40, max_updates=30, **fixed, **settings)
    dense, losses = model.fit(X).components_, [record.loss for record in model.history_]
    for sparse in (sp.csr_array(X), sp.csr_matrix(X), in_parts(X)):
        assert model._visible().stays_sparse(sparse, torch.device("cpu"))
        assert np.allclose(model.fit(sparse).components_, dense, rtol=1e-9, atol=1e-11)
        assert [record.loss for record in model.history_] == pytest.approx(losses, rel=1e-9)
