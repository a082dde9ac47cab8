"""What `wideangle topics` does: it lists the subjects of a model's documents, or the model's components."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wideangle.commands._angles import Angles
from wideangle.commands._component_list import list_components
from wideangle.commands._guard import UsageError
from wideangle.commands._models import load_model, name_of_model
from wideangle.commands._output import Output, silent
from wideangle.commands._topic_table import ClassShare, Example, Listed, ListedTopic, show, show_file, write_topics
from wideangle.commands._writing import check_output
from wideangle.documents import Documents
from wideangle.evaluation.diversity import NEAR
from wideangle.topics import Topic, Topics
from wideangle.topics.describing import describe
from wideangle.topics.of_model import corpus_of, topics_of_documents, why_no_topics
from wideangle.topics.words import EXCLUSIVE
from wideangle.view import By, ModelView

__all__ = ["TopicOptions", "check_csv", "list_topics", "show", "show_file", "write_topics"]

Order = Literal["size", "name", "purity", "angle"]
ORDERS = {
    "size": lambda topic: topic.number,  # They are numbered by size.
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
    renamed: tuple[tuple[str, str], ...] = ()
    """numbers of topics, as they are shown, and their new names"""
    components: bool = False
    by: By | None = None


def list_topics(path: Path, asked: TopicOptions | None = None, output: Output | None = None) -> Listed:
    """The topics of the documents in a model file. Without such documents, its components, and a note says so."""
    asked, output = asked or TopicOptions(), output or silent()
    view = load_model(path)
    lacking = why_no_topics(view.column_names, getattr(view.model, "documents_", None))
    if asked.components or asked.by is not None or lacking:
        grouping = asked.n_topics is not None or asked.exclusive is not None or asked.outline or asked.renamed
        if grouping:
            why = lacking or "Components are listed by --components and --by."
            raise UsageError(f"--topics, --exclusive, --tree and --rename are about topics. {why}")
        if lacking and not (asked.components or asked.by):
            output.note(f"{lacking} These are the model's components.")
        order: Literal["number", "angle"] = "angle" if asked.order == "angle" else "number"
        return list_components(path, view, asked.n_words, order, asked.by or "effect")
    return _list_groups(path, view, asked)


def _list_groups(path: Path, view: ModelView, asked: TopicOptions) -> Listed:
    model = view.model
    exclusive = EXCLUSIVE if asked.exclusive is None else asked.exclusive
    topics = topics_of_documents(
        view,
        model.documents_,
        asked.n_topics,
        n_words=asked.n_words,
        exclusive=exclusive,
        like=getattr(model, "topics_", None),
    )
    for number, name in asked.renamed:
        if not number.isdecimal() or not 1 <= int(number) <= len(topics):
            raise UsageError(f"--rename takes the number of a topic, 1 to {len(topics)}; got {number!r}.")
        try:
            topics = topics.rename(int(number) - 1, name)
        except ValueError as error:
            raise UsageError(f"--rename: {error}") from error
    if asked.renamed:
        check_output(path, "the model", ())
        model.topics_ = topics
        model.save(path)
    documents: Documents = model.documents_
    listed = sorted((_listed(topic, documents) for topic in topics), key=ORDERS[asked.order or "size"])
    outline = tuple(_outline(view, topics)) if asked.outline else None
    placed = int((topics.leaves >= 0).sum())
    angles = Angles.of(view.directions())
    return Listed(str(path), name_of_model(model), "topics", angles, placed, outline, tuple(listed))


def _listed(topic: Topic, documents: Documents) -> ListedTopic:
    examples = tuple(
        Example(
            documents.names[row],
            None if documents.titles is None else documents.titles[row],
            None if documents.snippets is None else documents.snippets[row],
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
    corpus = corpus_of(view, view.model.documents_, view.columns, topics)
    nodes = describe(tree, topics.leaves, corpus, renamed=topics.renamed)
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


def check_csv(path: Path, model: Path) -> None:
    """Check before the work that the topics can be written there."""
    if path.suffix != ".csv":
        raise UsageError(f"{path} must end in .csv. Name such a file with -o, or take --csv for stdout.")
    check_output(path, "the topics", (model,))
