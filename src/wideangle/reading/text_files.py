"""Plain text: one document per line of a file, or one per file of a folder."""

from collections.abc import Iterator

from wideangle.documents import Document
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.exclusion import exclusion
from wideangle.reading.files import InputFile
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.places import Found, find, is_text_file
from wideangle.reading.table import Span

__all__ = [
    "document_in_folder",
    "documents_of_folder",
    "documents_of_lines",
    "said_of_lines",
    "texts_in",
]


def documents_of_lines(file: InputFile, encoding: str, span: Span | None = None) -> Iterator[Document]:
    """Each line that is not blank, by its row in the file or in a part of it."""
    stream = file.open_text(encoding) if span is None else file.open_lines(span, encoding)
    with in_plain_words(file.name), stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield Document(line.rstrip("\r\n"), None, "", row=number)


def said_of_lines(encoding: str) -> tuple[str, ...]:
    """What such a file was taken for."""
    return tuple(filter(None, ("one per line", said_encoding(encoding))))


def documents_of_folder(folder: str, options: ReadingOptions) -> Iterator[Document]:
    """Each .txt file below a folder, in the order of their names; its class is the folder it lies in."""
    for file in texts_in(folder, options):
        yield document_in_folder(folder, file.inside, options)


def texts_in(folder: str, options: ReadingOptions) -> list[Found]:
    """These files, without those that are excluded."""
    excluded = exclusion(options.exclude)
    return [file for file in find(folder) if is_text_file(file.inside) and not excluded(file.inside)]


def document_in_folder(folder: str, name: str, options: ReadingOptions) -> Document:
    """The text of one of these files, with its class and its name."""
    path = f"{folder.rstrip('/')}/{name}"
    with in_plain_words(path):
        file = InputFile(path, any_size=options.any_size)
        with file.open_text(file.encoding(options.encoding)) as stream:
            text = stream.read()
    where, _, rest = name.partition("/")
    return Document(text, where if rest and options.label_column != NO_COLUMN else None, name)
