"""Documents from files, one at a time, whatever kind of file they are in."""

import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from wideangle._wording import number_of
from wideangle.documents import Document
from wideangle.exceptions import DataError
from wideangle.reading.cleaning import cleaner
from wideangle.reading.columns import Columns, choose_columns
from wideangle.reading.data_sets import DataFile, Piece, open_data_file
from wideangle.reading.dates import date_of_mail, seconds_of
from wideangle.reading.encodings import said_encoding
from wideangle.reading.files import InputFile, has_plain_line_ends
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.places import name_of
from wideangle.reading.split import is_for_training
from wideangle.reading.survey import is_missing, said_columns, survey_table
from wideangle.reading.table import Row, Span, Table
from wideangle.reading.text_files import (
    document_in_folder,
    documents_of_folder,
    documents_of_lines,
    said_of_lines,
    texts_in,
)

__all__ = ["TextSource"]

REPLACED = "\ufffd"


@dataclass(frozen=True)
class TextSource:
    """Documents of a file or folder, read anew each time it is gone through; never all in memory.

    Parameters
    ----------
    path : path
        A folder of .txt files (a subfolder's name is its documents' class), or a .txt (one document per line), .csv,
        .tsv, .jsonl, .ndjson, .json, .parquet or .xlsx file, also with .gz or .zst behind; "-" is standard input.
        A folder of other files of one kind, or a pattern such as "data/*.jsonl", is read as one table. All may be at
        a URL that fsspec opens.
    text_column, label_column : str or None
        Columns of a table. None takes the usual names ("text", "body", …; "label", "class", …), else for the text the
        column of the most words. A column that is the text is never the label.
    encoding : str or None, default=None
        The encoding of text files. None takes that of a byte-order mark, else UTF-8, else the one that suits the bytes
        best. Bytes that do not fit are replaced, with a warning that counts the documents hit.
    id_column, split_column, title_column : str or None
        Columns that name each document, that say which are for training, and that hold titles. None takes the usual
        names where their values make sense; "none" uses none. A title is no part of the text.
    separator : str or None, default=None
        What stands between the fields of a CSV file. None finds it out from the first rows.
    strip_html : bool, default=False
        Whether to read the text of HTML without its tags, scripts and styles.
    format : str or None, default=None
        The kind of file, such as "csv", where its name does not say it.
    strip_mail : bool, default=False
        Whether to read what the author of a mail wrote, without headers, quotations and signatures.
    sheet : str or None, default=None
        The sheet of a workbook, by its name or its number from 1. None takes the first that looks like a table.
    exclude : tuple of str, default=()
        Files of a folder to leave out, by patterns as in .gitignore.
    any_size : bool, default=False
        Whether to read compressed files that become very large, which are refused otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideangle.data import TextSource
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "notes.jsonl"
    >>> _ = file.write_text('{"text": "first note", "label": "a"}\\n{"text": "second note", "label": "b"}\\n')
    >>> [(document.text, document.label) for document in TextSource(file)]
    [('first note', 'a'), ('second note', 'b')]
    >>> TextSource(file).description
    "notes.jsonl: one JSON object per line, text from column 'text', labels from column 'label'"
    """

    path: str | os.PathLike[str]
    text_column: str | None = None
    label_column: str | None = None
    encoding: str | None = None
    id_column: str | None = None
    split_column: str | None = None
    separator: str | None = None
    strip_html: bool = False
    format: str | None = None
    title_column: str | None = None
    strip_mail: bool = False
    sheet: str | None = None
    exclude: tuple[str, ...] = ()
    any_size: bool = False

    def __iter__(self) -> Iterator[Document]:
        replaced = number = 0
        for document in self._documents.read():
            number += 1
            replaced += REPLACED in document.text
            yield document
        if number == 0:
            raise DataError(self._documents.none_found)
        for note in self._documents.said_of_replaced(replaced, number):
            warnings.warn(note, stacklevel=2)

    @property
    def description(self) -> str:
        """What the file was taken for: its format, and which columns are used."""
        documents = () if self._documents.columns is not None else ("documents",)
        return f"{self._documents.opened.name}: {', '.join((*documents, *self._documents.taken_for))}"

    @cached_property
    def _documents(self) -> "OpenedDocuments":
        """What the file is and which columns it has, found out once."""
        options = ReadingOptions(
            format=self.format,
            separator=self.separator,
            encoding=self.encoding,
            text_column=self.text_column,
            label_column=self.label_column,
            id_column=self.id_column,
            split_column=self.split_column,
            title_column=self.title_column,
            strip_html=self.strip_html,
            strip_mail=self.strip_mail,
            sheet=self.sheet,
            exclude=self.exclude,
            any_size=self.any_size,
        )
        opened = open_path(self.path, options)
        if opened.is_arrays:
            raise DataError(f"{opened.name} holds arrays, not text. Read it with wideangle.reading.read.")
        columns = None
        if opened.table is not None:
            columns = choose_columns(survey_table(opened.table), options, opened.name)
            if columns.text is None:
                raise DataError(
                    f"{opened.name} has no column of text; it has {', '.join(map(repr, columns.every))}. Name one, or "
                    "read a table of numbers with wideangle.reading.read."
                )
        return OpenedDocuments(opened, columns, options)


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

    def parts(self, size: int) -> "list[Part] | None":
        """Parts of about so many bytes that other processes can read by `read`; None where there is only one way."""
        opened = self.opened
        if opened.folder is not None:
            return _parts_of_folder(opened.folder, self.options, size)
        if opened.files:
            return [*self._parts_of_files(size)]
        if opened.table is not None:
            return None if opened.table.spans is None else [*opened.table.spans(size)]
        if opened.file is None or not opened.file.can_be_divided or not has_plain_line_ends(self.encoding or ""):
            return None
        return [*opened.file.line_spans(size)]

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

    def _parts_of_files(self, size: int) -> "Iterator[Part]":
        """Small files together, and large ones divided where their kind can be."""
        together: list[Piece] = []
        read = 0
        for file in self.opened.files:
            spans = self._spans(file, size) if file.size > size else None
            if spans is not None:
                yield from [Pieces(tuple(together))] if together else []
                together, read = [], 0
                yield from (Pieces((Piece(file, span),)) for span in spans)
                continue
            together.append(Piece(file))
            read += file.size
            if read >= size:
                yield Pieces(tuple(together))
                together, read = [], 0
        yield from [Pieces(tuple(together))] if together else []

    def _spans(self, file: DataFile, size: int) -> list[Span] | None:
        """Parts of a file of a data set; None where it is read from its beginning to its end."""
        kind = self.opened.kind
        assert kind is not None
        if kind.open is not None:
            spans = open_data_file(file, kind, self.options).spans
            return None if spans is None else spans(size)
        lines = InputFile(file.path, any_size=self.options.any_size)
        if not lines.can_be_divided or not has_plain_line_ends(lines.encoding(self.options.encoding)):
            return None
        return lines.line_spans(size)


def _parts_of_folder(folder: str, options: ReadingOptions, size: int) -> "list[Part]":
    """The files of a folder, so many at a time that they have about so many bytes."""
    parts: list[Part] = []
    names: list[str] = []
    read = 0
    for file in texts_in(folder, options):
        names.append(file.inside)
        read += file.size + 100  # A document needs room even where it is short.
        if read >= size:
            parts.append(FileNames(tuple(names)))
            names, read = [], 0
    return [*parts, FileNames(tuple(names))] if names else parts


def said_of_columns(columns: Columns) -> list[str]:
    """Where text, titles, labels and ids come from, for people; the split is counted by who reads all rows."""
    said = [f"text from column {columns.text!r}"] if columns.text is not None else []
    if columns.title is not None:
        said.append(f"titles from column {columns.title!r}")
    if columns.features:
        comma = " with decimal commas" if columns.decimal_comma else ""
        said.append(f"numbers from {number_of(len(columns.features), 'column')}{comma}")
    if columns.label is not None:
        said.append(f"labels from column {columns.label!r}")
    if columns.id is not None:
        said.append(f"ids from column {columns.id!r}")
    if columns.date is not None:
        said.append(f"dates from column {columns.date!r}")
    return said
