"""Trees with a level that was made by hand."""

import numpy as np
import pytest

from wideangle.topics.levels import moved_names, pruned, with_level
from wideangle.topics.tree import TopicTree, grow


@pytest.fixture(scope="module")
def tree():
    rows = np.random.default_rng(0).standard_normal((300, 4))
    return grow(rows / np.linalg.norm(rows, axis=1, keepdims=True), None, 0)


def parts(tree, n):
    """The groups of leaves at a level."""
    level = tree.cut(n)
    return {tuple(np.flatnonzero(level == node)) for node in set(level.tolist())}


def is_a_tree(tree):
    L = tree.n_leaves
    merges_once = (np.sort(tree.merges.ravel()) == np.arange(2 * L - 2)).all()
    return merges_once and (tree.merges < L + np.arange(L - 1)[:, None]).all()


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_a_level_that_is_there_gives_the_same_tree(tree, n):
    again = with_level(tree, tree.cut(n))
    assert is_a_tree(again)
    for number in range(1, tree.n_leaves + 1):
        assert parts(again, number) == parts(tree, number)


@pytest.mark.parametrize("seed", range(5))
def test_any_groups_of_leaves_can_be_a_level(tree, seed):
    groups = np.random.default_rng(seed).integers(0, 5, tree.n_leaves)
    made = with_level(tree, groups)
    assert is_a_tree(made)
    assert parts(made, 5) == {tuple(np.flatnonzero(groups == group)) for group in range(5)}
    assert made.centres is tree.centres


def test_what_was_joined_stays_together_for_long(tree):
    level = tree.cut(8)
    first, _, second, *_ = np.unique(level)  # nodes that were merged early, and not with each other
    joined = with_level(tree, np.where(level == second, first, level))
    together = np.flatnonzero((level == first) | (level == second))
    n = 7
    while len(set(joined.cut(n)[together])) == 1:
        n += 1
    assert n > 8  # Cut into as many parts as before, other topics are split.


def test_a_pruned_tree_merges_the_other_leaves_as_before(tree):
    kept = np.ones(tree.n_leaves, dtype=bool)
    kept[[0, 3, 11]] = False
    smaller = pruned(tree, kept)
    assert is_a_tree(smaller)
    place = np.cumsum(kept) - 1
    for merge, held in enumerate(smaller.membership[smaller.n_leaves :]):
        assert any(set(place[row & kept]) == set(np.flatnonzero(held)) for row in tree.membership[tree.n_leaves :]), (
            merge
        )


def test_one_leaf_is_a_tree():
    tree = TopicTree(np.ones((1, 2), np.float32), np.array([4]), np.zeros((0, 2), np.int32))
    assert with_level(tree, np.zeros(1, dtype=np.intp)).merges.shape == (0, 2)


def test_names_stay_with_the_leaves(tree):
    level = tree.cut(6)
    first, second, third, *_ = np.unique(level).tolist()
    joined = with_level(tree, np.where(level == second, first, level))
    moved = moved_names({first: "one", third: "three", tree.n_nodes - 1: "all"}, tree, joined)
    held = {name: set(np.flatnonzero(joined.membership[node])) for node, name in moved.items()}
    assert held == {
        "one": set(np.flatnonzero(level == first)),
        "three": set(np.flatnonzero(level == third)),
        "all": set(range(tree.n_leaves)),
    }


def test_names_stay_where_leaves_come_and_go(tree):
    kept = np.arange(tree.n_leaves) != 2
    smaller, leaves = pruned(tree, kept), np.flatnonzero(kept)
    node = int(tree.cut(4)[5])
    (found,) = moved_names({node: "mine"}, tree, smaller, leaves)
    assert set(leaves[smaller.membership[found]]) == set(np.flatnonzero(tree.membership[node])) - {2}
    assert moved_names({2: "gone"}, tree, smaller, leaves) == {}
