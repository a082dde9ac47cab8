"""Records of fits: one JSON object per line, added to, so that a stopped run goes on where it was."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from wideangle.exceptions import DataError
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.origins import is_of_this_code

__all__ = ["RecordFolder", "read_file", "writing"]

SUFFIX = ".jsonl"


class Write(Protocol):
    def __call__(self, record: Record) -> None: ...


class RecordFolder:
    """The records of all tasks, one file per task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, task: str) -> Path:
        return self.folder / f"{task}{SUFFIX}"

    def read(self, task: str, *, only_this_code: bool = False) -> dict[str, Record]:
        """By the key of the job. Of several records of a job the last counts; failed fits are left out.

        With `only_this_code` so are records that other code made than that which is here now.
        """
        found = {}
        for record in read_file(self.path(task)):
            if "failed" not in record and not (only_this_code and not is_of_this_code(record)):
                found[Job.of(record).key] = record
        return found


def read_file(path: Path) -> list[Record]:
    """What a file holds; nothing if it is not there.

    A last line that was cut off is left out: its fit will be run again. Damage elsewhere is an error, for it would
    hide records.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    records = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            record = json.loads(line)
            Job.of(record)
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines):  # It has no end of line.
                break
            raise DataError(
                f"{path}, line {number}, is not a record ({error}). Restore the file, or take the line out."
            ) from None
        records.append(record)
    return records


@contextmanager
def writing(path: Path) -> Iterator[Write]:
    """Give a function that adds a record, which is on disk when it returns. One process at a time may write a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    read_file(path)  # Damage is told before anything is added.
    with path.open("ab") as file:
        _lock(file.fileno(), path)
        _repair(path)

        def write(record: Record) -> None:
            line = json.dumps(record, ensure_ascii=False, allow_nan=False)
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        yield write


def _repair(path: Path) -> None:
    """End the last line, or cut it off if it is not whole."""
    content = path.read_bytes()
    end = content.rfind(b"\n") + 1
    if end == len(content):
        return
    try:
        Job.of(json.loads(content[end:]))
    except (ValueError, KeyError, TypeError):
        os.truncate(path, end)
    else:
        with path.open("ab") as file:
            file.write(b"\n")


def _lock(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has no such locks; there, users must see to it.
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise DataError(
            f"another run is adding to {path}. Wait for it, or pass another folder with --records."
        ) from None
