"""Each estimator of the catalogue gives finite results for extreme rows, or one of our errors says why not."""

import numpy as np
import pytest
from extreme_rows import TYPES, Case, cases, questions
from robustness.judging import judged

from wideangle.baselines.metrics import Euclidean
from wideangle.models import DistanceLearner

ALL = cases()


def faults_of(case: Case, learned_from: str) -> list[str]:
    """What goes wrong in a fit and in what is asked about the extreme rows after it."""
    models = []
    rows = case.rows() if learned_from == "extreme" else case.usual_rows()
    verdict = judged(lambda: models.append(case.fitted(rows)) or models[0])
    if verdict.kind != "result":  # Usual rows may be refused only for having fewer columns than components.
        may_refuse = learned_from == "extreme" or rows.shape[1] < case.extreme.K
        return [] if verdict.kind == "refused" and may_refuse else [f"fit {verdict.reason}"]
    answers = [(name, judged(ask)) for name, ask in questions(models[0], case, case.rows())]
    return [f"{name} {answer.reason}" for name, answer in answers if answer.kind == "fault"]


@pytest.mark.quick_cases(12)
@pytest.mark.parametrize("case", ALL, ids=str)
def test_a_fit_to_extreme_rows_is_finite_or_refused(case):
    assert faults_of(case, "extreme") == []


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("case", [case for case in ALL if not case.extreme.one_class], ids=str)
def test_extreme_rows_after_a_usual_fit_are_answered_or_refused(case):
    assert faults_of(case, "usual") == []


def test_each_estimator_is_tried_with_each_named_extreme():
    """A new estimator joins by its record; the kinds of rows cannot lose an extreme unnoticed."""
    tried = {(case.entry.takes, case.extreme.name) for case in ALL}
    for kind in ("counts", "shares", "numbers"):
        assert {(kind, each) for each in ("equal rows", "D = 1", "K = 1", "float16", "1e-30", "subnormal")} <= tried
    assert {("counts", "counts of 10⁶"), ("counts", "documents of 10⁵ tokens"), ("numbers", "1e30")} <= tried
    assert {case.precision for case in ALL} == set(TYPES)


@pytest.mark.parametrize("factor", [2.0**100, 2.0**-100])
@pytest.mark.parametrize("kind", [DistanceLearner, Euclidean])
def test_distances_grow_with_the_rows(kind, factor):
    """A power of two changes no digit, so that float32 rows of 1e30 have the distances of the usual ones, times it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)).astype(np.float32), np.repeat([0, 1], 20)
    pairs = rng.integers(0, 40, (20, 2))
    options = {"max_updates": 20, "random_state": 0, "device": "cpu"} if kind is DistanceLearner else {}
    usual, scaled = kind(**options).fit(X, y), kind(**options).fit(X * np.float32(factor), y)
    expected = usual.pair_distance(pairs, X)
    found = scaled.pair_distance(pairs, X * np.float32(factor))
    if kind is DistanceLearner:  # It learns how large a distance is.
        assert np.abs(scaled.components_).max() * factor == pytest.approx(np.abs(usual.components_).max(), rel=1e-3)
        factor = 1.0
    np.testing.assert_allclose(found, factor * expected, rtol=1e-3)
