"""Records of fits: one JSON object per line, added to, so that a stopped run goes on where it was."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from wideangle._json_lines import adding_lines, read_lines, unpacked_name
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.origins import is_of_this_code
from wideangle.experiments.tasks import TASKS

__all__ = ["RecordFolder", "checked_record", "read_file", "writing"]

SUFFIX = ".jsonl"
LARGEST = 1e100  # Means and deviations of measures must be finite too.


class RecordFolder:
    """The records of all tasks, one file per task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, task: str) -> Path:
        return self.folder / f"{task}{SUFFIX}"

    @property
    def is_empty(self) -> bool:
        """Whether no task has a file of records, be it packed or not."""
        return not any(unpacked_name(path).suffix == SUFFIX for path in self.folder.glob("*"))

    def read(self, task: str, *, only_this_code: bool = False) -> dict[str, Record]:
        """By the key of the job. Of several records of a job the last counts; failed fits are left out.

        With `only_this_code` so are records that other code made than that which is here now.
        """
        found = {}
        for record in read_file(self.path(task)):
            if "failed" not in record and not (only_this_code and not is_of_this_code(record)):
                found[Job.of(record).key] = record
        return found


def read_file(path: Path) -> list[Record]:
    """The records of a file; none if it is not there. A last line that was cut off is left out."""
    return read_lines(path, checked_record)


@contextmanager
def writing(path: Path) -> Iterator[Callable[[Record], None]]:
    """Give a function that adds a record, which is on disk when it returns. One process at a time may write a file."""
    with adding_lines(path, checked_record, "pass another folder with --records") as add:
        yield add


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def _is_text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


# What each record has, and of what a fit that ended has besides.
JOB: dict[str, Callable[[Any], bool]] = {
    "task": lambda value: value in TASKS if isinstance(value, str) else False,
    "data": lambda value: isinstance(value, str),
    "estimator": lambda value: isinstance(value, str),
    "settings": lambda value: isinstance(value, dict),
    "seed": lambda value: type(value) is int,
    "fold": lambda value: value is None or type(value) is int,
}
ENDED: dict[str, Callable[[Any], bool]] = {
    "measures": lambda value: (
        isinstance(value, dict) and all(each is None or _is_number(each) for each in value.values())
    ),
    "details": lambda value: isinstance(value, dict),
    "seconds": lambda value: _is_number(value) and math.isfinite(value) and value >= 0,
    "checksum": _is_text_or_none,
    "made with": lambda value: isinstance(value, dict) and all(map(_is_text_or_none, value.values())),
}


def checked_record(record: Any) -> Record:
    """The record itself. ValueError says what is wrong with it."""
    if not isinstance(record, dict):
        raise ValueError(f"an object is wanted; got {type(record).__name__}")
    wanted = JOB if "failed" in record else JOB | ENDED
    for name, is_good in wanted.items():
        if name not in record:
            raise ValueError(f"it lacks {name!r}")
        if not is_good(record[name]):
            raise ValueError(f"{name!r} cannot be {str(record[name])[:50]!r}")
    Job.of(record)
    return record
