"""Regularisers and measures of huge, tiny, subnormal and mixed numbers, against references of the usual size."""

import numpy as np
import pytest
import torch
from robustness.judging import floats_of, judged

from wideangle import evaluation, log_volume, mutual_angular_bound, mutual_angular_score, pairwise_angles
from wideangle.functional import diversity_of, value_and_gradient
from wideangle.functional.regularizers import REGULARIZERS
from wideangle.topics import group_documents

RNG = np.random.default_rng(0)
A = RNG.normal(size=(4, 6))
POINTS = RNG.normal(size=(24, 6)) + np.repeat([0, 2], 12)[:, None]
LABELS = np.repeat([0, 1], 12)
# Powers of two change no digit of a number: those of float32 reach from 2⁻¹⁴⁹, a subnormal, to 2¹²⁷.
FACTORS = {"1e30": 2.0**100, "1e-30": 2.0**-100}
LENGTHS = {name: np.full(4, factor) for name, factor in FACTORS.items()}
LENGTHS["mixed"] = np.array([2.0**100, 2.0**-100, 1.0, 2.0**-20])
by_precision = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@by_precision
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("function", [mutual_angular_score, mutual_angular_bound, log_volume, pairwise_angles])
def test_the_length_of_rows_is_no_matter(function, lengths, dtype):
    usual = function(A)
    found = function((LENGTHS[lengths][:, None] * A).astype(dtype))
    np.testing.assert_allclose(found, usual, rtol=1e-4 if dtype == np.float32 else 1e-9, atol=1e-5)


@by_precision
@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("surrogate", REGULARIZERS)
def test_gradients_are_finite_and_fall_as_rows_grow(surrogate, lengths, dtype):
    usual, scale = value_and_gradient(A, surrogate)[1], LENGTHS[lengths][:, None]
    value, found = value_and_gradient((scale * A).astype(dtype), surrogate)
    assert np.isfinite(value)
    tolerance = 1e-3 if dtype == np.float32 else 1e-8
    np.testing.assert_allclose(found * scale, usual, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("surrogate", REGULARIZERS)
@pytest.mark.parametrize(("smallest", "dtype"), [(1e-42, np.float32), (1e-318, np.float64)])
def test_subnormal_rows_have_a_direction(surrogate, smallest, dtype):
    """A subnormal has few digits, and so has the reference. The gradient is shorter than it should be, and finite."""
    rows = (A * smallest).astype(dtype)
    exact = rows.astype(np.float64) * 2.0**100 if dtype == np.float32 else np.ldexp(rows, 1000)
    assert diversity_of(rows, surrogate) == pytest.approx(diversity_of(exact, surrogate), rel=1e-4)
    gradient, expected = (value_and_gradient(each, surrogate)[1].astype(np.float64) for each in (rows, exact))
    for found, right in zip(gradient, expected, strict=True):
        if not right.any():  # The coherence moves the nearest pair alone.
            assert not found.any()
            continue
        found, right = found / np.abs(found).max(), right / np.abs(right).max()
        np.testing.assert_allclose(found, right, rtol=1e-3, atol=1e-3)


MEASURES = {
    "nearest_rows": lambda X: evaluation.nearest_rows(X[:5], X, 3, metric="euclidean").rows * 1.0,
    "nearest_rows, cosine": lambda X: evaluation.nearest_rows(X[:5], X, 3, metric="cosine"),
    "precision_at_k": lambda X: evaluation.precision_at_k(X, LABELS, X, LABELS, k=3),
    "precision_among": lambda X: evaluation.precision_among(X, LABELS, k=3),
    "knn_accuracy": lambda X: evaluation.knn_accuracy(X, LABELS, X, LABELS, k=3),
    "kmeans_scores": lambda X: evaluation.kmeans_scores(X, LABELS, restarts=2, random_state=0),
    "half_retrieval": lambda X: evaluation.half_retrieval(X, X),
    "half_agreement": lambda X: evaluation.half_agreement(X, X, X, k=3),
    "angle_summary": lambda X: evaluation.angle_summary(X[:5]),
    "pair_average_precision": lambda X: evaluation.pair_average_precision(np.abs(X[:, 0]), LABELS > 0),
    "compare_runs": lambda X: evaluation.compare_runs(X, X + np.abs(X).max()),
    "group_documents": lambda X: group_documents(X, 2, random_state=0),
}


@by_precision
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", MEASURES)
def test_measures_do_not_depend_on_the_unit(name, factor, dtype):
    """Or they refuse the numbers. What grows with the unit, such as a difference, is finite."""
    found = []
    verdict = judged(lambda: found.append(MEASURES[name]((POINTS * FACTORS[factor]).astype(dtype))) or found)
    assert verdict.kind != "fault", verdict.reason
    if verdict.kind == "refused" or name in ("compare_runs", "kmeans_scores"):
        return
    for (_, one), (_, other) in zip(floats_of(found[0]), floats_of(MEASURES[name](POINTS)), strict=True):
        if np.abs(other).max(initial=0) <= 180:  # shares, cosines and angles in degrees; no distances
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@by_precision
def test_npmi_and_perplexity_of_large_counts(dtype):
    counts = RNG.poisson(2.0, (20, 6)).astype(dtype)
    usual = evaluation.document_npmi([[0, 1], [2, 3]], counts)
    np.testing.assert_allclose(evaluation.document_npmi([[0, 1], [2, 3]], counts * 10**6), usual)
    lengths = np.array([1e5, 1e6, 2.0])
    assert evaluation.perplexity(-lengths * np.log(500.0), lengths) == pytest.approx(500.0)


def test_equal_rows_have_no_angle_between_them():
    rows = torch.full((3, 4), 1e30)
    assert float(pairwise_angles(rows).max()) < 1e-3
    value, gradient = value_and_gradient(rows)
    assert np.isfinite(float(value))
    assert bool(gradient.isfinite().all())
