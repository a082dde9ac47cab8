"""What users are told about rows that were read: one line on what the file was taken for, and what the result hides."""

from collections.abc import Sequence

import numpy as np

from wideangle.reading.columns import Columns
from wideangle.reading.rows import Rows
from wideangle.reading.split import said_split
from wideangle.reading.survey import said_columns

__all__ = ["described", "notes_of"]


def described(name: str, rows: Rows, parts: Sequence[str], columns: Columns | None = None, empty: int = 0) -> str:
    """One line: the name of the file, how many rows, its format, which columns are used and which are not."""
    what = "row" if columns is not None or not rows.counted or rows.snippets is None else "document"
    said = [f"{len(rows):,} {what}{'s' if len(rows) != 1 else ''}", *parts]
    if not parts:  # arrays
        said.append(f"{rows.X.shape[1]:,} columns of {'counts' if rows.counted else 'numbers'}")
    if rows.is_train is not None:
        said.append(said_split(rows.is_train, None if columns is None else columns.split))
    line = f"{name}: {', '.join(said)}"
    if empty:
        line += f"; {empty:,} {'text is' if empty == 1 else 'texts are'} empty"
    if columns is not None and columns.unused:
        line += f"; not used: {said_columns(columns.unused)}"
    return line


def notes_of(rows: Rows, kind: str) -> tuple[str, ...]:
    """Rows without labels or without a known word, and how a matrix without words was understood."""
    notes = []
    if rows.counted and rows.vocabulary is None and kind in ("presence", "tf-idf"):
        notes.append(
            f"whole numbers of a sparse matrix count words, here by {kind}. To use them as they are, save X dense."
        )
    if 0 < rows.unlabelled < len(rows):
        notes.append(f"{rows.unlabelled} of {len(rows)} rows have no label, so that no label is used.")
    if rows.counted:
        without = len(rows) - int(np.count_nonzero(np.asarray(rows.X.sum(axis=1)).ravel()))
        if without:
            notes.append(f"{without} of {len(rows)} documents have no word of the vocabulary; they are kept.")
    return tuple(notes)
