"""Coverage of true topics against explicit loops and planted cases."""

import math
import statistics

import numpy as np
import pytest
from scipy import sparse

from wideangle.evaluation import coverage_by_rank, topic_coverage


def naive_cosine(component, topic):
    u, v = ([max(0.0, float(x) - statistics.median(row)) for x in row] for row in (component, topic))
    lengths = math.hypot(*u) * math.hypot(*v)
    return sum(x * y for x, y in zip(u, v, strict=True)) / lengths if lengths else 0.0


def topics(seed, T=6, V=40):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(V, 0.1), size=T)


@pytest.mark.parametrize("seed", range(4))
def test_equals_naive_loops(seed):
    rng = np.random.default_rng(seed)
    truth = topics(seed)
    found = np.concatenate([truth[:4] + 0.02 * rng.normal(size=(4, 40)), truth[:2], rng.normal(size=(3, 40))])
    table = [[naive_cosine(component, topic) for component in found.tolist()] for topic in truth.tolist()]
    coverage = topic_coverage(found, truth, threshold=0.7)
    assert coverage.best.tolist() == pytest.approx([max(row) for row in table])
    assert coverage.covered.tolist() == [max(row) >= 0.7 for row in table]
    columns = list(zip(*table, strict=True))
    matched = [column.index(max(column)) for column in columns if max(column) >= 0.7]
    assert coverage.duplicates == len(matched) - len(set(matched)) >= 1
    assert coverage.share == sum(coverage.covered) / 6


def test_scale_and_shift_of_components_are_no_matter():
    truth = topics(0)
    found = 7 * truth[[2, 0]] + np.array([[3.0], [-5.0]])
    coverage = topic_coverage(found, truth, threshold=1.0)
    assert coverage.covered.tolist() == [True, False, True, False, False, False]
    assert coverage.best[[0, 2]].tolist() == pytest.approx([1, 1])
    assert coverage.duplicates == 0
    assert not topic_coverage(-found, truth).covered.any()  # the sign says what a component makes likelier
    of_sparse = topic_coverage(sparse.csr_array(found), truth)
    np.testing.assert_allclose(of_sparse.best, coverage.best, rtol=1e-12, atol=1e-12)


def test_rows_that_say_nothing_are_like_none():
    truth = np.vstack([topics(1), np.full((1, 40), 1 / 40), np.zeros((1, 40))])
    coverage = topic_coverage(np.vstack([np.zeros(40), np.full(40, 0.1)]), truth)
    assert coverage.best.tolist() == [0] * 8
    assert (coverage.share, coverage.duplicates) == (0, 0)


def test_log_ratios_are_compared_where_a_background_is_given():
    zipf = np.concatenate([1 / np.arange(1, 51), np.full(450, 1e-4)])
    truth = np.vstack([np.roll(zipf, 100 * t) for t in range(5)])
    background = truth.sum(0)
    p = truth / truth.sum(1, keepdims=True)
    weights = np.log(p / (background / background.sum()))  # what an RBM would ideally learn
    assert not topic_coverage(weights, truth).covered.any()
    assert topic_coverage(weights, truth, background=background).covered.all()


def test_by_rank():
    coverage = topic_coverage(np.eye(5)[[4, 1, 2]], np.eye(5))
    assert coverage.covered.tolist() == [False, True, True, False, True]
    popularity = [0.05, 0.3, 0.1, 0.15, 0.4]  # from popular to rare: 4, 1, 3, 2, 0
    assert coverage_by_rank(coverage, popularity, bins=5).tolist() == [1, 1, 0, 1, 0]
    assert coverage_by_rank(coverage, popularity, bins=2).tolist() == pytest.approx([2 / 3, 1 / 2])
    assert coverage_by_rank(coverage, popularity, bins=1).tolist() == [coverage.share]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: topic_coverage(np.eye(3), np.eye(4)), "same words; got 3 and 4"),
        (lambda: topic_coverage(np.eye(3), -np.eye(3)), "truth holds word weights.*got -1"),
        (lambda: topic_coverage([[np.nan, 1]], np.eye(2)), "found must be finite"),
        (lambda: topic_coverage([1.0, 2.0], np.eye(2)), "found must be a matrix"),
        (lambda: topic_coverage(np.eye(3), np.eye(3), threshold=0), "threshold"),
        (lambda: topic_coverage(np.eye(3), np.eye(3), background=[1, 1, 0]), "above 0 for every word"),
        (lambda: topic_coverage(np.eye(3), np.eye(3), background=[1, 1]), "background must have 3 entries"),
        (lambda: coverage_by_rank(topic_coverage(np.eye(3), np.eye(3)), [1, 2], 1), "popularity must have 3 entries"),
        (lambda: coverage_by_rank(topic_coverage(np.eye(3), np.eye(3)), [1, 2, 3]), "number of true topics, 3; got 10"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
