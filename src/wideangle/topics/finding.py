"""How topics are found: documents are grouped by a model's representation, and groups are named."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle import _arguments as rules
from wideangle._arguments import checked, optional
from wideangle._arrays import numbers
from wideangle.exceptions import DataError
from wideangle.topics.directions import (
    DocumentDirections,
    directions,
    distances_to_centres,
    nearest_centres,
    written_rows,
)
from wideangle.topics.found import Described, Topics, topics_at
from wideangle.topics.given import checked_documents
from wideangle.topics.number import Pairs, found_number
from wideangle.topics.sureness import learned, resized
from wideangle.topics.telling_words import EXCLUSIVE
from wideangle.topics.tree import TopicTree, grow

__all__ = ["Throws", "directions_of_halves", "find_topics", "group_documents"]

Throws = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
"""for each throw of the coin, the directions of the first halves and of the second halves of the same documents"""


@checked(
    vocabulary=rules.texts,
    n_topics=optional(rules.whole(least=1)),
    n_words=rules.whole(least=1),
    exclusive=rules.share,
    label_names=optional(rules.texts),
    token_pattern=optional(rules.text),
    is_train=optional(numbers(1, kinds="biu")),
    once=optional(numbers(1, kinds="biu")),
    centre=optional(numbers(1)),
    granularity=optional(rules.share),
)
def find_topics(
    vectors: Any,
    present: Any,
    vocabulary: Sequence[str],
    *,
    n_topics: int | None = None,
    n_words: int = 10,
    exclusive: float = EXCLUSIVE,
    labels: Any = None,
    label_names: Sequence[str] | None = None,
    texts: Iterable[str] | None = None,
    token_pattern: str | None = None,
    is_train: Any = None,
    once: Any = None,
    centre: Any = None,
    random_state: int = 0,
    like: Topics | None = None,
    granularity: float | None = None,
    halves: Sequence[tuple[Any, Any]] = (),
    sureness: NDArray[np.float64] | None = None,
) -> Topics:
    """Group documents by a representation, and describe each group by what sets it apart.

    Parameters
    ----------
    vectors : array of shape (n_documents, n_components)
        The representation of each document; zeros for a document without words. It may be in a file, or be anything
        with `shape` that gives rows that are asked for: it is gone through in blocks.
    present : array or sparse matrix of shape (n_documents, n_words)
        Word counts, or whether each document has each word. It may be anything with `shape` that gives sparse rows.
    vocabulary : sequence of str
        The word of each column.
    n_topics : int or None, default=None
        The number of topics. None finds the smallest number that the halves of documents support; without `halves`
        it is √(n/2). Other numbers merge or split the topics of the same tree.
    n_words : int, default=10
    exclusive : float, default=0.65
        From 0, words that most documents of the topic have, to 1, words that only this topic has.
    labels, label_names : array and sequence of str, optional
        The class of each document, and the names of the classes; with names, a class −1 is none.
    texts : iterable of str, optional
        Texts, or how they begin, to find phrases in.
    token_pattern : str, optional
        What a word of a text is.
    is_train : array of bool, optional
        The documents that groups are made of. The others are put into the nearest group.
    once : array of bool, optional
        The documents that repeat no other. Groups are made of them, and words, phrases and examples are theirs; the
        others are put into the nearest group, and its size counts them.
    centre : array of shape (n_components,), optional
        What is subtracted from the vectors before their directions are compared. None: nothing.
    random_state : int, default=0
    like : Topics, optional
        Earlier topics of the same documents. Their tree and the names that a user gave are kept.
    granularity : float, optional
        That of the vectors, so that `assign` can represent further documents in the same way.
    halves : sequence of pairs of arrays, optional
        Representations of the first halves and of the second halves of some documents' words, one pair for each throw
        of the coin; zeros for a half without words. They also teach how sure the topic of a document is.
    sureness : array of shape (n_levels, 3), optional
        How sure topics are, where that is known already; see `wideangle.topics.sureness`. The halves do not teach it
        then. The tree may have another number of leaves.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics import find_topics
    >>> counts = np.array([[2, 1, 0, 0]] * 3 + [[0, 0, 1, 3]] * 2)
    >>> topics = find_topics(np.array([[1.0, 0]] * 3 + [[0, 1.0]] * 2), counts, ["corn", "wheat", "bank", "rate"])
    >>> [(topic.name, topic.size) for topic in topics]
    [('corn, wheat', 3), ('bank, rate', 2)]
    """
    n_columns = _columns(vectors)
    middle = np.zeros(n_columns) if centre is None else np.asarray(centre, dtype=np.float64)
    if len(middle) != n_columns:
        raise DataError(f"centre must be one number per component ({n_columns}); got {len(middle)}.")
    corpus, written = checked_documents(vectors, middle, present, vocabulary, labels, label_names, texts, token_pattern)
    for name, each in (("is_train", is_train), ("once", once)):
        if each is not None and len(each) != len(written):
            raise DataError(f"{name} must be one value per document ({len(written)}); got {len(each)}.")
    corpus = corpus if once is None else replace(corpus, once=np.asarray(once, dtype=bool))
    if not written.any():
        raise DataError("no document has a word that the model knows, so there are no topics. Give other documents.")
    grown = written if is_train is None else written & np.asarray(is_train, dtype=bool)
    grown = grown if corpus.once is None else grown & corpus.once
    most = int(grown.sum() or written.sum())
    if n_topics is not None and not 1 <= n_topics <= most:
        raise DataError(f"there can be 1 to {most:,} topics of so many documents with words; got {n_topics}.")
    if like is not None and (n_topics is None or n_topics <= like.tree.n_leaves):
        tree = like.tree
    else:
        tree = grow(corpus.vectors, n_topics, random_state, np.flatnonzero(grown if grown.any() else written))
    leaves = nearest_centres(corpus.vectors, written, tree.centres.astype(np.float64))
    throws = directions_of_halves(halves, middle)
    if n_topics is None:
        if like is not None:
            n_topics = len(like)
        else:
            n_topics = found_number(tree, _leaves_of(throws, tree), int(grown.sum()), random_state)
    n_topics = min(n_topics, tree.n_leaves)  # Documents that are alike cannot be told apart.
    described = Described(corpus, n_words, exclusive)
    if like is None or tree is not like.tree:
        sureness = learned(tree, throws) if sureness is None else resized(sureness, tree.n_leaves)
        bare = Topics((), tree, leaves, middle, granularity=granularity, sureness=sureness, described=described)
        return topics_at(bare, n_topics)
    sureness = learned(tree, throws) if like.sureness is None else like.sureness
    order = [topic.node for topic in like] if n_topics == len(like) else None
    changed = replace(like, leaves=leaves, granularity=granularity, sureness=sureness, described=described)
    return topics_at(changed, n_topics, order)


def directions_of_halves(halves: Sequence[tuple[Any, Any]], middle: NDArray[np.float64]) -> Throws:
    """The directions of both halves, of documents of which both halves have words in every throw of the coin."""
    both = [(np.asarray(first), np.asarray(second)) for first, second in halves]
    if not both:
        return []
    written = np.logical_and.reduce([half.any(axis=1) for pair in both for half in pair])
    every = np.ones(int(written.sum()), dtype=bool)
    return [
        (directions(first[written], middle, every), directions(second[written], middle, every))
        for first, second in (both if written.any() else [])
    ]


def _leaves_of(throws: Throws, tree: TopicTree) -> Pairs:
    """The leaves of both halves."""
    centres = tree.centres.astype(np.float64)

    def leaves(half: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.asarray(distances_to_centres(half, centres).argmin(axis=1), dtype=np.intp)

    return [(leaves(first), leaves(second)) for first, second in throws]


def _columns(vectors: Any) -> int:
    shape = np.shape(vectors)
    if len(shape) != 2 or 0 in shape:
        raise DataError(f"vectors must be documents × components, with at least one of each; got shape {shape}.")
    return int(shape[1])


@checked(vectors=numbers(2), n_topics=rules.whole(least=1))
def group_documents(vectors: Any, n_topics: int, *, random_state: int = 0) -> NDArray[np.intp]:
    """The group of each document, as `find_topics` groups them, without words; −1 for a row of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics import group_documents
    >>> group_documents(np.array([[1.0, 0], [0.9, 0.1], [0, 1], [0, 0]]), 2).tolist()
    [0, 0, 1, -1]
    """
    vectors = np.asarray(vectors)
    written = written_rows(vectors)
    groups = np.full(len(vectors), -1, dtype=np.intp)
    if not written.any():
        return groups
    rows = DocumentDirections(vectors, np.zeros(vectors.shape[1]), written)
    tree = grow(rows, n_topics, random_state, np.flatnonzero(written))
    leaves = nearest_centres(rows, written, tree.centres.astype(np.float64))
    nodes = tree.cut(min(n_topics, tree.n_leaves))[leaves[written]]
    _, first, groups[written] = np.unique(nodes, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # Groups are numbered as they occur.
    groups[written] = order[groups[written]]
    return groups
