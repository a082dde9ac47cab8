"""The beginning of a file, by which its kind is told where its name does not tell it."""

import io
import zipfile
from dataclasses import dataclass
from functools import cached_property

from wideangle.reading.encodings import guess_encoding
from wideangle.reading.files import HEAD, InputFile
from wideangle.reading.options import ReadingOptions

__all__ = ["Content"]

ZIP = b"PK\x03\x04"


@dataclass(frozen=True, eq=False)
class Content:
    """What a file begins with, as bytes, as text and, of an archive, the names inside. Each is looked at when asked."""

    file: InputFile
    options: ReadingOptions

    @cached_property
    def head(self) -> bytes:
        return self.file.head()

    @property
    def is_cut(self) -> bool:
        """Whether the file goes on after the head."""
        return len(self.head) == HEAD

    @cached_property
    def text(self) -> str:
        """The head as text, without what stands before its first sign; empty where it is no text."""
        try:
            encoding = self.options.encoding or guess_encoding(io.BytesIO(self.head))
        except UnicodeError:
            return ""
        return self.head.decode(encoding, errors="replace").lstrip("\ufeff \r\n\t")

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]

    @cached_property
    def members(self) -> tuple[str, ...] | None:
        """The names of the files in a zip archive; None where they cannot be listed."""
        if not self.head.startswith(ZIP):
            return ()
        try:
            with self.file.open_seekable() as stream, zipfile.ZipFile(stream) as archive:
                return tuple(archive.namelist())
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError):
            return None

    def has_member(self, part: str) -> bool:
        """Whether it is a zip archive in which a name begins or ends so, or so it seems where names are not listed."""
        if self.members is None:
            return part.encode() in self.head
        return any(name.startswith(part) or name.endswith(part) for name in self.members)
