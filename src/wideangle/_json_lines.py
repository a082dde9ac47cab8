"""Files of one JSON object per line that are added to, so that work that was stopped goes on where it was."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from wideangle._locks import CAN_LOCK, lock_or_tell
from wideangle.exceptions import DataError

__all__ = ["adding_lines", "read_lines"]

Line = dict[str, Any]
Check = Callable[[Line], object]
"""a function that raises ValueError, KeyError or TypeError where an object is not what a line should hold"""


def read_lines(path: Path, check: Check) -> list[Line]:
    """What a file holds; nothing if it is not there.

    A last line that was cut off is left out: what it told will be done again. Damage elsewhere is an error, for it
    would hide lines.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
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
    path.parent.mkdir(parents=True, exist_ok=True)
    read_lines(path, check)  # Damage is told before anything is added.
    with path.open("ab", buffering=0) as file:
        if CAN_LOCK and not lock_or_tell(file):  # On Windows, users must see to it.
            raise DataError(f"another run is adding to {path}. Wait for it, or {remedy}.")
        _repair(path, check)
        yield lambda line: _add(file, path, line)


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
