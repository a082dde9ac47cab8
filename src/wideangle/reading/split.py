"""Which rows of a table are for training, where a column says so."""

from collections.abc import Iterable
from typing import Any

from wideangle.exceptions import DataError
from wideangle.reading.survey import ColumnSurvey

__all__ = ["SPLIT_COLUMNS", "is_for_training", "said_split", "split_of"]

YES_OR_NO = ("is_train", "istrain", "train")  # columns that hold truths rather than names
SPLIT_COLUMNS = ("split", "subset", "partition", "set", "data_split", *YES_OR_NO)
TRAIN = frozenset({"train", "training"})
HELD_OUT = frozenset(
    {"test", "testing", "valid", "validation", "val", "dev", "eval", "evaluation", "held-out", "held_out", "heldout"}
)
YES, NO = frozenset({"true", "1", "yes", "1.0"}), frozenset({"false", "0", "no", "0.0"})


def split_of(column: ColumnSurvey, name: str) -> frozenset[str] | None:
    """The marks of a column that says which rows are for training; None where it says something else."""
    marks = frozenset(str(value).strip().lower() for value in column.distinct)
    known = TRAIN | HELD_OUT | (YES | NO if name.lower() in YES_OR_NO else frozenset())
    return marks if marks and not column.long and marks <= known else None


def is_for_training(value: Any, where: str) -> bool:
    """Whether a row with this mark is one to fit on; validation rows are held out as test rows are."""
    mark = str(value).strip().lower()
    if mark in TRAIN or mark in YES:
        return True
    if mark in HELD_OUT or mark in NO:
        return False
    raise DataError(f"{where} is marked {value!r}, neither train nor test. Mark it, or use no column for the split.")


def said_split(is_train: Iterable[bool], column: str | None) -> str:
    """A part of a description."""
    marks = [bool(mark) for mark in is_train]
    by = "with a split" if column is None else f"split by column {column!r}"
    return f"{by} ({sum(marks):,} to fit on, {len(marks) - sum(marks):,} held out)"
