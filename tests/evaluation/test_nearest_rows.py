"""The nearest rows of each query, against all distances sorted."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from wideangle.evaluation import nearest_rows


def sorted_distances(queries, database, k, metric):
    far = cdist(queries, database, metric)
    order = np.argsort(far, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(far, order, axis=1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("k", [1, 7, 60])
def test_agrees_with_all_distances_sorted(metric, kind, k):
    rng = np.random.default_rng(k)
    queries, database = rng.normal(size=(9, 5)), rng.normal(size=(60, 5))
    found = nearest_rows(kind(queries), kind(database), k, metric=metric)
    rows, distances = sorted_distances(queries, database, k, metric)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)


@pytest.mark.parametrize("method", ["faiss", "faiss-hnsw"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_faiss_finds_the_same(method, metric):
    pytest.importorskip("faiss")
    rng = np.random.default_rng(0)
    queries, database = rng.normal(size=(9, 5)), rng.normal(size=(200, 5))
    found = nearest_rows(queries, database, 4, metric=metric, method=method)
    rows, distances = sorted_distances(queries, database, 4, metric)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_of_equal_rows_the_earlier_come_first(metric):
    database = np.repeat([[1.0, 0.0], [0.0, 1.0]], 6, axis=0)[[0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11]]
    found = nearest_rows([[0.0, 2.0]], database, 3, metric=metric)
    assert found.rows.tolist() == [[1, 3, 5]]


def test_memory_changes_nothing():
    rng = np.random.default_rng(3)
    queries, database = rng.normal(size=(50, 4)), rng.integers(0, 2, size=(300, 4)).astype(float)
    whole, little = nearest_rows(queries, database, 20), nearest_rows(queries, database, 20, memory=1)
    np.testing.assert_array_equal(whole.rows, little.rows)
    np.testing.assert_allclose(whole.distances, little.distances, rtol=1e-12)


def test_a_row_of_zeros_is_at_cosine_distance_one():
    found = nearest_rows([[0.0, 0.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]], 2, metric="cosine")
    np.testing.assert_allclose(found.distances, [[1, 1], [1 - 0.5**0.5, 1]])


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="k=3 .* 2 rows"):
        nearest_rows([[0.0]], [[1.0], [2.0]], 3)
    with pytest.raises(ValueError, match="as many columns; got 1 and 2"):
        nearest_rows([[0.0]], [[1.0, 2.0]], 1)
    with pytest.raises(ValueError, match="method must be"):
        nearest_rows([[0.0]], [[1.0]], 1, method="nearly")
