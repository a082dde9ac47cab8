"""Records of fits: one JSON object per line, added to, so that a stopped run goes on where it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from wideangle._json_lines import adding_lines, read_lines, unpacked_name
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.origins import is_of_this_code
from wideangle.experiments.record_checks import checked

__all__ = ["RecordFolder", "read_file", "writing"]

SUFFIX = ".jsonl"


class RecordFolder:
    """The records of all tasks, one file per task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, task: str) -> Path:
        return self.folder / f"{task}{SUFFIX}"

    @property
    def is_empty(self) -> bool:
        """Whether no task has a file of records, be it packed or not."""
        return not any(unpacked_name(path).suffix == SUFFIX for path in self.folder.glob("*"))

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
    """The records of a file; none if it is not there. A last line that was cut off is left out."""
    return read_lines(path, checked)


@contextmanager
def writing(path: Path) -> Iterator[Callable[[Record], None]]:
    """Give a function that adds a record, which is on disk when it returns. One process at a time may write a file."""
    with adding_lines(path, checked, "pass another folder with --records") as add:
        yield add
