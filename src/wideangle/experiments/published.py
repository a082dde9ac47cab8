"""The numbers the paper publishes, read from published.toml."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wideangle.catalogue.entry import did_you_mean
from wideangle.exceptions import DataError
from wideangle.experiments.toml_files import TomlFile

__all__ = ["Published", "published", "published_names"]

Entry = float | tuple[str, ...] | None
"""A number, the words of a topic, or None where the paper does not tell the value."""


@dataclass(frozen=True)
class Published:
    """One table of the paper."""

    name: str
    label: str
    """the paper's own; two tables share one, so that it takes the caption as well to find a table"""
    caption: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Entry, ...]]

    def value(self, row: str, column: str) -> float | None:
        """The published number; None where the paper has none, be it for want of the row, the column or the value."""
        entry = self._entry(row, column)
        return entry if isinstance(entry, float) else None

    def words(self, row: str, column: str) -> tuple[str, ...]:
        """The words of a topic, the one of most weight first; empty where the paper has none."""
        entry = self._entry(row, column)
        return entry if isinstance(entry, tuple) else ()

    def _entry(self, row: str, column: str) -> Entry:
        if row not in self.rows or column not in self.columns:
            return None
        return self.rows[row][self.columns.index(column)]


@cache
def published(name: str) -> Published:
    """The table of that name in published.toml.

    >>> published("precision_tdt").value("MAR-RBM", "50")
    84.2
    """
    tables = _tables()
    if name not in tables:
        hint = did_you_mean(name, tables) or f" There are {', '.join(tables)}."
        raise DataError(f"No table of published numbers is called {name!r}.{hint}")
    table = tables[name]
    columns = tuple(table["columns"])
    rows = {row: _entries(values, columns) for row, values in table["rows"].items()}
    # Everyone gets the same cached table, so nobody may write into it.
    return Published(name, table["label"], table["caption"], columns, MappingProxyType(rows))


def published_names() -> tuple[str, ...]:
    """The names `published` takes."""
    return tuple(_tables())


@cache
def _tables() -> Mapping[str, Any]:
    return TomlFile.read(Path(str(files("wideangle.experiments") / "published.toml"))).values


def _entries(values: list[Any] | dict[str, Any], columns: tuple[str, ...]) -> tuple[Entry, ...]:
    """One entry per value of a list; of a table, one per column."""
    listed = [values.get(column) for column in columns] if isinstance(values, dict) else values
    return tuple(_entry(value) for value in listed)


def _entry(value: Any) -> Entry:
    if value is None:
        return None
    return tuple(value) if isinstance(value, list) else float(value)
