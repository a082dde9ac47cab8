"""Ω in blocks of the Gram matrix is Ω of the whole matrix."""

import numpy as np
import pytest
import torch

from wideangle import MutualAngularRegularizer, mutual_angular_score
from wideangle.exceptions import ComponentsError, ZeroComponentWarning
from wideangle.functional import blocked, value_and_gradient
from wideangle.functional.metrics import Covariance

K, D = 23, 9


def components(kind, dtype):
    A = torch.randn(K, D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    if kind == "close":  # within a block and across blocks, by either sign
        A[3], A[5], A[20] = A[2] + 1e-3 * A[4], -2 * A[2], 3 * A[2] - 1e-4 * A[6]
    elif kind == "orthogonal":
        A = torch.linalg.qr(torch.randn(D, D, dtype=torch.float64)).Q.repeat(3, 1)[:K]
    elif kind == "huge":
        A[1] *= 1e30 if dtype == torch.float32 else 1e250
        A[2] *= 1e-30
    return A.to(dtype)


@pytest.fixture(params=[5, 7, 8, 64])
def in_blocks(request, monkeypatch):
    """Have the score found in blocks of so many rows from now on."""

    def begin():
        monkeypatch.setattr(blocked, "WHOLE_UP_TO", 3)
        monkeypatch.setattr(blocked, "BLOCK", request.param)

    return begin


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("kind", ["random", "close", "orthogonal", "huge"])
def test_blocks_give_the_value_and_gradient_of_the_whole(kind, dtype, in_blocks):
    A = components(kind, dtype)
    tolerance = {"rtol": 1e-4, "atol": 5e-5} if dtype == torch.float32 else {"rtol": 1e-9, "atol": 1e-11}
    if kind == "huge":  # The gradient is as small as rows are long.
        tolerance["atol"] = 0.0
    for gamma in (0.0, 1.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(blocked, "WHOLE_UP_TO", K)
            whole = value_and_gradient(A, gamma=gamma)
        in_blocks()
        found = value_and_gradient(A, gamma=gamma)
        assert found[0].dtype == found[1].dtype == dtype
        torch.testing.assert_close(found[0], whole[0], rtol=1e-5 if dtype == torch.float32 else 1e-12, atol=0)
        torch.testing.assert_close(found[1], whole[1], **tolerance)
        variable = A.clone().requires_grad_()
        score = mutual_angular_score(variable, gamma)
        assert torch.equal(score.detach(), found[0])
        assert torch.equal(torch.autograd.grad(3 * score, variable)[0], 3 * found[1])


def test_arrays_metrics_and_regularisers_are_found_in_blocks_too(in_blocks):
    A, rows = components("random", torch.float64), np.random.default_rng(0).random((40, D))
    metric, regularizer = Covariance(rows), MutualAngularRegularizer().eval()
    asked = (
        lambda: mutual_angular_score(A.numpy()),
        lambda: mutual_angular_score(A, metric=metric),
        lambda: value_and_gradient(A, metric=metric)[1],
        lambda: regularizer(A),
    )
    whole = [ask() for ask in asked]
    in_blocks()
    for ask, expected in zip(asked, whole, strict=True):
        np.testing.assert_allclose(ask(), expected, rtol=1e-10)


def test_zero_rows_and_bad_rows_are_told_of(in_blocks):
    A = components("random", torch.float64)
    A[4] = 0
    with pytest.warns(ZeroComponentWarning):
        whole = value_and_gradient(A)
    in_blocks()
    with pytest.warns(ZeroComponentWarning):
        found = value_and_gradient(A)
    torch.testing.assert_close(found, whole)
    assert not found[1][4].any()
    A[4, 2] = torch.nan
    with pytest.raises(ComponentsError):
        mutual_angular_score(A)


def test_a_second_derivative_is_refused(in_blocks):
    in_blocks()
    A = components("random", torch.float64).requires_grad_()
    with pytest.raises(NotImplementedError, match="no second derivative"):
        torch.autograd.grad(mutual_angular_score(A), A, create_graph=True)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA device")
def test_more_components_than_a_gram_matrix_has_room_for():
    """K×K float32 of 60,000 components, three times over, would be 43 GB; blocks need less than one."""
    A = torch.randn(60_000, 64, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    value, gradient = value_and_gradient(A)
    assert torch.cuda.max_memory_allocated() - before < 2**30
    assert gradient.isfinite().all()
    some = mutual_angular_score(A[torch.randperm(len(A))[:4000]].double())
    assert float(value) == pytest.approx(float(some), rel=1e-3)
