"""How many topics there are, where nobody says it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation import document_npmi, topic_diversity
from wideangle.topics.tree import TopicTree, usual_number
from wideangle.topics.words import first_words

ENOUGH = 100  # Of fewer documents the number cannot be found out.
TRIED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
OF_BEST = 0.75
WORDS = 10


def found_number(tree: TopicTree, leaves: NDArray[np.int32], present: Any, random_state: int) -> int:
    """The largest number of topics whose words are still as readable as three quarters of the best.

    Readable: the words of each topic are chosen on one half of the documents; their coherence (document NPMI) on the
    other half, times the share of distinct words (Dieng, Ruiz and Blei, Topic Modeling in Embedding Spaces, 2020).
    Few topics read best, but rare subjects need more of them.
    """
    placed = np.flatnonzero(leaves >= 0)
    if len(placed) < ENOUGH:
        return min(tree.n_leaves, usual_number(len(placed)))
    order = np.random.default_rng(random_state).permutation(placed)
    here, there = order[: len(order) // 2], order[len(order) // 2 :]
    tried = [number for number in TRIED if 2 <= number <= tree.n_leaves]
    worth = [_readable(tree.cut(number), leaves, present, here, there) for number in tried]
    good = [number for number, each in zip(tried, worth, strict=True) if each >= OF_BEST * max(worth) > 0]
    return max(good, default=1)


def _readable(nodes: Any, leaves: Any, present: Any, here: Any, there: Any) -> float:
    topics = np.unique(nodes[leaves[here]], return_inverse=True)[1]
    having, sizes = by_group(topics, present[here])
    words = [
        columns
        for columns in first_words(having, sizes, np.asarray(present[here].sum(axis=0)).ravel(), len(here), WORDS)
        if len(columns) > 1
    ]
    if not words:
        return 0.0
    coherent = np.concatenate([document_npmi(words, present[there]), np.zeros(len(sizes) - len(words))])
    return float(coherent.mean()) * topic_diversity(words)


def by_group(groups: NDArray[Any], present: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """How many documents of each group have each word, and how many documents it has."""
    import scipy.sparse as sp

    n = len(groups)
    sizes = np.bincount(groups)
    members = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(len(sizes), n))
    return (members @ present).toarray(), sizes
