"""The class table against explicit loops and hand-computed cases."""

import math

import numpy as np
import pytest

from wideangle.evaluation import class_table, head_and_tail, macro_average


def random_case(seed):
    rng = np.random.default_rng(seed)
    asked, stored = rng.integers(7, size=50), np.append(rng.geometric(0.4, size=200), [11])
    return asked, rng.random(50), stored, rng.random(50)


@pytest.mark.parametrize("seed", range(5))
def test_equals_naive_loops(seed):
    asked, precision, stored, baseline = random_case(seed)
    table = class_table(asked, precision, stored, baseline=baseline, k=20)
    assert sorted(row.label for row in table) == sorted(set(asked.tolist()) | set(stored.tolist()))
    assert [row.size for row in table] == sorted((row.size for row in table), reverse=True)
    for row in table:
        of_class = [i for i, label in enumerate(asked) if label == row.label]
        assert row.size == sum(1 for label in stored if label == row.label)
        assert row.queries == len(of_class)
        assert row.ceiling == min(row.size, 20) / 20
        if not of_class:
            assert math.isnan(row.precision)
            assert math.isnan(row.baseline)
            assert row.improvement is None
            continue
        ours = sum(precision[i] for i in of_class) / len(of_class)
        theirs = sum(baseline[i] for i in of_class) / len(of_class)
        assert row.precision == pytest.approx(ours)
        assert row.improvement == pytest.approx(ours / theirs - 1)
    asked_rows = [row for row in table if row.queries]
    average = macro_average(table)
    assert average.classes == len(asked_rows)
    assert average.precision == pytest.approx(sum(row.precision for row in asked_rows) / len(asked_rows))
    both = head_and_tail(table)
    assert both.head.classes == math.ceil(len(asked_rows) / 2)
    assert both.head.classes + both.tail.classes == average.classes
    weighted = both.head.classes * both.head.precision + both.tail.classes * both.tail.precision
    assert weighted == pytest.approx(average.classes * average.precision)


def test_by_hand():
    table = class_table(
        ["b", "a", "a", "c"], [0.5, 1.0, 0.5, 0.2], ["a", "b", "b", "b", "d"], baseline=[0.25, 0.5, 0.5, 0.0], k=2
    )
    assert [(row.label, row.size, row.queries, row.ceiling) for row in table] == [
        ("b", 3, 1, 1.0),
        ("a", 1, 2, 0.5),  # as large as d: order of the labels
        ("d", 1, 0, 0.5),
        ("c", 0, 1, 0.0),
    ]
    assert [row.improvement for row in table] == [1.0, 0.5, None, None]  # no queries; baseline 0
    both = head_and_tail(table, share=0.4)  # ⌈0.4 · 3⌉ = 2
    assert both.head.precision == pytest.approx((0.5 + 0.75) / 2)
    assert both.head.improvement == pytest.approx((0.625 - 0.375) / 0.375)
    assert (both.tail.classes, both.tail.precision, both.tail.baseline, both.tail.improvement) == (1, 0.2, 0.0, None)


def test_share_of_many_classes():
    labels = np.arange(20)
    table = class_table(labels, labels / 20, np.repeat(labels, labels + 1))
    assert head_and_tail(table, 0.55).head.classes == 11  # though 0.55 · 20 is a little more in floats
    assert head_and_tail(table, 0.999).tail.classes == 1
    assert head_and_tail(table, 0.001).head.classes == 1
    assert head_and_tail(table[::-1]) == head_and_tail(table)
    assert head_and_tail(table).head.precision > head_and_tail(table).tail.precision


def test_without_a_baseline_and_with_names():
    table = class_table([0, 1], [1.0, 0.5], [0, 0, 1], names={0: "earn", 1: "acq"})
    assert [row.label for row in table] == ["earn", "acq"]
    assert all(row.baseline is None and row.improvement is None for row in table)
    assert macro_average(table).baseline is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"precision": [0.5]}, "precision must have 2 entries.*got 1"),
        ({"precision": [0.5, np.nan]}, "precision must not be NaN"),
        ({"baseline": [0.5]}, "baseline must have 2 entries"),
        ({"k": 0}, "at least 1; got 0"),
        ({"query_labels": []}, "at least one entry"),
    ],
    ids=str,
)
def test_bad_input(change, message):
    good = {"query_labels": [0, 1], "precision": [0.5, 0.5], "database_labels": [0, 1, 1]}
    with pytest.raises(ValueError, match=message):
        class_table(**{**good, **change})


def test_nothing_to_average():
    table = class_table([0], [1.0], [0, 1])
    with pytest.raises(ValueError, match="at least 2 classes.* got 1"):
        head_and_tail(table)
    with pytest.raises(ValueError, match="nothing to average"):
        macro_average([row for row in table if not row.queries])
    for share in (0, 1, np.nan):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            head_and_tail(table, share)
