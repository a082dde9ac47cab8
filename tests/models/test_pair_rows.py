"""Differences of pairs through A and back: dense and sparse agree with a plain loop."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle.models._distance.rows import PairRows, aligned

CPU = torch.device("cpu")


def example(kind, dtype, n=30, D=12, K=4, n_pairs=50):
    generator = np.random.default_rng(0)
    X = (generator.random((n, D)) * (generator.random((n, D)) < 0.3)).astype(dtype)
    left, right = generator.integers(0, n, (2, n_pairs))
    A = torch.from_numpy(generator.standard_normal((K, D)).astype(dtype))
    return X, PairRows(sp.csr_matrix(X) if kind == "sparse" else X, CPU), A, left, right


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_through_and_back(kind, dtype):
    X, rows, A, left, right = example(kind, dtype)
    A = aligned(A, rows)
    differences = rows.differences(left, right)
    expected = np.array([A.numpy() @ (X[i] - X[j]) for i, j in zip(left, right, strict=True)])
    np.testing.assert_allclose(differences.through(A), expected, atol=1e-5)
    pull = torch.from_numpy(np.random.default_rng(1).standard_normal(expected.shape).astype(dtype))
    gradient = sum(np.outer(p, X[i] - X[j]) for p, i, j in zip(pull.numpy(), left, right, strict=True))
    np.testing.assert_allclose(differences.back(pull), gradient, atol=1e-4)
    assert differences.back(pull).dtype == A.dtype


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_blocks_change_nothing(kind):
    _, rows, A, left, right = example(kind, np.float64)
    whole = rows.squared_distances(A, left, right)
    torch.testing.assert_close(rows.squared_distances(A, left, right, block=7), whole)
    assert rows.squared_distances(A, left[:0], right[:0]).shape == (0,)


def test_back_is_the_adjoint_of_through():
    """⟨through(A), P⟩ = ⟨A, back(P)⟩."""
    _, rows, A, left, right = example("sparse", np.float64)
    differences = rows.differences(left, right)
    P = torch.randn(len(left), len(A), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert float((differences.through(A) * P).sum()) == pytest.approx(float((A * differences.back(P)).sum()))


def test_rows_that_must_not_be_written_to():
    X = np.eye(3)
    X.flags.writeable = False
    rows = PairRows(X, CPU)
    one, two = np.array([0]), np.array([1])
    assert float(rows.squared_distances(torch.eye(3, dtype=torch.float64), one, two)) == pytest.approx(2.0)
