"""Laws that every regulariser obeys. A new one joins by its entry, and by its definition in tests/reference.py."""

import math
from functools import partial

import numpy as np
import pytest
import reference
import torch

from wideangle.exceptions import TooManyComponentsError
from wideangle.functional import (
    REGULARIZERS,
    diversity_of,
    log_volume,
    mutual_angular_bound,
    mutual_angular_score,
    value_and_gradient,
)

CASES = {name: (partial(diversity_of, surrogate=name), reference.BY_NAME[name]) for name in REGULARIZERS} | {
    "score": (mutual_angular_score, reference.score),
    "score, gamma 0": (partial(mutual_angular_score, gamma=0.0), partial(reference.score, gamma=0.0)),
    "score, gamma 3": (partial(mutual_angular_score, gamma=3.0), partial(reference.score, gamma=3.0)),
    "bound, gamma 0.3": (partial(mutual_angular_bound, gamma=0.3), partial(reference.bound, gamma=0.3)),
}
SHAPES = [(2, 2), (2, 9), (5, 5), (7, 30), (20, 64)]

every_regularizer = pytest.mark.parametrize(("regularizer", "naive"), CASES.values(), ids=CASES.keys())
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def components(shape, seed=0, dtype=torch.float64, device="cpu"):
    """Random rows of very different lengths with a mild common direction."""
    generator = torch.Generator().manual_seed(seed)
    K, D = shape
    A = torch.randn(K, D, generator=generator, dtype=torch.float64)
    A += 0.2 * torch.randn(D, generator=generator, dtype=torch.float64)
    A *= torch.logspace(-2, 2, K, dtype=torch.float64)[:, None]
    return A.to(device=device, dtype=dtype)


@every_regularizer
@every_shape
@pytest.mark.parametrize("seed", range(3))
def test_equals_naive_loops(regularizer, naive, shape, seed):
    A = components(shape, seed)
    assert float(regularizer(A)) == pytest.approx(naive(A), rel=1e-9, abs=1e-9)


@every_regularizer
@every_shape
def test_float32_is_float64_to_its_precision(regularizer, naive, shape, device):
    A = components(shape, dtype=torch.float32, device=device)
    value = regularizer(A)
    assert value.dtype == torch.float32
    assert float(value) == pytest.approx(naive(A.cpu()), rel=2e-5, abs=2e-5)


@every_regularizer
@every_shape
def test_invariant_to_order_sign_and_scale_of_rows(regularizer, naive, shape):
    A = components(shape)
    generator = torch.Generator().manual_seed(1)
    order = torch.randperm(len(A), generator=generator)
    signs = torch.randint(0, 2, (len(A), 1), generator=generator) * 2.0 - 1
    scales = torch.logspace(-200, 200, len(A), dtype=torch.float64)[:, None]
    for changed in (A[order], signs * A, scales * A):
        assert float(regularizer(changed)) == pytest.approx(float(regularizer(A)), abs=1e-9)


@every_regularizer
@every_shape
def test_invariant_to_rotation_of_space(regularizer, naive, shape):
    A = components(shape)
    rotation = torch.linalg.qr(
        torch.randn(shape[1], shape[1], dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    )[0]
    assert float(regularizer(A @ rotation)) == pytest.approx(float(regularizer(A)), abs=1e-9)


@every_shape
@pytest.mark.parametrize("name", REGULARIZERS)
def test_largest_at_orthogonal_rows(name, shape):
    K, D = shape
    orthogonal = torch.linalg.qr(torch.randn(D, D, dtype=torch.float64, generator=torch.Generator().manual_seed(3)))[0][
        :K
    ]
    best = REGULARIZERS[name].optimum
    assert float(diversity_of(orthogonal, name)) == pytest.approx(best, abs=1e-7)
    assert all(float(diversity_of(components(shape, seed), name)) < best for seed in range(20))
    gradient = value_and_gradient(orthogonal, name)[1]
    assert torch.allclose(gradient, torch.zeros_like(gradient), atol=1e-6)


@pytest.mark.parametrize("name", REGULARIZERS)
@pytest.mark.parametrize("shape", [(3, 2), (8, 4), (30, 5)], ids=str)
def test_more_components_than_columns(name, shape):
    """It works and agrees with the definition, or the error says how many there may be."""
    A = components(shape)
    if REGULARIZERS[name].allows(*shape):
        assert float(diversity_of(A, name)) == pytest.approx(reference.BY_NAME[name](A), rel=1e-9, abs=1e-9)
        assert torch.isfinite(value_and_gradient(A, name)[1]).all()
    else:
        most = REGULARIZERS[name].most(shape[1])
        with pytest.raises(TooManyComponentsError, match=f"at most {most} rows of D={shape[1]} columns"):
            diversity_of(A, name)


@pytest.mark.parametrize("name", REGULARIZERS)
def test_the_named_functions_are_the_same(name):
    A = components((4, 7))
    functions = {"angle": mutual_angular_score, "bound": mutual_angular_bound, "volume": log_volume}
    value, gradient = value_and_gradient(A, name)
    assert float(value) == pytest.approx(float(functions.get(name, partial(diversity_of, surrogate=name))(A)))
    by_autograd = torch.func.grad(partial(diversity_of, surrogate=name))(A)
    assert torch.allclose(gradient, by_autograd, rtol=1e-9, atol=1e-12)
    rows = np.random.default_rng(0).normal(size=(50, 7))
    responses = A.numpy() @ (rows - rows.mean(0)).T
    assert float(diversity_of(A, name, metric=rows)) == pytest.approx(float(diversity_of(responses, name)), abs=1e-7)


@pytest.mark.quick_cases(24)
@every_regularizer
@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (5, 5), (6, 20)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_passes_gradcheck(regularizer, naive, shape, seed):
    A = torch.nn.functional.normalize(components(shape, seed)).requires_grad_()
    assert torch.autograd.gradcheck(regularizer, (A,), eps=1e-6, atol=1e-6)


@every_regularizer
def test_gradient_equals_finite_differences_of_the_naive_reference(regularizer, naive):
    A = components((5, 7))
    gradient = torch.func.grad(regularizer)(A)
    for i, j in [(0, 0), (1, 3), (4, 6)]:
        step = 1e-6 * float(A[i].norm())
        up, down = A.clone(), A.clone()
        up[i, j] += step
        down[i, j] -= step
        slope = (naive(up) - naive(down)) / (2 * step)
        assert float(gradient[i, j]) == pytest.approx(slope, rel=1e-5, abs=1e-7 / float(A[i].norm()))


@every_regularizer
@every_shape
def test_gradient_is_tangent_and_falls_with_length(regularizer, naive, shape):
    A = components(shape).requires_grad_()
    (gradient,) = torch.autograd.grad(regularizer(A), A)
    along = (gradient * A).sum(1)
    assert torch.allclose(along, torch.zeros_like(along), atol=1e-9)
    doubled = (2 * A.detach()).requires_grad_()
    (of_doubled,) = torch.autograd.grad(regularizer(doubled), doubled)
    assert torch.allclose(of_doubled, gradient / 2, rtol=1e-9, atol=1e-12)


@every_regularizer
def test_numpy_in_numpy_out(regularizer, naive):
    A = components((4, 6))
    for dtype in (np.float32, np.float64):
        value = regularizer(A.numpy().astype(dtype))
        assert isinstance(value, dtype)
        assert float(value) == pytest.approx(naive(A), rel=1e-5)


@every_regularizer
def test_one_row_has_no_pair(regularizer, naive):
    A = torch.randn(1, 4, dtype=torch.float64).requires_grad_()
    value = regularizer(A)
    value.backward()
    assert float(value.detach()) == 0
    assert torch.equal(A.grad, torch.zeros_like(A))


@every_regularizer
@pytest.mark.filterwarnings("ignore:the bound Γ has vanished")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_rows_have_a_finite_gradient_that_keeps_them_equal(regularizer, naive, dtype):
    A = components((4, 8), dtype=dtype)
    A[2] = A[1]
    A[3] = -3 * A[1]
    A.requires_grad_()
    value = regularizer(A)
    value.backward()
    assert torch.isfinite(value)
    assert torch.isfinite(A.grad).all()
    duplicates = torch.nn.functional.normalize(A.grad[1:3])
    assert torch.allclose(duplicates[0], duplicates[1], atol=5e-2)


@every_regularizer
@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_scale_is_no_matter_even_where_squares_leave_float32(regularizer, naive, factor):
    A = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
    scaled = A.clone()
    scaled[1] *= factor
    assert float(regularizer(scaled)) == pytest.approx(naive(A), rel=1e-5)
    scaled.requires_grad_()
    regularizer(scaled).backward()
    A.requires_grad_()
    regularizer(A).backward()
    assert torch.allclose(scaled.grad[0], A.grad[0], rtol=1e-4, atol=1e-6)
    assert torch.allclose(scaled.grad[1] * factor, A.grad[1], rtol=1e-4, atol=1e-6)


@every_regularizer
def test_zero_row_counts_as_absent_and_is_named(regularizer, naive):
    A = components((4, 8))
    A[2] = 0
    extended = torch.cat([A, torch.zeros(4, 1, dtype=A.dtype)], 1)
    extended[2, -1] = 1  # orthogonal to all
    with pytest.warns(UserWarning, match="1 of 4 .*rows 2"):
        value = regularizer(A.requires_grad_())
    value.backward()
    assert float(value.detach()) == pytest.approx(naive(extended), abs=1e-9)
    assert torch.equal(A.grad[2], torch.zeros(8, dtype=A.dtype))
    assert A.grad.any()


@every_regularizer
def test_second_derivative(regularizer, naive):
    A = torch.nn.functional.normalize(components((3, 5))).requires_grad_()
    assert torch.autograd.gradgradcheck(regularizer, (A,), atol=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 5.0])
@every_shape
def test_bound_is_below_score(shape, gamma):
    for seed in range(20):
        A = components(shape, seed)
        assert (
            float(mutual_angular_bound(A, gamma)) <= float(mutual_angular_score(A, gamma)) + 1e-10
        )  # equal for K = 2, gamma = 0


@pytest.mark.parametrize("gamma", [0.0, 1.0, 4.0])
def test_gradient_of_bound_is_parallel_to_that_of_volume(gamma):
    for seed in range(10):
        A = components((6, 15), seed)
        bound = value_and_gradient(A, "bound", gamma)[1].flatten()
        volume, gradient = value_and_gradient(A, "volume")
        x = math.exp(float(volume) / 2)
        s = math.asin(x)
        c = (1 + 2 * gamma * (math.pi / 2 - s)) * x / (2 * math.sqrt(1 - x * x))
        assert torch.allclose(bound, c * gradient.flatten(), rtol=1e-7, atol=0)


def test_lemma_1_gradient_of_volume_is_the_part_no_other_row_has():
    W = torch.nn.functional.normalize(components((5, 9)))
    gradient = value_and_gradient(W, "volume")[1]
    for i in range(5):
        others = torch.cat([W[:i], W[i + 1 :]])
        rest = W[i] - others.T @ torch.linalg.lstsq(others.T, W[i]).solution
        length = rest.norm()
        e = rest / length
        tangent = 2 * e / length
        tangent = tangent - (tangent @ W[i]) * W[i]
        assert torch.allclose(gradient[i], tangent, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("case", range(60))
def test_theorems_2_to_4_small_steps_along_the_bound(case):
    """Along ∇Γ the mean angle rises, the variance falls and so Ω rises."""
    generator = torch.Generator().manual_seed(case)
    K = int(torch.randint(2, 9, (), generator=generator))
    D = K + int(torch.randint(0, 12, (), generator=generator))
    W = torch.randn(K, D, dtype=torch.float64, generator=generator)
    W = torch.nn.functional.normalize(W + torch.rand((), generator=generator) * torch.randn(D, generator=generator))
    direction = value_and_gradient(W, "volume")[1]  # parallel to ∇Γ, and of a size to step along
    moved = torch.nn.functional.normalize(W + 1e-6 * direction / direction.norm())
    before, after = reference.angles(W), reference.angles(moved)
    assert np.mean(after) >= np.mean(before) - 1e-13
    assert np.var(after) <= np.var(before) + 1e-13
    assert reference.score(moved) >= reference.score(W) - 1e-13
