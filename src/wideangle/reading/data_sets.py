"""Many files of one kind that are one data set: which files these are, and the table of all of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple
from urllib.parse import unquote

from wideangle._wording import number_of
from wideangle.exceptions import DataError
from wideangle.reading.catalogue import ARRAYS, BY_ENDING, Kind, kind_by_name, told_kind
from wideangle.reading.content import Content
from wideangle.reading.files import InputFile
from wideangle.reading.json_files import is_json_lines
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import Found
from wideangle.reading.table import Row, Span, Table

__all__ = ["Chosen", "DataFile", "Piece", "chained", "choose_data_files", "open_data_file"]

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # what Hive and Spark call a folder of rows without a value
MOST_NAMED = 3  # So many files are named as examples.


class DataFile(NamedTuple):
    """A file of a data set."""

    path: str
    size: int
    values: tuple[tuple[str, str | None], ...] = ()
    """what its folders say of all its rows: of `year=2024/part-0.parquet` the column `year` is "2024" """


class Piece(NamedTuple):
    """A file of a data set, or a part of it."""

    file: DataFile
    span: Span | None = None
    """None: the whole file"""


@dataclass(frozen=True)
class Chosen:
    """Which files are read, as what, and what to tell about it."""

    kind: Kind
    files: tuple[DataFile, ...]
    notes: tuple[str, ...] = ()


def choose_data_files(found: Sequence[Found], name: str, options: ReadingOptions) -> Chosen:
    """The files of a data set. Files of several kinds are refused, and files of no known kind are left out, and told.

    Files without a byte are left out, because programs that write in parts leave such files.
    """
    filled = [file for file in found if file.size]
    if not filled:
        raise DataError(f"{name} matches no file that holds anything. Check the path.")
    kind, files, notes = _of_one_kind(filled, name, options)
    if kind is ARRAYS:
        raise DataError(f"{name} names files of arrays, which are read one at a time. Name one of them.")
    return Chosen(kind, tuple(DataFile(file.path, file.size, partition_values(file.inside)) for file in files), notes)


def _of_one_kind(files: list[Found], name: str, options: ReadingOptions) -> tuple[Kind, list[Found], tuple[str, ...]]:
    if options.format is not None:
        return BY_ENDING[f".{options.format}"], files, ()
    known = [file for file in files if kind_by_name(file.inside) is not None]
    kinds = Counter(kind.name for file in known if (kind := kind_by_name(file.inside)) is not None)
    if len(kinds) > 1:
        counted = ", ".join(f"{number_of(times, 'file')} of {kind}" for kind, times in kinds.items())
        raise DataError(
            f"{name} has files of several kinds: {counted}. Name those of one kind by a pattern such as "
            f"'*.{next(iter(kinds))}', or leave files out by --exclude."
        )
    taken = known or files
    first = InputFile(taken[0].path, any_size=options.any_size)
    about_files = replace(options, exclude=())
    kind, told = told_kind(first, about_files)
    content = Content(first, about_files)
    if kind.name == "json" and "\n" in content.text.strip() and is_json_lines(content):
        kind = BY_ENDING[".jsonl"]  # Spark ends the names of such files so. Lines need not be read as a whole.
    others = [file.inside for file in files if file not in set(taken)]
    if others:
        shown = ", ".join(others[:MOST_NAMED]) + (", …" if len(others) > MOST_NAMED else "")
        told = (*told, f"{number_of(len(others), 'file')} of other kinds left out: {shown}.")
    return kind, taken, told


def partition_values(inside: str) -> tuple[tuple[str, str | None], ...]:
    """What folders called `name=value` say of a file.

    Examples
    --------
    >>> from wideangle.reading.data_sets import partition_values
    >>> partition_values("year=2024/lang=d%C3%A4/part-0.parquet")
    (('year', '2024'), ('lang', 'dä'))
    """
    pairs = (folder.partition("=") for folder in inside.split("/")[:-1] if "=" in folder)
    return tuple((unquote(name), None if value == NO_VALUE else unquote(value)) for name, _, value in pairs)


def open_data_file(file: DataFile, kind: Kind, options: ReadingOptions) -> Table:
    """The table of one file. Its rows have what its folders say, too."""
    assert kind.open is not None
    table = kind.open(InputFile(file.path, any_size=options.any_size), options)
    if not file.values:
        return table
    values, (rows, rows_of) = dict(file.values), (table.rows, table.rows_of)

    def with_values(found: Iterator[Row]) -> Iterator[Row]:
        return (row | values for row in found)

    return replace(
        table,
        rows=lambda: with_values(rows()),
        columns=None if table.columns is None else tuple(dict.fromkeys([*table.columns, *values])),
        rows_of=None if rows_of is None else lambda span: with_values(rows_of(span)),
    )


def chained(name: str, first: Sequence[Table], others: Callable[[], Iterator[Table]], n_files: int) -> Table:
    """One table of the rows of several, which are opened when they are reached. The first ones say what it is."""
    columns = None
    if first[0].columns is not None:
        columns = tuple(dict.fromkeys(column for table in first for column in table.columns or ()))
    return Table(
        name,
        lambda: chain.from_iterable(table.rows() for table in chain(first, others())),
        columns,
        (number_of(n_files, "file"), *first[0].taken_for),
        None,  # Each file may have its own encoding.
        first[0].notes,
    )
