"""Plain text: one document per line of a file, or one per file of a folder."""

from collections.abc import Iterator
from pathlib import Path

from wideangle.documents import Document
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.exclusion import exclusion
from wideangle.reading.files import InputFile
from wideangle.reading.options import NO_COLUMN, ReadingOptions
from wideangle.reading.table import Span

__all__ = ["document_in_folder", "documents_of_folder", "documents_of_lines", "names_in_folder", "said_of_lines"]


def documents_of_lines(file: InputFile, encoding: str, span: Span | None = None) -> Iterator[Document]:
    """Each line that is not blank, by its number. In a part of the file a line has no name, but a row in the part."""
    stream = file.open_text(encoding) if span is None else file.open_lines(span, encoding)
    with in_plain_words(file.name), stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                name, row = (f"line {number}", None) if span is None else ("", number)
                yield Document(line.rstrip("\r\n"), None, name, row=row)


def said_of_lines(encoding: str) -> tuple[str, ...]:
    """What such a file was taken for."""
    return tuple(filter(None, ("one per line", said_encoding(encoding))))


def documents_of_folder(folder: Path, options: ReadingOptions) -> Iterator[Document]:
    """Each .txt file below a folder, in the order of their names; its class is the folder it lies in.

    Hidden files and files of hidden folders are none of them, such as `._x.txt`, which macOS writes beside `x.txt`.
    """
    for name in names_in_folder(folder, options):
        yield document_in_folder(folder, name, options)


def names_in_folder(folder: Path, options: ReadingOptions) -> Iterator[str]:
    """The names of these files, with the folders inside that they lie in."""
    excluded = exclusion(options.exclude)
    for path in sorted(folder.rglob("*.txt")):
        inside = path.relative_to(folder)
        if not (any(part.startswith(".") for part in inside.parts) or excluded(inside.as_posix()) or path.is_dir()):
            yield inside.as_posix()


def document_in_folder(folder: Path, name: str, options: ReadingOptions) -> Document:
    """The text of one of these files, with its class and its name."""
    with in_plain_words(str(folder / name)):
        file = InputFile(folder / name, any_size=options.any_size)
        with file.open_text(file.encoding(options.encoding)) as stream:
            text = stream.read()
    where, _, rest = name.partition("/")
    return Document(text, where if rest and options.label_column != NO_COLUMN else None, name)
