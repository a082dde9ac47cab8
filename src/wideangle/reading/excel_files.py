"""Excel workbooks (.xlsx), through openpyxl: one sheet, its first row the names of the columns."""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from wideangle._optional import optional_import
from wideangle._quiet import silenced
from wideangle.exceptions import DataError
from wideangle.reading.csv_files import checked_names
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.survey import said_columns
from wideangle.reading.table import Row, Table

__all__ = ["open_excel"]

LOOK = 50  # rows of each sheet by which a table is told


def open_excel(file: InputFile, options: ReadingOptions) -> Table:
    """Formulas give the value that was last computed. The sheet is the one asked for, or the first that is a table."""
    openpyxl = optional_import("openpyxl", extra="xlsx", purpose="reading .xlsx")

    @contextmanager
    def opened() -> Iterator[Any]:
        with in_plain_words(file.name), file.open_archive() as stream:
            try:
                with silenced():  # Styles and extensions, which openpyxl warns about, hold no data.
                    workbook = openpyxl.load_workbook(stream, read_only=True, data_only=True)
                yield workbook
            except (OSError, DataError, MemoryError):
                raise
            except Exception as error:  # a damaged file may raise anything
                raise DataError(
                    f"{file.name} cannot be read as .xlsx: it is damaged or something else. Save it again, or as CSV."
                ) from error

    def rows() -> Iterator[Row]:
        with opened() as workbook:
            for record in islice(_records(workbook[chosen]), 1, None):
                yield dict(zip(columns, record, strict=False))

    with opened() as workbook:
        firsts = {sheet.title: list(islice(_records(sheet), LOOK)) for sheet in workbook.worksheets}
    sheets = list(firsts)
    if not sheets:
        raise DataError(f"{file.name} has no sheet of cells. Check the file.")
    chosen = _first_table(firsts) if options.sheet is None else _named(options.sheet, sheets, file.name)
    header = firsts[chosen][0] if firsts[chosen] else []
    while header and header[-1] is None:
        header.pop()  # cells that were formatted and never filled
    columns = checked_names(["" if name is None else str(name) for name in header], file.name)
    said = f"sheet {chosen!r}"
    notes: tuple[str, ...] = ()
    if len(sheets) > 1:
        said += f", number {sheets.index(chosen) + 1} of {len(sheets)}"
        others = said_columns(title for title in sheets if title != chosen)
        notes = (f"the sheet {chosen!r} of {file.name} is read; --sheet names another: {others}.",)
    return Table(file.name, rows, columns, (said,), notes=notes if options.sheet is None else ())


def _records(sheet: Any) -> Iterator[list[Any]]:
    """The cells of each row that is not empty."""
    records = sheet.iter_rows(values_only=True)
    while True:
        with silenced():  # while openpyxl reads, but not while others work on the row
            record = next(records, None)
        if record is None:
            return
        if any(value is not None for value in record):
            yield [_plain(value) for value in record]


def _first_table(firsts: dict[str, list[list[Any]]]) -> str:
    """The first sheet that looks like a table; without one the first that is not empty."""
    filled = [title for title, records in firsts.items() if records] or list(firsts)
    return next((title for title in filled if _is_table(firsts[title])), filled[0])


def _is_table(records: list[list[Any]]) -> bool:
    """Whether the first row is one of several names, each another, and most other rows fill at least two cells."""
    names = [value for value in records[0] if value is not None] if records else []
    named = all(isinstance(name, str) for name in names) and len(set(names)) == len(names) > 1
    several = sum(sum(value is not None for value in record) > 1 for record in records[1:])
    return named and 2 * several > len(records) - 1


def _named(wanted: str, sheets: list[str], name: str) -> str:
    """The sheet of a name or, if none is called so, of a number from 1."""
    if wanted in sheets:
        return wanted
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1]
    raise DataError(f"{name} has no sheet {wanted!r}. It has {said_columns(sheets)}.")


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value
