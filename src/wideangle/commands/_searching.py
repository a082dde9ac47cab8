"""What `wideangle search` does: it finds the documents nearest to some words, by the learned representation."""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wideangle.commands._documents import documents_of
from wideangle.commands._guard import CommandError
from wideangle.commands._inputs import read_new, reading_of
from wideangle.commands._models import load_model
from wideangle.commands._output import Output, cell, new_table, silent
from wideangle.documents import Documents
from wideangle.evaluation import nearest_rows
from wideangle.evaluation.retrieval import Method
from wideangle.reading import Query, ReadingOptions, read_query
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console

Metric = Literal["auto", "euclidean", "cosine"]


@dataclass(frozen=True)
class Hit:
    """A document that was found."""

    rank: int
    distance: float
    name: str
    label: str | None
    snippet: str | None


@dataclass(frozen=True)
class Found:
    """The nearest documents, and which words of the query the model understood."""

    query: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    """words of the query that are stop words, which the model's vocabulary does not have"""
    metric: str
    method: str
    searched: int
    hits: tuple[Hit, ...]


def search_documents(
    model_path: Path,
    query: str,
    count: int = 10,
    *,
    among: Path | None = None,
    metric: Metric = "auto",
    method: Method = "exact",
    how: ReadingOptions | None = None,
    output: Output | None = None,
) -> Found:
    """Read the query as a document is read, and return the nearest documents, the nearest first."""
    output = output or silent()
    view = load_model(model_path)
    understood = _understood(view, query)
    if understood.unknown:
        output.note(f"words the model does not know: {', '.join(understood.unknown)}.")
    if understood.left_out:
        left_out = ", ".join(understood.left_out)
        output.note(f"left out as stop words: {left_out}. To search for them, fit with --stop-words none.")
    documents = _documents(view, model_path, among, how or ReadingOptions(), output)
    if metric == "auto":
        asked, stored, measure = view.compared(understood.row, documents)
    else:
        asked, stored, measure = view.represent(understood.row), documents.vectors, metric
    found = nearest_rows(asked, stored, min(count, len(documents)), metric=measure, method=method)
    there = [(int(row), float(far)) for row, far in zip(found.rows[0], found.distances[0], strict=True) if row >= 0]
    hits = tuple(_hit(documents, rank, row, far) for rank, (row, far) in enumerate(there, 1))
    return Found(
        query,
        understood.known,
        understood.unknown,
        understood.left_out,
        measure,
        method,
        len(documents),
        hits,
    )


def _understood(view: ModelView, query: str) -> Query:
    """Read the query as the model's documents were read. It must have a word that the model knows."""
    vocabulary, reading = view.column_names, reading_of(view)
    if vocabulary is None or reading.kind == "numbers":
        why = "has no vocabulary" if vocabulary is None else "was fitted on numbers"
        raise CommandError(f"the model {why}, so words mean nothing to it. Search a model fitted on text.")
    found = read_query(query, reading, vocabulary)
    if not found.known:
        near = dict.fromkeys(near for word in found.unknown for near in difflib.get_close_matches(word, vocabulary, 3))
        remedy = f"Did you mean {', '.join(near)}?" if near else "See its words with: wideangle topics MODEL."
        if found.left_out:
            remedy += f" Left out as stop words: {', '.join(found.left_out)}; fit with --stop-words none to have them."
        raise CommandError(f"the model knows no word of {query!r}. {remedy}")
    return found


def _documents(view: ModelView, path: Path, among: Path | None, how: ReadingOptions, output: Output) -> Documents:
    if among is not None:
        return documents_of(view, read_new(among, view, how, output))
    kept: Documents | None = getattr(view.model, "documents_", None)
    if kept is None:
        raise CommandError(f"{path} holds no documents. Name some with --in PATH, or fit without --no-documents.")
    return kept


def _hit(documents: Documents, rank: int, row: int, distance: float) -> Hit:
    text = None if documents.snippets is None else documents.snippets[row]
    return Hit(rank, distance, documents.names[row], documents.class_of(row), text)


def show(found: Found, console: "Console") -> None:
    """Print the documents for people."""
    table = new_table("#", "distance", "document", "label", "begins", right=("#", "distance"), stretch="begins")
    for name, most in (("document", 24), ("label", 16)):
        column = next(column for column in table.columns if column.header == name)
        column.max_width = most
    for hit in found.hits:
        table.add_row(
            str(hit.rank), f"{hit.distance:.3f}", cell(hit.name), cell(hit.label or "–"), cell(hit.snippet or "–")
        )
    console.print(table)
    words = ", ".join(found.known)
    console.print(f"{len(found.hits)} of {found.searched:,} documents for: {words}", markup=False, highlight=False)
