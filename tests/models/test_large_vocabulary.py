"""Large vocabularies: less memory and less time, the same numbers."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.preprocessing import normalize

from wideangle.data import synthetic_corpus
from wideangle.functional import samples
from wideangle.functional.metrics import Covariance
from wideangle.models import ReplicatedSoftmax
from wideangle.models._boltzmann import device_start, products
from wideangle.models._boltzmann.contrastive import ContrastiveTrainer
from wideangle.models._boltzmann.start import signal_components


def counts(n=130, V=200, rate=0.05, dtype=np.float32):
    return sp.csr_array(np.random.default_rng(0).poisson(rate, (n, V)).astype(dtype))


@pytest.mark.parametrize(
    "settings",
    [{}, {"diversity": 0.0}, {"optimizer": "momentum"}, {"algorithm": "alternating"}, {"cd_steps": 2}],
    ids=str,
)
def test_rows_of_words_give_the_gradient_of_all_words(settings, monkeypatch):
    """The same bits whether the gradient has all words or those that occur."""
    model = ReplicatedSoftmax(6, batch_size=20, max_updates=40, random_state=0, device="cpu", **settings)
    monkeypatch.setattr(products, "IN_ROWS_RATIO", 10**9)
    whole = model.fit(counts()).components_
    monkeypatch.setattr(products, "IN_ROWS_RATIO", 0)
    assert np.array_equal(model.fit(counts()).components_, whole)


def test_added_rows_are_taken_off_again():
    matrix = torch.randn(7, 3, generator=torch.Generator().manual_seed(0))
    before, rows = matrix.clone(), products.WordRows(torch.tensor([1, 5]), torch.ones(2, 3))
    with rows.added_to(matrix) as changed:
        assert torch.equal(changed[[1, 5]], before[[1, 5]] + 1)
        assert torch.equal(changed[[0, 2, 3, 4, 6]], before[[0, 2, 3, 4, 6]])
    assert torch.equal(matrix, before)


@pytest.mark.parametrize("shrinkage", [0.0, 0.2])
def test_columns_without_entries_change_nothing(shrinkage, monkeypatch):
    """A metric of sparse rows leaves out columns that have no entry. With them it gives the same."""
    rows = sp.csr_array(sp.hstack([counts(40, 30, 0.3, np.float64), sp.csr_array((40, 200))]))
    A, B = torch.randn(5, 230, dtype=torch.float64), torch.randn(5, 40 + (230 if shrinkage else 0)).double()
    narrow = Covariance(rows, shrinkage)
    monkeypatch.setattr(samples, "NARROW", 10**9)
    wide = Covariance(rows, shrinkage)
    torch.testing.assert_close(narrow.map(A), wide.map(A), rtol=1e-12, atol=1e-12)
    expected = wide.back(B)
    for metric in (narrow, wide):
        out = torch.full((230, 5), torch.nan, dtype=torch.float64).mT
        metric.back_into(B, out)
        torch.testing.assert_close(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("convert", [sp.csr_array, lambda rows: rows.toarray()])
@pytest.mark.parametrize("shape", [(90, 40), (40, 90)])
def test_directions_on_a_device_are_the_singular_vectors(convert, shape, monkeypatch):
    """Against NumPy's decomposition of the centred rows, in blocks of a few rows."""
    monkeypatch.setattr(device_start, "DENSE_BYTES", 8 * shape[1] * 7)
    rows = normalize(counts(*shape, 0.5, np.float64))
    centred = rows.toarray() - rows.toarray().mean(0)
    _, values, vectors = np.linalg.svd(centred, full_matrices=False)
    generator = torch.Generator().manual_seed(0)
    on_device = device_start.DeviceRows(convert(rows), torch.device("cpu"))
    found, squares, mean = device_start.centred_directions(on_device, 30, 4, generator, 1e-12)
    np.testing.assert_allclose(squares, values[:4] ** 2, rtol=1e-3)
    np.testing.assert_allclose(np.abs((found.numpy() * vectors[:4]).sum(1)), 1, atol=1e-2)
    assert mean == pytest.approx((values**2).sum() / min(shape[0], shape[1] - 1))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")
def test_a_gpu_starts_where_the_cpu_does():
    rows = synthetic_corpus(400, 5, 100).corpus.counts.astype(np.float32)  # Few directions are clearly the strongest.
    starts = [signal_components(rows, 5, torch.Generator(d).manual_seed(0), torch.float32) for d in ("cpu", "cuda")]
    (here, n), (there, m) = starts
    assert n == m
    cosines = torch.cosine_similarity(here[:3], there[:3].cpu()).abs()
    assert float(cosines.min()) > 0.98
    again = signal_components(rows, 5, torch.Generator("cuda").manual_seed(0), torch.float32)[0]
    assert torch.equal(there, again)


def test_the_memory_of_a_trainer_is_free_when_the_fit_ends(monkeypatch):
    """Without waiting for the garbage collector: a large model has several matrices there."""
    made = []
    usual = ContrastiveTrainer.__init__

    def init(self, *given, **named):
        usual(self, *given, **named)
        made.append(weakref.ref(self))

    monkeypatch.setattr(ContrastiveTrainer, "__init__", init)
    gc.disable()
    try:
        ReplicatedSoftmax(3, max_updates=20, random_state=0, device="cpu").fit(counts())
    finally:
        gc.enable()
    assert made[0]() is None


def test_a_hundred_thousand_words():
    """A fit, a transform and no more than a few matrices of the components' size in a trainer."""
    V, K = 100_000, 4
    generator = np.random.default_rng(0)
    words = (V * generator.random(60 * 200) ** 4).astype(np.int64)
    X = sp.csr_array(sp.coo_array((np.ones(len(words), np.float32), (np.repeat(np.arange(200), 60), words)), (200, V)))
    model = ReplicatedSoftmax(K, max_updates=20, random_state=0, device="cpu").fit(X)
    assert model.components_.shape == (K, V)
    assert np.isfinite(model.transform(X)).all()
    trainer = ReplicatedSoftmax(K, random_state=0, device="cpu").partial_fit(X)._trainer
    parts = [*vars(trainer).values(), *trainer._finite, trainer._push.value]
    parts += [moment for group in trainer._optimizer._state for kind in group for moment in kind]
    parts += list(trainer.machine)
    places = {part.data_ptr() for part in parts if isinstance(part, torch.Tensor) and part.numel() == V * K}
    assert len(places) == 5  # the components, Adam's two moments, the push and the last finite state
