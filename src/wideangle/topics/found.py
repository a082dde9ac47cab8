"""Topics for people, as they were found: groups of documents with their names, and what can be done with them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.exceptions import DataError
from wideangle.topics.describing import GroupedDocuments, Node, describe
from wideangle.topics.directions import (
    DocumentDirections,
    angles_between,
    blocks_of,
    distances_to_centres,
    row_giver,
    written_rows,
)
from wideangle.topics.levels import FoundLevel
from wideangle.topics.sureness import probability, two_nearest
from wideangle.topics.tree import TopicTree

__all__ = ["LONGEST_NAME", "Assignment", "Described", "Topic", "Topics", "angles_between", "topics_at"]

LONGEST_NAME = 200


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
        vectors = row_giver(vectors)
        written = written_rows(vectors) if written is None else np.asarray(written, dtype=bool)
        rows, centres = DocumentDirections(vectors, self.centre, written), self.tree.centres.astype(np.float64)
        topics, second = np.full((2, len(rows)), -1, dtype=np.intp)
        sure, share = np.zeros((2, len(rows)))
        for block in blocks_of(len(rows), max(centres.shape)):
            some = block.start + np.flatnonzero(written[block])
            topics[some], next_one, margin = two_nearest(self._distances(distances_to_centres(rows[some], centres)))
            second[some] = next_one if len(self) > 1 else -1
            if self.sureness is None:
                sure[some], share[some] = margin, np.nan
            else:
                sure[some], share[some] = probability(margin, self.sureness[len(self) - 1])
        return Assignment(topics, sure, second, share, self.is_calibrated)

    def _distances(self, of_leaves: NDArray[np.float64]) -> NDArray[np.float64]:
        """The distance of documents to each topic: that to its nearest leaf."""
        topic_of_leaf = self.topic_of_leaf
        found = np.full((len(of_leaves), len(self)), np.inf)
        for number in range(len(self)):
            found[:, number] = of_leaves[:, topic_of_leaf == number].min(axis=1)
        return found

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


def topics_at(topics: Topics, n_topics: int, order: Sequence[int] | None = None) -> Topics:
    """The topics at a level of their tree. `order` has the nodes by number; None: the largest is the first."""
    assert topics.described is not None
    corpus, n_words, exclusive = topics.described.corpus, topics.described.n_words, topics.described.exclusive
    nodes = describe(topics.tree, topics.leaves, corpus, n_words=n_words, exclusive=exclusive, renamed=topics.names)
    return replace(topics, items=_at_level(topics.tree, nodes, n_topics, corpus, order))


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
