"""A table that was opened: what it was taken for, and its rows as often as they are asked for."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Row", "Table"]

Row = dict[str, Any]


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
