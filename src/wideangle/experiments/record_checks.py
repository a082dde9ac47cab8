"""Whether a line of a file of records is a record: what it must say, and of which type."""

import math
from collections.abc import Callable
from typing import Any

from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.tasks import TASKS

__all__ = ["checked"]

LARGEST = 1e100  # Means and deviations of measures must be finite too.


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


def checked(record: Any) -> Record:
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
