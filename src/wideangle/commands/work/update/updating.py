"""What `wideangle update` does: new documents join a model, which goes on learning from them, and its topics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output, silent
from wideangle.commands.work.shared.documents import documents_of
from wideangle.commands.work.shared.inputs import read_new
from wideangle.commands.work.shared.models import check_unchanged, load_model, name_of_model
from wideangle.commands.work.update.joining import joined, named_apart, plan_of, repeats_among, taken
from wideangle.commands.work.update.training_on import rows_of, train_on, why_untrained
from wideangle.commands.work.update.updated import ChangedTopic, UnknownWord, Updated, changes_of
from wideangle.documents import Documents
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath, name_of
from wideangle.reading.unknown import WordTally
from wideangle.topics import Topics
from wideangle.topics.of_model import continued_topics, regrouped_topics, topics_of_documents, why_no_topics
from wideangle.view import ModelView

MANY = 200_000  # From so many documents on a note says how much memory they take.
BYTES_OF_A_DOCUMENT, COPIES_OF_A_FILE = 2000, 3  # in memory: names and hashes of texts; old arrays, new ones and counts
MANY_UNKNOWN = 0.5  # From this share of unknown words on a new fit is advised,
OFTEN = 0.05  # and where an unknown word is in this share of the new documents,
AT_LEAST = 5  # and in so many of them.
LISTED = 5  # So many unknown words are named.


@dataclass(frozen=True)
class UpdateOptions:
    """What `wideangle update` was asked for."""

    training: bool = True
    regroup: bool = False
    keep_duplicates: bool = False


def update_model(
    model_path: Path,
    path: DataPath,
    to: Path | None = None,
    asked: UpdateOptions | None = None,
    how: ReadingOptions | None = None,
    output: Output | None = None,
    is_unchanged: Callable[[], bool] = lambda: True,
) -> Updated:
    """Let documents join a model and write it, in place of the old one or to another file.

    `is_unchanged` says whether the model is still the one that was there when the work began.
    """
    asked, how, output = asked or UpdateOptions(), how or ReadingOptions(), output or silent()
    to = model_path if to is None else to
    view = load_model(model_path)
    model, old = view.model, _own_documents(view, model_path)
    if len(old) > MANY:
        output.note(_memory_said(model_path, len(old)))
    tally = None if view.reading.kind == "numbers" or not view.vocabulary else WordTally(view.reading, view.vocabulary)
    rows = read_new(path, view, how, output, tally)
    plan = plan_of(old, documents_of(view, rows))
    rows, there = _some(rows, plan.joins), np.flatnonzero(plan.stays)
    documents = old if plan.stays.all() else taken(old, there)
    rows = replace(rows, names=named_apart(rows.names, documents.names, name_of(path)))
    untrained, updates = None, 0
    if len(rows):
        untrained = "--no-training was given" if not asked.training else why_untrained(view, old, rows)
        if untrained is None:
            updates = train_on(view, documents, rows, output)
            documents = _represented(view, documents)
        documents = joined(documents, _kept_alike(view, documents, rows))
        if not asked.keep_duplicates:
            documents = replace(documents, same_as=repeats_among(documents, view))
    before: Topics | None = getattr(model, "topics_", None)
    model.documents_ = documents
    rows_before = np.concatenate([there, np.full(len(documents) - len(there), -1)])
    changed, moved = (
        _changed_topics(view, before, rows_before, asked, has_moved=updates > 0) if len(rows) else (None, 0)
    )
    if len(rows):
        _tell(untrained, tally, output, name_of_model(model))
    if len(rows) or to != model_path:
        check_unchanged(model_path, is_unchanged)
        model.save(to)
    return Updated(
        to,
        name_of_model(model),
        len(documents),
        len(rows) - plan.replaced,
        plan.replaced,
        plan.there_already,
        updates,
        untrained,
        None if tally is None or not tally.documents else tally.share,
        () if tally is None else tuple(UnknownWord(*pair) for pair in tally.most_frequent(LISTED)),
        changed,
        moved,
        output.seconds(),
    )


def _memory_said(path: Path, documents: int) -> str:
    gigabytes = (BYTES_OF_A_DOCUMENT * documents + COPIES_OF_A_FILE * path.stat().st_size) / 1e9
    return (
        f"{path} has {documents:,} documents. Unlike the other commands, update holds all of them in memory, which "
        f"takes about {gigabytes:.0f} GB. If that is too much, fit a new model with all documents."
    )


def _own_documents(view: ModelView, path: Path) -> Documents:
    documents: Documents | None = getattr(view.model, "documents_", None)
    if documents is None:
        raise CommandError(
            f"{path} has no documents that others could join. Fit it again without --no-documents, or on all documents."
        )
    return documents


def _some(rows: Rows, which: NDArray[np.bool_]) -> Rows:
    """Some of the rows; all of them where all are wanted."""
    if which.all():
        return rows
    chosen = np.flatnonzero(which)

    def listed(values: Sequence[str] | None) -> list[str] | None:
        return None if values is None else [values[row] for row in chosen.tolist()]

    def array(values: Any) -> Any:
        return None if values is None else values[chosen]

    return replace(
        rows,
        X=rows.X[chosen],
        names=[rows.names[row] for row in chosen.tolist()],
        snippets=listed(rows.snippets),
        titles=listed(rows.titles),
        labels=array(rows.labels),
        is_train=array(rows.is_train),
        dates=array(rows.dates),
        words=array(rows.words),
    )


def _represented(view: ModelView, documents: Documents) -> Documents:
    """The same documents as the model represents them now."""
    if not len(documents):
        return replace(documents, finished=not view.is_finished)
    X = rows_of(view, documents)
    return replace(documents, vectors=view.said(X), logits=view.logits(X), finished=not view.is_finished)


def _kept_alike(view: ModelView, documents: Documents, rows: Rows) -> Documents:
    """New rows as documents. Where those of the model are kept as `transform` gave them, so are the new ones."""
    new = documents_of(view, rows)
    return replace(new, vectors=view.represent(rows.X), finished=True) if documents.finished else new


def _changed_topics(
    view: ModelView, before: Topics | None, rows_before: NDArray[np.intp], asked: UpdateOptions, *, has_moved: bool
) -> tuple[tuple[ChangedTopic, ...] | None, int]:
    """The topics that go on, which the model gets; what changed in them, and how many documents moved."""
    documents: Documents = view.model.documents_
    if why_no_topics(view.vocabulary, documents):
        return None, 0
    if before is None:
        view.model.topics_ = topics_of_documents(view, documents)
        return changes_of(None, view.model.topics_, {}), 0
    there = rows_before >= 0
    if asked.regroup or not there.any():  # Where all documents were replaced, no topic can go on.
        found = regrouped_topics(view, documents, before, rows_before)
    else:
        found = continued_topics(view, documents, before, rows_before, has_moved=has_moved)
    view.model.topics_ = found.topics
    expected = np.array([found.same.get(number, -1) for number in range(len(before))] + [-1])
    was, now = before.of_documents[rows_before[there]], found.topics.of_documents[there]
    moved = int(((expected[was] != now) & (was >= 0)).sum())
    return changes_of(before, found.topics, found.same), moved


def _tell(untrained: str | None, tally: WordTally | None, output: Output, name: str) -> None:
    if untrained is not None:
        output.note(f"documents joined without training: {untrained}. Topics follow them as the model sees them.")
    if tally is None or not tally.documents or not tally.unknown:
        return
    often = tally.most_frequent(LISTED)
    listed = ", ".join(f"{word} ({documents:,})" for word, documents in often)
    output.note(f"{tally.share:.0%} of the words in the new documents are unknown to the model, most often {listed}.")
    again = f"A new model would know them: wideangle fit --model {name} with all documents."
    if tally.share >= MANY_UNKNOWN:
        output.note(f"from {MANY_UNKNOWN:.0%} of unknown words on the model misses what documents are about. {again}")
    elif often[0][1] >= max(AT_LEAST, OFTEN * tally.documents):
        output.note(
            f"an unknown word is in at least {OFTEN:.0%} of the new documents, which may be a subject that the model "
            f"cannot see. {again}"
        )
