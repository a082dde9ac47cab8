"""Geometry of unit rows."""

import pytest
import torch

from wideangle.exceptions import ComponentsError
from wideangle.functional import pairwise_angles, part_duplicates, random_directions, retract, row_lengths, tangent


@pytest.mark.parametrize("scale", [1e-40, 1e-20, 1.0, 1e20, 1e38])
def test_row_lengths_at_any_scale(scale):
    A = torch.tensor([[3.0, 4.0], [0.0, 0.0]]) * (scale / 5)
    assert row_lengths(A).tolist() == pytest.approx([scale, 0.0], rel=1e-2 if scale < 1e-37 else 1e-6)


def test_retraction_is_idempotent_and_refuses_zero_rows():
    A = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    W = retract(A)
    assert torch.allclose(row_lengths(W), torch.ones(5))
    assert torch.allclose(retract(W), W)
    A[3] = 0
    with pytest.raises(ComponentsError, match="rows 3 are all zeros"):
        retract(A)


def test_tangent_is_a_projection():
    W = retract(torch.randn(5, 7, generator=torch.Generator().manual_seed(0)))
    V = torch.randn(5, 7, generator=torch.Generator().manual_seed(1))
    T = tangent(W, V)
    assert torch.allclose((T * W).sum(1), torch.zeros(5), atol=1e-6)
    assert torch.allclose(tangent(W, T), T, atol=1e-6)


def test_random_directions_are_uniform(generator):
    W = random_directions(torch.empty(20000, 3), generator)
    assert torch.allclose(row_lengths(W), torch.ones(20000))
    assert W.mean(0).abs().max() < 0.02
    assert torch.allclose(W.T @ W / 20000, torch.eye(3) / 3, atol=0.02)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_duplicates_are_parted_by_the_angle_asked_for(dtype, generator):
    W = retract(torch.randn(6, 40, dtype=dtype, generator=torch.Generator().manual_seed(1)))
    W[3] = W[1]
    W[5] = -W[1]
    parted = part_duplicates(W, generator, angle=0.01)
    assert torch.equal(parted[[0, 1, 2, 4]], W[[0, 1, 2, 4]])
    angles = pairwise_angles(parted)
    assert float(angles[1, 3]) == pytest.approx(0.01, rel=1e-3)
    assert float(angles[1, 5]) == pytest.approx(0.01, rel=1e-3)
    assert float(angles[3, 5]) > 0.005


def test_no_duplicates_no_change(generator):
    W = retract(torch.randn(6, 40, generator=generator))
    assert part_duplicates(W, generator) is W
