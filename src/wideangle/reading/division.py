"""A source that other processes read in parts: what they must know of it, and the parts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wideangle.data.stored.parts import in_parts
from wideangle.documents import Document
from wideangle.reading.catalogue import BY_ENDING
from wideangle.reading.columns import Columns
from wideangle.reading.data_sets import DataFile, Piece, open_data_file
from wideangle.reading.files import InputFile, has_plain_line_ends
from wideangle.reading.opened_documents import FileNames, OpenedDocuments, Part, Pieces
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike, absolute, name_of
from wideangle.reading.table import Span
from wideangle.reading.text_files import texts_in

__all__ = ["SENT_AT_ONCE", "Source", "all_parts", "parts_of"]

SENT_AT_ONCE = 2**22  # Of a source that only one process can read, so many characters travel to another at a time.


@dataclass(frozen=True)
class Source:
    """How another process opens what this one has opened."""

    path: str
    options: ReadingOptions
    """with all that was found out about the file"""
    columns: Columns | None
    repeated: tuple[str, ...]

    @classmethod
    def of(cls, path: PathLike, documents: OpenedDocuments) -> "Source":
        """The source of documents that were opened."""
        opened, options = documents.opened, documents.options
        if opened.kind is not None:
            options = replace(options, format=opened.kind.name, encoding=documents.encoding or options.encoding)
        return cls(absolute(path), options, documents.columns, documents.repeated)

    def documents(self, part: "Part | Sequence[Document]") -> Iterable[Document]:
        """The documents of a part, or those that were sent themselves."""
        if isinstance(part, list):
            return part
        assert not isinstance(part, Sequence) or isinstance(part, Part)
        return OpenedDocuments(self._opened(part), self.columns, self.options, self.repeated).read(part)

    def _opened(self, part: Part) -> Opened:
        """What a part needs to be open. A folder or data set is not listed again for each of its parts."""
        if isinstance(part, FileNames):
            return Opened(self.path, folder=self.path)
        if isinstance(part, Pieces):
            return Opened(name_of(self.path), kind=BY_ENDING[f".{self.options.format}"])
        return open_path(self.path, self.options)


def all_parts(documents: OpenedDocuments, parts: Sequence[Part] | None, size: int) -> Iterator[Any]:
    """The parts of a source. Of one that only one process can read they are lists of documents, read here."""
    return in_parts(documents.read(), size) if parts is None else iter(parts)


def parts_of(documents: OpenedDocuments, size: int) -> "list[Part] | None":
    """Parts of about so many bytes that other processes can read; None where there is only one way."""
    opened, options = documents.opened, documents.options
    if opened.folder is not None:
        return _parts_of_folder(opened.folder, options, size)
    if opened.files:
        return [*_parts_of_files(opened, options, size)]
    if opened.table is not None:
        return None if opened.table.spans is None else [*opened.table.spans(size)]
    if opened.file is None or not opened.file.can_be_divided or not has_plain_line_ends(documents.encoding or ""):
        return None
    return [*opened.file.line_spans(size)]


def _parts_of_files(opened: Opened, options: ReadingOptions, size: int) -> Iterator[Part]:
    """Small files together, and large ones divided where their kind can be."""
    together: list[Piece] = []
    read = 0
    for file in opened.files:
        spans = _spans(file, opened, options, size) if file.size > size else None
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


def _spans(file: DataFile, opened: Opened, options: ReadingOptions, size: int) -> list[Span] | None:
    """Parts of a file of a data set; None where it is read from its beginning to its end."""
    kind = opened.kind
    assert kind is not None
    if kind.open is not None:
        spans = open_data_file(file, kind, options).spans
        return None if spans is None else spans(size)
    lines = InputFile(file.path, any_size=options.any_size)
    if not lines.can_be_divided or not has_plain_line_ends(lines.encoding(options.encoding)):
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
