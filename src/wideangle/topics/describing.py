"""What people are told about each node of a tree of topics: words, phrases, classes, central documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wideangle._alphabets import is_pair
from wideangle.documents import NO_LABEL
from wideangle.topics.directions import blocks_of
from wideangle.topics.longer_words import LongerWords, readable
from wideangle.topics.phrases import phrases_of, sample_of_texts
from wideangle.topics.telling_words import EXCLUSIVE, first_words, name_from_words
from wideangle.topics.tree import TopicTree

CENTRAL, PHRASES, CLASSES = 5, 5, 6
LOOKED_AT = 4  # Central documents are chosen among so many times their number, because some are alike.
ALIKE = 0.9999  # the cosine from which two documents are the same to readers
WORDS_OF_A_DOCUMENT = 100  # so many different words it has, more or less, which says how many are counted at a time
IN_NAME_AT_LEAST = 6  # So many words are looked at for a name of three, because some only vary others.
PAIRS_PER_WORD = 4  # So many times as many are looked at where words are pairs of characters, of which some make one.
ANY_WORD = r"\w+"


class Texts(Protocol):
    """Texts by their numbers: a list, or what reads them from a file."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> str: ...


@dataclass(frozen=True, eq=False)
class GroupedDocuments:
    """The documents that topics are found in, as the topics need them."""

    vectors: Any
    """documents × components, each of unit length; zeros for a document without words. See `DocumentDirections`"""
    present: Any
    """documents × words; the rows that are asked for are CSR, 1 where a document has the word"""
    vocabulary: Sequence[str]
    labels: NDArray[np.intp] | None = None
    label_names: Sequence[str] | None = None
    texts: Texts | None = None
    token_pattern: str = ANY_WORD
    once: NDArray[np.bool_] | None = None
    """which documents repeat no other: they alone give a topic its words, phrases and examples; None: all"""

    def without_repeats(self, leaves: NDArray[np.int32]) -> NDArray[np.int32]:
        """The leaf of each document, −1 for one that repeats another."""
        return leaves if self.once is None else np.where(self.once, leaves, -1).astype(leaves.dtype)


@dataclass(frozen=True, eq=False)
class Node:
    """A topic at some level of the tree."""

    number: int
    name: str
    size: int
    words: tuple[str, ...]
    """for people, the best first: pairs of characters are joined to longer words"""
    columns: NDArray[np.intp]
    """of its words, the best first"""
    having: NDArray[np.intp]
    """how many of its documents have each of these words, without those that repeat another"""
    phrases: tuple[str, ...]
    classes: tuple[tuple[int, int], ...]
    """classes and how many of its documents they have, the most first"""
    central: tuple[int, ...]
    """the documents that are closest to its centre"""


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How many documents of each node have each word."""

    having: NDArray[np.float64]
    """nodes × words"""
    sizes: NDArray[np.intp]
    """the documents of each node"""
    corpus: NDArray[np.float64]
    """how many of all documents have each word"""
    n_documents: int

    def first(self, count: int, exclusive: float = EXCLUSIVE) -> list[NDArray[np.intp]]:
        """The columns of the best words of each node."""
        return first_words(self.having, self.sizes, self.corpus, self.n_documents, count, exclusive)


def count_words_of_topics(tree: TopicTree, leaves: NDArray[np.int32], present: Any) -> WordCounts:
    """Count, in each node, the documents that have each word. Documents whose leaf is −1 belong to none."""
    per_leaf = np.zeros((tree.n_leaves, present.shape[1]))
    sizes = np.zeros(tree.n_leaves, dtype=np.intp)
    for block in blocks_of(len(leaves), WORDS_OF_A_DOCUMENT):
        placed = leaves[block] >= 0
        if placed.any():
            found, counted = by_group(leaves[block][placed], present[block][placed])
            per_leaf[: len(found)] += found
            sizes[: len(counted)] += counted
    return WordCounts(tree.sums(per_leaf), tree.sums(sizes), per_leaf.sum(axis=0), int(sizes.sum()))


def by_group(groups: NDArray[Any], present: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """How many documents of each group have each word, and how many documents it has."""
    import scipy.sparse as sp

    n = len(groups)
    sizes = np.bincount(groups)
    members = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(len(sizes), n))
    return (members @ present).toarray(), sizes


def describe(
    tree: TopicTree,
    leaves: NDArray[np.int32],
    corpus: GroupedDocuments,
    *,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    renamed: Mapping[int, str] | None = None,
) -> list[Node]:
    """All nodes of the tree. Documents whose leaf is −1 belong to none."""
    renamed = renamed or {}
    once = corpus.without_repeats(leaves)
    counted = count_words_of_topics(tree, once, corpus.present)
    sizes = tree.sums(np.bincount(leaves[leaves >= 0], minlength=tree.n_leaves))
    longer = None
    texts = None if corpus.texts is None else sample_of_texts(corpus.texts, once)
    if texts is not None and any(map(is_pair, corpus.vocabulary)):
        longer = LongerWords(texts)
    looked_at = max(n_words, IN_NAME_AT_LEAST) * (1 if longer is None else PAIRS_PER_WORD)
    first = counted.first(looked_at, exclusive)
    words = [readable([str(corpus.vocabulary[column]) for column in columns], longer) for columns in first]
    phrases: list[list[str]] = [[] for _ in range(tree.n_nodes)]
    if texts is not None:
        phrases = phrases_of(tree, once, texts, corpus.vocabulary, corpus.token_pattern, PHRASES, longer)
    classes = _classes(tree, leaves, corpus)
    central = _central(tree, once, corpus.vectors)
    return [
        Node(
            number,
            renamed.get(number) or name_from_words(words[number][: max(n_words, IN_NAME_AT_LEAST)]),
            int(sizes[number]),
            tuple(words[number][:n_words]),
            columns[:n_words],
            counted.having[number, columns[:n_words]].astype(np.intp),
            tuple(phrases[number]),
            classes[number],
            central[number],
        )
        for number, columns in enumerate(first)
    ]


def _classes(tree: TopicTree, leaves: NDArray[np.int32], corpus: GroupedDocuments) -> list[tuple[tuple[int, int], ...]]:
    if corpus.labels is None:
        return [() for _ in range(tree.n_nodes)]
    n_classes = int(corpus.labels.max(initial=0)) + 1
    per_leaf = np.zeros((tree.n_leaves, n_classes), dtype=np.intp)
    for block in blocks_of(len(leaves), 1):
        here, labels = leaves[block], corpus.labels[block]
        placed = (here >= 0) & (labels != NO_LABEL)
        cells = here[placed].astype(np.intp) * n_classes + labels[placed]
        per_leaf += np.bincount(cells, minlength=per_leaf.size).reshape(per_leaf.shape)
    table = tree.sums(per_leaf)
    order = np.argsort(-table, axis=1, kind="stable")[:, :CLASSES]
    return [
        tuple((int(label), int(row[label])) for label in best if row[label])
        for row, best in zip(table, order, strict=True)
    ]


def _central(tree: TopicTree, leaves: NDArray[np.int32], vectors: Any) -> list[tuple[int, ...]]:
    """For each node the documents of the largest cosine with its centre. Of documents that are alike one is taken."""
    chosen: list[tuple[int, ...]] = []
    for near in _closest(tree, leaves, vectors):
        rows = vectors[near]
        kept: list[int] = []
        for place in range(len(near)):
            if len(kept) < CENTRAL and not (rows[kept] @ rows[place] > ALIKE).any():
                kept.append(place)
        chosen.append(tuple(near[kept].tolist()))
    return chosen


def _closest(tree: TopicTree, leaves: NDArray[np.int32], vectors: Any) -> list[NDArray[np.intp]]:
    """For each node some documents, those of the largest cosine with its centre first.

    The best of the documents seen so far are kept. Of equal ones the first is taken; what only rounding tells apart is
    equal, because a sum is rounded otherwise in another block.
    """
    centres, membership = tree.node_centres(), tree.membership
    best = [np.zeros(0, dtype=np.intp) for _ in centres]
    closeness = [np.zeros(0) for _ in centres]
    for block in blocks_of(len(leaves), vectors.shape[1]):
        placed = block.start + np.flatnonzero(leaves[block] >= 0)
        if not len(placed):
            continue
        rows, here = vectors[placed], leaves[placed]
        for node, (centre, held) in enumerate(zip(centres, membership, strict=True)):
            inside = np.flatnonzero(held[here])
            numbers = np.concatenate([best[node], placed[inside]])
            values = np.concatenate([closeness[node], np.round(rows[inside] @ centre, 12)])
            first = np.argsort(-values, kind="stable")[: LOOKED_AT * CENTRAL]
            best[node], closeness[node] = numbers[first], values[first]
    return best
