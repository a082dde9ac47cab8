"""Which column of a table is text, title, label, id, date and split; or that the table holds numbers."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from wideangle.exceptions import DataError
from wideangle.reading.dates import DATE_COLUMNS, DateOrder, order_of, seconds_of
from wideangle.reading.names import (
    ID_NAMES,
    LABEL_NAMES,
    PERHAPS_LABEL_NAMES,
    PERHAPS_TITLE_NAMES,
    TEXT_NAMES,
    TITLE_NAMES,
    ranks,
)
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.split import SPLIT_COLUMNS, split_of
from wideangle.reading.survey import WITHOUT_SPACES, ColumnSurvey, Survey, said_columns, to_number

__all__ = ["Columns", "choose_columns"]

# Each of these says that a line is a header.
KNOWN_NAMES = frozenset((*TEXT_NAMES, *LABEL_NAMES, *PERHAPS_LABEL_NAMES, *ID_NAMES, *SPLIT_COLUMNS, *TITLE_NAMES)) - {
    ""
}
# A name with one of these beside the word for a text is about the text, and not the text.
ABOUT = frozenset(
    {"id", "url", "link", "date", "time", "lang", "language", "length", "count", "type", "author", "name"}
)
PROSE = 4.0  # words per value; a column of that many different sentences is no label
FEW = 2.0  # words per value below which a column beside numbers is a name rather than a text
LONG_NAME = 5  # a header cell with this many words is no name of a column
PART = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
LOOKED_AT = 1000  # columns among which a similar name is looked for
MOST_NAMED = 30  # columns that are listed where one is not there
TEXT_RANKS = ranks(TEXT_NAMES)
TEXT_NAMES_WITHOUT_SPACES = tuple(name for name in TEXT_NAMES if WITHOUT_SPACES.match(name))
HEADERLESS = (
    "the first row was taken for the names of the columns, and looks like data. If it is, put a row of names before it."
)


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are."""

    every: tuple[str, ...]
    text: str | None = None
    """None: the table holds numbers"""
    label: str | None = None
    id: str | None = None
    split: str | None = None
    features: tuple[str, ...] = ()
    """the columns of numbers, where there is no text"""
    notes: tuple[str, ...] = ()
    title: str | None = None
    """of each text, where there is a text"""
    decimal_comma: bool = False
    """whether numbers have a comma where others have a point"""
    date: str | None = None
    """when each text was written"""
    date_order: DateOrder | None = None
    """how dates such as 01/02/2024 are read"""
    vector: str | None = None
    """the vector of each text"""

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that are not used."""
        used = {self.text, self.label, self.id, self.split, self.title, self.date, self.vector, *self.features}
        return tuple(name for name in self.every if name not in used)


def choose_columns(survey: Survey, options: ReadingOptions, table: str) -> Columns:
    """The columns named, or else the usual names, or else by what the columns hold."""
    every = tuple(survey.columns)
    vector = options.vectors if options.vectors in every else None
    if vector is not None:  # It holds lists of numbers, which are neither text nor label.
        survey = replace(survey, columns={name: each for name, each in survey.columns.items() if name != vector})
    if not survey.rows:
        raise DataError(f"{table} holds no rows. Check the file.")
    optional = (options.label_column, options.id_column, options.split_column, options.title_column)
    for chosen in (options.text_column, *map(_named, (*optional, options.date_column))):
        if chosen is not None and chosen not in every:
            alike = difflib.get_close_matches(chosen, every[:LOOKED_AT], 1)
            meant = f" Did you mean {alike[0]!r}?" if alike else ""
            raise DataError(f"{table} has no column {chosen!r}. It has {said_columns(every, MOST_NAMED)}.{meant}")
    text, notes = options.text_column, [HEADERLESS] if any(map(_is_data, every)) else []
    if text is not None and text == options.label_column:
        raise DataError(f"{table}: {text!r} cannot be both the text and the label. Name another column.")
    if vector is not None and vector in (text, options.label_column, options.id_column, options.title_column):
        raise DataError(f"{table}: {vector!r} holds the vectors, and can be nothing else. Name another column.")
    if text is not None and text == options.title_column:
        raise DataError(f"{table}: {text!r} cannot be both the text and the title. Name another column.")
    split = _named(options.split_column)
    if options.split_column is None:
        split, note = _guess_split(survey, text)
        notes += [note] if note else []
    elif split is not None and split_of(survey[split], split) is None:
        raise DataError(f"{table}: {split!r} does not say which rows are for training. Mark each train or test.")
    title = _named(options.title_column)
    taken = {text, split, title}
    id_column = _named(options.id_column) if options.id_column else _guess_id(survey, taken)
    taken.add(id_column)
    label = _named(options.label_column) if options.label_column else _guess_label(survey, taken)
    others = [name for name in every if name not in {split, id_column, label, title, vector}]
    if text is None:
        text, label = _guess_text(survey, others, label, fixed=options.label_column is not None)
    features = () if text is not None else tuple(name for name in others if survey[name].is_numeric and name != label)
    if options.vectors is not None and text is None:
        features = ()  # Beside vectors, numbers are no features.
    elif text is None and not features:
        raise DataError(
            f"{table} has neither a column of text nor one of numbers; it has {said_columns(every)}. Fill what is "
            "missing, or name the column of text."
        )
    if text is None and title is not None:
        raise DataError(
            f"{table}: {title!r} cannot hold titles, because there is no column of text. Name the text too."
        )
    if text is not None and options.title_column is None:
        title = _guess_title(survey, {text, label, id_column, split})
    dates = _named(options.date_column)
    if text is not None and options.date_column is None:
        dates = _guess_date(survey, {text, label, id_column, split, title})
    order, note = (None, "") if dates is None else _date_order(survey[dates], dates, options.date_order)
    notes += [note] if note else []
    return Columns(
        *(every, text, label, id_column, split, features, tuple(notes), title),
        *(survey.decimal_comma, dates, order, vector),
    )


def _is_data(name: str) -> bool:
    return to_number(name) is not None or len(name.split()) >= LONG_NAME


def _named(column: str | None) -> str | None:
    return None if column == NO_COLUMN else column


def _guess_split(survey: Survey, text: str | None) -> tuple[str | None, str]:
    for name in survey.columns:
        if name.lower() in SPLIT_COLUMNS and name != text:
            if split_of(survey[name], name) is not None and not survey[name].missing:
                return name, ""
            if name.lower() == "split":
                return None, f"the column {name!r} is not used: it does not mark every row as train or test"
    return None, ""


def _guess_id(survey: Survey, taken: set[str | None]) -> str | None:
    for name, column in survey.columns.items():
        if name not in taken and name.lower() in ID_NAMES and column.is_unique:
            return name
    return None


def _guess_label(survey: Survey, taken: set[str | None]) -> str | None:
    free = {name: column for name, column in survey.columns.items() if name not in taken and column.filled}
    classes = {
        name: column for name, column in free.items() if column.repeats or column.words_per_value < PROSE
    }  # sentences that do not repeat are a text, whatever the column is called
    usual = _first_called(classes, LABEL_NAMES)
    repeating = (name for name, column in classes.items() if column.repeats)
    return usual or _first_called(repeating, PERHAPS_LABEL_NAMES)


def _guess_title(survey: Survey, taken: set[str | None]) -> str | None:
    """A usual name, whose values are words and do not come again and again: the subject of a message may be a class."""
    free = {name: column for name, column in survey.columns.items() if name not in taken and column.is_wordy}
    own = {name: column for name, column in free.items() if not column.repeats}
    unique = [name for name, column in own.items() if column.is_unique]
    return _best_called(own, TITLE_NAMES) or _best_called(unique, PERHAPS_TITLE_NAMES)


def _guess_date(survey: Survey, taken: set[str | None]) -> str | None:
    """A usual name whose values can be dates, or else the only column of dates."""
    free = {name: column for name, column in survey.columns.items() if name not in taken and column.filled}
    for usual in DATE_COLUMNS:
        name = _first_called(free, (usual,))
        if name is not None and (free[name].is_dates or (free[name].is_numeric and _are_dates(free[name], name))):
            return name
    only = [name for name, column in free.items() if column.is_dates and _are_dates(column, name)]
    return only[0] if len(only) == 1 else None


def _are_dates(column: ColumnSurvey, name: str) -> bool:
    """Whether all values that were seen are dates; longer ones than dates are not kept as they are."""
    return all(not isinstance(value, str) or seconds_of(value, None, name) is not None for value in column.distinct)


def _date_order(column: ColumnSurvey, name: str, known: DateOrder | None) -> tuple[DateOrder | None, str]:
    order, is_open = order_of(column.distinct)
    if not is_open:
        return order, ""
    order = order if known is None else known
    return order, (
        f"dates such as 01/02/2024 in column {name!r} can be read in two ways, and are read {order}. Write them as "
        "2024-01-31 to be sure"
    )


def _first_called(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    """The first column with one of the names, of which columns have parts after dots too."""
    usual = frozenset(names)
    return next((name for name in columns if _last(name) in usual), None)


def _best_called(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    """The column whose name stands first among the names."""
    rank = ranks(names)
    called = [name for name in columns if _last(name) in rank]
    return min(called, key=lambda name: rank[_last(name)], default=None)


def _last(name: str) -> str:
    """The name of a field in small letters, without the objects that it is in."""
    return name.lower().rpartition(".")[2] or name.lower()


def _guess_text(survey: Survey, others: list[str], label: str | None, fixed: bool) -> tuple[str | None, str | None]:
    """The text and the label: of a table of numbers with one column of names, the names are the label."""
    named = _best_called((name for name in others if survey[name].may_be_text), TEXT_NAMES)
    if named is not None:
        return named, label
    wordy = [name for name in others if survey[name].is_wordy]
    by_part = {name: rank for name in wordy if (rank := _rank_of_parts(name)) is not None}
    if by_part:
        return min(by_part, key=lambda name: by_part[name]), label
    numeric = [name for name in others if survey[name].is_numeric]
    if not wordy:
        only = None if label is None or fixed else survey[label]
        sentences = only is not None and not only.repeats and only.words_per_value >= FEW
        return (label, None) if sentences else (None, label)
    if numeric and label is None and not fixed and len(wordy) == 1 and survey[wordy[0]].repeats:
        return None, wordy[0]
    wordiest = max(wordy, key=lambda name: survey[name].words)
    if len(numeric) > 1 and survey[wordiest].words_per_value < FEW:
        return None, label
    return wordiest, label


def _rank_of_parts(name: str) -> int | None:
    """The rank of the best name of a text that is a part of a name, as in reviewText, review_texts or 评论内容."""
    words = {word.lower() for word in PART.findall(name)}
    words |= {word.removesuffix("s") for word in words}
    if words & ABOUT:
        return None
    found = [TEXT_RANKS[word] for word in words if word in TEXT_RANKS]
    if not name.isascii():
        found += [TEXT_RANKS[usual] for usual in TEXT_NAMES_WITHOUT_SPACES if usual in name]
    return min(found, default=None)
