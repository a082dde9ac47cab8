"""The bytes of an input, as often as they are wanted: a file, a compressed file, or standard input."""

import io
import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO, TextIO

from wideangle.exceptions import DataError
from wideangle.reading.decompression import MAGIC, check_archive, open_compressed
from wideangle.reading.encodings import guess_encoding
from wideangle.reading.errors import in_plain_words

__all__ = ["STANDARD_INPUT", "InputFile"]

STANDARD_INPUT = "-"
HEAD = 1 << 16  # bytes by which the kind of a file is recognised


class InputFile:
    """A file that is there. Standard input is copied once, so that it can be gone through again.

    Parameters
    ----------
    path : path
        The path of a file; "-" is standard input.
    any_size : bool
        Whether to read a compressed file that becomes very large.
    """

    def __init__(self, path: str | os.PathLike[str], *, any_size: bool = False) -> None:
        self._any_size = any_size
        self._copies: Path | None = None
        if os.fspath(path) == STANDARD_INPUT:
            self.name = "standard input"
            self.path = self._copied(sys.stdin.buffer, "standard-input")
        else:
            self.path = Path(path)
            self.name = self.path.name or str(self.path)
        named = [ending.lower() for ending in Path("" if self._copies else self.path.name).suffixes]
        by_name = named.pop() if named and named[-1] in MAGIC.values() else ""
        self.compression = by_name or self._compression_by_content()
        self.suffix = named[-1] if named else ""
        """the ending of the name in small letters, without that of a compression; empty for standard input"""

    def open(self) -> BinaryIO:
        """The decompressed bytes from their beginning."""
        if self.compression:
            return open_compressed(self.path, self.compression, self.name, any_size=self._any_size)
        return self.path.open("rb")

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
        encoding = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
        return io.TextIOWrapper(self.open(), encoding=encoding, errors="replace", newline="")

    def head(self) -> bytes:
        """The first decompressed bytes."""
        with in_plain_words(self.name), self.open() as stream:
            return stream.read(HEAD)

    def encoding(self, given: str | None) -> str:
        """The encoding that was given, or else the one that fits the bytes best."""
        if given is not None:
            return given
        with in_plain_words(self.name), self.open() as stream:
            return guess_encoding(stream)

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
        with in_plain_words(self.name), self.path.open("rb") as file:
            start = file.read(4)
        return next((ending for magic, ending in MAGIC.items() if start.startswith(magic)), "")
