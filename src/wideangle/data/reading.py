"""Documents from files, one at a time: a folder of text files, lines, CSV, JSON lines or Parquet."""

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from wideangle.data.tables import TABLES, open_text, suffix, table_rows
from wideangle.exceptions import DataError

TEXT_COLUMNS = ("text", "body", "content", "document", "abstract", "message")
LABEL_COLUMNS = ("label", "class", "category", "target", "topic")
_LOOK = 100  # rows looked at to guess a column


class Document(NamedTuple):
    """A text, its class where known, and where it was found."""

    text: str
    label: str | None
    name: str


@dataclass(frozen=True)
class TextSource:
    """Documents of a file or folder, read anew each time it is gone through; never all in memory.

    Parameters
    ----------
    path : path
        A folder of .txt files (a subfolder's name is its documents' class), or a .txt (a document a line), .csv, .tsv,
        .jsonl, .ndjson or .parquet file; text formats also with .gz behind.
    text_column, label_column : str or None
        Columns of a table. None takes the usual names ("text", "body", …; "label", "class", …), else for the text the
        column of the longest strings.
    encoding : str, default="utf-8"
        Of text files. Bytes that do not fit are replaced, with a warning that counts the documents hit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wideangle.data import TextSource
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "notes.jsonl"
    >>> _ = file.write_text('{"text": "first note", "label": "a"}\\n{"text": "second note", "label": "b"}\\n')
    >>> [(document.text, document.label) for document in TextSource(file)]
    [('first note', 'a'), ('second note', 'b')]
    """

    path: str | os.PathLike[str]
    text_column: str | None = None
    label_column: str | None = None
    encoding: str = "utf-8"

    def __iter__(self) -> Iterator[Document]:
        path = Path(self.path)
        if not path.exists():
            raise DataError(f"{path} does not exist.")
        documents = self._from_folder(path) if path.is_dir() else self._from_file(path)
        replaced = number = 0
        for document in documents:
            number += 1
            replaced += "\ufffd" in document.text
            yield document
        if number == 0:
            raise DataError(
                f"{path} holds no document{'; a folder is searched for .txt files' if path.is_dir() else ''}."
            )
        if replaced:
            warnings.warn(
                f"{replaced} of {number} documents in {path} hold characters that are no {self.encoding}; they were "
                "replaced. Pass the right encoding.",
                stacklevel=2,
            )

    def _from_folder(self, folder: Path) -> Iterator[Document]:
        for path in sorted(folder.rglob("*.txt")):
            parts = path.relative_to(folder).parts
            text = path.read_text(encoding=self.encoding, errors="replace")
            yield Document(text, parts[0] if len(parts) > 1 else None, str(path.relative_to(folder)))

    def _from_file(self, path: Path) -> Iterator[Document]:
        kind = suffix(path)
        if kind == ".txt":
            with open_text(path, self.encoding) as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield Document(line.rstrip("\n"), None, f"line {number}")
            return
        if kind not in TABLES:
            raise DataError(f"{path.name}: unknown kind {kind!r}; there are .txt, {', '.join(TABLES)} and folders.")
        rows = table_rows(path, self.encoding)
        first = list(islice(rows, _LOOK))
        if not first:
            return
        text, label = self._columns(first, path)
        for number, row in enumerate(_chained(first, rows), 1):
            value = row.get(text)
            if not isinstance(value, str):
                raise DataError(f"{path.name}, row {number}: {text!r} is {value!r}, not text; fill or drop it.")
            name = None if label is None else row.get(label)
            yield Document(value, None if name is None else str(name), f"row {number}")

    def _columns(self, rows: list[dict[str, Any]], path: Path) -> tuple[str, str | None]:
        columns = list(rows[0])
        for chosen in (self.text_column, self.label_column):
            if chosen is not None and chosen not in columns:
                raise DataError(f"{path.name} has no column {chosen!r}; it has {', '.join(map(repr, columns))}.")
        label = self.label_column or next((c for c in columns if c.lower() in LABEL_COLUMNS), None)
        if self.text_column is not None:
            return self.text_column, label
        lengths = {c: sum(len(row[c]) for row in rows if isinstance(row.get(c), str)) for c in columns if c != label}
        usual = next((c for c in columns if c.lower() in TEXT_COLUMNS and c in lengths), None)
        if usual is None and not any(lengths.values()):
            raise DataError(f"{path.name} has no column of text; it has {', '.join(map(repr, columns))}.")
        return usual or max(lengths, key=lengths.__getitem__), label


def _chained(first: list[dict[str, Any]], rest: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from first
    yield from rest
