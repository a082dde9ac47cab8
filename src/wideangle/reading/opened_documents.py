"""The documents of a path that was opened, one at a time: all of them, or those of a part."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from wideangle._wording import number_of
from wideangle.documents import Document
from wideangle.exceptions import DataError
from wideangle.reading.cleaning import cleaner
from wideangle.reading.columns import Columns
from wideangle.reading.data_sets import Piece, open_data_file
from wideangle.reading.dates import date_of_mail, seconds_of
from wideangle.reading.encodings import said_encoding
from wideangle.reading.files import InputFile
from wideangle.reading.opening import Opened
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.places import name_of
from wideangle.reading.said import said_of_columns
from wideangle.reading.split import is_for_training
from wideangle.reading.survey import is_missing, said_columns
from wideangle.reading.table import Row, Span, Table
from wideangle.reading.text_files import (
    document_in_folder,
    documents_of_folder,
    documents_of_lines,
    said_of_lines,
)

__all__ = ["REPLACED", "FileNames", "OpenedDocuments", "Part", "Pieces"]

REPLACED = "\ufffd"


class FileNames(NamedTuple):
    """Some files of a folder that follow each other."""

    names: tuple[str, ...]


class Pieces(NamedTuple):
    """Some files of a data set that follow each other, or a part of one."""

    pieces: tuple[Piece, ...]


Part = Span | FileNames | Pieces
"""documents that follow each other and can be read by themselves"""


@dataclass(frozen=True, eq=False)
class OpenedDocuments:
    """Documents of a path that was looked at, and of a table whose columns are known."""

    opened: Opened
    columns: Columns | None
    options: ReadingOptions
    repeated: tuple[str, ...] = ()
    """lines to leave out, as `find_repeated` gives them"""

    @cached_property
    def encoding(self) -> str | None:
        """The encoding; None where each file of a folder has its own, or where the format has none."""
        if self.opened.table is not None:
            return self.opened.table.encoding
        return None if self.opened.file is None else self.opened.file.encoding(self.options.encoding)

    def read(self, part: "Part | None" = None) -> Iterator[Document]:
        """One after the other, without what is to be left out; all, or those of one part.

        A document of a part that has no name has its row in this part.
        """
        clean = cleaner(
            mail=self.options.strip_mail,
            keep_quotations=self.options.keep_quotations,
            html=self.options.strip_html,
            repeated=self.repeated,
            keep_lines=self.options.strip_repeated,
        )
        for document in self._as_they_are(part):
            if document.date is None and self.options.strip_mail and self.options.date_column != NO_COLUMN:
                document = document._replace(date=date_of_mail(document.text))
            yield document._replace(text=clean(document.text))

    @property
    def taken_for(self) -> tuple[str, ...]:
        """What the path was taken for, in parts of a sentence."""
        if self.columns is not None and self.opened.table is not None:
            return (*self.opened.table.taken_for, *said_of_columns(self.columns))
        if self.opened.folder is not None:
            encoding = said_encoding(self.options.encoding or "utf-8")
            return tuple(filter(None, ("one per .txt file", encoding)))
        several = (number_of(len(self.opened.files), "file"),) if self.opened.files else ()
        return (*several, *said_of_lines(self.encoding or "utf-8"))

    @property
    def none_found(self) -> str:
        """What to say where there is no document at all."""
        left_out = " that --exclude does not leave out" if self.options.exclude else ""
        searched = f"; a folder is searched for .txt files{left_out}" if self.opened.folder is not None else ""
        return f"{self.opened.name} holds no document{searched}."

    def said_of_replaced(self, replaced: int, every: int) -> list[str]:
        """What to say where letters were lost: nothing, or one sentence."""
        if not replaced:
            return []
        encoding = self.encoding or self.options.encoding or "the encoding they were read by"
        hold = "holds" if replaced == 1 else "hold"
        return [
            f"{replaced:,} of {number_of(every, 'document')} in {self.opened.name} {hold} characters that are not in "
            f"{encoding}; they were replaced. Pass the right encoding."
        ]

    @property
    def row_name(self) -> str:
        """What a document without a name is called, before its number."""
        return "row" if self.columns is not None else "line"

    def _as_they_are(self, part: "Part | None") -> Iterator[Document]:
        folder = self.opened.folder
        if folder is not None and isinstance(part, FileNames):
            yield from (document_in_folder(folder, name, self.options) for name in part.names)
        elif folder is not None:
            yield from documents_of_folder(folder, self.options)
        elif part is not None:
            yield from self._by_rows(part)
        else:
            for document in self._by_rows(Pieces(tuple(map(Piece, self.opened.files))) if self.opened.files else None):
                yield document._replace(name=document.name or f"{self.row_name} {document.row}", row=None)

    def _by_rows(self, part: "Part | None") -> Iterator[Document]:
        """Documents with their rows in a part; those without an id have no name."""
        assert not isinstance(part, FileNames)
        if isinstance(part, Pieces):
            before = 0
            for piece in part.pieces:
                row = 0
                for document in self._of_piece(piece):
                    row = document.row or row
                    yield document._replace(row=before + row)
                before += row
        elif self.columns is not None:
            assert self.opened.table is not None
            yield from self._of_table(self.opened.table, self.columns, part)
        elif self.opened.file is not None:
            yield from documents_of_lines(self.opened.file, self.encoding or "utf-8", part)

    def _of_piece(self, piece: Piece) -> Iterator[Document]:
        """The documents of a file of a data set. A file without the column of the text is an error."""
        if self.columns is None or self.columns.text is None:
            file = InputFile(piece.file.path, any_size=self.options.any_size)
            yield from documents_of_lines(file, file.encoding(self.options.encoding), piece.span)
            return
        kind, text = self.opened.kind, self.columns.text
        assert kind is not None
        table = open_data_file(piece.file, kind, self.options)
        seen: dict[str, None] = dict.fromkeys(table.columns or ())

        def watched(rows: Iterator[Row]) -> Iterator[Row]:
            for row in rows:
                if text not in seen:
                    seen.update(dict.fromkeys(row))
                yield row
            if text not in seen and seen:
                raise self._without_text(piece, text, seen)

        if table.columns is not None and text not in seen:
            raise self._without_text(piece, text, seen)
        rows, rows_of = table.rows, table.rows_of
        table = replace(
            table,
            rows=lambda: watched(rows()),
            rows_of=None if rows_of is None else lambda span: watched(rows_of(span)),
        )
        yield from self._of_table(table, self.columns, piece.span)

    def _without_text(self, piece: Piece, text: str, columns: Iterable[str]) -> DataError:
        return DataError(
            f"{piece.file.path} has no column {text!r}, which the first files of {self.opened.name} have; it has "
            f"{said_columns(columns)}. Name another column by --text-column, or leave the file out by --exclude "
            f"{name_of(piece.file.path)}."
        )

    def _of_table(self, table: Table, columns: Columns, span: Span | None) -> Iterator[Document]:
        assert columns.text is not None
        if span is None:
            rows, after = table.rows(), ""
        else:
            assert table.rows_of is not None
            rows, after = table.rows_of(span), f" after {span.start:,}" if span.start else ""
        for number, row in enumerate(rows, 1):
            where = f"{table.name}, row {number}{after}"
            value = row.get(columns.text)
            if isinstance(value, list | dict | bytes):
                raise DataError(f"{where}: {columns.text!r} is {type(value).__name__}, not text; fill or drop it.")
            text = value if isinstance(value, str) else "" if value is None or value != value else str(value)
            label = None if columns.label is None else row.get(columns.label)
            name = None if columns.id is None else row.get(columns.id)
            title = None if columns.title is None else row.get(columns.title)
            yield Document(
                text,
                None if is_missing(label) else str(label),
                "" if is_missing(name) else str(name),
                None if columns.split is None else is_for_training(row.get(columns.split), where),
                None if is_missing(title) else str(title),
                None if columns.date is None else seconds_of(row.get(columns.date), columns.date_order, columns.date),
                number,
                None if columns.vector is None else row.get(columns.vector),
            )
