"""Topics that go on when documents join: the same topics with the same names and numbers, and those that are new."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.exceptions import DataError
from wideangle.topics.directions import blocks_of, nearest_centres
from wideangle.topics.found import Described, Topics, topics_at
from wideangle.topics.levels import FoundLevel, moved_names, pruned, with_level
from wideangle.topics.matching import match_topics
from wideangle.topics.sureness import resized
from wideangle.topics.tree import FEWEST, LEAVES, TopicTree, merge_costs, rows_to_cluster

__all__ = ["Continued", "carry_over", "continue_topics"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Continued:
    """Topics after documents joined, and the new number of each old topic that is still there."""

    topics: Topics
    same: dict[int, int]


def continue_topics(
    before: Topics,
    described: Described,
    rows_before: NDArray[np.intp],
    *,
    written: NDArray[np.bool_],
    shaping: NDArray[np.bool_],
    has_moved: bool,
    centre: Floats,
    granularity: float | None = None,
    random_state: int = 0,
) -> Continued:
    """The topics of documents of which some were there before.

    The smallest groups, the leaves of the tree, stay: a document that was there is put into the nearest of them, and so
    is a new one. If the model has moved on, the centre of a leaf is that of its documents as they are represented now.
    New documents that are farther from all topics than the two nearest topics are from each other become new topics.

    Parameters
    ----------
    before : Topics
    described : Described
        All documents as they are now.
    rows_before : array of int
        The row that each document had before; −1 for a new one.
    written, shaping : arrays of bool
        The documents that have words, and those of them that topics are made of; the others only join topics.
    has_moved : bool
        Whether documents that were there have other vectors now.
    centre : array
        What was subtracted from the vectors.
    """
    rows = described.corpus.vectors
    if not written.any():
        raise DataError("no document has a word that the model knows, so there are no topics. Give other documents.")
    there = written & (rows_before >= 0) & (before.leaves[rows_before] >= 0)
    old_leaves = np.where(there, before.leaves[rows_before], -1)
    group_of_leaf = before.topic_of_leaf
    # Topics that were split by hand say nothing about how far topics are from each other.
    found_groups = group_of_leaf if before.found is None else before.found.topic_of_leaf(before.tree)
    centres = _moved_centres(rows, old_leaves, before.tree) if has_moved else before.tree.centres.astype(np.float64)
    new = np.flatnonzero(shaping & (rows_before < 0))
    new_centres, new_groups = _new_leaves(rows, new, centres, old_leaves[shaping & there], found_groups, random_state)
    all_centres = np.concatenate([centres, new_centres])
    known = np.flatnonzero(~np.isnan(all_centres).any(axis=1))  # A leaf that has no document left has no centre.
    nearest = np.append(known, -1)[nearest_centres(rows, written, all_centres[known])]
    kept = np.bincount(nearest[written], minlength=len(all_centres)) > 0
    place = np.append(np.cumsum(kept) - 1, -1)
    leaves = place[nearest].astype(np.int32)
    sizes = np.bincount(leaves[shaping], minlength=int(kept.sum()))
    documents = np.bincount(leaves[written], minlength=int(kept.sum()))

    def grown(merges: NDArray[np.int32], old_groups: NDArray[np.intp]) -> tuple[TopicTree, dict[int, int]]:
        """The tree with new leaves and without empty ones, and the nodes of the topics by their former numbers."""
        n_old = int(old_groups.max()) + 1
        groups = np.concatenate([old_groups, n_old + new_groups])[kept]
        whole = _with_more(replace(before.tree, merges=merges), all_centres)
        tree = with_level(replace(pruned(whole, kept), sizes=sizes), groups)
        order = _order(groups, documents, n_old)
        node_of = dict(zip(groups.tolist(), tree.cut(len(order)).tolist(), strict=True))
        return tree, {number: node_of[number] for number in order}

    tree, node_of = grown(before.tree.merges, group_of_leaf)
    found = None
    if before.found is not None:
        first, first_nodes = grown(before.found.merges, found_groups)
        found = FoundLevel(first.merges, np.array(list(first_nodes.values()), dtype=np.int32))
    own = np.where(np.arange(len(kept)) < before.tree.n_leaves, np.arange(len(kept)), -1)[kept]
    renamed = moved_names(before.renamed, before.tree, tree, own)
    kept_names = moved_names(before.kept_names, before.tree, tree, own)
    for topic in before:
        if topic.number in node_of:
            kept_names[node_of[topic.number]] = topic.name
    topics = Topics(
        (),
        tree,
        leaves,
        centre,
        renamed,
        granularity,
        None if before.sureness is None else resized(before.sureness, tree.n_leaves),
        kept_names,
        found,
        described,
    )
    same = {number: place for place, number in enumerate(node_of) if number < len(before)}
    return Continued(topics_at(topics, len(node_of), list(node_of.values())), same)


def carry_over(before: Topics, found: Topics, rows_before: NDArray[np.intp]) -> Continued:
    """Topics that were found anew, with the names and numbers of those that are the same by their documents.

    `rows_before` has the row that each document had before; −1 for a new one.
    """
    there = rows_before >= 0
    pairs = match_topics(before.of_documents[rows_before[there]], found.of_documents[there])
    new = [topic.number for topic in found if topic.number not in pairs.values()]
    order = [*(pairs[number] for number in sorted(pairs)), *new]
    nodes = [found[number].node for number in order]
    names = {nodes[place]: before[number] for place, number in enumerate(sorted(pairs))}
    given = {node: topic.name for node, topic in names.items() if topic.node in before.renamed}
    named = replace(found, renamed=given, kept_names={node: topic.name for node, topic in names.items()})
    return Continued(topics_at(named, len(nodes), nodes), {number: place for place, number in enumerate(sorted(pairs))})


def _moved_centres(rows: Any, leaves: NDArray[np.intp], tree: TopicTree) -> Floats:
    """The mean of each leaf's documents; NaN for a leaf that has none left."""
    sums, counts = np.zeros((tree.n_leaves, rows.shape[1])), np.bincount(leaves[leaves >= 0], minlength=tree.n_leaves)
    for block in blocks_of(len(leaves), rows.shape[1]):
        there = block.start + np.flatnonzero(leaves[block] >= 0)
        np.add.at(sums, leaves[there], rows[there])
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / counts[:, None])


def _new_leaves(
    rows: Any,
    new: NDArray[np.intp],
    centres: Floats,
    old_leaves: NDArray[np.intp],
    group_of_leaf: NDArray[np.intp],
    random_state: int,
) -> tuple[Floats, NDArray[np.intp]]:
    """Leaves of new documents that belong to no topic, and their groups, which count from 0.

    `new` are the rows of new documents. They are grouped, and their groups are merged with topics and with each other
    as in a tree, but no topic with another. A merge must not cost more than to merge the two topics that are nearest to
    each other: at this level of the tree they were left apart.
    """
    from sklearn.cluster import KMeans

    none = np.zeros((0, centres.shape[1])), np.zeros(0, dtype=np.intp)
    documents = np.bincount(old_leaves, minlength=len(centres)).astype(np.float64)
    alive = documents > 0
    n_groups = min(LEAVES, len(new) // FEWEST, max(1, round(len(centres) * len(new) / max(documents.sum(), 1))))
    if not n_groups or not alive.any():
        return none
    seen = rows_to_cluster(new, random_state)
    found = KMeans(n_groups, n_init=1, random_state=random_state).fit(rows[seen])
    numbers = np.unique(group_of_leaf[alive])
    held = [alive & (group_of_leaf == number) for number in numbers]
    topics = np.array([np.average(centres[leaves], axis=0, weights=documents[leaves]) for leaves in held])
    n = len(topics)
    middles = np.concatenate([topics, found.cluster_centers_])
    weights = np.concatenate(
        [
            [documents[leaves].sum() for leaves in held],
            np.bincount(found.labels_, minlength=n_groups) * (len(new) / len(seen)),
        ]
    )
    cost = np.array([merge_costs(middles, weights, i) for i in range(len(middles))])
    np.fill_diagonal(cost, np.inf)
    most = float(cost[:n, :n].min()) if n > 1 else _inner_cost(centres[held[0]], documents[held[0]])
    cost[:n, :n] = np.inf
    member = np.arange(len(middles))
    while cost.min() <= most:
        i, j = sorted(divmod(int(cost.argmin()), len(cost)))
        middles[i] = (weights[i] * middles[i] + weights[j] * middles[j]) / (weights[i] + weights[j])
        weights[i] += weights[j]
        gone = np.isinf(cost).all(axis=1) & (np.arange(len(cost)) >= n)
        member[member == j] = i
        cost[j] = cost[:, j] = np.inf
        costs = merge_costs(middles, weights, i)
        costs[gone] = costs[i] = costs[j] = np.inf
        if i < n:
            costs[:n] = np.inf
        cost[i] = cost[:, i] = costs
    apart = member[n:] >= n
    return found.cluster_centers_[apart], np.unique(member[n:][apart], return_inverse=True)[1]


def _inner_cost(centres: Floats, weights: Floats) -> float:
    """What the dearest merge within one topic costs, where there is no other topic to compare with."""
    pairs = [merge_costs(centres, weights, i) for i in range(len(centres))]
    return float(np.max(pairs)) if len(centres) > 1 else np.inf


def _with_more(tree: TopicTree, centres: Floats) -> TopicTree:
    """The tree with more leaves behind its own, which are joined at the top one after the other."""
    more = len(centres) - tree.n_leaves
    merges = np.where(tree.merges >= tree.n_leaves, tree.merges + more, tree.merges).tolist()
    for leaf in range(tree.n_leaves, len(centres)):
        merges.append((len(centres) + len(merges) - 1 if merges else 0, leaf))
    sizes = np.concatenate([tree.sizes, np.zeros(more, dtype=np.int64)])
    return TopicTree(centres.astype(np.float32), sizes, np.array(merges, dtype=np.int32).reshape(-1, 2))


def _order(groups: NDArray[Any], documents: NDArray[np.intp], n_before: int) -> list[int]:
    """The groups by their new numbers: old topics as they were, then new ones, the largest first."""
    sizes = {group: int(documents[groups == group].sum()) for group in np.unique(groups).tolist()}
    return sorted(sizes, key=lambda group: (group, 0) if group < n_before else (n_before, -sizes[group]))
