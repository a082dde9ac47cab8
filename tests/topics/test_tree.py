"""The tree of topics: leaves, merges and levels."""

import numpy as np
import pytest

from wideangle.topics.tree import TopicTree, grow, usual_number


def blobs(n=300, groups=6, seed=0, spread=0.15):
    """Unit rows around random directions, and the direction of each."""
    rng = np.random.default_rng(seed)
    centres = np.linalg.qr(rng.standard_normal((8, 8)))[0][:groups]
    which = rng.integers(groups, size=n)
    rows = centres[which] / np.linalg.norm(centres[which], axis=1, keepdims=True)
    rows = rows + spread * rng.standard_normal(rows.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), which


@pytest.fixture(scope="module")
def tree():
    return grow(blobs()[0], None, 0)


def naive_merges(centres, sizes):
    """The cheapest pair of all, found anew at each step."""
    alive = {i: (float(size), centre) for i, (size, centre) in enumerate(zip(sizes, centres, strict=True))}
    merges = []
    for new in range(len(sizes), 2 * len(sizes) - 1):
        costs = {}
        for a, (s, x) in alive.items():
            for b, (t, y) in alive.items():
                if a < b:
                    costs[a, b] = np.sum((x - y) ** 2) * np.sqrt(s * t / (s + t))
        a, b = min(costs, key=costs.get)
        (s, x), (t, y) = alive.pop(a), alive.pop(b)
        alive[new] = s + t, (s * x + t * y) / (s + t)
        merges.append({a, b})
    return merges


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_merges_are_those_of_a_naive_search(seed):
    rng = np.random.default_rng(seed)
    centres, sizes = rng.standard_normal((12, 4)), rng.integers(1, 50, 12)
    from wideangle.topics.tree import merged

    assert [set(map(int, pair)) for pair in merged(centres, sizes)] == naive_merges(centres, sizes)


def test_every_level_has_as_many_topics_as_asked_and_refines_the_one_above(tree):
    above = tree.cut(1)
    assert set(above.tolist()) == {tree.n_nodes - 1}
    for number in range(2, tree.n_leaves + 1):
        level = tree.cut(number)
        assert len(set(level.tolist())) == number
        for node in set(level.tolist()):
            assert len(set(above[level == node].tolist())) == 1
        above = level
    assert level.tolist() == list(range(tree.n_leaves))


def test_nodes_hold_the_leaves_of_what_was_merged_into_them(tree):
    for number in (1, 3, tree.n_leaves):
        level = tree.cut(number)
        for leaf, node in enumerate(level):
            assert tree.membership[node, leaf]
        assert tree.membership[sorted(set(level.tolist()))].sum() == tree.n_leaves
    assert tree.sums(tree.sizes)[-1] == tree.sizes.sum() == 300
    centre = (tree.centres * tree.sizes[:, None]).sum(axis=0) / tree.sizes.sum()
    np.testing.assert_allclose(tree.node_centres()[-1], centre, rtol=1e-5)


def test_groups_that_lie_apart_are_found():
    rows, which = blobs()
    tree = grow(rows, None, 0)
    leaves = ((rows[:, None] - tree.centres[None]) ** 2).sum(-1).argmin(1)
    topics = tree.cut(6)[leaves]
    assert len({(a, b) for a, b in zip(topics.tolist(), which.tolist(), strict=True)}) == 6


def test_a_small_group_is_kept_beside_large_ones():
    """Twelve documents of their own direction are not merged before two halves of a large group are."""
    rows, _ = blobs(600, groups=4, spread=0.25)
    apart = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0][7]  # the directions of `blobs` go on
    own = apart + 0.05 * np.random.default_rng(1).standard_normal((12, 8))
    rows = np.vstack([rows, own / np.linalg.norm(own, axis=1, keepdims=True)])
    tree = grow(rows, None, 0)
    leaves = ((rows[:, None] - tree.centres[None]) ** 2).sum(-1).argmin(1)
    topics = tree.cut(8)[leaves]
    small = topics[-12:]
    assert len(set(small.tolist())) == 1
    assert (topics == small[0]).sum() == 12


def test_the_same_seed_gives_the_same_tree():
    rows = blobs()[0]
    first, second = grow(rows, 5, 3), grow(rows, 5, 3)
    assert np.array_equal(first.centres, second.centres)
    assert np.array_equal(first.merges, second.merges)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_or_equal_documents(n):
    tree = grow(np.eye(8)[:n], None, 0)
    assert 1 <= tree.n_leaves <= n
    assert grow(np.tile(np.eye(8)[:1], (50, 1)), 5, 0).n_leaves == 1


def test_a_level_that_is_not_there_is_named(tree):
    with pytest.raises(ValueError, match=f"1 to {tree.n_leaves} topics of these documents; got 0"):
        tree.cut(0)


def test_more_topics_have_more_leaves():
    assert grow(blobs(2500)[0], 120, 0).n_leaves == 240
    assert usual_number(5) == 2


def test_a_tree_of_one_leaf():
    tree = TopicTree(np.ones((1, 2), np.float32), np.array([4]), np.zeros((0, 2), np.int32))
    assert tree.cut(1).tolist() == [0]
    assert (tree.n_nodes, tree.membership.tolist()) == (1, [[True]])
