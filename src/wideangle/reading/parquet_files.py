"""Parquet tables, through pyarrow."""

from collections.abc import Iterator
from typing import Any

from wideangle._optional import optional_import
from wideangle.exceptions import DataError
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.table import Row, Table

__all__ = ["open_parquet"]

BATCH = 1024  # rows held at a time


def open_parquet(file: InputFile, options: ReadingOptions) -> Table:
    """Rows are read batch by batch."""
    pq = optional_import("pyarrow.parquet", extra="parquet", purpose="reading Parquet")

    def opened() -> Any:
        with in_plain_words(file.name):
            stream = file.open_seekable()
        try:
            return pq.ParquetFile(stream)
        except Exception as error:  # pyarrow raises many kinds for a damaged file
            raise DataError(
                f"{file.name} cannot be read as Parquet: it is damaged or something else. Fetch or write it again."
            ) from error

    def rows() -> Iterator[Row]:
        table = opened()
        try:
            for batch in table.iter_batches(batch_size=BATCH):
                yield from batch.to_pylist()
        except Exception as error:
            raise DataError(f"{file.name} is damaged: {error}. Fetch or write it again.") from error

    return Table(file.name, rows, tuple(opened().schema_arrow.names), ("Parquet",))
