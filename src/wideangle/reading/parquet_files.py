"""Parquet tables, through pyarrow."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from wideangle._optional import optional_import
from wideangle.exceptions import DataError
from wideangle.reading.errors import in_plain_words
from wideangle.reading.files import InputFile
from wideangle.reading.options import ReadingOptions
from wideangle.reading.table import Row, Span, Table, flattened

__all__ = ["open_parquet"]

BATCH = 1024  # rows held at a time


def open_parquet(file: InputFile, options: ReadingOptions) -> Table:
    """Rows are read batch by batch."""
    pq = optional_import("pyarrow.parquet", extra="parquet", purpose="reading Parquet")

    @contextmanager
    def opened() -> Iterator[Any]:
        with in_plain_words(file.name), file.open_seekable() as stream:
            try:
                yield pq.ParquetFile(stream)
            except MemoryError:
                raise
            except Exception as error:  # pyarrow raises many kinds for a damaged file
                if isinstance(error, OSError) and error.errno is not None:
                    raise  # It comes from the system, not from what the file holds.
                raise DataError(
                    f"{file.name} cannot be read as Parquet: it is damaged or something else. Fetch or write it again."
                ) from error

    def rows(groups: list[int] | None = None) -> Iterator[Row]:
        with opened() as table:
            for batch in table.iter_batches(batch_size=BATCH, row_groups=groups):
                yield from map(flattened, batch.to_pylist())

    def spans(size: int) -> list[Span]:
        """Groups of rows that follow each other, until they have about so many bytes."""
        with opened() as table:
            facts = table.metadata
            ends, read = [], 0
            for number in range(facts.num_row_groups):
                read += facts.row_group(number).total_byte_size
                if read >= size or number == facts.num_row_groups - 1:
                    ends.append(number + 1)
                    read = 0
        return [Span(start, end) for start, end in pairwise([0, *ends])]

    with opened() as table:
        columns = tuple(path for field in table.schema_arrow for path in _paths(field, field.name))
    if not file.can_be_divided:
        return Table(file.name, rows, columns, ("Parquet",))
    return Table(
        file.name,
        rows,
        columns,
        ("Parquet",),
        spans=spans,
        rows_of=lambda span: rows(list(range(span.start, span.end))),
    )


def _paths(field: Any, path: str) -> Iterator[str]:
    """The name of a column or, of a column of structures, the paths of the fields inside."""
    if not str(field.type).startswith("struct<"):
        yield path
        return
    for number in range(field.type.num_fields):
        inner = field.type.field(number)
        yield from _paths(inner, f"{path}.{inner.name}")
