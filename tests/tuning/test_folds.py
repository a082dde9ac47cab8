"""Folds for every kind of labels."""

import numpy as np
import pytest
from tuning_cases import COUNTS, TOPICS, quick

from wideangle.tuning import cross_validate
from wideangle.tuning.folds import make_folds


def test_small_classes_neither_crash_nor_warn():
    labels = np.array(["a"] * 20 + ["b"] * 9 + ["c"] * 2 + ["d"], dtype=object)
    folds = make_folds(len(labels), labels, 3, 0)
    assert sorted(np.concatenate([held for _, held in folds])) == list(range(len(labels)))
    for train, held in folds:
        assert not set(train) & set(held)
        assert np.sum(labels[held] == "b") == 3
        assert np.sum(labels[held] == "a") in (6, 7)
        assert np.isin(labels[held], ("c", "d")).sum() == 1


@pytest.mark.parametrize("sizes", [[5, 1], [3, 2, 1], [1] * 6, [2, 2, 2], [6]])
def test_every_partition_into_classes_can_be_split(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    assert sorted(len(held) for _, held in make_folds(6, labels, 3, 0)) == [2, 2, 2]


def test_long_tailed_labels_are_tuned_on():
    labels = TOPICS.copy()
    labels[:4] = [91, 92, 93, 93]
    assert len(cross_validate(quick, COUNTS, labels, diversity=[0.3]).trials[0].scores) == 3


def test_rows_without_classes_are_shuffled_by_the_seed():
    one, again, other = (make_folds(30, None, 3, seed) for seed in (0, 0, 1))
    held = [test for _, test in one]
    assert sorted(np.concatenate(held).tolist()) == list(range(30))
    assert all(sorted([*train, *test]) == list(range(30)) for train, test in one)
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(one, again, strict=True))
    assert not all(np.array_equal(a, b) for (_, a), (_, b) in zip(one, other, strict=True))
    # Neighbouring rows, which are often alike, do not fall into one fold.
    assert all(np.diff(test).max() > 1 for test in held)
