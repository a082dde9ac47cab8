"""Compressed files as streams of bytes, which end with an error where a small file becomes a very large one.

A new compression is one entry in `COMPRESSIONS`.
"""

import gzip
import io
import os
import zipfile
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, cast

from wideangle.exceptions import DataError
from wideangle.reading.zstandard_files import open_zstandard

__all__ = ["COMPRESSIONS", "Compression", "check_archive", "open_compressed"]


class Compression(NamedTuple):
    """How files of one ending are compressed."""

    magic: bytes
    """what such a file begins with"""
    open: Callable[[BinaryIO], BinaryIO]
    """from its bytes to those that it stands for"""


def open_gzip(file: BinaryIO) -> BinaryIO:
    """The decompressed bytes of a .gz file."""
    return cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb"))


COMPRESSIONS = {
    ".gz": Compression(b"\x1f\x8b", open_gzip),
    ".zst": Compression(b"\x28\xb5\x2f\xfd", open_zstandard),
}
# Text becomes 3 to 20 times as large, rows of a table that hardly differ 100 times. A file beyond both limits was
# made to fill the memory, or is a mistake.
MOST_BYTES = 1 << 30
MOST_TIMES = 200
BUFFER = 1 << 18


def open_compressed(file: BinaryIO, compression: str, name: str, *, compressed_size: int | None = None) -> BinaryIO:
    """The decompressed bytes of such a file, in small pieces. Closing the stream closes the file too.

    `compressed_size` are the bytes of the file, by which the limits are kept; None: there are none.
    """
    try:
        stream = COMPRESSIONS[compression].open(file)
    except BaseException:
        file.close()
        raise
    return cast(BinaryIO, io.BufferedReader(_Limited(stream, file, compressed_size, name), BUFFER))


def check_archive(stream: BinaryIO, name: str, *, any_size: bool = False) -> None:
    """Raise an error where the members of a zip archive, as .xlsx and .npz files are, are too large together."""
    if any_size:
        return
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        members = []  # Whoever reads it says what is wrong.
    # What members say of their compressed size may be wrong, and the size of the file is not.
    whole = stream.seek(0, os.SEEK_END)
    if any(member.compress_size > whole for member in members):  # So much memory would be asked for.
        raise DataError(f"{name} is cut short or damaged. Fetch or write it again.")
    _check(sum(member.file_size for member in members), whole, name)
    stream.seek(0)


def _check(size: int, compressed: int, name: str) -> None:
    if size > MOST_BYTES and size > MOST_TIMES * compressed:
        raise DataError(
            f"{name} has {compressed:,} bytes and becomes more than {MOST_BYTES >> 30} GiB, {MOST_TIMES} times as "
            "much or more, when it is decompressed. Check where it comes from; --any-size reads it all the same."
        )


class _Limited(io.RawIOBase):
    """A stream that counts its bytes and raises an error beyond the limits."""

    def __init__(self, stream: BinaryIO, file: BinaryIO, compressed: int | None, name: str) -> None:
        self._stream, self._file, self._compressed, self._name = stream, file, compressed, name
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._stream.read(len(buffer))
        self._size += len(piece)
        if self._compressed is not None:
            _check(self._size, self._compressed, self._name)
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        self._file.close()
        super().close()
