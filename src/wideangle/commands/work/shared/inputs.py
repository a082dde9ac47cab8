"""How the commands read files: they check what each model takes, and print notes on what was found."""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from wideangle.catalogue import Entry, entries
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output
from wideangle.commands.work.shared.memory import reserve_for_algebra
from wideangle.documents import Reading
from wideangle.reading import ReadingOptions, Rows, read
from wideangle.reading import read_new as read_new_rows
from wideangle.reading import read_new_parts as reading_new_parts
from wideangle.reading.places import DataPath
from wideangle.reading.unknown import WordTally
from wideangle.view import ModelView


def read_training(
    path: DataPath, entry: Entry, how: ReadingOptions, output: Output, *, hold_out: float = 0.0, seed: int = 0
) -> Rows:
    """Rows to fit a model on, as it sees them."""
    reserve_for_algebra()
    rows = read(path, how, weighting=entry.weighting, hold_out=hold_out, seed=seed)
    check_rows(rows, path, entry, how, output)
    return rows


def check_rows(rows: Rows, path: DataPath, entry: Entry, how: ReadingOptions, output: Output) -> None:
    """Tell what was read, and raise an error where the model does not take such rows."""
    assert rows.reading is not None
    _tell(rows, output, _can_be_named(rows.reading, how))
    if entry.takes == "counts" and rows.reading.kind != "counts":
        others = _model_names(other for other in entries() if other.takes != "counts")
        raise CommandError(f"{path} holds numbers that are no word counts. Give counts, or take --model {others}.")
    if entry.takes == "shares" and rows.reading.kind == "numbers":
        low, high = float(rows.X.min()), float(rows.X.max())
        if low < 0 or high > 1:
            raise CommandError(
                f"{entry.command} takes values from 0 to 1, and {path} has {low:g} to {high:g}. Scale its columns."
            )
    if entry.target is not None:
        _require_classes(rows, entry, path)


def read_new(
    path: DataPath, view: ModelView, how: ReadingOptions, output: Output, tally: WordTally | None = None
) -> Rows:
    """Rows of new documents as a fitted model sees them. `tally` counts the words that it does not know."""
    rows = read_new_rows(path, view.reading, view.column_names, how, n_features=view.model.n_features_in_, tally=tally)
    _tell(rows, output)
    return rows


def read_new_parts(path: DataPath, view: ModelView, how: ReadingOptions, output: Output, size: int) -> Iterator[Rows]:
    """Rows of new documents, `size` at a time. What is noted of a part says which part, where there are several."""
    parts = reading_new_parts(
        path, view.reading, view.column_names, how, n_features=view.model.n_features_in_, size=size
    )
    rows: Rows | None = next(parts)
    notes = PartNotes(output)
    begin = 1
    while rows is not None:
        following = next(parts, None)
        alone = begin == 1 and following is None
        which = "" if alone else f"rows {begin:,} to {begin + len(rows) - 1:,}: "
        notes.tell((f"{rows.description}.", *rows.notes) if begin == 1 else rows.notes, which)
        begin += len(rows)
        yield rows
        rows = following


class PartNotes:
    """Prints what is noted of parts. Of notes that every part has, the first is enough."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told: set[str] = set()

    def tell(self, notes: Iterable[str], which: str) -> None:
        """Print the notes of a part; `which` says the part."""
        for note in notes:
            if _without_numbers(note) not in self._told:
                self._output.note(f"{which}{note}")
                self._told.add(_without_numbers(note))


def _without_numbers(note: str) -> str:
    """What tells one kind of note from another."""
    return re.sub(r"[\d,.]+", "", note)


def _tell(rows: Rows, output: Output, more: str = "") -> None:
    output.note(f"{rows.description}.{more}")
    for note in rows.notes:
        output.note(note)


def _can_be_named(reading: Reading, how: ReadingOptions) -> str:
    """A sentence with the options that name the columns which were guessed."""
    kinds = ("text", "title", "label", "id", "date", "split")
    guessed = [
        f"--{kind}-column"
        for kind in kinds
        if getattr(reading, f"{kind}_column") is not None and getattr(how, f"{kind}_column") is None
    ]
    return f" Name other columns with {', '.join(guessed)}." if guessed else ""


def _model_names(some: Iterable[Entry]) -> str:
    """The names of some estimators on the command line."""
    names = [entry.command for entry in some if entry.command is not None]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _require_classes(rows: Rows, entry: Entry, path: DataPath) -> None:
    if rows.labels is None:
        others = _model_names(other for other in entries() if other.target is None)
        raise CommandError(
            f"{entry.command} learns from labels, and the rows of {path} have none. Name the column with "
            f"--label-column, put the files of each class into a folder of its own, or take --model {others}."
        )
    present = np.unique(rows.labels[rows.training & rows.labelled])
    if len(present) < 2:
        raise CommandError(
            f"{entry.command} learns from at least 2 classes, and {path} has {len(present)}. Add another class."
        )
