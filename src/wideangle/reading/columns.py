"""Which column of a table is text, title, label, id and split; or that the table holds numbers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wideangle.exceptions import DataError
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.split import SPLIT_COLUMNS, split_of
from wideangle.reading.survey import Survey, said_columns, to_number

__all__ = ["Columns", "choose_columns"]

TEXT_COLUMNS = (
    *("text", "body", "content", "document", "abstract", "review", "comment", "message", "description"),
    *("article", "post", "tweet", "question", "answer", "transcript"),
)
LABEL_COLUMNS = ("label", "class", "category", "target", "topic")
PERHAPS_LABELS = (
    "labels",
    "sentiment",
    "stars",
    "rating",
    "genre",
    "species",
)  # these names count only where values repeat
ID_COLUMNS = ("id", "ids", "doc_id", "docid", "document_id", "uid", "uuid", "guid", "identifier", "", "unnamed: 0")
TITLE_COLUMNS = ("title", "headline", "heading", "subject", "subject_line")
# A column called so holds titles where each row has its own, as products do. Names that come again are of people.
PERHAPS_TITLES = ("name", "product", "product_name")
# A name with one of these beside the word for a text is about the text, and not the text.
ABOUT = frozenset(
    {"id", "url", "link", "date", "time", "lang", "language", "length", "count", "type", "author", "name"}
)
PROSE = 4.0  # words per value; a column of that many different sentences is no label
FEW = 2.0  # words per value below which a column beside numbers is a name rather than a text
LONG_NAME = 5  # a header cell with this many words is no name of a column
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

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that are not used."""
        used = {self.text, self.label, self.id, self.split, self.title, *self.features}
        return tuple(name for name in self.every if name not in used)


def choose_columns(survey: Survey, options: ReadingOptions, table: str) -> Columns:
    """The columns named, or else the usual names, or else by what the columns hold."""
    every = tuple(survey.columns)
    if not survey.rows:
        raise DataError(f"{table} holds no rows. Check the file.")
    optional = (options.label_column, options.id_column, options.split_column, options.title_column)
    for chosen in (options.text_column, *map(_named, optional)):
        if chosen is not None and chosen not in every:
            raise DataError(f"{table} has no column {chosen!r}. It has {said_columns(every)}.")
    text, notes = options.text_column, [HEADERLESS] if any(map(_is_data, every)) else []
    if text is not None and text == options.label_column:
        raise DataError(f"{table}: {text!r} cannot be both the text and the label. Name another column.")
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
    others = [name for name in every if name not in {split, id_column, label, title}]
    if text is None:
        text, label = _guess_text(survey, others, label, fixed=options.label_column is not None)
    features = () if text is not None else tuple(name for name in others if survey[name].is_numeric and name != label)
    if text is None and not features:
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
    return Columns(every, text, label, id_column, split, features, tuple(notes), title)


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
        if name not in taken and name.lower() in ID_COLUMNS and column.is_unique:
            return name
    return None


def _guess_label(survey: Survey, taken: set[str | None]) -> str | None:
    free = {name: column for name, column in survey.columns.items() if name not in taken and column.filled}
    classes = {
        name: column for name, column in free.items() if column.repeats or column.words_per_value < PROSE
    }  # sentences that do not repeat are a text, whatever the column is called
    usual = _first_called(classes, LABEL_COLUMNS)
    return usual or _first_called({name: column for name, column in classes.items() if column.repeats}, PERHAPS_LABELS)


def _guess_title(survey: Survey, taken: set[str | None]) -> str | None:
    """A usual name, whose values are words and do not come again and again: the subject of a message may be a class."""
    free = {name: column for name, column in survey.columns.items() if name not in taken and column.is_wordy}
    own = {name: column for name, column in free.items() if not column.repeats}
    unique = [name for name, column in own.items() if column.is_unique]
    for names, columns in ((TITLE_COLUMNS, own), (PERHAPS_TITLES, unique)):
        for usual in names:
            if (found := _first_called(columns, (usual,))) is not None:
                return found
    return None


def _first_called(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    return next((name for name in columns if name.lower() in names), None)


def _guess_text(survey: Survey, others: list[str], label: str | None, fixed: bool) -> tuple[str | None, str | None]:
    """The text and the label: of a table of numbers with one column of names, the names are the label."""
    for usual in TEXT_COLUMNS:
        named = next((name for name in others if name.lower() == usual and survey[name].may_be_text), None)
        if named is not None:
            return named, label
    wordy = [name for name in others if survey[name].is_wordy]
    for usual in TEXT_COLUMNS:
        parts = {name: _parts(name) for name in wordy}
        named = next((name for name in wordy if usual in parts[name] and not parts[name] & ABOUT), None)
        if named is not None:
            return named, label
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


def _parts(name: str) -> set[str]:
    """The words of a name, such as reviewText or review_text, without the s of a plural."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)
    return {word.lower() for word in words} | {word.lower().removesuffix("s") for word in words}
