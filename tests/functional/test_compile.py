"""The functions inside torch.compile, as one graph, and inside torch.func."""

import shutil
import warnings

import pytest
import torch

from wideangle.functional import log_volume, mutual_angular_bound, mutual_angular_score, pairwise_angles

FUNCTIONS = [pairwise_angles, mutual_angular_score, mutual_angular_bound, log_volume]
HAS_COMPILER = bool(shutil.which("g++") or shutil.which("clang++") or torch.cuda.is_available())
# aot_eager makes the same graphs as inductor, forward and backward, and compiles no C++ code for them.
BACKENDS = [
    "aot_eager",
    pytest.param(
        "inductor", marks=[pytest.mark.slow, pytest.mark.skipif(not HAS_COMPILER, reason="no compiler for C++ is here")]
    ),
]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_is_the_same(function, dtype, device, backend):
    A = torch.randn(6, 20, dtype=dtype, generator=torch.Generator().manual_seed(0)).to(device).requires_grad_()
    torch.compiler.reset()
    compiled = torch.compile(function, fullgraph=True, backend=backend)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        warnings.filterwarnings("ignore", message=".*TensorFloat32 tensor cores.*", category=UserWarning)
        values = [f(A) for f in (compiled, function)]
        gradients = [torch.autograd.grad(value.sum(), A)[0] for value in values]
    assert torch.allclose(*values, rtol=1e-5)
    assert torch.allclose(*gradients, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("function", FUNCTIONS[1:], ids=lambda f: f.__name__)
def test_functional_gradient(function):
    A = torch.randn(5, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    (expected,) = torch.autograd.grad(function(A), A)
    assert torch.allclose(torch.func.grad(function)(A.detach()), expected)
