"""The rows that a model saw last: which are kept, and when there are enough."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from wideangle.recent_rows import RecentRows


def kept_by_hand(batches, enough):
    """The fewest of the last batches that have enough rows together."""
    kept = []
    for batch in reversed(batches):
        if sum(map(len, kept)) >= enough:
            break
        kept.insert(0, batch)
    return np.concatenate(kept)


@pytest.mark.parametrize("sizes", [[5] * 6, [4, 6, 10, 1, 9], [10, 10], [3, 4, 2], [12, 1, 1], [1, 1, 30, 2]], ids=str)
@pytest.mark.parametrize("convert", [torch.tensor, sp.csr_array])
def test_the_last_batches_are_kept_and_no_more_than_are_needed(sizes, convert):
    seen, batches = RecentRows("covariance", enough=10), []
    for size in sizes:
        batches.append(np.random.default_rng(len(batches)).integers(1, 9, (size, 3)).astype(float))
        seen.note(convert(batches[-1]))
        found, expected = seen.rows(), kept_by_hand(batches, 10)
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)
        assert seen.is_full == (len(expected) >= 10)


def test_exactly_enough_are_enough():
    """The second batch fills the place, so that the first is forgotten as soon as the third has come."""
    seen = RecentRows("scales", enough=4)
    for number in range(3):
        seen.note(torch.full((2, 1), float(number)))
        assert seen.is_full == (number > 0)
    assert seen.rows().ravel().tolist() == [1, 1, 2, 2]


def test_rows_of_their_own_replace_all_others():
    seen = RecentRows("covariance", enough=4)
    seen.note(torch.ones(3, 2))
    seen.keep_only(torch.zeros(2, 2))
    assert seen.rows().tolist() == [[0, 0], [0, 0]]
    assert not seen.is_full
