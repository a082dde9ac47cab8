"""What `wideangle assign` does: it tells of each new document its topic, and which documents are like it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._blocks import parts
from wideangle._mapped import let_go
from wideangle._rows import on_disk, some_rows
from wideangle._wording import number_of
from wideangle.commands.files.tables import Column, Table, write_table
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output, cell, new_table, silent
from wideangle.commands.work.shared.answering import Answer, Answers, divided_for
from wideangle.commands.work.shared.inputs import read_new_parts
from wideangle.commands.work.shared.models import load_model, regrouped
from wideangle.documents import Documents
from wideangle.evaluation import nearest_rows
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath
from wideangle.topics import Topics
from wideangle.topics.found import Assignment
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.view import ModelView, transform_metric

if TYPE_CHECKING:
    from rich.console import Console

PART = 5000  # So many documents are in memory at a time.
SHOWN = 10  # So many topics are printed.
SAME = 1e-5  # A document that is so near and has the same name is the document itself.
COLUMNS = (
    Column("document"),
    Column("title"),
    Column("topic", int),
    Column("topic_name"),
    Column("sure", float, ".3f"),
    Column("second", int),
    Column("second_name"),
    Column("second_share", float, ".3f"),
)


@dataclass(frozen=True)
class TopicCount:
    """A topic and how many of the documents belong to it. Topics count from 1."""

    number: int
    name: str
    documents: int
    sure: float | None
    """the mean over these documents; None where there is none"""


@dataclass(frozen=True)
class Assigned:
    """What was written, in short."""

    path: Path | None
    """None means stdout"""
    documents: int
    without_words: int
    """documents of which the model knows no word; they have no topic"""
    sure: float | None
    """the mean over the documents that have a topic"""
    calibrated: bool
    """whether `sure` is a probability; otherwise the model file is too old to say it"""
    granularity: float | None
    topics: tuple[TopicCount, ...]


def assign_documents(
    model_path: Path,
    path: DataPath,
    to: Path | None,
    how: ReadingOptions | None = None,
    *,
    n_topics: int | None = None,
    granularity: float | str | None = None,
    n_nearest: int = 3,
    dask: str | None = None,
    output: Output | None = None,
) -> Assigned:
    """Write one row per document of a path, part by part; as CSV to stdout where `to` is None.

    `dask` is the address of a cluster that reads and assigns documents. Without one, the processors of this computer do
    so where there are many.
    """
    how, output = how or ReadingOptions(), output or silent()
    view = load_model(model_path, granularity)
    topics = _topics(model_path, view, n_topics, granularity, output)
    work = _Assigner(view, topics, getattr(view.model, "documents_", None), n_nearest)
    divided = divided_for(path, view, how, dask)
    if divided is None:
        parts: Iterable[Answer] = (
            Answer(rows, work.found(rows)) for rows in read_new_parts(path, view, how, output, PART)
        )
    else:
        parts = Answers(AssignTopics(n_topics, granularity, n_nearest), model_path, *divided, output)
    columns = (*COLUMNS, *(Column(f"nearest{place}") for place in range(1, work.n_nearest + 1)))
    write_table(to, Table("documents", columns, (row for part in parts for row in work.rows(part))))
    if not work.calibrated:
        of_vectors = view.reading.kind == "vectors" and view.reading.encoder is None
        output.note(
            "the model file does not say how often topics are right, so that `sure` is 1 − (distance to the topic) / "
            "(distance to the next one). "
            + ("Only an encoder can halve texts." if of_vectors else "Fit again to have a probability.")
        )
    return work.summary(to)


@dataclass(frozen=True)
class AssignTopics:
    """Asks a model for the topics of documents, and for documents like them."""

    n_topics: int | None
    granularity: float | str | None
    n_nearest: int
    keeps_rows = False

    def prepared(self, model_path: Path) -> "tuple[ModelView, Callable[[Rows], _Found]]":
        """Load the model, and give what answers."""
        view = load_model(model_path, self.granularity)
        topics = _topics(model_path, view, self.n_topics, self.granularity, silent())
        return view, _Assigner(view, topics, getattr(view.model, "documents_", None), self.n_nearest).found


def _topics(
    path: Path, view: ModelView, n_topics: int | None, granularity: float | str | None, output: Output
) -> Topics:
    """The topics of the model, or as many others of the same documents."""
    model = view.model
    topics: Topics | None = getattr(model, "topics_", None)
    if granularity is not None and regrouped(view, output, n_topics):
        found: Topics = model.topics_
        return found
    if topics is not None and n_topics in (None, len(topics)):
        return topics
    documents: Documents | None = getattr(model, "documents_", None)
    if lacking := why_no_topics(view.vocabulary, documents):
        raise CommandError(f"{path} has no topics. {lacking} Fit a model on texts, without --no-documents.")
    return topics_of_documents(view, documents, n_topics, like=topics)


@dataclass(frozen=True, eq=False)
class _Found:
    """What was found for the documents of a part."""

    topics: Assignment
    near: list[list[tuple[str, bool]]]
    """the nearest documents of the model, one more than wanted, and whether each is at the same place"""


class _Assigner:
    """Assigns documents part by part, and counts them."""

    def __init__(self, view: ModelView, topics: Topics, documents: Documents | None, n_nearest: int) -> None:
        self.view, self.topics = view, topics
        self.counts = np.zeros(len(topics), dtype=np.int64)
        self.sure = np.zeros(len(topics))
        self.without_words = 0
        self.calibrated = topics.is_calibrated
        self.shown = np.zeros(0, dtype=np.intp)
        if documents is not None and n_nearest:
            vectors = on_disk(view.rows(documents, topics.granularity))  # They are searched for each part.
            # Of documents that are the same one is shown. Documents without words are like nothing.
            kept = np.ones(len(documents), dtype=bool) if documents.once is None else documents.once
            for part in parts(len(kept), vectors):
                kept[part] &= vectors[part].any(axis=1)
            self.shown = np.flatnonzero(kept)
            self.documents, self.vectors = documents, vectors if kept.all() else some_rows(vectors, kept)
        self.n_nearest = n_nearest if len(self.shown) else 0

    def found(self, rows: Rows) -> _Found:
        """The topics of some documents, and documents like them. Another process may ask this."""
        vectors = self.view.represent(rows.X, self.topics.granularity)
        written = np.asarray((rows.X != 0).sum(axis=1)).ravel() > 0
        topics = self.topics.assign(vectors, written)
        return _Found(topics, self._nearest(vectors, topics.topics >= 0))

    def rows(self, part: Answer) -> Iterator[tuple[Any, ...]]:
        """The rows of the table for some documents, which are counted."""
        rows, found, near = part.rows, part.value.topics, part.value.near
        placed = found.topics >= 0
        self.counts += np.bincount(found.topics[placed], minlength=len(self.topics))
        self.sure += np.bincount(found.topics[placed], found.sure[placed], minlength=len(self.topics))
        self.without_words += int((~placed).sum())
        titles: Sequence[str | None] = rows.titles or [None] * len(rows)
        for row, (name, title) in enumerate(zip(rows.names, titles, strict=True)):
            if not placed[row]:
                yield (name, title or None, *(None,) * (len(COLUMNS) - 2 + self.n_nearest))
                continue
            topic, second = int(found.topics[row]), int(found.second[row])
            other: tuple[int | None, str | None, float | None] = (None, None, None)
            if second >= 0:
                share = float(found.second_share[row]) if found.calibrated else None
                other = (second + 1, self.topics[second].name, share)
            # Not the document itself, which may be one of the model's.
            others = [known for known, is_there in near[row] if not (is_there and known == name)][: self.n_nearest]
            lacking = [None] * (self.n_nearest - len(others))
            sure = float(found.sure[row])
            yield (name, title or None, topic + 1, self.topics[topic].name, sure, *other, *others, *lacking)

    def _nearest(self, vectors: NDArray[Any], placed: NDArray[np.bool_]) -> list[list[tuple[str, bool]]]:
        """The names of the nearest documents of the model, and whether each is at the same place."""
        found: list[list[tuple[str, bool]]] = [[] for _ in placed]
        asked = np.flatnonzero(placed)
        if not self.n_nearest or not len(asked):
            return found
        count = min(self.n_nearest + 1, len(self.shown))
        near = nearest_rows(vectors[asked], self.vectors, count, metric=transform_metric(self.view.model))
        for row, others, distances in zip(asked.tolist(), near.rows, near.distances, strict=True):
            called = [self.documents.names[int(self.shown[other])] for other in others]
            found[row] = [(name, bool(far < SAME)) for name, far in zip(called, distances, strict=True)]
        let_go(self.documents.names.content, self.documents.names.ends)
        return found

    def summary(self, to: Path | None) -> Assigned:
        """What was assigned so far."""
        placed = int(self.counts.sum())
        means = [total / count if count else None for total, count in zip(self.sure, self.counts, strict=True)]
        counts = [
            TopicCount(topic.number + 1, topic.name, int(count), mean)
            for topic, count, mean in zip(self.topics, self.counts, means, strict=True)
        ]
        return Assigned(
            to,
            placed + self.without_words,
            self.without_words,
            float(self.sure.sum() / placed) if placed else None,
            self.calibrated,
            self.topics.granularity,
            tuple(sorted(counts, key=lambda each: -each.documents)),
        )


def show(assigned: Assigned, console: "Console") -> None:
    """Print what was written for people: the topics that have most documents, and how many documents have none."""
    table = new_table("#", "documents", "sure", "topic", right=("#", "documents", "sure"), stretch="topic")
    filled = [topic for topic in assigned.topics if topic.sure is not None]
    for topic in filled[:SHOWN]:
        table.add_row(str(topic.number), f"{topic.documents:,}", f"{topic.sure:.2f}", cell(topic.name, wrap=True))
    if filled:
        console.print(table)
    if rest := filled[SHOWN:]:
        has = "has" if len(rest) == 1 else "have"
        documents = number_of(sum(topic.documents for topic in rest), "document")
        console.print(f"{number_of(len(rest), 'other topic')} {has} {documents}.", highlight=False)
    documents = number_of(assigned.documents, "document")
    lacking = f"; {assigned.without_words:,} without a word that the model knows" if assigned.without_words else ""
    console.print(f"{documents}{lacking} → {assigned.path}", markup=False, highlight=False, soft_wrap=True)
