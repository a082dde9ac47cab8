"""Moments of pairs, projections and the ascent that baselines of distances share."""

import numpy as np
import pytest
import torch

from wideangle.baselines.metrics import _pairs
from wideangle.baselines.metrics._ascent import ascend
from wideangle.baselines.metrics._base import factor
from wideangle.baselines.metrics._pairs import PairMoments, onto_cone, onto_spectrahedron, whitened
from wideangle.exceptions import DataError
from wideangle.models._distance.pairs import IndexPairs


@pytest.fixture
def some(monkeypatch):
    monkeypatch.setattr(_pairs, "BLOCK", 7)  # Several blocks, the last one not full.
    generator = np.random.default_rng(0)
    Z = generator.standard_normal((9, 4))
    left, right = generator.integers(0, 9, (2, 30))
    return Z, left, right, PairMoments(torch.from_numpy(Z), left, right), generator


def test_squared_distances_and_moments_are_those_of_a_loop(some):
    Z, left, right, pairs, generator = some
    M, weights, direction = generator.standard_normal((4, 4)), generator.standard_normal(30), generator.random(4)
    M = M @ M.T
    differences = [Z[i] - Z[j] for i, j in zip(left, right, strict=True)]
    np.testing.assert_allclose(pairs.squared(torch.from_numpy(M)), [d @ M @ d for d in differences])
    np.testing.assert_allclose(pairs.along(torch.from_numpy(direction)), [(d @ direction) ** 2 for d in differences])
    naive = sum(w * np.outer(d, d) for w, d in zip(weights, differences, strict=True))
    np.testing.assert_allclose(pairs.moment(torch.from_numpy(weights)), naive, atol=1e-12)
    np.testing.assert_allclose(pairs.mean_moment(), sum(np.outer(d, d) for d in differences) / 30, atol=1e-12)


def test_whitened_similar_pairs_have_the_identity_as_moment(some):
    Z, left, right, _, _ = some
    similar = np.arange(30) < 20
    T, dissimilar = whitened(torch.from_numpy(Z), IndexPairs(left, right, similar), 0.0)
    rows = Z @ T.numpy()
    differences = (rows[left] - rows[right])[similar]
    np.testing.assert_allclose(differences.T @ differences / 20, np.eye(4), atol=1e-10)
    apart = (left != right) & ~similar
    np.testing.assert_allclose(
        dissimilar.squared(torch.eye(4).double()), ((rows[left] - rows[right])[apart] ** 2).sum(1)
    )


def test_equal_points_cannot_be_parted():
    Z = torch.ones(4, 2, dtype=torch.float64)
    numbers = np.array([0, 1]), np.array([2, 3])
    with pytest.raises(DataError, match="dissimilar"):
        whitened(Z, IndexPairs(*numbers, np.array([True, False])), 1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_projections_are_the_nearest_points(seed):
    """⟨S − P, Q − P⟩ ≤ 0 for all Q of the set says that P is the nearest to S."""
    generator = np.random.default_rng(seed)
    S = generator.standard_normal((5, 5)) * generator.choice([0.2, 1.0])
    S = torch.from_numpy(S + S.T)
    for project, radius in ((onto_spectrahedron, 1.0), (onto_cone, 10.0)):
        P = project(S)
        assert float(torch.linalg.eigvalsh(P)[0]) > -1e-12
        if project is onto_spectrahedron:
            assert float(P.trace()) <= 1 + 1e-12
        np.testing.assert_allclose(project(P), P, atol=1e-12)
        for _ in range(200):
            Q = generator.standard_normal((5, generator.integers(1, 6)))
            Q = torch.from_numpy(Q @ Q.T)
            Q *= generator.random() * radius / Q.trace()
            assert float(((S - P) * (Q - P)).sum()) < 1e-9


def test_a_small_matrix_stays_inside_the_spectrahedron():
    B = torch.diag(torch.tensor([0.2, 0.3, 0.1]).double())
    np.testing.assert_allclose(onto_spectrahedron(B), B, atol=1e-15)


def test_the_ascent_finds_the_top_of_a_concave_function_over_the_cone():
    generator = np.random.default_rng(0)
    S = generator.standard_normal((4, 4))
    S = torch.from_numpy(S + S.T)
    scales = torch.from_numpy(10.0 ** generator.uniform(-1, 1, (4, 4)))
    scales = scales + scales.T

    def value(M):
        return -float((scales * (M - S) ** 2).sum()), -2 * scales * (M - S)

    found = ascend(value, onto_cone, torch.eye(4).double(), 500, tol=1e-10)
    assert found.stopped.startswith("converged")
    assert found.updates < 500
    gradient = value(found.point)[1]  # At the top the gradient points out of the cone, at right angles to the point.
    assert float(torch.linalg.eigvalsh(gradient)[-1]) < 1e-5
    assert abs(float((gradient * found.point).sum())) < 1e-5
    assert ascend(value, onto_cone, torch.eye(4).double(), 3).stopped == "max_updates=3 reached"


def test_factors_give_the_matrix_with_one_row_per_positive_eigenvalue():
    generator = np.random.default_rng(0)
    L = generator.standard_normal((2, 5))
    A = factor(L.T @ L)
    assert A.shape == (2, 5)
    np.testing.assert_allclose(A.T @ A, L.T @ L, atol=1e-12)
    assert factor(np.zeros((3, 3))).shape == (1, 3)
