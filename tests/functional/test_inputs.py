"""Every public function gives a clear error for what is no matrix of components, and documented conversions."""

import numpy as np
import pytest
import torch

from wideangle.exceptions import ComponentsError
from wideangle.functional import log_volume, mutual_angular_bound, mutual_angular_score, pairwise_angles

FUNCTIONS = [pairwise_angles, mutual_angular_score, mutual_angular_bound, log_volume]
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


@every_function
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (torch.randn(4), ComponentsError, r"1 dimensions, shape \(4,\).*A\[None, :\]"),
        (torch.randn(2, 3, 4), ComponentsError, r"3 dimensions.*Flatten"),
        (torch.empty(0, 3), ComponentsError, r"at least one row.*\(0, 3\)"),
        (np.empty((3, 0)), ComponentsError, r"at least one row.*\(3, 0\)"),
        (torch.randn(2, 3).to(torch.complex64), TypeError, "real.*complex64"),
        (np.ones((2, 3), dtype=complex), TypeError, "real.*complex128"),
        (np.array([["a", "b"]]), TypeError, "not numeric"),
        (np.array([[None, 1.0]]), TypeError, "not numeric"),
        (torch.tensor([[1.0, float("nan")], [1.0, 2.0]]), ComponentsError, r"1 of 2 rows.*rows 0"),
        (np.array([[1.0, 2.0], [np.inf, 2.0]]), ComponentsError, r"1 of 2 rows.*rows 1"),
        (np.array([[1.0, 2.0], [-np.inf, 2.0]], dtype=np.float32), ComponentsError, r"1 of 2 rows.*rows 1"),
        (torch.eye(3).to_sparse(), ComponentsError, "dense"),
    ],
)
def test_bad_input(function, bad, error, message):
    with pytest.raises(error, match=message):
        function(bad)


@every_function
def test_integers_are_taken_as_floats(function):
    whole = [[1, 0, 2], [3, 1, 0]]
    expected = function(np.array(whole, dtype=np.float64))
    for converted in (whole, np.array(whole), np.array(whole, dtype=np.uint8)):
        assert np.asarray(function(converted)).dtype == np.float64
        assert np.allclose(function(converted), expected)
    assert function(torch.tensor(whole)).dtype == torch.float32
    assert np.allclose(function(torch.tensor(whole)), expected, atol=1e-6)


@every_function
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(function, dtype):
    A = torch.randn(3, 5, generator=torch.Generator().manual_seed(0)).to(dtype).requires_grad_()
    value = function(A)
    assert value.dtype == torch.float32
    assert torch.equal(value.detach(), function(A.detach().float()))
    value.sum().backward()
    assert A.grad.dtype == dtype


@every_function
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_does_not_touch_it(function, dtype, device):
    A = torch.randn(6, 300, generator=torch.Generator().manual_seed(0)).to(device).requires_grad_()
    expected = function(A)
    (gradient,) = torch.autograd.grad(expected.sum(), A)
    with torch.autocast(device, dtype=dtype):
        value = function(A)
        (inside,) = torch.autograd.grad(value.sum(), A)
    assert value.dtype == torch.float32
    assert torch.equal(value, expected)
    assert torch.equal(inside, gradient)


@every_function
def test_awkward_arrays(function):
    A = np.random.default_rng(0).normal(size=(4, 6))
    expected = function(A)
    frozen = A.copy()
    frozen.setflags(write=False)
    for same in (np.asfortranarray(A), A[::-1][::-1], A.astype(">f8"), frozen, np.repeat(A, 2, axis=1)[:, ::2]):
        assert np.allclose(function(same), expected)


@pytest.mark.parametrize("function", [mutual_angular_score, mutual_angular_bound], ids=lambda f: f.__name__)
@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf")])
def test_bad_gamma(function, gamma):
    with pytest.raises(ValueError, match="gamma weighs the variance"):
        function(np.eye(3), gamma)
