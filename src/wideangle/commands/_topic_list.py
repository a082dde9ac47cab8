"""What `wideangle topics` does: it lists the subjects of a model's documents, or the model's components."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wideangle._locks import exclusively
from wideangle.commands._angles import Angles
from wideangle.commands._component_list import list_components
from wideangle.commands._guard import UsageError
from wideangle.commands._models import check_unchanged, load_model, name_of_model, regrouped
from wideangle.commands._output import Output, silent
from wideangle.commands._topic_edits import TopicEdits, edited
from wideangle.commands._topic_table import ClassShare, Example, Listed, ListedTopic, show, show_file, write_topics
from wideangle.commands.topics import ABOUT_TOPICS
from wideangle.documents import Documents
from wideangle.evaluation.diversity import NEAR
from wideangle.topics import Topic, Topics
from wideangle.topics.describing import describe
from wideangle.topics.of_model import corpus_of, topics_of_documents, why_no_topics
from wideangle.topics.telling_words import EXCLUSIVE
from wideangle.view import By, ModelView

__all__ = ["TopicOptions", "list_topics", "show", "show_file", "write_topics"]

Order = Literal["size", "name", "purity", "angle"]
ORDERS = {
    "number": lambda topic: topic.number,  # by size when they are found; later changes leave the numbers
    "size": lambda topic: (-topic.size, topic.number),
    "name": lambda topic: topic.name.casefold(),
    "purity": lambda topic: -(topic.purity or 0.0),
    "angle": lambda topic: (topic.angle is None, topic.angle),
}


@dataclass(frozen=True)
class TopicOptions:
    """What `wideangle topics` was asked for."""

    n_topics: int | None = None
    n_words: int = 10
    exclusive: float | None = None
    order: Order | None = None
    outline: bool = False
    edits: TopicEdits = field(default_factory=TopicEdits)
    components: bool = False
    by: By | None = None
    granularity: float | str | None = None


def list_topics(path: Path, asked: TopicOptions | None = None, output: Output | None = None) -> Listed:
    """The topics of the documents in a model file. Without such documents, its components, and a note says so."""
    asked, output = asked or TopicOptions(), output or silent()
    if not asked.edits:
        return _list_once(path, asked, output, lambda: True)

    def waiting() -> None:
        output.note(f"another process is changing {path}. This one waits until it has ended.")

    with exclusively(path, waiting) as is_unchanged:  # Of two changes at once each must find what the other did.
        return _list_once(path, asked, output, is_unchanged)


def _list_once(path: Path, asked: TopicOptions, output: Output, is_unchanged: Callable[[], bool]) -> Listed:
    view = load_model(path, asked.granularity)
    lacking = why_no_topics(view.vocabulary, getattr(view.model, "documents_", None))
    if asked.components or asked.by is not None or lacking:
        given = (asked.n_topics, asked.exclusive, asked.granularity)
        if any(each is not None for each in given) or asked.outline or asked.edits:
            raise UsageError(f"{ABOUT_TOPICS} {lacking}")
        if lacking and not (asked.components or asked.by):
            output.note(f"{lacking} These are the model's components.")
        order: Literal["number", "angle"] = "angle" if asked.order == "angle" else "number"
        return list_components(path, view, asked.n_words, order, asked.by or "effect")
    return _list_groups(path, view, asked, output, is_unchanged)


def _list_groups(
    path: Path, view: ModelView, asked: TopicOptions, output: Output, is_unchanged: Callable[[], bool]
) -> Listed:
    model = view.model
    new = asked.granularity is not None and regrouped(view, output, asked.n_topics)
    exclusive = EXCLUSIVE if asked.exclusive is None else asked.exclusive
    topics = topics_of_documents(
        view,
        model.documents_,
        asked.n_topics,
        n_words=asked.n_words,
        exclusive=exclusive,
        like=getattr(model, "topics_", None),
    )
    if asked.edits:
        topics = edited(topics, asked.edits, model.documents_, output)
        check_unchanged(path, is_unchanged)
        model.topics_ = topics
        model.save(path)
        if new:
            output.note(f"{path} now has these topics, and tells documents apart so finely in all commands.")
    documents: Documents = model.documents_
    listed = sorted((_listed(topic, documents) for topic in topics), key=ORDERS[asked.order or "number"])
    outline = tuple(_outline(view, topics)) if asked.outline else None
    placed = int((topics.leaves >= 0).sum())
    angles = Angles.of(view.directions())
    finely = topics.granularity
    return Listed(str(path), name_of_model(model), "topics", angles, placed, outline, tuple(listed), finely)


def _listed(topic: Topic, documents: Documents) -> ListedTopic:
    examples = tuple(
        Example(
            documents.names[row],
            documents.title(row),
            documents.beginning(row),
        )
        for row in topic.central
    )
    return ListedTopic(
        topic.number + 1,
        topic.name,
        topic.size,
        topic.words,
        topic.phrases,
        tuple(ClassShare(label, count) for label, count in topic.classes),
        examples,
        None if topic.nearest is None else topic.nearest + 1,
        topic.angle,
        topic.angle is not None and topic.angle < NEAR,
    )


def _outline(view: ModelView, topics: Topics) -> Iterator[str]:
    """The tree above the topics, from all documents down; each line is indented by its depth."""
    tree = topics.tree
    corpus = corpus_of(view, view.model.documents_, view.vocabulary or (), topics)
    nodes = describe(tree, topics.leaves, corpus, renamed=topics.names)
    names = [(node.name, node.size) for node in nodes]
    if tree.n_leaves > 1:
        names[-1] = "all documents", nodes[-1].size
    shown = {topic.node: topic for topic in topics}

    def lines(node: int, depth: int) -> Iterator[str]:
        name, size = names[node]
        topic = shown.get(node)
        mark = "" if topic is None else f"{topic.number + 1}. "
        yield f"{'  ' * depth}{mark}{topic.name if topic else name} ({size:,})"
        if topic is None:
            children = tree.merges[node - tree.n_leaves].tolist()
            for child in sorted(children, key=lambda each: -names[each][1]):
                yield from lines(child, depth + 1)

    yield from lines(tree.n_nodes - 1, 0)
