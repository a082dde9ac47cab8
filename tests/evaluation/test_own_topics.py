"""Which classes have a topic of their own."""

import numpy as np
import pytest

from wideangle.evaluation import classes_with_own_topic


def naive(topics, labels, n_classes):
    found = [False] * n_classes
    for topic in {t for t in topics if t != -1}:
        inside = [label for t, label in zip(topics, labels, strict=True) if t == topic]
        for c in range(n_classes):
            others = [inside.count(other) for other in range(n_classes) if other != c]
            if inside.count(c) >= len(inside) / 2 and all(inside.count(c) > other for other in others):
                found[c] = True
    return found


@pytest.mark.parametrize("seed", range(20))
def test_equals_naive_loops(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    topics, labels = rng.integers(-1, 9, n) * 3, rng.integers(-1, 5, n)
    topics = np.where(topics < 0, -1, topics)  # numbers with gaps
    assert classes_with_own_topic(topics, labels, 6).tolist() == naive(topics.tolist(), labels.tolist(), 6)


def test_half_is_enough_unless_another_class_has_the_other_half():
    assert classes_with_own_topic([0] * 4, [1, 1, 0, 2], 3).tolist() == [False, True, False]
    assert classes_with_own_topic([0] * 4, [1, 1, 0, 0], 3).tolist() == [False] * 3


def test_the_most_frequent_class_needs_half():
    assert not classes_with_own_topic([0] * 5, [0, 0, 1, 2, 3], 4).any()


def test_documents_without_a_class_count_and_those_without_a_topic_do_not():
    assert not classes_with_own_topic([0, 0, 0], [0, -1, -1], 1).any()
    assert classes_with_own_topic([0, -1, -1], [0, 1, 1], 2).tolist() == [True, False]
    assert not classes_with_own_topic([-1, -1], [0, 1], 2).any()


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="topics must have 2 entries"):
        classes_with_own_topic([0], [0, 1], 2)
    with pytest.raises(ValueError, match="at least one entry"):
        classes_with_own_topic([], [], 2)
    with pytest.raises(ValueError, match="below n_classes=2; got 2"):
        classes_with_own_topic([0], [2], 2)
    with pytest.raises(ValueError, match="n_classes"):
        classes_with_own_topic([0], [-1], 0)
    with pytest.raises(ValueError, match="topics must be numbers from 0"):
        classes_with_own_topic([-2], [0], 1)
    with pytest.raises(TypeError, match="labels must be whole numbers"):
        classes_with_own_topic([0], ["corn"], 1)
