"""Plain text: one document per line of a file, or one per file of a folder."""

from collections.abc import Iterator
from pathlib import Path

from wideangle.documents import Document
from wideangle.reading.encodings import said_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.exclusion import exclusion
from wideangle.reading.files import InputFile
from wideangle.reading.options import NO_COLUMN, ReadingOptions

__all__ = ["documents_of_folder", "documents_of_lines", "said_of_lines"]


def documents_of_lines(file: InputFile, encoding: str) -> Iterator[Document]:
    """Each line that is not blank, by its number."""
    with in_plain_words(file.name), file.open_text(encoding) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield Document(line.rstrip("\r\n"), None, f"line {number}")


def said_of_lines(encoding: str) -> tuple[str, ...]:
    """What such a file was taken for."""
    return tuple(filter(None, ("one per line", said_encoding(encoding))))


def documents_of_folder(folder: Path, options: ReadingOptions) -> Iterator[Document]:
    """Each .txt file below a folder, in the order of their names; its class is the folder it lies in.

    Hidden files and files of hidden folders are none of them, such as `._x.txt`, which macOS writes beside `x.txt`.
    """
    excluded = exclusion(options.exclude)
    for path in sorted(folder.rglob("*.txt")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or excluded(inside.as_posix()) or path.is_dir():
            continue
        with in_plain_words(str(path)):
            file = InputFile(path, any_size=options.any_size)
            with file.open_text(file.encoding(options.encoding)) as stream:
                text = stream.read()
        has_class = len(inside.parts) > 1 and options.label_column != NO_COLUMN
        yield Document(text, inside.parts[0] if has_class else None, inside.as_posix())
