"""Levels that no cut of the grown tree has: groups of leaves that were made by hand, or that came later.

A level is always a cut of some tree. Where another level is wanted, the merges are put into another order, and what was
never merged is joined. So everything that works on a tree (names, `assign`, other numbers of topics, the page) goes on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wideangle.topics.tree import TopicTree, merged

__all__ = ["FoundLevel", "moved_names", "pruned", "with_level"]


@dataclass(frozen=True, eq=False)
class FoundLevel:
    """The level that was found before topics were merged or split by hand; its leaves are those of the tree."""

    merges: NDArray[np.int32]
    nodes: NDArray[np.int32]
    """the topics of the level, by their numbers"""

    def topic_of_leaf(self, tree: TopicTree) -> NDArray[np.intp]:
        """The number of the topic that each leaf belonged to."""
        number = {int(node): place for place, node in enumerate(self.nodes)}
        level = replace(tree, merges=self.merges).cut(len(self.nodes))
        return np.array([number[int(node)] for node in level], dtype=np.intp)


def with_level(tree: TopicTree, groups: NDArray[np.intp]) -> TopicTree:
    """A tree of the same leaves that has a level whose topics are these groups; `groups` has a number for each leaf.

    Merges within a group stay in their order. Parts of a group that the tree never merged are joined as soon as they
    are there, so that they stay together for as long as possible where more topics are asked for. Above the level the
    groups are merged by the same cost as ever.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics.levels import with_level
    >>> from wideangle.topics.tree import TopicTree
    >>> merges = np.array([[0, 1], [2, 3], [4, 5]], np.int32)
    >>> tree = TopicTree(np.eye(4, dtype=np.float32), np.ones(4, int), merges)
    >>> with_level(tree, np.array([0, 1, 1, 1])).cut(2).tolist()
    [0, 5, 5, 5]
    """
    L = tree.n_leaves
    # The group of each node; −1 for a node with leaves of several groups.
    group_of = [int(groups[held][0]) if np.ptp(groups[held]) == 0 else -1 for held in tree.membership]
    group_above = {int(child): group_of[L + merge] for merge, pair in enumerate(tree.merges) for child in pair}
    parts: dict[int, list[int]] = {}
    steps: list[tuple[int, int, int, int]] = []  # when: after which node, and its place there; which nodes are merged
    for node, group in enumerate(group_of):
        if group >= 0 and node >= L:
            first, second = tree.merges[node - L].tolist()
            steps.append((node, node, first, second))
        if group >= 0 and group_above.get(node, -1) < 0:
            parts.setdefault(group, []).append(node)
    tops, last = {}, tree.n_nodes
    for group, nodes in parts.items():
        top = nodes[0]
        for part in nodes[1:]:  # They rise, so that each is there after the last of them.
            steps.append((part, last, top, part))
            top, last = last, last + 1
        tops[group] = top
    new = {leaf: leaf for leaf in range(L)}
    merges: list[tuple[int, int]] = []
    for _, node, first, second in sorted(steps):
        new[node] = L + len(merges)
        merges.append((new[first], new[second]))
    level = [new[top] for top in tops.values()]
    weights = np.maximum(tree.sizes, 1)
    of_groups = [groups == group for group in tops]
    middles = [np.average(tree.centres[held].astype(np.float64), axis=0, weights=weights[held]) for held in of_groups]
    for first, second in merged(np.array(middles), np.array([weights[held].sum() for held in of_groups])):
        merges.append((level[first], level[second]))
        level.append(L + len(merges) - 1)
    return replace(tree, merges=np.array(merges, dtype=np.int32).reshape(-1, 2))


def pruned(tree: TopicTree, kept: NDArray[np.bool_]) -> TopicTree:
    """The tree without some of its leaves; merges that have one side left are left out."""
    new: dict[int, int] = {int(leaf): place for place, leaf in enumerate(np.flatnonzero(kept))}
    L = len(new)
    merges: list[tuple[int, int]] = []
    for number, pair in enumerate(tree.merges.tolist(), tree.n_leaves):
        there = [new[node] for node in pair if node in new]
        if len(there) == 2:
            merges.append((there[0], there[1]))
            new[number] = L + len(merges) - 1
        elif there:
            new[number] = there[0]
    return TopicTree(tree.centres[kept], tree.sizes[kept], np.array(merges, dtype=np.int32).reshape(-1, 2))


def moved_names(
    names: Mapping[int, str], before: TopicTree, after: TopicTree, leaves: NDArray[np.intp] | None = None
) -> dict[int, str]:
    """Names by node of one tree as names by node of another, for nodes that hold the same leaves.

    `leaves` has, for each leaf of the tree `after`, its number in the tree `before`, or −1 for a leaf that was not
    there; None: both have the same leaves.
    """
    own = np.arange(after.n_leaves) if leaves is None else leaves
    old = own >= 0
    # Of several nodes that hold the same leaves the smallest is taken.
    places = {held[old].tobytes(): node for node, held in reversed(list(enumerate(after.membership)))}
    found: dict[int, str] = {}
    for node, name in names.items():
        held = before.membership[node][own[old]]
        if held.any() and held.tobytes() in places:
            found[places[held.tobytes()]] = name
    return found
