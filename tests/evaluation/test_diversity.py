"""Overlap of topics and angles of components against explicit loops."""

import itertools
import math

import numpy as np
import pytest
import reference
from scipy import sparse

from wideangle.evaluation import (
    angle_matrix,
    angle_summary,
    diversity,
    redundant_pairs,
    topic_diversity,
    topic_overlap,
)
from wideangle.exceptions import MetricError
from wideangle.functional import Covariance


@pytest.mark.parametrize("seed", range(4))
def test_topics_equal_naive_loops(seed):
    rng = np.random.default_rng(seed)
    topics = [rng.choice(30, size=rng.integers(1, 9), replace=False).tolist() for _ in range(8)]
    overlaps = [len(set(a) & set(b)) / len(set(a) | set(b)) for a, b in itertools.combinations(topics, 2)]
    assert topic_overlap(topics) == pytest.approx(sum(overlaps) / len(overlaps))
    assert topic_diversity(topics) == len(set(itertools.chain(*topics))) / sum(map(len, topics))
    words = [[f"word {v}" for v in topic] for topic in topics]
    assert topic_overlap(words) == topic_overlap(topics)
    assert topic_diversity(words) == topic_diversity(topics)


def test_extremes_of_topics():
    assert (topic_diversity([["a", "b"], ["c", "d"]]), topic_overlap([["a", "b"], ["c", "d"]])) == (1, 0)
    assert (topic_diversity([["a", "b"]] * 4), topic_overlap([["a", "b"]] * 4)) == (0.25, 1)
    assert (topic_diversity([["a", "b"]]), topic_overlap([["a", "b"]])) == (1, 0)
    assert topic_overlap(np.array([[0, 1], [1, 2]])) == pytest.approx(1 / 3)


@pytest.mark.parametrize("topics", [[], [[]], [["a"], []]])
def test_no_topics(topics):
    for measure in (topic_diversity, topic_overlap):
        with pytest.raises(ValueError, match="at least one topic"):
            measure(topics)


@pytest.mark.parametrize("block", [3, 1024])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_angles_equal_naive_loops(block, seed, dtype, monkeypatch):
    monkeypatch.setattr(diversity, "BLOCK", block)
    rng = np.random.default_rng(seed)
    A = (rng.normal(size=(10, 4)) + 1.0).astype(dtype)
    A[7] = -2 * A[1]
    theta = [math.degrees(t) for t in reference.angles(A)]
    summary = angle_summary(A, degrees=40.0, bins=9)
    assert summary.mean == pytest.approx(np.mean(theta), rel=1e-5)
    assert summary.std == pytest.approx(np.std(theta), rel=1e-5)
    assert summary.smallest == pytest.approx(0, abs=1e-4)
    assert summary.redundant == sum(t < 40 for t in theta)
    assert summary.dead == 0
    assert summary.histogram.tolist() == np.histogram(theta, np.linspace(0, 90, 10))[0].tolist()
    assert summary.edges.tolist() == np.linspace(0, 90, 10).tolist()
    pairs = list(itertools.combinations(range(10), 2))
    expected = {pair for pair, t in zip(pairs, theta, strict=True) if t < 40}
    found = redundant_pairs(A, 40.0)
    assert {tuple(pair) for pair in found.tolist()} == expected
    assert found[0].tolist() == [1, 7]  # the closest first


@pytest.mark.parametrize("block", [2, 1024])
def test_dead_components_are_counted_and_left_out(block, monkeypatch):
    monkeypatch.setattr(diversity, "BLOCK", block)
    A = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.1], [0.0, 3.0]])
    summary = angle_summary(A)
    assert (summary.dead, summary.redundant, summary.histogram.sum()) == (2, 1, 3)
    assert redundant_pairs(A).tolist() == [[1, 3]]  # numbers of the rows as they came


def test_orthogonal_components():
    summary = angle_summary(np.eye(6) * 3)
    assert (summary.mean, summary.std, summary.smallest, summary.redundant) == (90, 0, 90, 0)
    assert summary.histogram.tolist() == [0] * 17 + [15]
    assert redundant_pairs(np.eye(6)).shape == (0, 2)


@pytest.mark.parametrize("A", [[[1.0, 2.0]], [[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0]]])
def test_without_a_pair_there_is_no_angle(A):
    summary = angle_summary(A)
    assert math.isnan(summary.mean)
    assert math.isnan(summary.std)
    assert math.isnan(summary.smallest)
    assert (summary.redundant, summary.histogram.sum()) == (0, 0)
    assert redundant_pairs(A).shape == (0, 2)


@pytest.mark.parametrize("measure", [angle_summary, redundant_pairs], ids=lambda f: f.__name__)
def test_bad_components(measure):
    with pytest.raises(ValueError, match="components must be finite"):
        measure([[1.0, np.nan]])
    with pytest.raises(ValueError, match="one sample per row"):
        measure([1.0, 2.0])
    for degrees in (0, 91, np.nan):
        with pytest.raises(ValueError, match="above 0 and of at most 90"):
            measure(np.eye(2), degrees)
    with pytest.raises(TypeError, match="dense"):
        measure(sparse.eye_array(3).tocsr())


def test_bad_bins():
    with pytest.raises(ValueError, match="bins"):
        angle_summary(np.eye(2), bins=0)


@pytest.mark.parametrize("block", [3, 1024])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, Covariance], ids=["rows", "sparse rows", "metric"])
def test_angles_as_the_data_sees_them(block, kind, monkeypatch):
    monkeypatch.setattr(diversity, "BLOCK", block)
    rng = np.random.default_rng(0)
    A, X = rng.normal(size=(8, 5)) + 1.0, rng.random((40, 5)) * [1, 2, 0.1, 1, 0]
    theta = np.rad2deg(np.arccos(np.minimum(np.abs(np.corrcoef(A @ X.T)), 1)))
    of_pairs = theta[np.triu_indices(8, 1)]
    summary = angle_summary(A, 40.0, bins=9, metric=kind(X))
    assert (summary.mean, summary.std) == pytest.approx((of_pairs.mean(), of_pairs.std()))
    assert (summary.smallest, summary.redundant) == (pytest.approx(of_pairs.min()), (of_pairs < 40).sum())
    assert summary.histogram.tolist() == np.histogram(of_pairs, np.linspace(0, 90, 10))[0].tolist()
    found = redundant_pairs(A, 40.0, metric=kind(X))
    assert {tuple(pair) for pair in found.tolist()} == {
        (i, j) for i, j in itertools.combinations(range(8), 2) if theta[i, j] < 40
    }
    assert np.allclose(angle_matrix(A, metric=kind(X)), theta - np.diag(np.diag(theta)), atol=1e-5)
    assert summary.mean != pytest.approx(angle_summary(A).mean, abs=0.1)


@pytest.mark.filterwarnings("error")
def test_components_with_constant_responses_are_dead():
    X = np.random.default_rng(0).random((20, 3)) * [1, 1, 0] + [0, 0, 0.7]
    A = np.array([[1.0, 0, 5], [0, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert angle_summary(A, metric=X).dead == 2
    assert np.isnan(angle_matrix(A, metric=X)).any(axis=1).tolist() == [True] * 4
    assert np.isnan(angle_matrix(A, metric=X)[[0, 2]][:, [0, 2]]).sum() == 0
    assert redundant_pairs(A, 90.0, metric=X).tolist() == [[0, 2]]
    assert redundant_pairs([[1, 0], [2, 1]], metric=[1.0, 0.0]).tolist() == [[0, 1]]


@pytest.mark.parametrize("measure", [angle_summary, redundant_pairs, angle_matrix], ids=lambda f: f.__name__)
def test_bad_metrics(measure):
    with pytest.raises(MetricError, match="3 columns.* 2"):
        measure(np.eye(2), metric=np.eye(3))
    with pytest.raises(MetricError, match="got 'covariance'"):
        measure(np.eye(2), metric="covariance")
