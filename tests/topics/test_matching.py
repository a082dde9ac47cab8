"""Which topics of two groupings are the same."""

import numpy as np
import pytest

from wideangle.topics import match_topics


@pytest.mark.parametrize("seed", range(3))
def test_renumbered_topics_are_found(seed):
    rng = np.random.default_rng(seed)
    before, other = rng.integers(-1, 6, 200), rng.permutation(6)
    after = np.where(before < 0, before, other[before])
    assert match_topics(before, after) == dict(enumerate(other.tolist()))


def test_a_topic_that_split_goes_on_in_its_larger_part():
    before = np.repeat([0, 1], [10, 5])
    assert match_topics(before, np.repeat([0, 1, 2], [4, 6, 5])) == {0: 1, 1: 2}


def test_most_documents_stay_in_their_topic():
    # One by one, topic 0 would take 1, of which it has most; then topic 1 would have none.
    before = np.repeat([0, 0, 1], [5, 6, 6])
    after = np.repeat([0, 1, 1], [5, 6, 6])
    assert match_topics(before, after, 0.0) == {0: 0, 1: 1}


def test_topics_that_share_little_are_not_the_same():
    before, after = np.repeat([0, 1, 2, 3], 10), np.tile([0, 1, 2, 3], 10)
    assert match_topics(before, after) == {}
    assert len(match_topics(before, after, 0.1)) == 4


def test_documents_without_a_topic_do_not_count():
    assert match_topics([-1, -1, 0], [0, 0, 1]) == {0: 1}
    assert match_topics([-1, 0], [0, -1]) == {}
    assert match_topics([], []) == {}


def test_both_must_be_of_the_same_documents():
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\)"):
        match_topics([0, 1], [0, 1, 2])
