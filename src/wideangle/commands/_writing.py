"""Where a command writes: checked before the work starts, so that nothing is lost and no hour is spent in vain."""

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
SPECIAL = ("/dev", "/proc")  # names in there belong to the system, and what they stand for is somebody's open file


def is_stdout(path: Path) -> bool:
    """Whether a path stands for what the command prints."""
    return str(path) in STDOUT


def check_output(path: Path, what: str, inputs: Iterable[Path | None] = (), *, option: str = "-o") -> None:
    """Whether a file can be written there, and takes nothing away: no input, no folder, no pipe and no device."""
    absolute = Path(os.path.abspath(path))
    if any(absolute.is_relative_to(place) for place in SPECIAL):
        raise UsageError(f"{path} is no place for a file. Name a file for {what} with {option}.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file for {what} with {option}.")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is {_kind(path)}, which a file would replace. Name a file for {what} with {option}.")
    for given in inputs:
        if given is not None and given.exists() and path.exists() and path.samefile(given):
            raise UsageError(f"{path} would replace {given}, which is read. Name another for {what} with {option}.")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise CommandError(f"the folder {folder} does not exist. Make it, or write {what} elsewhere.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"the folder {folder} may not be written to. Write {what} elsewhere.")


def check_replaced(path: Path, begins: Sequence[bytes], what: str) -> None:
    """An existing file is replaced only where it is of the same kind, or empty."""
    if not path.exists():
        return
    with path.open("rb") as file:
        first = file.read(4096).lstrip().lower()
    if first and not any(first.startswith(beginning) for beginning in begins):
        raise UsageError(f"{path} is there already, and is {what}. Delete it first, or name another file with -o.")


def write_csv(path: Path | None, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table as CSV to a file, which is complete or not there, or to stdout."""

    def write(file: TextIO) -> None:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)

    if path is None:
        write(sys.stdout)
        return
    # A name that came from a file system may hold what UTF-8 cannot write.
    with replacing(path) as temporary, temporary.open("x", encoding="utf-8", errors="replace", newline="") as file:
        write(file)


def _kind(path: Path) -> str:
    mode = path.stat().st_mode
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))
    return next((name for test, name in kinds if test(mode)), "no file")
