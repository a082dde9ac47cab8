"""Topics for people: groups of documents in a model's representation, named by what sets them apart."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.documents import NO_LABEL
from wideangle.exceptions import DataError
from wideangle.topics.describing import ANY_WORD, GroupedDocuments, Node, describe
from wideangle.topics.levels import FoundLevel
from wideangle.topics.number import Pairs, found_number
from wideangle.topics.sureness import learned, probability, resized, two_nearest
from wideangle.topics.tree import TopicTree, grow
from wideangle.topics.words import EXCLUSIVE

LONGEST_NAME = 200

Throws = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
"""for each throw of the coin, the directions of the first halves and of the second halves of the same documents"""


@dataclass(frozen=True)
class Topic:
    """A group of documents. Topics count from 0, the largest first; later changes leave their numbers."""

    number: int
    node: int
    """its place in the tree, which stays the same whatever the number of topics is"""
    name: str
    """its first words, or what the user called it"""
    size: int
    """its documents"""
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    """words that stand side by side; empty where the texts are not known"""
    classes: tuple[tuple[str, int], ...]
    """the classes of its documents and how many they have, the most first; empty without labels"""
    central: tuple[int, ...]
    """the rows of the documents that are closest to its centre"""
    nearest: int | None
    """the number of the topic at the smallest angle; None where there is no other"""
    angle: float | None
    """the angle to that topic, in degrees"""


@dataclass(frozen=True, eq=False)
class Assignment:
    """To which topic each document belongs, and how sure that is."""

    topics: NDArray[np.intp]
    """the number of the topic; −1 for a document without words that the model knows"""
    sure: NDArray[np.float64]
    """the probability that this topic is right; 0 without a topic. See `calibrated`"""
    second: NDArray[np.intp]
    """the number of the next topic; −1 where there is none"""
    second_share: NDArray[np.float64]
    """the probability that the next topic is the right one"""
    calibrated: bool
    """False where no halves of documents taught the probabilities. Then `sure` is the margin, 1 − (distance to this
    topic) / (distance to the next one), from 0 on the border to 1, and the share of the second topic is not known (NaN)
    """


@dataclass(frozen=True, eq=False)
class Described:
    """What topics are described by: their documents, how many words, and how exclusive these are."""

    corpus: GroupedDocuments
    n_words: int
    exclusive: float


@dataclass(frozen=True, eq=False)
class Topics(Sequence[Topic]):
    """The topics of some documents at one level of their tree."""

    items: tuple[Topic, ...]
    tree: TopicTree
    leaves: NDArray[np.int32]
    """the leaf of each document; −1 for a document without words"""
    centre: NDArray[np.float64]
    """what is subtracted from a document's vector before its direction is compared"""
    renamed: dict[int, str] = field(default_factory=dict)
    """names that a user gave, by node"""
    granularity: float | None = None
    """the granularity of the vectors that were grouped; None where the model has none"""
    sureness: NDArray[np.float64] | None = None
    """three constants for each number of topics, by which margins become probabilities; None where nothing taught them
    """
    kept_names: dict[int, str] = field(default_factory=dict)
    """names by node that stay although nobody gave them: those from before an update, or of classes"""
    found: FoundLevel | None = None
    """what was found before topics were merged or split by hand; None where they were not"""
    described: Described | None = field(default=None, repr=False, metadata={"saved": False})
    """what topics that are merged or split are described by; None where they come from a file"""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, number: int) -> Topic: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Topic, ...]: ...
    def __getitem__(self, number: int | slice) -> Topic | tuple[Topic, ...]:
        return self.items[number]

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.items)

    @property
    def of_documents(self) -> NDArray[np.intp]:
        """The number of each document's topic; −1 for a document without words."""
        return np.append(self.topic_of_leaf, -1)[self.leaves]

    def rename(self, number: int, name: str) -> "Topics":
        """The same topics, one of which has another name. The name stays with the tree's node at every level."""
        topic = self.items[range(len(self))[number]]
        clean = " ".join(str(name).split())
        if not clean or len(clean) > LONGEST_NAME:
            raise ValueError(f"a name must have 1 to {LONGEST_NAME} letters; got {len(clean)}.")
        items = tuple(replace(each, name=clean) if each is topic else each for each in self.items)
        return replace(self, items=items, renamed={**self.renamed, topic.node: clean})

    @property
    def names(self) -> dict[int, str]:
        """Names by node that are not made of words: those that a user gave, and those that were kept."""
        return {**self.kept_names, **self.renamed}

    def merge(self, numbers: Iterable[int]) -> "Topics":
        """Topics of which these are one; it has the smallest of their numbers, and later ones move up."""
        from wideangle.topics.by_hand import merge

        return merge(self, numbers)

    def split(self, number: int) -> "Topics":
        """Topics of which one is two: the larger part has its number, and the other is the last topic."""
        from wideangle.topics.by_hand import split

        return split(self, number)

    def reset(self) -> "Topics":
        """The topics as they were found, before any were merged or split by hand. Names that were given stay."""
        from wideangle.topics.by_hand import reset

        return reset(self)

    def assign(self, vectors: Any, written: Any = None) -> Assignment:
        """The topic of each document, given its representation by the same model: that of the nearest leaf.

        How sure it is depends on how much further away the nearest leaf of another topic is; see
        `wideangle.topics.sureness`. `written` says which documents have words; None: those whose vector is not 0.
        """
        width = self.tree.centres.shape[1]
        if np.ndim(vectors) != 2 or np.shape(vectors)[1] != width:
            raise DataError(f"the topics were found in {width} components; got vectors of shape {np.shape(vectors)}.")
        written = np.any(vectors, axis=1) if written is None else np.asarray(written, dtype=bool)
        rows = directions(vectors, self.centre, written)
        of_leaves = distances_to(rows[written], self.tree.centres.astype(np.float64))
        topic_of_leaf = self.topic_of_leaf
        distances = np.full((len(of_leaves), len(self)), np.inf)
        for number in range(len(self)):
            distances[:, number] = of_leaves[:, topic_of_leaf == number].min(axis=1)
        topics, second = np.full((2, len(rows)), -1, dtype=np.intp)
        sure, share = np.zeros((2, len(rows)))
        topics[written], next_one, margin = two_nearest(distances)
        second[written] = next_one if len(self) > 1 else -1
        if self.sureness is None:
            sure[written], share[written] = margin, np.nan
        else:
            sure[written], share[written] = probability(margin, self.sureness[len(self) - 1])
        return Assignment(topics, sure, second, share, self.is_calibrated)

    @property
    def is_calibrated(self) -> bool:
        """Whether `assign` gives probabilities."""
        return self.sureness is not None

    @property
    def topic_of_leaf(self) -> NDArray[np.intp]:
        """The number of the topic that each leaf of the tree belongs to."""
        number = {topic.node: topic.number for topic in self.items}
        return np.array([number[int(node)] for node in self.tree.cut(len(self))], dtype=np.intp)

    def __repr__(self) -> str:
        shown = "; ".join(f"{topic.name} ({topic.size})" for topic in self.items[:3])
        more = f"; and {len(self) - 3} more" if len(self) > 3 else ""
        return f"<{number_of(len(self), 'topic')}: {shown}{more}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{topic.number}</td><td>{escape(topic.name)}</td><td>{topic.size:,}</td>"
            f"<td>{escape(', '.join(topic.words))}</td></tr>"
            for topic in self.items
        )
        return f"<table><tr><th></th><th>topic</th><th>documents</th><th>words</th></tr>{rows}</table>"


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
        The representation of each document; zeros for a document without words.
    present : array or sparse matrix of shape (n_documents, n_words)
        Word counts, or whether each document has each word.
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
    middle = np.zeros(np.shape(vectors)[-1]) if centre is None else np.asarray(centre, dtype=np.float64)
    corpus, written = checked_documents(vectors, middle, present, vocabulary, labels, label_names, texts, token_pattern)
    corpus = corpus if once is None else replace(corpus, once=np.asarray(once, dtype=bool))
    rows = corpus.vectors
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
        tree = grow(rows[grown if grown.any() else written], n_topics, random_state)
    leaves = np.full(len(rows), -1, dtype=np.int32)
    leaves[written] = distances_to(rows[written], tree.centres.astype(np.float64)).argmin(axis=1)
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


def topics_at(topics: Topics, n_topics: int, order: Sequence[int] | None = None) -> Topics:
    """The topics at a level of their tree. `order` has the nodes by number; None: the largest is the first."""
    assert topics.described is not None
    corpus, n_words, exclusive = topics.described.corpus, topics.described.n_words, topics.described.exclusive
    nodes = describe(topics.tree, topics.leaves, corpus, n_words=n_words, exclusive=exclusive, renamed=topics.names)
    return replace(topics, items=_at_level(topics.tree, nodes, n_topics, corpus, order))


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
        return np.asarray(distances_to(half, centres).argmin(axis=1), dtype=np.intp)

    return [(leaves(first), leaves(second)) for first, second in throws]


def group_documents(vectors: Any, n_topics: int, *, random_state: int = 0) -> NDArray[np.intp]:
    """The group of each document, as `find_topics` groups them, without words; −1 for a row of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.topics import group_documents
    >>> group_documents(np.array([[1.0, 0], [0.9, 0.1], [0, 1], [0, 0]]), 2).tolist()
    [0, 0, 1, -1]
    """
    rows = unit_rows(vectors)
    written = rows.any(axis=1)
    groups = np.full(len(rows), -1, dtype=np.intp)
    if not written.any():
        return groups
    tree = grow(rows[written], n_topics, random_state)
    leaves = distances_to(rows[written], tree.centres.astype(np.float64)).argmin(axis=1)
    nodes = tree.cut(min(n_topics, tree.n_leaves))[leaves]
    _, first, groups[written] = np.unique(nodes, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))  # Groups are numbered as they occur.
    groups[written] = order[groups[written]]
    return groups


def _at_level(
    tree: TopicTree, nodes: Sequence[Node], n_topics: int, corpus: GroupedDocuments, order: Sequence[int] | None
) -> tuple[Topic, ...]:
    level = sorted({int(node) for node in tree.cut(n_topics)}, key=lambda node: (-nodes[node].size, node))
    level = level if order is None else [node for node in order if node in level]
    angles = angles_between(tree.node_centres()[level])
    np.fill_diagonal(angles, np.inf)
    alone = len(level) < 2
    names = _distinct_names([nodes[node] for node in level])
    return tuple(
        Topic(
            number,
            node,
            names[number],
            nodes[node].size,
            nodes[node].words,
            nodes[node].phrases,
            tuple((_class_name(corpus, label), count) for label, count in nodes[node].classes),
            nodes[node].central,
            None if alone else int(angles[number].argmin()),
            None if alone else float(angles[number].min()),
        )
        for number, node in enumerate(level)
    )


def _distinct_names(nodes: Sequence[Node]) -> list[str]:
    """Their names. A second topic of the same name gets its number behind it."""
    seen: dict[str, int] = {}
    names = []
    for number, node in enumerate(nodes):
        name = node.name or f"topic {number + 1}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _class_name(corpus: GroupedDocuments, label: int) -> str:
    return str(label) if corpus.label_names is None else str(corpus.label_names[label])


def directions(vectors: Any, centre: NDArray[np.float64], written: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The direction of each document from the centre; zeros for one without words, and for one on the centre."""
    rows = np.asarray(vectors, dtype=np.float64)
    return unit_rows(np.where(written[:, None], rows - centre, 0.0))


def unit_rows(vectors: Any) -> NDArray[np.float64]:
    """The rows at unit length; rows of zeros stay zeros."""
    from sklearn.preprocessing import normalize

    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise DataError(f"vectors must be documents × components of finite numbers; got shape {rows.shape}.")
    return np.asarray(normalize(rows)) if len(rows) else rows


def angles_between(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles between directions, from 0 to 180 degrees; 90 where one has no direction."""
    unit = unit_rows(centres)
    return np.asarray(np.rad2deg(np.arccos(np.clip(unit @ unit.T, -1, 1))))


def distances_to(rows: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    from sklearn.metrics import pairwise_distances

    if not len(rows):
        return np.zeros((0, len(centres)))
    return np.asarray(pairwise_distances(rows, centres))


def checked_documents(
    vectors: Any,
    middle: NDArray[np.float64],
    present: Any,
    vocabulary: Sequence[str],
    labels: Any,
    label_names: Sequence[str] | None,
    texts: Iterable[str] | None,
    token_pattern: str | None,
) -> tuple[GroupedDocuments, NDArray[np.bool_]]:
    """The documents, and which of them have words that the model knows."""
    import scipy.sparse as sp

    rows = np.asarray(vectors, dtype=np.float64)
    matrix = sp.csr_array(present)
    if rows.ndim != 2 or matrix.shape != (len(rows), len(vocabulary)):
        raise DataError(
            f"there are vectors of shape {rows.shape} and {len(vocabulary)} words, but word counts of shape "
            f"{matrix.shape}."
        )
    matrix = sp.csr_array((matrix != 0).astype(np.float64))
    has_words = np.diff(matrix.indptr) > 0
    # A document of which the model knows no word has the vector 0. One that lies on the centre has no direction, but
    # it has words; and where all vectors are 0, the documents are alike.
    written = has_words & rows.any(axis=1)
    written = written if written.any() else has_words
    rows = directions(rows, middle, written)
    if labels is not None:
        labels = np.asarray(labels)
        if labels.shape != (len(rows),):
            raise DataError(f"there are {len(rows)} documents but labels of shape {labels.shape}.")
        if labels.dtype.kind not in "iu" or (len(labels) and labels.min() < (0 if label_names is None else NO_LABEL)):
            names, labels = np.unique(labels, return_inverse=True)
            label_names = [str(name) for name in names]
        labels = labels.astype(np.intp)
    if texts is not None:
        texts = list(texts)
        if len(texts) != len(rows):
            raise DataError(f"there are {len(rows)} documents but {len(texts)} texts.")
    corpus = GroupedDocuments(rows, matrix, vocabulary, labels, label_names, texts, token_pattern or ANY_WORD)
    return corpus, written
