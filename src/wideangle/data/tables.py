"""Rows of tables as dictionaries, one at a time: CSV, JSON lines or Parquet, text formats also compressed."""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from wideangle.exceptions import DataError

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
# The largest field csv takes; documents are longer than its default of 128 KB.
csv.field_size_limit(2**31 - 1)


def suffix(path: Path) -> str:
    """The kind of a file by its name, whether or not it is compressed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from wideangle.data.tables import suffix
    >>> suffix(Path("notes.CSV")), suffix(Path("notes.jsonl.gz"))
    ('.csv', '.jsonl')
    """
    return (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()


def open_text(path: Path, encoding: str) -> IO[str]:
    """A text file, compressed or not; bytes that do not fit the encoding are replaced."""
    # A byte-order mark is no part of the first word.
    encoding = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    opener: Any = gzip.open if path.suffix == ".gz" else open
    file: IO[str] = opener(path, "rt", encoding=encoding, errors="replace", newline="")
    return file


def table_rows(path: Path, encoding: str = "utf-8") -> Iterator[dict[str, Any]]:
    """The rows of a table by the names of its columns."""
    kind = suffix(path)
    if kind == ".parquet":
        yield from _parquet_rows(path)
        return
    with open_text(path, encoding) as file:
        if kind in (".csv", ".tsv"):
            yield from csv.DictReader(file, delimiter="\t" if kind == ".tsv" else ",")
            return
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _object(line, f"{path.name}, line {number}")


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{where}: no JSON ({error}). One object a line is wanted.") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: an object is wanted; got {type(row).__name__}.")
    return row


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("reading Parquet needs pyarrow: pip install 'wideangle[parquet]'") from error
    try:
        file = pq.ParquetFile(path)
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise DataError(f"{path.name} cannot be read as Parquet ({error}). Fetch or write it again.") from error
    for batch in file.iter_batches(batch_size=1024):
        yield from batch.to_pylist()
