"""Angles and the score: exact small angles, singular points, kinds of input, memory."""

import math

import numpy as np
import pytest
import reference
import torch

from wideangle.functional import mutual_angular_score, pair_angles, pairwise_angles, value_and_gradient


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_angles_equal_naive_loops(dtype, device):
    A = torch.randn(9, 13, dtype=dtype, generator=torch.Generator().manual_seed(0)).to(device)
    angles = pairwise_angles(A).cpu()
    torch.testing.assert_close(angles, angles.T)
    assert torch.equal(angles.diagonal(), torch.zeros(9, dtype=dtype))
    expected = torch.tensor(reference.angles(A.cpu()), dtype=dtype)
    assert torch.allclose(
        angles[tuple(torch.triu_indices(9, 9, 1))], expected, atol=1e-6 if dtype == torch.float32 else 1e-13
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("tiny", [0.0, 1e-6, 1e-4, 1e-2])
def test_small_angles_are_exact(dtype, tiny, device):
    """Unlike arccos of a rounded cosine, which knows an angle near 0 to 5e-4 at best."""
    u = torch.zeros(500, dtype=dtype)
    u[0] = 1
    v = torch.zeros(500, dtype=dtype)
    v[0], v[1] = math.cos(tiny), math.sin(tiny)
    angle = pairwise_angles(torch.stack([u, -7 * v]).to(device))[0, 1]
    assert float(angle) == pytest.approx(tiny, rel=1e-5, abs=1e-7 if dtype == torch.float32 else 1e-15)


def test_equal_rows_have_angle_zero_not_a_clamped_one():
    row = torch.randn(1000, generator=torch.Generator().manual_seed(0))
    assert float(pairwise_angles(torch.stack([row, row]))[0, 1]) == 0


def test_gradient_of_angles_passes_gradcheck():
    A = torch.randn(4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(pairwise_angles, (A,))
    assert torch.autograd.gradgradcheck(pairwise_angles, (A,))


def test_score_is_mean_less_variance_of_angles():
    A = torch.randn(8, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    theta = pair_angles(A)
    assembled = theta.mean() - 2.5 * theta.var(correction=0)
    score = mutual_angular_score(A, 2.5)
    assert torch.allclose(score, assembled)
    assert torch.allclose(*(torch.autograd.grad(value, A)[0] for value in (score, assembled)))


def test_tangential_gradient_of_an_angle_has_length_one_however_small_the_angle():
    for angle in (1.0, 1e-2, 1e-5):
        A = torch.tensor([[1.0, 0.0], [math.cos(angle), math.sin(angle)]], dtype=torch.float64).requires_grad_()
        mutual_angular_score(A, 0.0).backward()
        assert torch.allclose(A.grad.norm(dim=1), torch.ones(2, dtype=torch.float64), rtol=1e-6)


def test_orthogonal_rows_stay_put():
    A = torch.eye(5, 8, requires_grad=True)
    mutual_angular_score(A).backward()
    assert torch.equal(A.grad, torch.zeros(5, 8))


@pytest.mark.parametrize("shape", [(30, 3), (7, 1)])
def test_more_components_than_dimensions(shape):
    A = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert float(mutual_angular_score(A)) == pytest.approx(reference.score(A), abs=1e-7)


def test_no_pair_times_dimension_temporary():
    """K = 2000 pairs of 2000 dimensions: a list of pairs with their rows would be 32 GB."""
    A = torch.randn(2000, 2000, generator=torch.Generator().manual_seed(0)).requires_grad_()
    mutual_angular_score(A).backward()
    assert torch.isfinite(A.grad).all()


def test_all_rows_nearly_parallel_is_measured_in_pieces():
    generator = torch.Generator().manual_seed(0)
    A = torch.randn(1, 3000, generator=generator) + 1e-4 * torch.randn(150, 3000, generator=generator)
    angles = pairwise_angles(A)
    double = pairwise_angles(A.double()).float()
    assert torch.allclose(angles, double, rtol=1e-2, atol=1e-7)


def test_numpy_matrix_of_angles():
    angles = pairwise_angles(np.eye(3, 4))
    assert isinstance(angles, np.ndarray)
    assert np.allclose(angles, np.pi / 2 * (1 - np.eye(3)))


def turned_by(angle, D=200):
    """Two unit vectors at a known angle, and the unit tangents along which it grows fastest."""
    basis = torch.linalg.qr(torch.randn(D, D, dtype=torch.float64, generator=torch.Generator().manual_seed(1)))[0]
    u, e = basis[0], basis[1]
    v = math.cos(angle) * u + math.sin(angle) * e
    return u, v, -e, math.cos(angle) * e - math.sin(angle) * u


@pytest.mark.parametrize("gamma", [0.0, 2.0])
@pytest.mark.parametrize("angle", [1e-1, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_score_of_nearly_equal_rows_keeps_its_digits(dtype, angle, gamma):
    """Against the rotation that made them. Rows are known to ε, so an angle is known to about ε/θ."""
    u, v, grow_u, grow_v = turned_by(angle)
    # 3 pairs: one of this angle and, with a row orthogonal to both, two right ones
    third = torch.linalg.qr(torch.stack([u, v, torch.ones_like(u)]).T)[0][:, 2]
    A = torch.stack([3 * u, -7 * v, third])
    mean = (angle + math.pi) / 3
    weight = (1 - 2 * gamma * (angle - mean)) / 3
    value, gradient = value_and_gradient(A[:2].to(dtype), "angle", gamma)
    precision = torch.finfo(dtype).eps
    assert float(value) == pytest.approx(angle, rel=max(8 * precision / angle, precision ** (2 / 3)))
    known = 40 * precision / angle + precision ** (2 / 3)
    expected = torch.stack([grow_u / 3, -grow_v / 7])
    assert float((gradient.double() - expected).norm() / expected.norm()) < known
    whole = value_and_gradient(A.to(dtype), "angle", gamma)[1].double()
    # the third row pulls at the others with a slope that its rounded cosine gives any sign: look across it
    across = whole[:2] - (whole[:2] @ third)[:, None] * third
    assert float((across - weight * expected).norm() / (weight * expected).norm()) < known


def test_score_of_nearly_equal_rows_in_double_precision():
    u, v, *_ = turned_by(1e-6)
    assert float(mutual_angular_score(torch.stack([u, 5 * v]))) == pytest.approx(1e-6, rel=1e-9)
    assert float(mutual_angular_score(torch.stack([u, 5 * v]).requires_grad_()).detach()) == pytest.approx(
        1e-6, rel=1e-9
    )


def test_gradient_of_a_small_pairwise_angle_is_exact():
    u, v, grow_u, grow_v = turned_by(1e-6)
    A = torch.stack([u, v]).requires_grad_()
    pairwise_angles(A)[0, 1].backward()
    assert torch.allclose(A.grad, torch.stack([grow_u, grow_v]), atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, -3.0, 7e5])
def test_equal_rows_have_gradient_zero_also_when_one_is_scaled(scale):
    row = torch.randn(300, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    gradient = value_and_gradient(torch.stack([row, scale * row]), "angle")[1]
    assert float(gradient[0].norm()) * float(row.norm()) < 1e-3


def test_second_derivatives_of_close_and_equal_rows_are_finite():
    u, v, *_ = turned_by(1e-3, D=5)
    for other in (v, u):
        A = torch.stack([u, other, torch.ones(5, dtype=torch.float64)]).requires_grad_()
        (gradient,) = torch.autograd.grad(mutual_angular_score(A), A, create_graph=True)
        (second,) = torch.autograd.grad(gradient.square().sum(), A)
        assert torch.isfinite(second).all()


@pytest.mark.parametrize("scale", [1e-20, 1e-21, 1e-22, 1e-30, 1e19])
def test_rows_whose_squares_leave_the_float_range_keep_their_digits(scale):
    """1e-21 squared is a float32 that has lost most of its digits; 1e-30 squared is 0, 1e19 squared nearly infinite."""
    A = torch.randn(6, 9, generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([scale, 1.0, scale, scale, 1.0, scale])[:, None]
    assert torch.allclose(pairwise_angles(lengths * A), pairwise_angles(A), atol=1e-6)
    value, gradient = value_and_gradient(A)
    scaled_value, scaled_gradient = value_and_gradient(lengths * A)
    assert float(scaled_value) == pytest.approx(float(value), abs=1e-6)
    assert torch.allclose(scaled_gradient.double() * lengths.double(), gradient.double(), atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rows_that_are_orthogonal_up_to_rounding_stay_put(dtype):
    """Cosines of 1e-17 have signs, but these are chance."""
    generator = torch.Generator().manual_seed(0)
    for size in (5, 40, 300):
        W = torch.linalg.qr(torch.randn(size, size, generator=generator, dtype=dtype))[0][: size // 2 + 1]
        assert value_and_gradient(W)[1].abs().max() < 1e-12
        nudged = W.clone()
        nudged[0] += 1e-3 * W[1]
        assert value_and_gradient(nudged)[1][0].abs().max() > 1e-8
