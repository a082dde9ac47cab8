"""Tables that commands write: the ending of the file says the format, and the file is complete or not there.

Text from documents cannot be run by a spreadsheet or speak to a terminal.
"""

import csv
import io
import json
import math
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from wideangle._cells import harmless, visible
from wideangle._files import replacing
from wideangle._optional import optional_import
from wideangle.commands.files.own_files import MARK, Kind, mark_of
from wideangle.commands.files.writing import check_output
from wideangle.commands.shell.guard import CommandError, UsageError

ARRAYS = ".npz"  # vectors may also be written as arrays of NumPy
BATCH = 10_000  # Parquet is written so many rows at a time.
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14  # of a sheet of a workbook


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    kind: type = str
    """str, int or float. A cell may also be None, which is an empty cell, and so is NaN."""
    digits: str = ""
    """how a number is printed, as ".3f"; Parquet has all its digits"""


@dataclass(frozen=True)
class Table:
    """Named columns and their rows, which may come one after the other."""

    kind: Kind
    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]


def check_table(
    path: Path, kind: Kind, what: str, inputs: Iterable[Path | str | None], *, force: bool, also: Sequence[str] = ()
) -> None:
    """Check before the work that a table can be written there. `also` are further endings that the command writes."""
    ending = path.suffix.lower()
    if ending not in (*also, *WRITERS):
        raise UsageError(
            f"{path} must end in {', '.join((*also, *WRITERS))}. Name such a file with -o, or take --csv for stdout."
        )
    check_output(path, what, inputs, kind=kind, force=force)
    for name, extra in NEEDED.get(ending, ()):
        optional_import(name, extra=extra, purpose=f"writing {ending}")


def write_table(path: Path | None, table: Table) -> int:
    """Write a table to a file, or as CSV to stdout where `path` is None; how many rows it has."""
    counted = _Counted(table.rows)
    table = Table(table.kind, table.columns, counted)
    if path is None:
        _write_csv(sys.stdout, table)
    else:
        with replacing(path) as temporary:
            WRITERS[path.suffix.lower()](temporary, table)
    return counted.count


class _Counted:
    """Rows that are counted while they are written."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.rows, self.count = rows, 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for row in self.rows:
            self.count += 1
            yield row


def _csv_file(path: Path, table: Table) -> None:
    # Names from a file system may contain characters that UTF-8 cannot encode.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        _write_csv(file, table)


def _write_csv(file: TextIO, table: Table) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([harmless(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow([_printed(value, column) for value, column in zip(row, table.columns, strict=True)])


def _printed(value: Any, column: Column) -> Any:
    if isinstance(value, str):
        return harmless(value)
    if value is None or not math.isfinite(value):
        return None
    return f"{value:{column.digits}}" if column.digits else value


def _json_file(path: Path, table: Table) -> None:
    names = [visible(column.name) for column in table.columns]
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        for row in table.rows:
            values = [_plain(value, column, visible) for value, column in zip(row, table.columns, strict=True)]
            file.write(json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")


def _workbook_file(path: Path, table: Table) -> None:
    openpyxl = optional_import("openpyxl", extra="xlsx", purpose="writing .xlsx")
    writing = optional_import("openpyxl.writer.excel", extra="xlsx", purpose="writing .xlsx")
    if len(table.columns) > MOST_COLUMNS:
        raise CommandError(
            f"a sheet of a workbook has {MOST_COLUMNS:,} columns at most, and there are {len(table.columns):,}. Write "
            ".csv or .parquet."
        )
    book = openpyxl.Workbook(write_only=True)
    book.properties.creator = book.properties.lastModifiedBy = mark_of(table.kind)
    sheet = book.create_sheet(table.kind)
    sheet.freeze_panes = "A2"
    try:
        sheet.append([harmless(column.name) for column in table.columns])
        for number, row in enumerate(table.rows, 2):
            if number > MOST_ROWS:
                raise CommandError(f"a sheet of a workbook has {MOST_ROWS:,} rows at most. Write .csv or .parquet.")
            sheet.append([_plain(value, column, harmless) for value, column in zip(row, table.columns, strict=True)])
    except BaseException:
        book.save(io.BytesIO())  # This deletes the temporary file of the rows so far.
        raise
    # openpyxl leaves an archive open where the disk is full, and Python would print a second error about that.
    content = io.BytesIO()
    with _Undated(content, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        writing.ExcelWriter(book, archive).save()
    path.write_bytes(content.getbuffer())


class _Undated(zipfile.ZipFile):
    """An archive that can be written whatever the clock says: its format has no dates before 1980."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *more: Any, **named: Any) -> None:
        entry = zipfile.ZipInfo(zinfo_or_arcname)
        entry.compress_type = self.compression
        super().writestr(entry, data, *more, **named)


def _plain(value: Any, column: Column, clean: Callable[[str], str]) -> Any:
    """Cleaned text, or a number of Python's own types, rounded as it is printed."""
    if isinstance(value, str):
        return clean(value)
    if value is None or not math.isfinite(value):
        return None
    return column.kind(f"{value:{column.digits}}") if column.digits else column.kind(value)


def _parquet_file(path: Path, table: Table) -> None:
    pa = optional_import("pyarrow", extra="parquet", purpose="writing .parquet")
    pq = optional_import("pyarrow.parquet", extra="parquet", purpose="writing .parquet")
    types = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    single = pa.float32()  # what vectors are, whose nine digits say it
    fields = [(column.name, single if column.digits == SINGLE else types[column.kind]) for column in table.columns]
    schema = pa.schema(fields, metadata={MARK: table.kind})
    rows = iter(table.rows)
    with pq.ParquetWriter(path, schema) as writer:
        while batch := list(islice(rows, BATCH)):
            clean = ([visible(cell) if isinstance(cell, str) else cell for cell in row] for row in batch)
            cells = zip(*clean, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(cells, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


SINGLE = ".9g"  # So many digits are enough to read the same float32 back.
WRITERS: dict[str, Callable[[Path, Table], None]] = {
    ".csv": _csv_file,
    ".xlsx": _workbook_file,
    ".parquet": _parquet_file,
    ".jsonl": _json_file,
}
NEEDED = {".xlsx": (("openpyxl", "xlsx"),), ".parquet": (("pyarrow", "parquet"),)}
