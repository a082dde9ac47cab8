"""Files of one JSON object per line that are added to, so that work that was stopped goes on where it was.

A file that no longer grows can be packed: `NAME.jsonl.xz` then stands in the place of `NAME.jsonl`, and is read by
either name. Lines that are added later make a new `NAME.jsonl` beside it, and a reader gets the lines of both.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from wideangle._files import replacing
from wideangle._locks import CAN_LOCK, is_at, lock_or_tell
from wideangle.exceptions import DataError

__all__ = ["adding_lines", "pack_lines", "packed_name", "read_lines", "unpacked_name"]

PACKED = ".xz"

Line = dict[str, Any]
Check = Callable[[Line], object]
"""a function that raises ValueError, KeyError or TypeError where an object is not what a line should hold"""


def unpacked_name(path: Path) -> Path:
    """The name of a file while it grows.

    Examples
    --------
    >>> from pathlib import Path
    >>> unpacked_name(Path("test.jsonl.xz")).name, unpacked_name(Path("test.jsonl")).name
    ('test.jsonl', 'test.jsonl')
    """
    return path.with_suffix("") if path.suffix == PACKED else path


def read_lines(path: Path, check: Check) -> list[Line]:
    """What a file holds, those lines first that are packed; nothing if it is not there.

    A last line that was cut off is left out: what it told will be done again. Damage elsewhere is an error, for it
    would hide lines.
    """
    plain = unpacked_name(path)
    packed = packed_name(plain)
    before, added = _unpacked(packed), plain.read_bytes() if plain.exists() else b""
    return _lines_of(before, packed, check) + _lines_of(_without_packed(added, before), plain, check)


def _lines_of(content: bytes, path: Path, check: Check) -> list[Line]:
    lines = content.split(b"\n")
    found = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            found.append(_checked(line, check))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            if number == len(lines):  # It has no end of line.
                break
            raise DataError(
                f"{path}, line {number}, is not a record ({error}). Restore the file, or take the line out."
            ) from None
    return found


@contextmanager
def adding_lines(path: Path, check: Check, remedy: str) -> Iterator[Callable[[Line], None]]:
    """Give a function that adds a line, which is on disk when it returns. One process at a time may write a file.

    `remedy` says what to do besides waiting where another one does.
    """
    path = unpacked_name(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    read_lines(path, check)  # Damage is told before anything is added.
    with path.open("ab", buffering=0) as file:
        # On Windows, users must see to it. A file that is no longer at its path was packed in this moment.
        if CAN_LOCK and not (lock_or_tell(file) and is_at(file.fileno(), path)):
            raise DataError(f"another run is adding to {path}. Wait for it, or {remedy}.")
        _repair(path, check)
        yield lambda line: _add(file, path, line)


def pack_lines(path: Path, check: Check) -> Path:
    """Compress what a file holds, together with what was packed before, and delete it. Returns the packed file.

    The same lines give the same bytes.
    """
    plain = unpacked_name(path)
    packed = packed_name(plain)
    with adding_lines(plain, check, "pack it later"):  # Nobody else may add a line meanwhile.
        before = _unpacked(packed)
        content = before + _without_packed(plain.read_bytes(), before)
        with replacing(packed) as temporary:
            temporary.write_bytes(_compressed(content))
        if CAN_LOCK:
            plain.unlink()
    if not CAN_LOCK:  # Windows deletes no file that is open.
        plain.unlink()
    return packed


def packed_name(plain: Path) -> Path:
    """The name of a file when it is packed."""
    return plain.with_name(plain.name + PACKED)


def _without_packed(added: bytes, before: bytes) -> bytes:
    """Lines that are not packed yet. Where packing was stopped before it could delete the file, there are none."""
    return b"" if before.endswith(added) else added


def _compressed(content: bytes) -> bytes:
    lzma = _lzma()
    # Four bits of the letter before, and no alignment, are best for text that is mostly digits.
    text = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}
    compressed: bytes = lzma.compress(content, format=lzma.FORMAT_XZ, filters=[text])
    return compressed


def _unpacked(packed: Path) -> bytes:
    """What a packed file holds; nothing if it is not there."""
    if not packed.exists():
        return b""
    lzma = _lzma()
    try:
        content: bytes = lzma.decompress(packed.read_bytes(), format=lzma.FORMAT_XZ)
    except lzma.LZMAError as error:
        raise DataError(f"{packed} cannot be unpacked ({error}). Restore the file.") from None
    return content


def _lzma() -> Any:
    try:
        import lzma
    except ImportError:  # It is left out of a Python that was built on a computer without its library.
        raise DataError(
            "packed records need Python's module lzma, which this Python was built without. "
            "Unpack them by the command `xz -d`, or take another Python."
        ) from None
    return lzma


def _add(file: BinaryIO, path: Path, line: Line) -> None:
    rest = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    whole = os.fstat(file.fileno()).st_size
    try:
        while rest:  # A disk that becomes full takes a part of a line, and says so at the next one.
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):  # The next run would cut the line off as well.
            os.ftruncate(file.fileno(), whole)
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


def _repair(path: Path, check: Check) -> None:
    """End the last line, or cut it off if it is not whole."""
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end == len(content):
        return
    try:
        _checked(content[end:], check)
    except (ValueError, KeyError, TypeError, RecursionError):
        os.truncate(path, end)
    else:
        with path.open("ab") as file:
            file.write(b"\n")


def _checked(line: bytes, check: Check) -> Line:
    found: Line = json.loads(line)
    check(found)
    return found
