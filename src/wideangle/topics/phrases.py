"""Pairs of neighbouring words that set a topic apart; in scripts without spaces, words of three characters or more."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._alphabets import find_words, folded, is_pair
from wideangle.topics.joining import LongerWords
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
    longer: LongerWords | None = None,
) -> list[list[str]]:
    """For each node the pairs of words, both of the vocabulary, that stand side by side in its documents.

    They are ranked as words are. Of a document only what is given is read, which may be its beginning. Where words are
    pairs of characters, `longer` knows the longer words that they belong to, which are the phrases.
    """
    pairs, rows = _pairs_of(texts, set(vocabulary), token_pattern, longer)
    if not pairs:
        return [[] for _ in range(tree.n_nodes)]
    documents, columns = np.array(rows).T
    kept = leaves[documents] >= 0
    ones = np.ones(int(kept.sum()))
    having = sp.csr_array((ones, (leaves[documents][kept], columns[kept])), shape=(tree.n_leaves, len(pairs))).toarray()
    per_leaf = np.bincount(leaves[leaves >= 0], minlength=tree.n_leaves)
    chosen = first_words(tree.sums(having), tree.sums(per_leaf), having.sum(axis=0), int(per_leaf.sum()), count)
    return [[pairs[column] for column in best] for best in chosen]


def _pairs_of(
    texts: Iterable[str], known: set[str], token_pattern: str, longer: LongerWords | None
) -> tuple[list[str], list[tuple[int, int]]]:
    """The pairs that enough documents have, and which document has which."""
    find = find_words(token_pattern)
    numbers: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for document, text in enumerate(texts):
        tokens = find(folded(text))
        beside = {
            " ".join((first, second))
            for first, second in pairwise(tokens)
            if first in known and second in known and first != second and not is_pair(first) and not is_pair(second)
        }
        if longer is not None:
            wholes = {longer.whole(token) for token in tokens if token in known and is_pair(token)}
            beside |= {whole for whole in wholes if whole is not None and not is_pair(whole)}
        found += [(document, numbers.setdefault(phrase, len(numbers))) for phrase in sorted(beside)]
    if not found:
        return [], []
    having = np.bincount([column for _, column in found])
    frequent = np.argsort(-having, kind="stable")[:MOST]
    frequent = frequent[having[frequent] >= LEAST]
    place = dict(zip(frequent.tolist(), range(len(frequent)), strict=True))
    names = list(numbers)
    return [names[column] for column in frequent], [
        (document, place[column]) for document, column in found if column in place
    ]
