"""The bytes of an input, as often as they are wanted: a file or URL, also compressed, or standard input."""

import io
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO, TextIO

from wideangle.exceptions import DataError
from wideangle.reading.decompression import COMPRESSIONS, check_archive, open_compressed
from wideangle.reading.encodings import guess_encoding
from wideangle.reading.errors import in_plain_words
from wideangle.reading.places import PathLike, file_at, is_url, name_of
from wideangle.reading.table import Span

__all__ = ["STANDARD_INPUT", "InputFile", "has_plain_line_ends"]

STANDARD_INPUT = "-"
HEAD = 1 << 16  # bytes by which the kind of a file is recognised
TOLD_BY = 1 << 24  # Of a URL the encoding is told by so many bytes. Of a file of this computer all bytes tell it.
LINE_END_IN = 1 << 16  # Bytes in which the end of a line is looked for at a time.


class InputFile:
    """A file that is there. Standard input is copied once, so that it can be gone through again.

    Parameters
    ----------
    path : path
        The path or the URL of a file; "-" is standard input.
    any_size : bool
        Whether to read a compressed file that becomes very large.
    """

    def __init__(self, path: PathLike, *, any_size: bool = False) -> None:
        self._any_size = any_size
        self._copies: Path | None = None
        self._is_remote = is_url(path)
        if os.fspath(path) == STANDARD_INPUT:
            self.name = "standard input"
            path = self._copied(sys.stdin.buffer, "standard-input")
        else:
            self.name = name_of(path)
        self.path = path
        """what opens it: a path or a URL"""
        self._file = file_at(path)
        named = [ending.lower() for ending in Path("" if self._copies else self.name).suffixes]
        by_name = named.pop() if named and named[-1] in COMPRESSIONS else ""
        self.compression = by_name or self._compression_by_content()
        self.suffix = named[-1] if named else ""
        """the ending of the name in small letters, without that of a compression; empty for standard input"""

    def open(self) -> BinaryIO:
        """The decompressed bytes from their beginning."""
        if self.compression:
            size = None if self._any_size else self.size
            return open_compressed(self._file.open(), self.compression, self.name, compressed_size=size)
        return self._file.open()

    def open_seekable(self) -> BinaryIO:
        """The decompressed bytes as a stream in which one can jump to any place."""
        if not self.compression:
            return self.open()
        with self.open() as stream:
            return self._copied(stream, "decompressed").open("rb")

    def open_archive(self) -> BinaryIO:
        """The bytes of a zip archive, as .xlsx and .npz files are, whose members are not too large."""
        stream = self.open_seekable()
        try:
            check_archive(stream, self.name, any_size=self._any_size)
        except BaseException:
            stream.close()
            raise
        return stream

    def open_text(self, encoding: str) -> TextIO:
        """Text; bytes that do not fit the encoding are replaced. Line ends are as they are in the file."""
        # A byte-order mark is no part of the first word.
        encoding = "utf-8-sig" if is_utf8(encoding) else encoding
        return io.TextIOWrapper(self.open(), encoding=encoding, errors="replace", newline="")

    @property
    def can_be_divided(self) -> bool:
        """Whether other processes can open it and read any part of it."""
        return not self.compression and self._copies is None

    @property
    def size(self) -> int:
        """How many bytes it has on the disk."""
        return self._file.size

    def line_spans(self, size: int) -> list[Span]:
        """Parts of about so many bytes, each of which ends with a line that is not blank, but for the last one.

        So the number of lines in a part is that of its last document.
        """
        whole, spans, start = self.size, [], 0
        with in_plain_words(self.name):
            while start < whole:
                end = self._end_of_line(min(start + size, whole) - 1, whole)
                while end < whole and not self._last_line(start, end).strip():
                    end = self._end_of_line(end, whole)
                spans.append(Span(start, end))
                start = end
        return spans

    def _last_line(self, start: int, end: int) -> bytes:
        """The line that ends before a place, or the last bytes of it where it is long."""
        return self._file.read(max(start, end - LINE_END_IN), end).removesuffix(b"\n").rpartition(b"\n")[2]

    def _end_of_line(self, place: int, whole: int) -> int:
        """Where the line ends that has a byte at a place."""
        while place < whole:
            piece = self._file.read(place, min(place + LINE_END_IN, whole))
            if b"\n" in piece:
                return place + piece.index(b"\n") + 1
            if not piece:
                raise DataError(f"{self.name} has become shorter while it was read. Read it again when it is complete.")
            place += len(piece)
        return whole

    def open_lines(self, span: Span, encoding: str) -> TextIO:
        """The text of one of `line_spans`, as `open_text` would have it."""
        content = self._file.read(span.start, span.end)
        if len(content) < span.end - span.start:
            raise DataError(f"{self.name} has become shorter while it was read. Read it again when it is complete.")
        begins = "utf-8-sig" if span.start == 0 and is_utf8(encoding) else encoding
        return io.TextIOWrapper(io.BytesIO(content), encoding=begins, errors="replace", newline="")

    def head(self) -> bytes:
        """The first decompressed bytes."""
        with in_plain_words(self.name), self.open() as stream:
            return stream.read(HEAD)

    def encoding(self, given: str | None) -> str:
        """The encoding that was given, or else the one that fits the bytes best."""
        if given is not None:
            return given
        with in_plain_words(self.name), self.open() as stream:
            if not self._is_remote:
                return guess_encoding(stream)
            content = stream.read(TOLD_BY)  # A whole file may take hours to fetch.
            if len(content) == TOLD_BY:  # The last line may be cut within a letter.
                content = content[: content.rfind(b"\n") + 1] or content
            return guess_encoding(io.BytesIO(content))

    def _copied(self, stream: BinaryIO, name: str) -> Path:
        if self._copies is None:
            self._copies = Path(tempfile.mkdtemp(prefix="wideangle-"))
            weakref.finalize(self, shutil.rmtree, self._copies, ignore_errors=True)  # It goes when this object does.
        path = self._copies / name
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        if path.stat().st_size == 0:
            raise DataError("standard input is empty. Pipe documents into it, or name a file.")
        return path

    def _compression_by_content(self) -> str:
        with in_plain_words(self.name):
            start = self._file.read(0, 4) if self.size else b""
        return next((ending for ending, each in COMPRESSIONS.items() if start.startswith(each.magic)), "")


def is_utf8(encoding: str) -> bool:
    """Whether an encoding is UTF-8, however it is written."""
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def has_plain_line_ends(encoding: str) -> bool:
    """Whether the byte 10 is the end of a line wherever it stands, so that lines are found without what is before."""
    return not encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32", "utf16", "utf32"))
