"""Where a command writes. It is checked before the work starts, so that no file is lost and no work is in vain."""

import csv
import os
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from wideangle._files import replacing
from wideangle.commands._guard import CommandError, UsageError

STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
SPECIAL = ("/dev", "/proc")  # Names in these folders belong to the system, and may stand for open files.


def is_stdout(path: Path) -> bool:
    """Whether a path stands for stdout."""
    return str(path) in STDOUT


def check_output(path: Path, what: str, inputs: Iterable[Path | None] = (), *, option: str = "-o") -> None:
    """Raise an error where a file cannot be written, or would replace an input, a folder, a pipe or a device."""
    absolute = Path(os.path.abspath(path))
    if any(absolute.is_relative_to(place) for place in SPECIAL):
        raise UsageError(f"{path} is no place for a file. Name a file for {what} with {option}.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file for {what} with {option}.")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is {_kind(path)}, which a file would replace. Name a file for {what} with {option}.")
    for given in inputs:
        if given is not None and given.exists() and path.exists() and path.samefile(given):
            raise UsageError(
                f"{path} would replace {given}, which is read. Name another file for {what} with {option}."
            )
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise CommandError(f"the folder {folder} does not exist. Make it, or write {what} elsewhere.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"the folder {folder} may not be written to. Write {what} elsewhere.")


def check_replaced(path: Path, begins: Sequence[bytes], what: str) -> None:
    """Raise an error where a file exists that is neither empty nor of the same kind."""
    if not path.exists():
        return
    with path.open("rb") as file:
        first = file.read(4096).lstrip().lower()
    if first and not any(first.startswith(beginning) for beginning in begins):
        raise UsageError(f"{path} exists and is {what}. Delete it first, or name another file with -o.")


def write_csv(path: Path | None, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table as CSV to stdout or to a file, which is either complete or not there."""

    def write(file: TextIO) -> None:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)

    if path is None:
        write(sys.stdout)
        return
    # Names from a file system may contain characters that UTF-8 cannot encode.
    with replacing(path) as temporary, temporary.open("x", encoding="utf-8", errors="replace", newline="") as file:
        write(file)


def _kind(path: Path) -> str:
    mode = path.stat().st_mode
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))
    return next((name for test, name in kinds if test(mode)), "no file")
