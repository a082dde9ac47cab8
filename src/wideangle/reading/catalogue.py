"""The kinds of input. A new kind of table is one file that opens it, and one entry here."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wideangle.exceptions import DataError
from wideangle.reading.columns import ID_COLUMNS, LABEL_COLUMNS, PERHAPS_LABELS, TEXT_COLUMNS, TITLE_COLUMNS
from wideangle.reading.csv_files import NO_SEPARATOR, open_csv, sniff_separator
from wideangle.reading.errors import in_plain_words
from wideangle.reading.excel_files import open_excel
from wideangle.reading.files import STANDARD_INPUT, InputFile
from wideangle.reading.json_files import open_json, open_json_lines
from wideangle.reading.options import ReadingOptions
from wideangle.reading.parquet_files import open_parquet
from wideangle.reading.split import SPLIT_COLUMNS
from wideangle.reading.table import Table

__all__ = ["ARRAYS", "FORMATS", "LINES", "TABLES", "Opened", "open_path"]

TABLES: dict[str, Callable[[InputFile, ReadingOptions], Table]] = {
    ".csv": open_csv,
    ".tsv": open_csv,
    ".jsonl": open_json_lines,
    ".ndjson": open_json_lines,
    ".json": open_json,
    ".parquet": open_parquet,
    ".xlsx": open_excel,
}
LINES, ARRAYS = ".txt", ".npz"
FORMATS = tuple(suffix.lstrip(".") for suffix in (LINES, *TABLES, ARRAYS))
KNOWN_NAMES = frozenset(
    (*TEXT_COLUMNS, *LABEL_COLUMNS, *PERHAPS_LABELS, *ID_COLUMNS, *SPLIT_COLUMNS, *TITLE_COLUMNS)
) - {""}


@dataclass(frozen=True, eq=False)
class Opened:
    """A path that was looked at: a folder, or a file, which may be a table."""

    name: str
    """for messages"""
    folder: Path | None = None
    file: InputFile | None = None
    table: Table | None = None

    @property
    def is_arrays(self) -> bool:
        return self.file is not None and self.file.suffix == ARRAYS


def open_path(path: str | os.PathLike[str], options: ReadingOptions) -> Opened:
    """Find out what is at a path, or on standard input where the path is "-"."""
    if options.format is not None and options.format not in FORMATS:
        raise DataError(f"there is no format {options.format!r}; there are {', '.join(FORMATS)}.")
    if os.fspath(path) != STANDARD_INPUT:
        where = Path(path)
        with in_plain_words(str(path)):
            where.stat()
        if where.is_dir():
            return Opened(str(path), folder=where)
    file = InputFile(path, options.format)
    if not file.suffix and file.is_standard_input:
        file.suffix = _kind_by_content(file, options)
    if file.suffix in TABLES:
        return Opened(file.name, file=file, table=TABLES[file.suffix](file, options))
    if file.suffix not in (LINES, ARRAYS):
        raise DataError(
            f"{file.name} is of a kind that cannot be read. Give a folder of .txt files, or a .txt (one document per "
            f"line), {', '.join(TABLES)} or .npz file, also with .gz or .zst behind; or name its format."
        )
    return Opened(file.name, file=file)


def _kind_by_content(file: InputFile, options: ReadingOptions) -> str:
    """Standard input has no name to tell it by. What is no clear table is one document per line."""
    head = file.head()
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith(b"PK\x03\x04"):
        return ".xlsx" if b"xl/" in head or b"[Content_Types]" in head else ARRAYS
    text = head.decode(file.encoding(options.encoding), errors="replace").lstrip("\ufeff \r\n\t")
    first_line = text.partition("\n")[0]
    if text.startswith("["):
        return ".json"
    if text.startswith("{"):
        try:
            json.loads(first_line)
        except ValueError:
            return ".json"
        return ".jsonl"
    separator = options.separator or sniff_separator(text)
    names = {name.strip().strip('"').lower() for name in first_line.split(separator)}
    return ".csv" if options.separator or (separator != NO_SEPARATOR and names & KNOWN_NAMES) else LINES
