"""The bound and the volume: where they are defined, where they vanish, how precise they are."""

import math

import pytest
import reference
import torch

from wideangle.exceptions import TooManyComponentsError, VanishedGradientWarning
from wideangle.functional import log_volume, mutual_angular_bound, value_and_gradient


def crowded(K, D, seed=0, dtype=torch.float32):
    """Rows with a mild common direction."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(K, D, generator=generator) + 0.3 * torch.randn(D, generator=generator)).to(dtype)


@pytest.mark.parametrize("function", [mutual_angular_bound, log_volume])
def test_too_many_components_names_the_score(function):
    with pytest.raises(TooManyComponentsError, match="got K=5.*angular_score"):
        function(torch.randn(5, 3))


def test_volume_of_many_float32_rows_is_precise(device):
    A = crowded(300, 600)
    expected = reference.volume(A)
    assert expected < -60
    assert float(log_volume(A.to(device))) == pytest.approx(expected, rel=1e-6)


def test_volume_under_tf32_is_as_precise(device):
    A = crowded(200, 400)
    expected = reference.volume(A)
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("medium")
        assert float(log_volume(A.to(device))) == pytest.approx(expected, rel=1e-6)
    finally:
        torch.set_float32_matmul_precision(before)


def test_nearly_dependent_rows_are_still_precise():
    A = torch.eye(2, dtype=torch.float64)
    A[1] = torch.tensor([1.0, 1e-4])
    assert float(log_volume(A)) == pytest.approx(math.log(1e-8), rel=1e-4)


def test_dependent_rows_give_the_documented_floor_and_a_finite_gradient():
    A = torch.tensor([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]], requires_grad=True)
    value = log_volume(A)
    value.backward()
    assert float(value.detach()) == pytest.approx(math.log(2 * 3 * 64 * 2.2e-16), abs=0.5)
    assert torch.isfinite(A.grad).all()


def test_vanished_bound_warns_and_names_the_volume():
    A = crowded(120, 500).requires_grad_()
    with pytest.warns(VanishedGradientWarning, match=r"120 components.*log_volume"):
        mutual_angular_bound(A)
    bound, volume = (value_and_gradient_quietly(A, name).norm() for name in ("bound", "volume"))
    assert bound < 1e-4 * volume


def value_and_gradient_quietly(A, name):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VanishedGradientWarning)
        return value_and_gradient(A.detach(), name)[1]


def test_healthy_bound_does_not_warn(recwarn):
    A = crowded(8, 500).requires_grad_()
    mutual_angular_bound(A).backward()
    assert not recwarn.list


def test_bound_has_a_peak_at_orthogonal_rows_and_subgradient_zero_there():
    A = torch.eye(4, 6, dtype=torch.float64, requires_grad=True)
    value = mutual_angular_bound(A)
    value.backward()
    assert float(value.detach()) == math.pi / 2
    assert torch.equal(A.grad, torch.zeros_like(A))
    # next to the peak the slope is finite, not the infinity that x/√(1 − x²) suggests
    near = A.detach() + 1e-6 * torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert 0.1 < float(value_and_gradient(near, "bound")[1].norm()) < 10
