"""Precision at k against explicit loops; ties, blocks, sparse rows and bad input."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_neighbors import METRICS, documents, every_metric, naive_knn, naive_precision
from scipy import sparse

from wideangle.evaluation import (
    _neighbors,
    knn_accuracy,
    precision_at_k,
    precision_ceiling,
    precision_per_query,
)


@every_metric
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 149, 150])
def test_equals_naive_loops(metric, dtype, k):
    data = documents(seed=k, dtype=dtype)
    assert precision_per_query(*data, k, metric=metric).tolist() == pytest.approx(naive_precision(*data, k, metric))


@every_metric
@pytest.mark.parametrize("seed", range(3))
def test_sparse_equals_naive_loops(metric, seed):
    X, asked, Y, stored = documents(seed)
    X, Y = np.where(X > 0.6, X, 0), np.where(Y > 0.6, Y, 0)
    X[0], Y[:3] = 0, 0
    expected = naive_precision(X, asked, Y, stored, 10, metric)
    for a, b in [(sparse.csr_matrix(X), sparse.csc_array(Y)), (X, sparse.csr_array(Y)), (sparse.csr_array(X), Y)]:
        assert precision_per_query(a, asked, b, stored, 10, metric=metric).tolist() == pytest.approx(expected)
    assert precision_per_query(X, asked, Y, stored, 10, metric=metric).tolist() == pytest.approx(expected)


@every_metric
@pytest.mark.parametrize("seed", range(3))
def test_few_coarse_values_tie_and_share_places(metric, seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(30, 3)) / 3, rng.integers(0, 3, size=(90, 3)) / 3
    asked, stored = rng.integers(3, size=30), rng.integers(3, size=90)
    for k in (1, 5, 40):
        expected = naive_precision(X, asked, Y, stored, k, metric)
        assert precision_per_query(X, asked, Y, stored, k, metric=metric).tolist() == pytest.approx(expected)


@every_metric
@pytest.mark.parametrize("memory", [1, 5000, 2**26])
@pytest.mark.parametrize("k", [9, 40])
def test_blocks_change_nothing(metric, memory, k, monkeypatch):
    data = documents(0, n=300)
    whole = precision_per_query(*data, k, metric=metric)
    monkeypatch.setattr(_neighbors, "BLOCK_COLUMNS", 32)
    np.testing.assert_allclose(precision_per_query(*data, k, metric=metric, memory=memory), whole, rtol=1e-12)


def test_a_database_of_several_blocks():
    X, asked, Y, stored = documents(0, n_queries=20, n=2 * _neighbors.BLOCK_COLUMNS + 11, D=5)
    far = ((X[:, None].astype(np.float64) - Y[None]) ** 2).sum(2)
    expected = (stored[np.argsort(far, axis=1)[:, :100]] == asked[:, None]).mean(1)
    assert precision_per_query(X, asked, Y, stored).tolist() == pytest.approx(expected)


@every_metric
@pytest.mark.parametrize("seed", range(3))
def test_order_of_the_database_is_no_matter(metric, seed):
    rng = np.random.default_rng(seed)
    X, asked, Y, stored = documents(seed)
    Y[50:] = Y[rng.integers(50, size=100)]  # each row about three times, under different labels
    expected = precision_per_query(X, asked, Y, stored, 20, metric=metric)
    for _ in range(5):
        order = rng.permutation(len(Y))
        found = precision_per_query(X, asked, Y[order], stored[order], 20, metric=metric)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        accuracy = knn_accuracy(Y, stored, X, asked, 4, metric=metric)
        assert knn_accuracy(Y[order], stored[order], X, asked, 4, metric=metric) == accuracy


@every_metric
@pytest.mark.parametrize("value", [0.0, 0.3, 1e-30, 1e30])
def test_a_collapsed_representation_gives_the_class_prior(metric, value):
    _, asked, Y, stored = documents(0)
    same = np.full_like(Y, value)
    prior = [np.mean(stored == label) for label in asked]
    for a, b in [(same[:40], same), (sparse.csr_array(same[:40]), sparse.csr_array(same))]:
        assert precision_per_query(a, asked, b, stored, 10, metric=metric).tolist() == pytest.approx(prior)


@pytest.mark.parametrize("shift", [0.0, 1e3, -1e4])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
def test_neither_shift_nor_scale_costs_precision(shift, scale):
    """‖x‖² − 2x·y + ‖y‖² in float32 without care would be noise here."""
    X, asked, Y, stored = documents(3, dtype=np.float64)
    X, Y = scale * (X + shift), scale * (Y + shift)
    expected = naive_precision(X / scale, asked, Y / scale, stored, 15, "euclidean")
    assert precision_per_query(X, asked, Y, stored, 15).tolist() == pytest.approx(expected)


def test_one_far_row_costs_the_others_nothing():
    X, asked, Y, stored = documents(4, dtype=np.float64)
    Y[0] = 1e7
    expected = naive_precision(X, asked, Y, stored, 15, "euclidean")
    assert precision_per_query(X, asked, Y, stored, 15).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("far", [1e20, 1e38, 1e39, 1e60])
def test_from_very_far_all_rows_are_as_far(far):
    X, asked, Y, stored = documents(4, dtype=np.float64)
    expected = precision_per_query(X, asked, Y, stored, 15)
    X[1] = far * np.where(np.arange(12) % 2, 1, -1)
    expected[1] = np.mean(stored == asked[1])
    assert precision_per_query(X, asked, Y, stored, 15).tolist() == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 25), st.integers(1, 6), st.sampled_from(METRICS))
def test_any_small_data_equals_naive_loops(seed, D, n, levels, metric):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(-levels, levels + 1, size=(4, D)) / 7, rng.integers(-levels, levels + 1, size=(n, D)) / 7
    asked, stored = rng.integers(3, size=4), rng.integers(3, size=n)
    k = int(rng.integers(1, n + 1))
    expected = naive_precision(X, asked, Y, stored, k, metric)
    found = precision_per_query(X, asked, Y, stored, k, metric=metric)
    assert found.tolist() == pytest.approx(expected)
    assert (found <= 1).all()
    assert (found <= precision_ceiling(asked, stored, k) + 1e-12).all()
    assert knn_accuracy(Y, stored, X, asked, k, metric=metric) == naive_knn(Y, stored, X, asked, k, metric)


def test_lowered_precision_of_torch_products_changes_nothing():
    data = documents(0)
    expected = precision_per_query(*data, 9)
    torch.set_float32_matmul_precision("high")
    try:
        assert np.array_equal(precision_per_query(*data, 9), expected)
    finally:
        torch.set_float32_matmul_precision("highest")


def test_mean_over_queries_and_kinds_of_input():
    X, asked, Y, stored = documents(1)
    expected = float(precision_per_query(X, asked, Y, stored, 9).mean())
    names = np.array(["alt", "comp", "rec", "sci"])
    assert precision_at_k(X, asked, Y, stored, 9) == expected
    assert precision_at_k(X, names[asked], Y, names[stored].astype(object), 9) == expected
    assert precision_at_k(torch.from_numpy(X), torch.from_numpy(asked), Y, stored.tolist(), 9) == expected
    assert precision_at_k(X.astype(np.float16), asked, Y.astype(np.float16), stored, 9) == pytest.approx(
        expected, abs=0.02
    )


def test_a_zero_row_has_cosine_zero_with_all():
    Y = [[1.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]
    found = precision_per_query([[2.0, 0.0], [2.0, 0.0], [0.0, 0.0]], [1, 0, 2], Y, [0, 1, 2], 2, metric="cosine")
    assert found.tolist() == pytest.approx([0.5, 0.5, 1 / 3])


def test_ceiling():
    assert precision_ceiling([0, 1, 2, 9], [0] * 5 + [1] * 3 + [2], 4).tolist() == [1, 0.75, 0.25, 0]
    X = np.eye(3)[[0] * 5 + [1] * 3 + [2]]
    labels = X.argmax(1)
    perfect = precision_per_query(np.eye(3), [0, 1, 2], X, labels, 1)
    assert perfect.tolist() == precision_ceiling([0, 1, 2], labels, 1).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "at least 1; got 0"),
        ({"k": 4}, "k=4.*3 rows.*Lower k"),
        ({"metric": "manhattan"}, "metric must be one of .*; got 'manhattan'"),
        ({"method": "annoy"}, "method must be one of .*; got 'annoy'"),
        ({"memory": 0}, "memory.*got 0"),
        ({"queries": [[np.nan, 0.0]]}, "queries must be finite"),
        ({"database": [[0, np.inf], [0, 0], [0, 0]]}, "database must be finite"),
        ({"queries": [[0.0, 0.0, 0.0]]}, "as many columns; got 3 and 2"),
        ({"queries": [0.0, 0.0]}, r"one sample per row.*\(2,\)"),
        ({"database": np.empty((0, 2))}, r"at least one row.*\(0, 2\)"),
        ({"query_labels": [0, 1]}, "query_labels must have 1 entries.*got 2"),
        ({"database_labels": [0, 1]}, "database_labels must have 3 entries.*got 2"),
        ({"database_labels": [[0, 1, 2]]}, r"one dimension.*\(1, 3\)"),
        ({"query_labels": [np.nan]}, "query_labels must be known"),
        ({"query_labels": ["a"]}, "text in one place and numbers in the other"),
        ({"database": [[-1e308, 0], [1e308, 0], [1e308, 0]]}, "too far apart"),
    ],
    ids=str,
)
def test_bad_input(change, message):
    good = {"queries": [[0.0, 1.0]], "query_labels": [0], "database": np.eye(3)[:, :2], "database_labels": [0, 1, 2]}
    with pytest.raises(ValueError, match=message):
        precision_at_k(**{**good, "k": 1, **change})


def test_rows_that_are_no_numbers():
    with pytest.raises(TypeError, match="queries must hold real numbers"):
        precision_at_k([["a"]], [0], [[1.0]], [0], 1)
