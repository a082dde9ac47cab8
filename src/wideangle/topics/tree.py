"""A tree of groups of documents: many small groups, merged step by step until one is left."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._quiet import silenced

LEAVES = 100  # So many small groups there are by default, at least twice as many as topics,
FEWEST = 10  # but on average not fewer documents than this in each.
MOST_ROWS = 200_000  # k-means sees at most so many documents.
WARD_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class TopicTree:
    """Leaves 0 … L−1 and the merges that join them; merge m makes node L + m of two earlier nodes."""

    centres: NDArray[np.float32]
    """of each leaf, the mean of its documents' unit-length vectors; L × K"""
    sizes: NDArray[np.int64]
    """the documents of each leaf when the tree was grown"""
    merges: NDArray[np.int32]
    """the two nodes of each merge, the cheapest first; (L − 1) × 2"""

    @property
    def n_leaves(self) -> int:
        """The largest number of topics."""
        return len(self.centres)

    @property
    def n_nodes(self) -> int:
        """Leaves and merges."""
        return 2 * self.n_leaves - 1

    def cut(self, n_topics: int) -> NDArray[np.intp]:
        """The node in which each leaf is after all but the last `n_topics` − 1 merges.

        Examples
        --------
        >>> import numpy as np
        >>> from wideangle.topics.tree import TopicTree
        >>> tree = TopicTree(np.eye(3, dtype=np.float32), np.ones(3, int), np.array([[0, 2], [1, 3]], np.int32))
        >>> tree.cut(2).tolist(), tree.cut(1).tolist()
        ([3, 1, 3], [4, 4, 4])
        """
        if not 1 <= n_topics <= self.n_leaves:
            raise ValueError(f"there can be 1 to {self.n_leaves} topics of these documents; got {n_topics}.")
        node = np.arange(self.n_nodes)
        for merge in range(self.n_leaves - n_topics - 1, -1, -1):  # from the last merge down, so one pass is enough
            node[self.merges[merge]] = node[self.n_leaves + merge]
        return node[: self.n_leaves]

    @cached_property
    def membership(self) -> NDArray[np.bool_]:
        """Which leaves each node holds; nodes × leaves."""
        held = np.zeros((self.n_nodes, self.n_leaves), dtype=bool)
        held[: self.n_leaves] = np.eye(self.n_leaves, dtype=bool)
        for merge, (first, second) in enumerate(self.merges):
            held[self.n_leaves + merge] = held[first] | held[second]
        return held

    def sums(self, per_leaf: NDArray[Any]) -> NDArray[Any]:
        """What leaves have, added up for each node."""
        return self.membership.astype(per_leaf.dtype) @ per_leaf

    def node_centres(self) -> NDArray[np.float64]:
        """The mean of the documents' vectors in each node."""
        weights = np.maximum(self.sizes, 1).astype(np.float64)
        return self.sums(self.centres * weights[:, None]) / self.sums(weights)[:, None]


def grow(vectors: Any, n_topics: int | None, random_state: int, among: NDArray[np.intp] | None = None) -> TopicTree:
    """The tree of documents whose vectors have unit length: k-means makes its leaves, and nearby nodes are merged.

    The cost of a merge is d² (s t / (s + t))^½ for nodes of s and t documents whose centres have distance d. Ward's
    method has no root there: it joins small groups with whatever is near, because they are small. Without the sizes
    small groups last, but one group swallows most documents. The root is between them: rare subjects keep a topic of
    their own, and large ones are still split (benchmarks/topic_words.py).

    `among` are the rows of the documents that the tree is made of; None: all. Of vectors that are in a file, or
    that are made when they are asked for, only those that k-means sees are read.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    wanted = 1 if n_topics is None else n_topics
    among = np.arange(len(vectors)) if among is None else among
    leaves = min(max(LEAVES, 2 * wanted), max(wanted, len(among) // FEWEST, _small(len(among))))
    rows = np.asarray(vectors[rows_to_cluster(among, random_state)], dtype=np.float64)
    with silenced(ConvergenceWarning):  # Documents that are alike give fewer leaves.
        found = KMeans(leaves, n_init=1, random_state=random_state).fit(rows)
    sizes = np.bincount(found.labels_, minlength=leaves)
    kept = sizes > 0
    centres, sizes = found.cluster_centers_[kept], sizes[kept].astype(np.int64)
    return TopicTree(centres.astype(np.float32), sizes, merged(centres, sizes))


def rows_to_cluster(rows: NDArray[np.intp], random_state: int) -> NDArray[np.intp]:
    """As many of the rows as k-means sees: all of them, or a random part."""
    if len(rows) <= MOST_ROWS:
        return rows
    return np.asarray(rows[np.random.default_rng(random_state).choice(len(rows), MOST_ROWS, replace=False)])


def _small(n: int) -> int:
    """Enough leaves for the number of topics that a small corpus is given."""
    return max(1, min(n, 2 * usual_number(n)))


def usual_number(n: int) -> int:
    """How many topics a corpus has that is too small to find it out: √(n/2)."""
    return max(1, round((n / 2) ** 0.5))


def merged(centres: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """The merges, the cheapest pair at each step."""
    L = len(centres)
    middles, weights, node = centres.copy(), sizes.astype(np.float64), np.arange(L)
    cost = np.array([merge_costs(middles, weights, i) for i in range(L)])
    np.fill_diagonal(cost, np.inf)
    merges = np.empty((max(L - 1, 0), 2), dtype=np.int32)
    for step in range(L - 1):
        i, j = sorted(divmod(int(cost.argmin()), L))
        merges[step] = node[i], node[j]
        total = weights[i] + weights[j]
        middles[i] = (weights[i] * middles[i] + weights[j] * middles[j]) / total
        weights[i], node[i] = total, L + step
        gone = np.isinf(cost[i]) & np.isinf(cost[:, i])
        gone[[i, j]] = True
        cost[j] = cost[:, j] = np.inf
        cost[i] = cost[:, i] = np.where(gone, np.inf, merge_costs(middles, weights, i))
    return merges


def merge_costs(middles: NDArray[np.float64], weights: NDArray[np.float64], i: int) -> NDArray[np.float64]:
    squared = ((middles - middles[i]) ** 2).sum(axis=1)
    return np.asarray(squared * (weights * weights[i] / (weights + weights[i])) ** WARD_SHARE)
