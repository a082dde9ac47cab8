"""Two models side by side."""

from itertools import permutations

import numpy as np
import pytest

from wideangle.report.paired_components import align, shared_columns
from wideangle.report.views import PageView


def view(components, vocabulary=None):
    components = np.asarray(components, dtype=float)
    words = [f"w{number}" for number in range(components.shape[1])] if vocabulary is None else vocabulary
    return PageView("a", "ReplicatedSoftmax", components, words, "word", None, None)


def test_components_in_another_order_find_themselves_again():
    rows = np.random.default_rng(0).standard_normal((7, 20))
    order = np.random.default_rng(1).permutation(7)
    found = align(view(rows), view(3 * rows[order]))
    assert {(pair.first, pair.second) for pair in found.pairs} == {(int(k), n) for n, k in enumerate(order)}
    assert all(pair.angle == 0 and not pair.opposite for pair in found.pairs)
    assert found.left_first == found.left_second == []


def test_the_sum_of_angles_is_the_smallest_of_all_pairings():
    generator = np.random.default_rng(0)
    first, second = generator.standard_normal((2, 5, 4))
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (first, second)]
    angles = np.rad2deg(np.arccos(np.abs(unit[0] @ unit[1].T)))
    best = min(sum(angles[i, j] for i, j in enumerate(order)) for order in permutations(range(5)))
    found = align(view(first), view(second))
    assert sum(pair.angle for pair in found.pairs) == pytest.approx(best, abs=0.5)
    assert [pair.angle for pair in found.pairs] == sorted(pair.angle for pair in found.pairs)


def test_who_has_no_partner_is_named():
    rows = np.eye(4)
    found = align(view(rows[:3]), view(rows[[2, 0]]))
    assert [(pair.first, pair.second) for pair in found.pairs] == [(0, 1), (2, 0)]
    assert (found.left_first, found.left_second) == ([1], [])


def test_opposite_components_are_called_so():
    (pair,) = align(view([[1.0, 2.0]]), view([[-1.0, -2.0]])).pairs
    assert pair.angle == 0
    assert pair.opposite


def test_a_component_of_zeros_has_a_partner_but_no_angle():
    found = align(view([[0.0, 0], [1, 0]]), view([[1.0, 0], [0, 1]]))
    assert [(pair.first, pair.angle) for pair in found.pairs] == [(1, 0.0), (0, None)]


def test_a_component_of_zeros_takes_no_partner_from_another():
    """It is as far as can be from everyone, so that one which has an angle is paired before it."""
    first, second = [[0.0, 0, 0], [1, 1.7, 0], [0, 0, 0]], [[1.0, 0, 0]]
    found = align(view(first), view(second))
    assert [(pair.first, pair.second, pair.angle) for pair in found.pairs] == [(1, 0, 59.5)]
    assert found.left_first == [0, 2]
    turned = align(view(second), view(first))
    assert [(pair.first, pair.second, pair.angle) for pair in turned.pairs] == [(0, 1, 59.5)]
    assert turned.left_second == [0, 2]


def test_pairs_without_an_angle_come_after_right_angles():
    found = align(view([[0.0, 0, 0], [0, 0, 1], [1, 0, 0]]), view([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]]))
    assert [pair.angle for pair in found.pairs] == [0.0, 90.0, None]
    assert not any(pair.opposite for pair in found.pairs)


def test_models_meet_in_the_words_they_share():
    first = view([[5, 1, 0], [5, 0, 1]], ["only here", "corn", "rate"])
    second = view([[1, 0, 9], [0, 1, 9]], ["rate", "corn", "only there"])
    found = align(first, second)
    assert found.shared == 2
    assert {(pair.first, pair.second, pair.angle) for pair in found.pairs} == {(0, 1, 0.0), (1, 0, 0.0)}


def test_without_a_common_word_nobody_is_paired():
    found = align(view(np.eye(2), ["a", "b"]), view(np.eye(2), ["c", "d"]))
    assert (found.shared, found.pairs, found.left_first, found.left_second) == (0, [], [0, 1], [0, 1])


def test_of_a_word_that_occurs_twice_the_first_counts():
    here, there = shared_columns(["a", "b", "a"], ["b", "a", "b"])
    assert (here.tolist(), there.tolist()) == ([0, 1], [1, 0])


def test_models_that_know_effects_are_paired_by_them():
    """By bare weights a rare word, which neither has learned, would pair them the other way round."""
    effects = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    words = ["common", "usual", "rare"]
    views = [
        PageView(name, "ReplicatedSoftmax", effects + np.array([[0, 0, a], [0, 0, b]]), words, "word", None, effects)
        for name, a, b in (("one", 9.0, -9.0), ("other", -9.0, 9.0))
    ]
    assert [(pair.first, pair.second, pair.angle) for pair in align(*views).pairs] == [(0, 0, 0.0), (1, 1, 0.0)]
