"""What `wideangle search` does: it finds documents for some words, by what the model learned and by the words."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wideangle._wording import number_of
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output, cell, new_table, silent
from wideangle.commands.work.shared.documents import documents_of
from wideangle.commands.work.shared.inputs import read_new
from wideangle.commands.work.shared.models import load_model
from wideangle.documents import Documents, Reading
from wideangle.evaluation.retrieval import Method
from wideangle.reading import ReadingOptions
from wideangle.reading.places import DataPath
from wideangle.reading.repeats import find_repeats
from wideangle.searching import By, Found, Hit, Searcher, marked_spans, read_for, shown_from
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Metric = Literal["auto", "euclidean", "cosine"]

LONGEST_NAME = 26  # characters
WORDS_NOT_KNOWN = (
    "the model file does not say which words its documents have, so that they are ranked by closeness alone. "
    "Fit again to search by words too."
)


def search_documents(
    model_path: Path,
    query: str,
    count: int = 10,
    *,
    among: DataPath | None = None,
    by: By = "both",
    metric: Metric = "auto",
    method: Method = "exact",
    granularity: float | str | None = None,
    keep_duplicates: bool = False,
    how: ReadingOptions | None = None,
    output: Output | None = None,
) -> tuple[Found, Reading]:
    """The best documents, the best first, and how their texts are split into words."""
    output = output or silent()
    view = load_model(model_path, granularity)
    asked = read_for(view, query)  # before documents are read, which may take long
    if asked.unknown:
        output.note(f"words the model does not know: {', '.join(asked.unknown)}.")
    if asked.left_out:
        left_out = ", ".join(asked.left_out)
        output.note(f"left out as stop words: {left_out}. To search for them, fit with --stop-words none.")
    documents = _documents(view, model_path, among, how or ReadingOptions(), output, keep_duplicates)
    searcher = Searcher(view, documents)
    found = searcher.search(asked, count, by=by, metric=metric, method=method, keep_duplicates=keep_duplicates)
    if found.by != by:
        output.note(WORDS_NOT_KNOWN)
    return found, view.reading


def _documents(
    view: ModelView, path: Path, among: DataPath | None, how: ReadingOptions, output: Output, keep_duplicates: bool
) -> Documents:
    if among is not None:
        rows = read_new(among, view, how, output)
        return documents_of(view, rows, None if keep_duplicates else find_repeats(rows))
    kept: Documents | None = getattr(view.model, "documents_", None)
    if kept is None:
        raise CommandError(f"{path} holds no documents. Name some with --in PATH, or fit without --no-documents.")
    return kept


def show(found: Found, console: "Console", reading: Reading) -> None:
    """Print the documents for people, with the words of the query marked where a terminal can."""
    titled = any(map(_title_of, found.hits))
    text = "title and text" if titled else "text"
    table = new_table("#", "score", "document", "label", text, right=("#", "score"), stretch=text)
    for name, most in (("document", LONGEST_NAME), ("label", 16)):
        column = next(column for column in table.columns if column.header == name)
        column.max_width = most
    for hit in found.hits:
        content = _text_of(hit, found.known, reading)
        table.add_row(str(hit.rank), f"{hit.score:.3f}", cell(_ending(hit.name)), cell(hit.label or "–"), content)
    console.print(table)
    words = ", ".join(found.known)
    console.print(
        f"{len(found.hits)} of {number_of(found.searched, 'document')} for: {words}", markup=False, highlight=False
    )


def _ending(name: str) -> str:
    """The end of a long name. Paths and dotted names begin alike and differ in their ends."""
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"


def _title_of(hit: Hit) -> str:
    """The title of a document, or nothing where its text begins with it, as with a first sentence."""
    title = hit.title or ""
    return "" if title and (hit.snippet or "").startswith(title.removesuffix("…")) else title


def _text_of(hit: Hit, words: Iterable[str], reading: Reading) -> "Text":
    """The title of a document and how it begins, or where the first of the words stands in what is kept of it."""
    title = _title_of(hit)
    shown = cell(title)
    like_it = f"(+{hit.others:,} like it) " if hit.others else ""
    if hit.snippet:
        start = shown_from(hit.snippet, marked_spans(hit.snippet, words, reading))
        joint = " – " if title else ""
        shown.append(joint + ("…" if start else "") + cell(hit.snippet[start:]).plain)
    for begin, end in marked_spans(shown.plain, words, reading):
        shown.stylize("bold underline", begin, end)
    shown = shown if shown.plain else cell("–")
    return cell(like_it) + shown if like_it else shown
