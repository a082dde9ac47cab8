"""Files compressed by Zstandard, as a stream of bytes."""

import io
from typing import Any, BinaryIO, cast

from wideangle._optional import optional_import

CHUNK = 1 << 10  # compressed bytes read at a time; each may become 30,000 bytes, which are held in memory
BUFFER = 1 << 18


def open_zstandard(file: BinaryIO) -> BinaryIO:
    """The decompressed bytes, by Python's own module where it has one, else by the package zstandard."""
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]  # Python 3.14
    except ImportError:
        return cast(BinaryIO, io.BufferedReader(_Frames(file), BUFFER))
    return cast(BinaryIO, zstd.open(file, "rb"))  # type: ignore[unreachable,unused-ignore]


class _Frames(io.RawIOBase):
    """One compressed frame after another. The package's own stream ends without a word where a file is cut short."""

    def __init__(self, file: BinaryIO) -> None:
        zstandard = optional_import("zstandard", extra="zstd", purpose="reading .zst")
        self._error = zstandard.ZstdError
        self._decompressor = zstandard.ZstdDecompressor()
        self._file = file
        self._frame: Any = None
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            compressed = self._file.read(CHUNK)
            if not compressed:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the last frame is cut short")
                return 0
            self._decompress(compressed)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, compressed: bytes) -> None:
        parts = []
        while compressed:
            if self._frame is None or self._frame.eof:
                self._frame = self._decompressor.decompressobj()
            try:
                parts.append(self._frame.decompress(compressed))
            except self._error as error:
                raise EOFError(str(error)) from error
            compressed = self._frame.unused_data if self._frame.eof else b""
        self._ready = b"".join(parts)

    def close(self) -> None:
        self._file.close()
        super().close()
