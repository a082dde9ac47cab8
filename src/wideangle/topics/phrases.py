"""Pairs of neighbouring words that set a topic apart."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle.topics.tree import TopicTree
from wideangle.topics.words import first_words

LEAST = 3  # A phrase must be in so many documents.
MOST = 20_000  # Of more pairs, the most frequent are looked at.


def phrases_of(
    tree: TopicTree,
    leaves: NDArray[np.int32],
    texts: Iterable[str],
    vocabulary: Sequence[str],
    token_pattern: str,
    count: int,
) -> list[list[str]]:
    """For each node the pairs of words, both of the vocabulary, that stand side by side in its documents.

    They are ranked as words are. Of a document only what is given is read, which may be its beginning.
    """
    pairs, rows = _pairs_of(texts, set(vocabulary), token_pattern)
    if not pairs:
        return [[] for _ in range(tree.n_nodes)]
    documents, columns = np.array(rows).T
    kept = leaves[documents] >= 0
    ones = np.ones(int(kept.sum()))
    having = sp.csr_array((ones, (leaves[documents][kept], columns[kept])), shape=(tree.n_leaves, len(pairs))).toarray()
    per_leaf = np.bincount(leaves[leaves >= 0], minlength=tree.n_leaves)
    chosen = first_words(tree.sums(having), tree.sums(per_leaf), having.sum(axis=0), int(per_leaf.sum()), count)
    return [[pairs[column] for column in best] for best in chosen]


def _pairs_of(texts: Iterable[str], known: set[str], token_pattern: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The pairs that enough documents have, and which document has which."""
    pattern = re.compile(token_pattern)
    numbers: dict[tuple[str, str], int] = {}
    found: list[tuple[int, int]] = []
    for document, text in enumerate(texts):
        tokens = pattern.findall(text.lower())
        beside = {
            (first, second)
            for first, second in pairwise(tokens)
            if first in known and second in known and first != second
        }
        found += [(document, numbers.setdefault(pair, len(numbers))) for pair in sorted(beside)]
    if not found:
        return [], []
    having = np.bincount([column for _, column in found])
    frequent = np.argsort(-having, kind="stable")[:MOST]
    frequent = frequent[having[frequent] >= LEAST]
    place = dict(zip(frequent.tolist(), range(len(frequent)), strict=True))
    names = [" ".join(pair) for pair in numbers]
    return [names[column] for column in frequent], [
        (document, place[column]) for document, column in found if column in place
    ]
