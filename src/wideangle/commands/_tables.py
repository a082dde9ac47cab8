"""Tables: which column is the text, which the label, and tables of nothing but numbers."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.commands._guard import CommandError
from wideangle.data.reading import LABEL_COLUMNS, TEXT_COLUMNS
from wideangle.data.tables import table_rows

LOOK = 100  # rows looked at to tell numbers from text


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are."""

    every: tuple[str, ...]
    text: str | None
    """None: the table holds numbers"""
    label: str | None


def columns_of(path: Path, text: str | None, label: str | None, encoding: str) -> Columns:
    """The columns named, or the usual ones, or the one of the longest strings; no text where all are numbers."""
    head = list(islice(table_rows(path, encoding), LOOK))
    if not head:
        raise CommandError(f"{path} holds no rows. Check the file.")
    every = tuple(name for name in head[0] if isinstance(name, str))
    for chosen in (text, label):
        if chosen is not None and chosen not in every:
            raise CommandError(f"{path.name} has no column {chosen!r}. It has {', '.join(map(repr, every))}.")
    label = label or next((name for name in every if name.lower() in LABEL_COLUMNS and name != text), None)
    others = [name for name in every if name != label]
    if text is not None:
        return Columns(every, text, label)
    if others and all(_is_number(row.get(name)) for row in head for name in others):
        return Columns(every, None, label)
    if label is None and (named := _only_names(head, others)) is not None:
        return Columns(every, None, named)
    lengths = {name: sum(len(row[name]) for row in head if isinstance(row.get(name), str)) for name in others}
    usual = next((name for name in others if name.lower() in TEXT_COLUMNS), None)
    if usual is None and not any(lengths.values()):
        raise CommandError(
            f"{path.name} has neither a column of text nor only numbers; it has {', '.join(map(repr, every))}. "
            "Fill what is missing, or name the label with --label-column."
        )
    return Columns(every, usual or max(lengths, key=lengths.__getitem__), label)


def read_numbers(
    path: Path, features: list[str], label: str | None, encoding: str
) -> tuple[NDArray[np.float32], list[str | None]]:
    """The numbers of these columns, and each row's label."""
    values: list[list[float]] = []
    labels: list[str | None] = []
    for number, row in enumerate(table_rows(path, encoding), 1):
        try:
            values.append([float(row[name]) for name in features])
        except (TypeError, ValueError) as error:
            wrong = next(name for name in features if not _is_number(row.get(name)))
            raise CommandError(
                f"{path.name}, row {number}: {wrong!r} is {row.get(wrong)!r}, not a number. Fill or drop it."
            ) from error
        labels.append(None if label is None or row.get(label) in (None, "") else str(row[label]))
    X = np.asarray(values, dtype=np.float32)
    if not np.isfinite(X).all():
        where = int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0]) + 1
        raise CommandError(f"{path.name}, row {where}, holds NaN or an infinity. Fill or drop it.")
    return X, labels


def _only_names(head: list[dict[str, Any]], columns: list[str]) -> str | None:
    """The one column that is no number beside others that are, if its values come again and again: a label."""
    rest = [name for name in columns if not all(_is_number(row.get(name)) for row in head)]
    if len(rest) != 1 or len(columns) < 2 or rest[0].lower() in TEXT_COLUMNS:
        return None
    return rest[0] if 2 * len({row.get(rest[0]) for row in head}) <= len(head) else None


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
