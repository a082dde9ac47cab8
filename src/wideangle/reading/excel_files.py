"""Excel workbooks (.xlsx), through openpyxl: the first sheet, its first row the names of the columns."""

import datetime
import warnings
from collections.abc import Iterator
from itertools import islice
from typing import Any

from wideangle._optional import optional_import
from wideangle.exceptions import DataError
from wideangle.reading.csv_files import checked_names
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.table import Row, Table

__all__ = ["open_excel"]


def open_excel(file: InputFile, options: ReadingOptions) -> Table:
    """Formulas give the value that was last computed; where a workbook has several sheets, that is said."""
    openpyxl = optional_import("openpyxl", extra="xlsx", purpose="reading .xlsx")

    def records() -> Iterator[list[Any]]:
        """The names of the sheets, then the cells of each row of the first."""
        with in_plain_words(file.name), file.open_seekable() as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about styles and extensions, which hold no data
            try:
                workbook = openpyxl.load_workbook(stream, read_only=True, data_only=True)
                yield list(workbook.sheetnames)
                for record in workbook.worksheets[0].iter_rows(values_only=True):
                    if any(value is not None for value in record):
                        yield [_plain(value) for value in record]
            except OSError:
                raise
            except Exception as error:  # a damaged file may raise anything
                raise DataError(
                    f"{file.name} cannot be read as .xlsx: it is damaged or something else. Save it again, or as CSV."
                ) from error

    def rows() -> Iterator[Row]:
        for record in islice(records(), 2, None):
            yield dict(zip(columns, record, strict=False))

    first = list(islice(records(), 2))
    sheets, header = first[0], first[1] if len(first) > 1 else []
    while header and header[-1] is None:
        header.pop()  # cells that were formatted and never filled
    columns = checked_names(["" if name is None else str(name) for name in header], file.name)
    which = f"sheet {sheets[0]!r}" + (f", the first of {len(sheets)}" if len(sheets) > 1 else "")
    return Table(file.name, rows, columns, (which,))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else value
