"""Angles and the score: exact small angles, singular points, kinds of input, memory."""

import math

import numpy as np
import pytest
import reference
import torch

from wideangle.functional import mutual_angular_score, pair_angles, pairwise_angles


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_angles_equal_naive_loops(dtype, device):
    A = torch.randn(9, 13, dtype=dtype, generator=torch.Generator().manual_seed(0)).to(device)
    angles = pairwise_angles(A).cpu()
    assert torch.equal(angles, angles.T)
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
