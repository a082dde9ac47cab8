"""What the columns of a table hold, told by all rows rather than by the first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import Any

from wideangle.reading.table import Table

__all__ = ["ColumnSurvey", "Survey", "is_missing", "said_columns", "survey_table", "to_number"]

ENOUGH = 2000  # filled values by which the kind of a column is recognised
MOSTLY = 0.9  # share of filled values that make a column one of numbers, links or dates
LONGEST_NUMBER = 40  # characters
BEGINNING = 2000  # characters of a long text, by which its words are counted
LONGEST_NAME = 100  # characters; what is longer is neither a class nor an id
SHORT = 20  # characters; longer values are compared by their hash, to spare memory
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
WORD = re.compile(r"(?<!\w)[^\W\d_]{2,}(?!\w)")  # letters beside digits belong to an id
WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # Chinese and Japanese, where about two letters are a word
LINK = re.compile(r"\s*(?:(?:https?|ftp)://|www\.|mailto:)\S*\s*|\s*[^\s@]+@[^\s@]+\.[^\s@]+\s*", re.IGNORECASE)
DATE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?\s*|\s*\d{1,2}:\d{2}(?::\d{2})?\s*")


GROUP = re.compile(r"[.'’ \u00a0\u202f]")  # what stands before each three digits of a large number
WITH_COMMA = re.compile(rf"\s*[+-]?(?:\d+|\d{{1,3}}(?:{GROUP.pattern}\d{{3}})+),\d+(?:[eE][+-]?\d+)?\s*")
GROUPED = re.compile(rf"\s*[+-]?\d{{1,3}}(?:{GROUP.pattern}\d{{3}})+\s*")  # 1.234, which may be of either kind
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")  # 1,234, likewise


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: null, blank, or one of the usual words for it."""
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING) or value != value


def to_number(value: Any, *, decimal_comma: bool = False) -> float | None:
    """A number, also one written as text; None for anything else. With decimal commas 1.234,5 is a number too.

    Examples
    --------
    >>> from wideangle.reading.survey import to_number
    >>> to_number("1.5"), to_number("1,5"), to_number("1.234,5", decimal_comma=True)
    (1.5, None, 1234.5)
    """
    if isinstance(value, str) and (len(value) > LONGEST_NUMBER or "_" in value):
        return None  # Python takes 1_000 for a number, and nobody else does
    if decimal_comma and isinstance(value, str) and (WITH_COMMA.fullmatch(value) or GROUPED.fullmatch(value)):
        value = GROUP.sub("", value).replace(",", ".")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


@dataclass
class ColumnSurvey:
    """What was seen of one column."""

    filled: int = 0
    missing: int = 0
    numbers: int = 0
    links: int = 0
    dates: int = 0
    words: float = 0.0
    """of natural language, in all filled values"""
    long: bool = False
    """whether a value is too long for a class or an id"""
    commas: int = 0
    """values that are numbers if a comma stands for a point"""
    has_decimal_comma: bool = False
    """whether a comma can only stand for a point, as in 1,5 and not in 1,234"""
    has_decimal_point: bool = False
    distinct: set[Any] = field(default_factory=set)
    """short values themselves, others by their hash; of a column that is not long"""

    def add(self, value: Any) -> None:
        """Take another value into account."""
        number = to_number(value)
        if (number is None and is_missing(value)) or number != number:
            self.missing += 1
            return
        self.filled += 1
        if number is not None:
            self.numbers += 1
            if not self.has_decimal_point and isinstance(value, str | float) and "." in str(value):
                self.has_decimal_point = isinstance(value, float) or not GROUPED.fullmatch(value)
        elif isinstance(value, str):
            self._add_text(value[:BEGINNING])
        elif isinstance(value, date):  # as Excel and Parquet have them; a time is a date too
            self.dates += 1
        self._remember(value if isinstance(value, str) else str(value))

    def _add_text(self, text: str) -> None:
        if len(text) <= LONGEST_NUMBER and "," in text and WITH_COMMA.fullmatch(text):
            self.commas += 1
            self.has_decimal_comma = self.has_decimal_comma or not THOUSANDS.fullmatch(text)
        elif len(text) < BEGINNING and LINK.fullmatch(text):
            self.links += 1
        elif len(text) <= LONGEST_NAME and DATE.fullmatch(text):
            self.dates += 1
        else:
            self.words += len(WORD.findall(text))
            if not text.isascii():
                self.words += len(WITHOUT_SPACES.findall(text)) / 2

    def _remember(self, text: str) -> None:
        if len(text) > LONGEST_NAME:
            self.long = True
            self.distinct.clear()
        elif not self.long:
            self.distinct.add(text if len(text) <= SHORT else hash(text))

    @property
    def is_full(self) -> bool:
        return self.filled >= ENOUGH

    @property
    def is_numeric(self) -> bool:
        """Whether nearly all values are numbers; the others are mistakes, to be named when they are read."""
        return self.filled > 0 and self.numbers >= MOSTLY * self.filled

    @property
    def may_be_text(self) -> bool:
        """Whether it is neither empty nor of numbers, links or dates."""
        return self.filled > 0 and max(self.numbers, self.links, self.dates) < MOSTLY * self.filled

    @property
    def is_dates(self) -> bool:
        """Whether nearly all values are dates."""
        return self.filled > 0 and self.dates >= MOSTLY * self.filled

    @property
    def is_wordy(self) -> bool:
        """Whether it holds natural language."""
        return self.may_be_text and self.words > 0

    @property
    def words_per_value(self) -> float:
        return self.words / max(self.filled, 1)

    @property
    def repeats(self) -> bool:
        """Whether values come again and again, as classes do."""
        return not self.long and 0 < 2 * len(self.distinct) <= self.filled

    @property
    def is_unique(self) -> bool:
        """Whether each row has a value of its own, as ids are."""
        return not self.long and not self.missing and len(self.distinct) == self.filled > 0


@dataclass(frozen=True)
class Survey:
    """The columns of a table in the order they were met."""

    columns: dict[str, ColumnSurvey]
    rows: int
    """how many were looked at"""
    decimal_comma: bool = False
    """whether a comma stands for a point in all numbers"""

    def __getitem__(self, name: str) -> ColumnSurvey:
        return self.columns[name]


def survey_table(table: Table, most: int | None = None) -> Survey:
    """Look at every row, or at the first ones; where the columns are known beforehand, at enough values of each."""
    columns = {name: ColumnSurvey() for name in table.columns or ()}
    open_columns = dict(columns)
    number = 0
    for number, row in enumerate(islice(table.rows(), most), 1):
        if table.columns is None:
            for name in row:
                if name not in columns:
                    columns[name] = open_columns[name] = ColumnSurvey(missing=number - 1)
        elif not open_columns:
            break
        for name, column in open_columns.items():
            column.add(row.get(name))
        if number % 500 == 0:
            open_columns = {name: column for name, column in open_columns.items() if not column.is_full}
    # One 1,5 tells that 1,234 is a fraction as well, but for a table that has 1.5 too.
    every = columns.values()
    comma = any(column.has_decimal_comma for column in every) and not any(column.has_decimal_point for column in every)
    for column in every if comma else ():
        column.numbers += column.commas
    return Survey(columns, number, comma)


def said_columns(names: Iterable[str], most: int = 8) -> str:
    """Names of columns for a message, the first of them where there are many."""
    every = list(names)
    shown = ", ".join(map(repr, every[:most]))
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"
