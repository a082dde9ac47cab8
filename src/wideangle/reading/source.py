"""Documents from files, one at a time, whatever kind of file they are in."""

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from wideangle.documents import Document
from wideangle.exceptions import DataError
from wideangle.reading.opened_documents import REPLACED, OpenedDocuments
from wideangle.reading.opening import open_path
from wideangle.reading.options import ReadingOptions

__all__ = ["TextSource"]


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
    def _documents(self) -> OpenedDocuments:
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
        columns = opened.choose_columns(options)
        if columns is not None and columns.text is None:
            raise DataError(
                f"{opened.name} has no column of text; it has {', '.join(map(repr, columns.every))}. Name one, or "
                "read a table of numbers with wideangle.reading.read."
            )
        return OpenedDocuments(opened, columns, options)
