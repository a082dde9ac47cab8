"""A source that other processes read in parts: what they must know of it, and the parts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wideangle.data.stored.parts import in_parts
from wideangle.documents import Document
from wideangle.reading.catalogue import BY_ENDING
from wideangle.reading.columns import Columns
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike, absolute, name_of
from wideangle.reading.source import FileNames, OpenedDocuments, Part, Pieces

__all__ = ["SENT_AT_ONCE", "Source", "all_parts"]

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
