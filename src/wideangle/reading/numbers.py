"""Tables of nothing but numbers, besides labels and ids."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.exceptions import DataError
from wideangle.reading.columns import Columns
from wideangle.reading.opening import Opened
from wideangle.reading.options import ReadingOptions
from wideangle.reading.rows import Rows, numbered_labels
from wideangle.reading.said import described, require_labels, said_of_columns, said_of_dropped
from wideangle.reading.split import is_for_training
from wideangle.reading.survey import is_missing, said_columns, to_number
from wideangle.reading.table import Row

__all__ = ["read_numbers"]

LARGEST = float(np.finfo(np.float32).max)


def read_numbers(opened: Opened, columns: Columns, features: Sequence[str], options: ReadingOptions) -> Rows:
    """The numbers of these columns. A cell that is empty, no number or not finite is named."""
    table = opened.table
    assert table is not None
    there = set(columns.every)
    missing = [name for name in features if name not in there]
    if missing:
        raise DataError(f"{table.name} lacks the columns {said_columns(missing)}, which the model was fitted on.")
    values: list[Any] = []
    labels: list[str | None] = []
    names: list[str] = []
    is_train: list[bool] = []
    dropped = 0
    for number, row in enumerate(table.rows(), 1):
        where = f"{table.name}, row {number}"
        label = None if columns.label is None else row.get(columns.label)
        if options.drop_unlabelled and is_missing(label):
            dropped += 1
            continue
        values.append(_numbers(row, features, where, columns.decimal_comma))
        labels.append(None if is_missing(label) else str(label))
        name = None if columns.id is None else row.get(columns.id)
        names.append(f"row {number}" if is_missing(name) else str(name))
        if columns.split is not None:
            is_train.append(is_for_training(row.get(columns.split), where))
    require_labels(len(values), dropped, table.name)
    numbers, label_names = numbered_labels(labels)
    rows = Rows(
        np.stack(values),
        counted=False,
        names=names,
        labels=numbers,
        label_names=label_names,
        is_train=np.asarray(is_train) if columns.split is not None else None,
        vocabulary=list(features),
        notes=(*opened.notes, *columns.notes, *said_of_dropped(dropped)),
    )
    taken_for = (*table.taken_for, *said_of_columns(columns))
    return replace(rows, description=described(opened.name, rows, taken_for, columns))


def _numbers(row: Row, features: Sequence[str], where: str, decimal_comma: bool) -> NDArray[np.float32]:
    """The numbers of a whole row at once. Where that fails, each cell is looked at, to name the one that is wrong."""
    if decimal_comma:
        return np.array([_number(row.get(name), name, where, True) for name in features], dtype=np.float32)
    try:
        with np.errstate(over="ignore"):
            numbers = np.array([float(row[name]) for name in features], dtype=np.float32)
        if np.isfinite(numbers).all():
            return numbers
    except (TypeError, ValueError, KeyError, OverflowError):
        pass
    return np.array([_number(row.get(name), name, where) for name in features], dtype=np.float32)


def _number(value: Any, column: str, where: str, decimal_comma: bool = False) -> float:
    if is_missing(value):
        raise DataError(f"{where}: {column!r} is empty, and a number is wanted. Fill or drop it.")
    number = to_number(value, decimal_comma=decimal_comma)
    if number is None:
        raise DataError(f"{where}: {column!r} is {value!r}, not a number. Fill or drop it.")
    if not abs(number) <= LARGEST:
        raise DataError(f"{where}: {column!r} is {value!r}, not a finite number. Fill or drop it.")
    return number
