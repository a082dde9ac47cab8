"""Vectors of documents: from a file of arrays, from a column of the table, or from an encoder of texts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from wideangle._wording import number_of
from wideangle.documents import Document, Reading
from wideangle.encoders import CheckedEncoder, cached, encoder_of, same_encoder
from wideangle.exceptions import DataError
from wideangle.reading.opening import Opened
from wideangle.reading.options import ReadingOptions
from wideangle.reading.rows import Rows
from wideangle.reading.vector_files import VECTOR_FILES, Floats, finite, names_a_file, read_vectors

__all__ = ["Vectors", "encoder_of_model", "vectors_for", "with_vectors"]

AT_ONCE = 256  # So many texts are encoded at a time.


@dataclass(frozen=True, eq=False)
class Vectors:
    """Where the vectors of documents come from: one of a file, a column and an encoder."""

    file: Path | None = None
    column: str | None = None
    encoder: CheckedEncoder | None = None
    said: str | None = None
    """what the user called the encoder"""
    width: int | None = None
    """how many numbers each has, where a model knows it"""

    def of(self, documents: Iterator[Document], source: str) -> Iterator[Document]:
        """The same documents with their vectors. `source` is what the documents are of, for messages."""
        if self.encoder is not None:
            return _encoded(documents, self.encoder)
        if self.file is not None:
            return _beside(documents, read_vectors(self.file), self.file, source)
        return documents  # Whoever reads the table takes the column too.

    def stacked(self, found: Sequence[Any], source: str) -> Floats:
        """The vectors of documents as an array; an error names the row that is wrong."""
        rows = [self._row(value, f"{source}, row {number}") for number, value in enumerate(found, 1)]
        width = len(rows[0]) if self.width is None else self.width
        for number, row in enumerate(rows, 1):
            if len(row) != width:
                raise DataError(
                    f"{source}, row {number}: the vector has {number_of(len(row), 'number')}, and others have {width}. "
                    "Take all from one encoder."
                )
        return finite(np.stack(rows), source)

    def _row(self, value: Any, where: str) -> Floats:
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
            return value.astype(np.float32)
        if isinstance(value, str):
            try:
                value = json.loads(value) if value.lstrip()[:1] == "[" else value.replace(",", " ").split()
            except ValueError:
                value = None
        try:
            row = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            row = np.zeros(0)
        if row.ndim != 1 or not row.size or value is None:
            raise DataError(
                f"{where}: {self.column!r} holds no vector. Wanted is a list of numbers in each row; fill what is "
                "missing, or drop the row."
            )
        with np.errstate(over="ignore"):
            return row.astype(np.float32)


def vectors_for(
    options: ReadingOptions, columns: Sequence[str] | None, reading: Reading | None = None, width: int | None = None
) -> Vectors | None:
    """Where the vectors are: where the options say, else where those of the model's documents were; None: nowhere.

    `columns` are those of the table, where there is one, and `reading` is how the documents of a model were read.
    """
    if options.vectors is not None and options.encoder is not None:
        raise DataError(
            "vectors come from a file or column, or from an encoder. Give --vectors or --encoder, not both."
        )
    if reading is not None and reading.kind != "vectors":
        if options.vectors is not None or options.encoder is not None:
            raise DataError("the model knows no vectors. Leave out --vectors and --encoder.")
        return None
    named = options.vectors
    if named is None and options.encoder is None and reading is not None:
        if reading.encoder is not None:
            return Vectors(encoder=cached(encoder_of_model(reading)), said=reading.encoder, width=width)
        if reading.vector_column is None or (columns is not None and reading.vector_column not in columns):
            raise DataError(
                "the model's documents have vectors, and those of new ones are missing. Name their file or column by "
                "--vectors."
            )
        named = reading.vector_column
    if options.encoder is not None:
        encoder = encoder_of(options.encoder)
        if reading is not None and reading.encoder_name != encoder.name:
            theirs = "came with the documents" if reading.encoder is None else f"are of {reading.encoder_name}"
            raise DataError(f"vectors of {encoder.name} mean nothing to the model, whose own {theirs}.")
        return Vectors(encoder=cached(encoder), said=options.encoder, width=width)
    if named is None:
        return None
    if columns is not None and named in columns:
        return Vectors(column=named, width=width)
    if names_a_file(named):
        return Vectors(file=Path(named), width=width)
    there = "" if columns is None else f" The columns are {', '.join(map(repr, columns[:10]))}."
    raise DataError(
        f"--vectors {named}: there is no such column, and a file of vectors ends in {', '.join(VECTOR_FILES)}.{there}"
    )


def encoder_of_model(reading: Reading) -> CheckedEncoder:
    """The encoder of a model's documents, in the version that made their vectors."""
    encoder = encoder_of(reading.encoder)
    if reading.encoder_name is not None:
        same_encoder(reading.encoder_name, encoder)
    return encoder


def _encoded(documents: Iterator[Document], encoder: Any) -> Iterator[Document]:
    """Texts are encoded some at a time, so that one batch of them is in memory."""
    while some := list(islice(documents, AT_ONCE)):
        rows = encoder.encode([document.text for document in some])
        yield from (document._replace(vector=row) for document, row in zip(some, rows, strict=True))


def _beside(documents: Iterator[Document], rows: Floats, file: Path, source: str) -> Iterator[Document]:
    """One row of the file for each document, as many as there are documents."""
    count = 0
    for document in documents:
        if count < len(rows):
            yield document._replace(vector=rows[count])
        count += 1
    if count != len(rows):
        raise DataError(
            f"{file.name} has {number_of(len(rows), 'vector')}, and {source} {number_of(count, 'document')}. Give one "
            "vector for each document, in the same order."
        )


def with_vectors(rows: Rows, opened: Opened, options: ReadingOptions, vectors: Vectors) -> Rows:
    """Rows of arrays, or of a table without text, by their vectors."""
    if vectors.encoder is not None:
        raise DataError(f"an encoder makes vectors of texts, and {opened.name} has none. Name their column.")
    if options.drop_unlabelled:
        raise DataError("--drop-unlabelled needs texts beside vectors. Leave it out, or drop the rows beforehand.")
    if vectors.file is not None:
        return rows.with_vectors(read_vectors(vectors.file))
    assert opened.table is not None
    assert vectors.column is not None
    found = [row.get(vectors.column) for row in opened.table.rows()]
    return rows.with_vectors(vectors.stacked(found, opened.name))
