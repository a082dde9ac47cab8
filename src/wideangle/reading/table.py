"""A table that was opened: what it was taken for, and its rows as often as they are asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Row", "Span", "Table", "flattened"]

Row = dict[str, Any]


class Span(NamedTuple):
    """A part of a file that can be read by itself: bytes, or groups of rows, from one up to another."""

    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """Rows by the names of their columns."""

    name: str
    """of the file, for messages"""
    rows: Callable[[], Iterator[Row]]
    columns: tuple[str, ...] | None
    """None: each row names its own, as in JSON"""
    taken_for: tuple[str, ...] = ()
    """what was found out of the format, such as "separated by ';'", for people"""
    encoding: str | None = None
    """None: the format has letters of its own"""
    notes: tuple[str, ...] = ()
    """sentences for people about what was chosen"""
    spans: Callable[[int], list[Span]] | None = None
    """parts of about so many bytes, which together are all rows; None: the file is read from its beginning to its end
    """
    rows_of: Callable[[Span], Iterator[Row]] | None = None
    """the rows of such a part"""


def flattened(row: Row) -> Row:
    """The fields of objects inside a row under their path, such as "payload.text"; a row without objects as it is.

    Examples
    --------
    >>> from wideangle.reading.table import flattened
    >>> flattened({"id": 7, "payload": {"text": "corn", "by": {"name": "Ann"}}})
    {'id': 7, 'payload.text': 'corn', 'payload.by.name': 'Ann'}
    """
    if not any(isinstance(value, dict) for value in row.values()):
        return row
    flat: Row = {}
    waiting = list(reversed(row.items()))
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{path}.{name}", inner) for name, inner in reversed(value.items()))
        else:
            flat[path] = value
    return flat
