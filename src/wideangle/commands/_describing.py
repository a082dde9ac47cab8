"""What `wideangle info` does: it shows what a model file holds and how the model was made."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import wideangle
from wideangle._alphabets import WORDS
from wideangle._own_settings import own_diversity
from wideangle._wording import number_of
from wideangle.commands._angles import Angles
from wideangle.commands._finishing import Finishing
from wideangle.commands._output import cell, new_table, number
from wideangle.data.languages import language_name
from wideangle.documents import NO_LABEL, Documents, Reading
from wideangle.persistence import FileFacts, file_facts
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console

MOST_LISTED = 8  # At most this many classes are listed by name.


@dataclass(frozen=True)
class Training:
    """How the model was trained."""

    updates: int | None
    stopped: str | None
    """why training ended; None for a model that does not say it"""
    seconds: float | None
    loss: float | None
    """of the last record"""


@dataclass(frozen=True)
class Columns:
    """How documents or rows became columns of numbers."""

    kind: str | None
    """counts, tf-idf, presence or numbers; None where the file does not say"""
    count: int
    named: bool
    """whether each column has a word or a name"""
    text_column: str | None
    label_column: str | None
    token_pattern: str | None
    stop_words: str | None
    """auto, english, none or the file of words that was given to fit; None where the model file does not say"""
    id_column: str | None
    split_column: str | None
    ngrams: int
    """the most words in a row that count as one"""
    strip_html: bool
    language: str | None
    """codes of the languages whose stop words were left out, or none; None where the model file does not say"""
    strip_mail: bool
    keep_quotations: bool
    repeated_lines: int
    """lines that many documents share and that are left out"""


@dataclass(frozen=True)
class Carried:
    """The documents in the file."""

    count: int
    held_out: int
    classes: tuple[str, ...] | None
    unlabelled: int
    """documents without a class, where others have one"""
    """names of the labels; None without labels"""


@dataclass(frozen=True)
class Described:
    """All that a model file says."""

    path: Path
    file: FileFacts
    model: str | None
    """its name in `fit --model`; None for an estimator that the other commands do not know"""
    estimator: str
    n_components: int
    layers: tuple[int, ...] | None
    """units of a network's hidden layers"""
    diversity: float | None
    """None for a model without the regulariser, like the next two"""
    surrogate: str | None
    gamma: float | None
    granularity: float | None
    """how finely documents are told apart, from 0 to 1; None where nothing finishes what the model says"""
    finish: str | None
    """how they are compared: by what halves teach, or by the spectrum"""
    halved_documents: int | None
    """how many documents were halved to learn the distance"""
    compared: str | None
    """these three in words; None for a model that cannot have a finish"""
    training: Training
    columns: Columns
    angles: Angles
    documents: Carried | None
    parameters: dict[str, Any]


def describe_model(path: Path) -> Described:
    """What a file from `fit` or `model.save` holds."""
    model = wideangle.load(path)
    view = ModelView.of(model)
    finishing = Finishing.of(view)
    return Described(
        path,
        file_facts(path),
        view.entry.command,
        view.entry.name,
        len(view.components),
        tuple(len(bias) for bias in model.intercepts_[:-1]) if view.entry.layered else None,
        own_diversity(model) if hasattr(model, "diversity") else None,
        getattr(model, "surrogate", None),
        getattr(model, "gamma", None),
        None if finishing is None else finishing.granularity,
        None if finishing is None else finishing.finish,
        None if finishing is None else finishing.halved_documents,
        None if finishing is None else str(finishing),
        _training(model),
        _columns(view),
        Angles.of(view.directions()),
        _carried(getattr(model, "documents_", None)),
        model.get_params(deep=False),
    )


def _training(model: Any) -> Training:
    last = model.history_[-1] if getattr(model, "history_", ()) else None
    return Training(
        getattr(model, "n_updates_", None),
        getattr(model, "stopped_", None),
        None if last is None else float(last.seconds),
        None if last is None else float(last.loss),
    )


def _columns(view: ModelView) -> Columns:
    known: Reading | None = getattr(view.model, "reading_", None)
    reading = Reading("numbers") if known is None else known
    return Columns(
        None if known is None else known.kind,
        int(view.model.n_features_in_),
        view.vocabulary is not None,
        reading.text_column,
        reading.label_column,
        reading.token_pattern,
        reading.stop_list,
        reading.id_column,
        reading.split_column,
        reading.ngrams,
        reading.strip_html,
        reading.language,
        reading.strip_mail,
        reading.keep_quotations,
        len(reading.repeated),
    )


def _carried(documents: Documents | None) -> Carried | None:
    if documents is None:
        return None
    found = None if documents.labels is None else np.bincount(documents.labels - NO_LABEL)  # The first has no class.
    names = None if found is None else {documents.class_name(label) for label in np.flatnonzero(found[1:])}
    return Carried(
        len(documents),
        0 if documents.is_train is None else int((~documents.is_train).sum()),
        None if names is None else tuple(sorted(names)),
        0 if found is None else int(found[0]),
    )


def show(found: Described, console: "Console") -> None:
    """Print the description for people."""
    table = new_table("", " ", stretch=" ")
    table.show_header = False
    for name, value in _lines(found):
        table.add_row(name, cell(value, wrap=True))
    console.print(table)


def _lines(found: Described) -> list[tuple[str, str]]:
    training, columns = found.training, found.columns
    layers = "" if found.layers is None else f", hidden layers {', '.join(map(str, found.layers))}"
    name = found.estimator if found.model is None else f"{found.model} ({found.estimator})"
    lines = [
        ("model", f"{name}, {number_of(found.n_components, 'component')}{layers}"),
        ("regulariser", _regulariser(found)),
        ("angles", str(found.angles)),
    ]
    if found.compared is not None:
        lines.insert(2, ("for", found.compared))
    if training.updates is not None:
        seconds = "" if training.seconds is None else f" in {training.seconds:.1f} s"
        loss = "" if training.loss is None else f", last loss {number(training.loss)}"
        lines.append(("training", f"{number_of(training.updates, 'update')}{seconds}{loss}"))
    if training.stopped is not None:
        lines.append(("stopped", training.stopped))
    names = "with" if columns.named else "without"
    kind = "" if columns.kind is None else f", {columns.kind}"
    lines.append(("columns", f"{columns.count:,}{kind}, {names} names"))
    read = (
        ("text column", columns.text_column),
        ("label column", columns.label_column),
        ("id column", columns.id_column),
        ("split column", columns.split_column),
        ("words", "of any alphabet" if columns.token_pattern == WORDS else columns.token_pattern),
        ("in a row", f"up to {columns.ngrams} words count as one" if columns.ngrams > 1 else None),
        ("language", _named(columns.language)),
        ("stop words", "of the language" if columns.stop_words == "auto" else columns.stop_words),
        ("HTML", "only its text is read" if columns.strip_html else None),
        ("mails", _mails(columns)),
        ("lines", f"{columns.repeated_lines:,} that documents share are left out" if columns.repeated_lines else None),
    )
    lines += [(name, value) for name, value in read if value is not None]
    lines += _documents(found.documents)
    versions = ", ".join(f"{name} {version}" for name, version in found.file.versions.items())
    size = f"{found.file.bytes / 1e6:.1f} MB" if found.file.bytes >= 1e6 else f"{found.file.bytes / 1e3:.0f} kB"
    return [*lines, ("file", f"{found.path}, {size}, format {found.file.format}"), ("written by", versions)]


def _named(languages: str | None) -> str | None:
    """The names of languages that are given by their codes."""
    return None if languages is None else ", ".join(map(language_name, languages.split(", ")))


def _mails(columns: Columns) -> str | None:
    if not columns.strip_mail:
        return None
    return "what authors wrote and quoted is read" if columns.keep_quotations else "only what authors wrote is read"


def _regulariser(found: Described) -> str:
    values = (("λ = ", found.diversity), ("surrogate ", found.surrogate), ("γ = ", found.gamma))
    said = [name + (value if isinstance(value, str) else f"{value:g}") for name, value in values if value is not None]
    return ", ".join(said) or "none"


def _documents(carried: Carried | None) -> list[tuple[str, str]]:
    if carried is None:
        return [("documents", "none in the file")]
    held = f", {carried.held_out:,} of them held out" if carried.held_out else ""
    lines = [("documents", f"{carried.count:,}{held}")]
    if carried.classes is None:
        return [*lines, ("labels", "none")]
    more = len(carried.classes) - MOST_LISTED
    shown = ", ".join(carried.classes[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
    none = f"; {number_of(carried.unlabelled, 'document')} without" if carried.unlabelled else ""
    return [*lines, ("labels", f"{number_of(len(carried.classes), 'class', 'classes')}: {shown}{none}")]
