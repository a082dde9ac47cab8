"""New documents in parts that other processes read: the division here, the rows of a part there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wideangle.data.corpus import Corpus
from wideangle.documents import Document, Reading
from wideangle.reading.counted_texts import rows_of_texts
from wideangle.reading.division import SENT_AT_ONCE, Source, all_parts, parts_of
from wideangle.reading.new_rows import as_cleaned_before, weighed_as_before
from wideangle.reading.opened_documents import FileNames, OpenedDocuments, Part
from wideangle.reading.opening import Opened, open_path
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike, name_of
from wideangle.reading.rows import Rows
from wideangle.reading.watching import Watched
from wideangle.reading.words import counter_of

__all__ = ["Divided", "NewPart", "divide_new", "read_new_part"]

PART = 2**24  # Each part has about so many bytes of text, and the rows of one part are in memory at a time.
SURVEYED = 100_000  # Which columns there are is told by so many rows.


@dataclass(frozen=True, eq=False)
class Divided:
    """A file or many files of new documents, divided for other processes."""

    source: Source
    documents: OpenedDocuments
    parts: list[Part] | None
    """None: only one process can read it, and others get the documents"""
    watched: Watched

    @property
    def description(self) -> str:
        """What the input was taken for."""
        taken_for = ", ".join(self.documents.taken_for)
        return f"{self.documents.opened.name}: {taken_for}"

    @property
    def has_labels(self) -> bool:
        """Whether documents may have labels: there is a column of them, or there are folders of classes."""
        if self.documents.columns is not None:
            return self.documents.columns.label is not None
        return any("/" in name for part in self.parts or () if isinstance(part, FileNames) for name in part.names)

    def tasks(self) -> Iterator[Any]:
        """What `read_new_part` takes besides the source, one after the other."""
        return all_parts(self.documents, self.parts, SENT_AT_ONCE)

    def check_unchanged(self) -> None:
        """Raise an error where the input is no longer what it was when it was divided."""
        self.watched.check_unchanged()


def divide_new(path: PathLike, reading: Reading, options: ReadingOptions, size: int = PART) -> Divided | None:
    """New documents for a model whose documents were read so; None where there are no texts, but numbers."""
    watched = Watched.of(path, options)
    opened = open_path(path, options)
    columns = opened.choose_columns(options, reading, most=SURVEYED)
    if opened.is_arrays or reading.kind in ("numbers", "vectors") or (columns is not None and columns.text is None):
        return None
    documents = OpenedDocuments(opened, columns, as_cleaned_before(options, reading), reading.repeated)
    return Divided(Source.of(path, documents), documents, parts_of(documents, size), watched)


@dataclass(frozen=True, eq=False)
class NewPart:
    """The rows of a part. Which rows of the whole source they are is known only to who has read the parts before."""

    rows: Rows | None
    """None: the part has no document"""
    places: list[int]
    """the row of each document in the part, from 1"""
    n_rows: int
    """the rows of the part, those without a document among them"""

    def names(self, before: int, row_name: str) -> list[str]:
        """What the documents are called; `before` are the rows of the parts before this one."""
        known = [] if self.rows is None else self.rows.names
        return [name or f"{row_name} {before + place}" for name, place in zip(known, self.places, strict=True)]


def read_new_part(
    source: Source, part: "Part | Sequence[Document]", reading: Reading, vocabulary: Sequence[str]
) -> NewPart:
    """The rows of one part, as a model sees them whose documents were read so."""
    kept, places, last = [], [], 0
    for number, document in enumerate(source.documents(part), 1):
        last = number if document.row is None else document.row
        if document.label or not source.options.drop_unlabelled:
            kept.append(document)
            places.append(last)
    if not kept:
        return NewPart(None, [], last)
    counter, known = counter_of(reading, vocabulary), np.asarray(vocabulary, dtype=np.str_)
    documents = OpenedDocuments(Opened(name_of(source.path)), source.columns, source.options)
    rows = rows_of_texts(documents, kept, lambda texts: Corpus(counts=counter.transform(texts), vocabulary=known))
    return NewPart(replace(weighed_as_before(rows, reading), description=""), places, last)
