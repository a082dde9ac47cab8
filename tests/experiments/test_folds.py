"""Folds of documents, which experiments and benchmarks share."""

import numpy as np
import pytest

from wideangle.experiments.tasks.documents import FOLDS, rows_of_fold


@pytest.mark.parametrize("n_rows", [5, 23, 100])
def test_every_row_is_asked_with_once_and_trained_on_in_all_other_folds(n_rows):
    folds = [rows_of_fold(n_rows, fold) for fold in range(FOLDS)]
    assert sorted(np.concatenate([asked for _, asked in folds])) == list(range(n_rows))
    for rest, asked in folds:
        assert sorted([*rest, *asked]) == list(range(n_rows))
        assert abs(len(asked) - n_rows / FOLDS) < 1
        assert list(rest) == sorted(rest)
        assert list(asked) == sorted(asked)


def test_folds_are_drawn_at_random_and_the_same_each_time():
    first, again = rows_of_fold(100, 0), rows_of_fold(100, 0)
    np.testing.assert_array_equal(first[1], again[1])
    assert list(first[1]) != list(range(20))
