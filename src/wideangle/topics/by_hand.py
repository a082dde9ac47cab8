"""Topics that a user merges and splits. Each change makes another tree, so that all that reads a tree goes on."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from wideangle.topics.levels import FoundLevel, moved_names, with_level
from wideangle.topics.tree import TopicTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from wideangle.topics.found import Topics

__all__ = ["merge", "named_by_classes", "reset", "split"]

MOSTLY = 0.5  # A topic is called by a class that has more than this share of its documents with a class.


def merge(topics: "Topics", numbers: Iterable[int]) -> "Topics":
    """The topics of which these are one. See `Topics.merge`."""
    chosen = sorted({_checked(topics, number) for number in numbers})
    if len(chosen) < 2:
        raise ValueError(f"at least two topics are merged into one; got {len(chosen)}.")
    groups = topics.topic_of_leaf
    groups[np.isin(groups, chosen)] = chosen[0]
    order = [number for number in range(len(topics)) if number not in chosen[1:]]
    return _regrouped(topics, groups, order)


def split(topics: "Topics", number: int) -> "Topics":
    """The topics of which one is two. See `Topics.split`."""
    number = _checked(topics, number)
    tree, node = topics.tree, topics[number].node
    if node < tree.n_leaves:
        raise ValueError(
            f"the topic {topics[number].name!r} is one of the {tree.n_leaves} smallest groups and cannot be split. Ask "
            f"for more than {tree.n_leaves} topics to find smaller ones."
        )
    sizes = np.bincount(topics.leaves[topics.leaves >= 0], minlength=tree.n_leaves)
    parts = [tree.membership[part] for part in tree.merges[node - tree.n_leaves].tolist()]
    smaller = min(parts, key=lambda held: int(sizes[held].sum()))
    groups = topics.topic_of_leaf
    groups[smaller] = len(topics)
    return _regrouped(topics, groups, list(range(len(topics) + 1)))


def reset(topics: "Topics") -> "Topics":
    """The topics as they were found. See `Topics.reset`."""
    from wideangle.topics.found import topics_at

    _require_documents(topics)
    if topics.found is None:
        return topics
    tree = replace(topics.tree, merges=topics.found.merges)
    nodes = topics.found.nodes.tolist()
    return topics_at(_with_tree(topics, tree, None), len(nodes), nodes)


def named_by_classes(topics: "Topics", labels: "NDArray[np.int64]", names: Sequence[str]) -> "Topics":
    """The topics, of which those are called by a class that are mostly of it. Names that a user gave stay.

    `labels` are numbers of classes, below 0 for a document without one; such documents do not count.
    """
    from wideangle.topics.found import topics_at

    _require_documents(topics)
    kept, numbers = dict(topics.kept_names), topics.of_documents
    for topic in topics:
        counts = np.bincount(labels[(numbers == topic.number) & (labels >= 0)], minlength=1)
        if counts.max() > MOSTLY * counts.sum():
            kept[topic.node] = names[int(counts.argmax())]
    return topics_at(replace(topics, kept_names=kept), len(topics), [topic.node for topic in topics])


def _regrouped(topics: "Topics", groups: "NDArray[np.intp]", order: list[int]) -> "Topics":
    """The topics whose leaves have these numbers, in this order. What was found first is remembered."""
    from wideangle.topics.found import topics_at

    _require_documents(topics)
    before = topics.tree
    tree = with_level(before, groups)
    level = tree.cut(len(order))
    nodes = {int(group): int(node) for group, node in zip(groups, level, strict=True)}
    found = topics.found or FoundLevel(before.merges, np.array([topic.node for topic in topics], dtype=np.int32))
    return topics_at(_with_tree(topics, tree, found), len(order), [nodes[number] for number in order])


def _with_tree(topics: "Topics", tree: TopicTree, found: FoundLevel | None) -> "Topics":
    """The topics with another tree of the same leaves. Names go with the leaves."""
    renamed = moved_names(topics.renamed, topics.tree, tree)
    return replace(
        topics, tree=tree, found=found, renamed=renamed, kept_names=moved_names(topics.kept_names, topics.tree, tree)
    )


def _checked(topics: "Topics", number: int) -> int:
    if not 0 <= number < len(topics):
        raise ValueError(f"there are topics 0 to {len(topics) - 1}; got {number}.")
    return int(number)


def _require_documents(topics: "Topics") -> None:
    if topics.described is None:
        raise ValueError(
            "these topics come from a file, without the documents that describe them. Take model.topics() instead."
        )
