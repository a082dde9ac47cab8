"""The angles of a model as the page draws them, and one order for two models."""

import base64
import json
from itertools import pairwise

import numpy as np
import pytest

from wideangle.evaluation import redundant_pairs
from wideangle.report.angles import common_order, component_order, page_angles
from wideangle.report.page import as_json
from wideangle.report.views import PageView


def view(components, vocabulary=None):
    components = np.asarray(components, dtype=float)
    words = [f"w{number}" for number in range(components.shape[1])] if vocabulary is None else vocabulary
    return PageView("a", "ReplicatedSoftmax", components, words, "word", None, None)


def matrix_of(angles):
    values = np.frombuffer(base64.b64decode(angles.matrix), "<f4")
    return values.reshape(len(angles.order), -1)


def crowded(K=40, seed=0):
    """Components of three groups in random order: many pairs under 30°, and opposite signs."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=K)
    rows = np.eye(3, 8)[group] + 0.14 * rng.standard_normal((K, 8))
    return rows * rng.choice([-1, 1], K)[:, None], group


def naive_angles(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.rad2deg(np.arccos(np.minimum(np.abs(unit @ unit.T), 1)))


def test_the_matrix_holds_the_angles():
    rows, _ = crowded()
    found = page_angles(view(rows))
    expected = naive_angles(rows)
    np.testing.assert_allclose(matrix_of(found), expected, atol=1e-3)
    above = expected[np.triu_indices(40, 1)]
    assert (found.mean, found.smallest) == pytest.approx((above.mean(), above.min()), abs=1e-3)
    assert found.kind == "of the weights"
    assert json.loads(as_json(found))["order"] == found.order


@pytest.mark.parametrize("seed", range(3))
def test_counts_agree_wherever_they_stand(seed):
    rows, _ = crowded(seed=seed)
    found = page_angles(view(rows))
    matrix = matrix_of(found)
    under = np.argwhere(np.triu(matrix < 30, 1))
    listed = [(i, j) for i, j, _ in found.doubles]
    assert found.redundant > 30
    assert found.redundant == len(under) == len(listed) == len(redundant_pairs(rows))
    assert set(listed) == {(int(i), int(j)) for i, j in under}
    degrees = [angle for *_, angle in found.doubles]
    assert degrees == sorted(degrees)
    assert degrees == pytest.approx([matrix[i, j] for i, j in listed], abs=2e-4)
    assert found.smallest == pytest.approx(degrees[0], abs=2e-4)


@pytest.mark.parametrize("offset", [-1e-9, 0.0, 1e-9])
def test_an_angle_at_the_limit_stays_on_its_side(offset):
    """float32 cannot tell these three apart, and rounding would make 30.0 of each."""
    theta = np.deg2rad(30 + offset)
    found = page_angles(view([[1, 0], [np.cos(theta), np.sin(theta)]]))
    assert found.redundant == len(found.doubles)
    assert (matrix_of(found)[0, 1] < 30) == (found.redundant == 1) == (found.smallest < 30)
    assert all(angle < 30 for *_, angle in found.doubles)
    if offset:
        assert found.redundant == (offset < 0)


def test_more_near_duplicates_than_a_page_can_list_are_counted():
    found = page_angles(view(np.ones((30, 4)) + 0.01 * np.eye(30, 4)))
    assert (found.redundant, len(found.doubles)) == (435, 300)


def test_an_order_is_a_permutation_and_keeps_groups_together():
    rows, group = crowded()
    order = component_order(view(rows))
    assert sorted(order) == list(range(40))
    assert (np.diff(group[order]) != 0).sum() == 2


def flips(tree):
    """All orders of the leaves of a tree of nested pairs."""
    if isinstance(tree, int):
        return [[tree]]
    both = [flips(branch) for branch in tree]
    return [x + y for one, other in (both, both[::-1]) for x in one for y in other]


@pytest.mark.parametrize("seed", range(5))
def test_of_all_orders_of_the_tree_one_of_small_steps_is_taken(seed):
    rows = np.random.default_rng(seed).standard_normal((8, 3))
    apart = naive_angles(rows)
    clusters = [(number, [number]) for number in range(8)]
    while len(clusters) > 1:  # average linkage, by its definition
        pairs = [(x, y) for n, x in enumerate(clusters) for y in clusters[:n]]
        x, y = min(pairs, key=lambda pair: np.mean(apart[np.ix_(pair[0][1], pair[1][1])]))
        clusters = [c for c in clusters if c is not x and c is not y] + [((x[0], y[0]), x[1] + y[1])]

    def steps(order):
        return sum(apart[i, j] for i, j in pairwise(order))

    order = component_order(view(rows))
    every = flips(clusters[0][0])
    assert order in every
    assert steps(order) <= np.quantile([steps(other) for other in every], 0.1)


@pytest.mark.parametrize("rows", [[[1.0, 2.0]], [[0.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]]])
def test_the_smallest_models_have_an_order(rows):
    found = page_angles(view(rows))
    assert sorted(found.order) == list(range(len(rows)))
    assert matrix_of(found).shape == (len(rows), len(rows))
    assert found.redundant == len(found.doubles)


def test_components_without_a_direction_come_last():
    found = page_angles(view([[0.0, 0], [1, 0], [0, 0], [0, 1], [1, 1]]))
    assert found.order[-2:] == [0, 2]
    assert found.dead == 2
    assert np.isnan(matrix_of(found)[0]).all()
    assert not np.isnan(matrix_of(found)[1, [1, 3, 4]]).any()


def test_both_models_are_in_one_order():
    rows, _ = crowded()
    shuffled = np.random.default_rng(1).permutation(40)
    first, second = common_order(view(rows), view(2 * rows[shuffled]))
    assert first == component_order(view(rows))
    assert shuffled[second].tolist() == first


@pytest.mark.parametrize(("K", "L"), [(5, 8), (8, 5)])
def test_who_has_no_partner_comes_last(K, L):
    rows = np.eye(8)
    first, second = common_order(view(rows[:K]), view(rows[:L]))
    assert sorted(first) == list(range(K))
    assert sorted(second) == list(range(L))
    shared = [number for number in first if number < min(K, L)]
    assert second[: len(shared)] == shared


def test_models_without_a_common_word_have_each_its_own_order():
    rows, _ = crowded()
    words = [f"mot{number}" for number in range(8)]
    first, second = common_order(view(rows), view(rows[::-1], words))
    assert first == component_order(view(rows))
    assert second == component_order(view(rows[::-1]))


def test_a_given_order_is_kept():
    assert page_angles(view(np.eye(3)), [2, 0, 1]).order == [2, 0, 1]
