"""What users are told about rows that were read: one line on what the file was taken for, and what the result hides."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.documents import NO_DATE
from wideangle.exceptions import DataError
from wideangle.reading.columns import Columns
from wideangle.reading.rows import Rows
from wideangle.reading.split import said_split
from wideangle.reading.survey import said_columns

__all__ = ["described", "notes_of", "require_labels", "said_of_columns", "said_of_dates", "said_of_dropped"]


def described(name: str, rows: Rows, parts: Sequence[str], columns: Columns | None = None, empty: int = 0) -> str:
    """One line: the name of the file, how many rows, its format, which columns are used and which are not."""
    what = (
        "row"
        if columns is not None or (not rows.counted and rows.words is None) or rows.snippets is None
        else "document"
    )
    said = [number_of(len(rows), what), *parts]
    if rows.words is not None or (not rows.counted and rows.snippets is not None):
        said.append(f"vectors of {number_of(rows.X.shape[1], 'number')}")
    elif not parts:  # arrays
        said.append(f"{number_of(rows.X.shape[1], 'column')} of {'counts' if rows.counted else 'numbers'}")
    if rows.is_train is not None:
        said.append(said_split(rows.is_train, None if columns is None else columns.split))
    line = f"{name}: {', '.join(said)}"
    if empty:
        line += f"; {empty:,} {'text is' if empty == 1 else 'texts are'} empty"
    if columns is not None and columns.unused:
        line += f"; not used: {said_columns(columns.unused)}"
    return line


def said_of_columns(columns: Columns) -> list[str]:
    """Where text, titles, labels and ids come from, for people; the split is counted by who reads all rows."""
    said = [f"text from column {columns.text!r}"] if columns.text is not None else []
    if columns.title is not None:
        said.append(f"titles from column {columns.title!r}")
    if columns.features:
        comma = " with decimal commas" if columns.decimal_comma else ""
        said.append(f"numbers from {number_of(len(columns.features), 'column')}{comma}")
    if columns.label is not None:
        said.append(f"labels from column {columns.label!r}")
    if columns.id is not None:
        said.append(f"ids from column {columns.id!r}")
    if columns.date is not None:
        said.append(f"dates from column {columns.date!r}")
    return said


def said_of_dropped(dropped: int) -> tuple[str, ...]:
    """What to tell about rows that `drop_unlabelled` left out: nothing, or one sentence."""
    if not dropped:
        return ()
    return (f"{number_of(dropped, 'row')} without a label {'is' if dropped == 1 else 'are'} left out.",)


def require_labels(kept: int, dropped: int, name: str) -> None:
    """Refuse to drop all rows."""
    if dropped and not kept:
        raise DataError(
            f"--drop-unlabelled leaves out rows without a label, and no row of {name} has one. Name their column with "
            "--label-column, or leave out --drop-unlabelled."
        )


def notes_of(rows: Rows, kind: str) -> tuple[str, ...]:
    """Rows without labels or without a known word, and how a matrix without words was understood."""
    notes = []
    if rows.counted and rows.vocabulary is None and kind in ("presence", "tf-idf"):
        notes.append(
            f"whole numbers of a sparse matrix count words, here by {kind}. To use them as they are, save X dense."
        )
    unlabelled = 0 if rows.labels is None else int((~rows.labelled).sum())
    if unlabelled:
        have, are = ("has", "It is") if unlabelled == 1 else ("have", "They are")
        notes.append(
            f"{unlabelled:,} of {number_of(len(rows), 'row')} {have} no label. {are} kept, and left out of what needs "
            "labels; --drop-unlabelled leaves such rows out altogether."
        )
    if rows.counted:
        without = len(rows) - int(np.count_nonzero(np.asarray(rows.X.sum(axis=1)).ravel()))
        if without:
            have, are = ("has", "it is") if without == 1 else ("have", "they are")
            every = number_of(len(rows), "document")
            notes.append(f"{without:,} of {every} {have} no word of the vocabulary; {are} kept.")
    return tuple(notes)


def said_of_dates(dates: NDArray[np.int64] | None, columns: Columns | None, n_rows: int) -> list[str]:
    """What to say where some values of a column of dates are none: nothing, or one sentence."""
    without = n_rows if dates is None else int((dates == NO_DATE).sum())
    if columns is None or columns.date is None or not without:
        return []
    return [f"{without:,} of {n_rows:,} rows have no date in column {columns.date!r} that can be read."]
