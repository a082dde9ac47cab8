"""Where a command writes. It is checked before the work starts, so that no file is lost and no work is in vain."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from wideangle.commands.files.own_files import WRITER, Kind, described, is_own
from wideangle.commands.shell.guard import CommandError, UsageError

STDOUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
SPECIAL = ("/dev", "/proc")  # Names in these folders belong to the system, and may stand for open files.


def is_stdout(path: Path) -> bool:
    """Whether a path stands for stdout."""
    return str(path) in STDOUT


def check_output(
    path: Path,
    what: str,
    inputs: Iterable[Path | str | None] = (),
    *,
    kind: Kind,
    force: bool = False,
    option: str = "-o",
) -> None:
    """Raise an error where a file cannot be written, or would replace what must stay.

    `inputs` are paths, or URLs, which no file can replace. An input, a folder, a pipe and a device are not replaced; a
    file that this program did not write only by `force`.
    """
    absolute = Path(os.path.abspath(path))
    if any(absolute.is_relative_to(place) for place in SPECIAL):
        raise UsageError(f"{path} is no place for a file. Name a file for {what} with {option}.")
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file for {what} with {option}.")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is {_kind(path)}, which a file would replace. Name a file for {what} with {option}.")
    for given in inputs:
        if isinstance(given, Path) and given.exists() and path.exists() and path.samefile(given):
            raise UsageError(
                f"{path} would replace {given}, which is read. Name another file for {what} with {option}."
            )
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise CommandError(f"the folder {folder} does not exist. Make it, or write {what} elsewhere.")
    if not os.access(folder, os.W_OK):
        raise CommandError(f"the folder {folder} may not be written to. Write {what} elsewhere.")
    if path.exists() and not os.access(path, os.W_OK):
        raise CommandError(f"{path} is write-protected. Change its permissions, or write {what} elsewhere.")
    if force or not path.exists() or not path.stat().st_size or is_own(path, kind):
        return
    raise UsageError(
        f"{path} exists and is {described(path)} that {WRITER[kind]} did not write. Name another file with {option}, "
        "or replace it with --force."
    )


def check_folder(folder: Path, *, option: str = "-o") -> None:
    """Raise an error unless a folder exists or can be made, and may be written to."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise CommandError(f"{there} is a file. Name a folder with {option}, which may exist or not.")
    if not os.access(there, os.W_OK):
        raise CommandError(f"the folder {there} may not be written to. Name another with {option}.")


def _kind(path: Path) -> str:
    mode = path.stat().st_mode
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISCHR, "a device"), (stat.S_ISBLK, "a device"))
    return next((name for test, name in kinds if test(mode)), "no file")
