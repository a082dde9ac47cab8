"""What the columns of a table hold, told by all rows rather than by the first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
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


def is_missing(value: Any) -> bool:
    """Whether a cell holds nothing: null, blank, or one of the usual words for it."""
    return value is None or (isinstance(value, str) and value.strip().lower() in MISSING) or value != value


def to_number(value: Any) -> float | None:
    """A number, also one written as text; None for anything else."""
    if isinstance(value, str) and (len(value) > LONGEST_NUMBER or "_" in value):
        return None  # Python takes 1_000 for a number, and nobody else does
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
        elif isinstance(value, str):
            self._add_text(value[:BEGINNING])
        self._remember(value if isinstance(value, str) else str(value))

    def _add_text(self, text: str) -> None:
        if len(text) < BEGINNING and LINK.fullmatch(text):
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

    def __getitem__(self, name: str) -> ColumnSurvey:
        return self.columns[name]


def survey_table(table: Table) -> Survey:
    """Look at every row, or, where the columns are known beforehand, at enough values of each."""
    columns = {name: ColumnSurvey() for name in table.columns or ()}
    open_columns = dict(columns)
    number = 0
    for number, row in enumerate(table.rows(), 1):
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
    return Survey(columns, number)


def said_columns(names: Iterable[str], most: int = 8) -> str:
    """Names of columns for a message, the first of them where there are many."""
    every = list(names)
    shown = ", ".join(map(repr, every[:most]))
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"
