"""What `wideangle fit` does where documents do not fit into memory: where they are kept, and what is made of them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._engines import Engine
from wideangle._files import naming
from wideangle._packed import ArrayFile
from wideangle.catalogue import Entry
from wideangle.commands.shell.guard import UsageError
from wideangle.commands.shell.output import Output
from wideangle.commands.work.shared.memory import reserve_for_algebra
from wideangle.data.stored.counts import CountsOnDisk, open_counts
from wideangle.documents import Reading
from wideangle.process_group.agreement import all_or_none
from wideangle.process_group.group import Group
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.files import STANDARD_INPUT
from wideangle.reading.opening import size_of
from wideangle.reading.places import DataPath, name_of
from wideangle.reading.to_disk import Counting, may_be_text, read_to_disk
from wideangle.view import ModelView

__all__ = ["forget_parts", "kept_beside", "read_training_to_disk", "reads_in_stream", "said_to_disk", "sample_of"]

LARGE = 200_000_000  # Files of more bytes are read in a stream. In memory they would need about ten times as much.
NEEDED = 3  # The disk needs about so many times the size of the texts until the model is written.
TUNED_ON = 20_000  # λ and granularity are chosen on at most so many documents.
UNITS = ((1e9, "GB", 1), (1e6, "MB", 0), (1e3, "kB", 0), (1, "bytes", 0))
TRAINING = "training"  # the file that says which documents are fitted on
BLOCK = 2**14  # So many documents are represented at a time.


def reads_in_stream(path: DataPath, entry: Entry, how: ReadingOptions, asked: str = "") -> bool:
    """Whether documents are read in a stream instead of into memory: where a file is large, or an option asks so."""
    why_not = ""
    if not entry.from_disk:
        why_not = f"{entry.command} is fitted on rows in memory"
    elif str(path) == STANDARD_INPUT:
        why_not = "standard input is read at once"
    elif asked and not may_be_text(path, how):
        why_not = f"{path} holds numbers"
    if asked and why_not:
        raise UsageError(f"{asked} reads texts part by part, and {why_not}. Leave it out.")
    return not why_not and (bool(asked) or (size_of(path, how) > LARGE and may_be_text(path, how)))


@contextmanager
def kept_beside(to: Path, group: Group) -> Iterator[Path]:
    """A folder beside the model, which is deleted when the model is written. After an error it stays.

    The same command then uses the parts that were finished.
    """
    folder = _folder_beside(to)
    yield folder
    if group.rank == 0:
        shutil.rmtree(folder, ignore_errors=True)


def forget_parts(to: Path) -> None:
    """Delete what an interrupted fit has counted."""
    shutil.rmtree(_folder_beside(to), ignore_errors=True)


def _folder_beside(to: Path) -> Path:
    return to.with_name(f"{to.name}.parts")


def read_training_to_disk(
    path: DataPath,
    folder: Path,
    how: ReadingOptions,
    output: Output,
    group: Group,
    engine: Engine,
    *,
    hold_out: float,
    seed: int,
) -> Rows:
    """Rows to fit a model on, whose counts stay on the disk.

    Of several processes that were started together the first counts, and the others open what it has written.
    """
    reserve_for_algebra()
    rows = None
    with all_or_none(group, f"read {path}"):
        if group.rank == 0:
            rows = _counted(path, folder, how, output, engine, hold_out, seed)
    if rows is not None:
        return rows
    with all_or_none(group, f"open {folder}, which must be on a disk that all processes share"):
        counts = open_counts(folder)
        is_train = np.fromfile(folder / TRAINING, dtype=bool)
    return Rows(counts, True, [], labels=counts.labels, is_train=is_train, reading=Reading("counts"))


def _counted(
    path: DataPath, folder: Path, how: ReadingOptions, output: Output, engine: Engine, hold_out: float, seed: int
) -> Rows:
    size = size_of(path, how)
    output.note(
        f"{name_of(path)} has {_in_words(size)}, and is read in a stream: its words are counted by {engine} "
        f"into {folder}, which needs about {_in_words(NEEDED * size)} until the model is written."
    )
    output.when_interrupted = f"interrupted; no model was written. The same command uses what is in {folder} again."
    with output.progress("counting words, in parts of the file") as show:
        rows = read_to_disk(
            path,
            folder,
            how,
            hold_out=hold_out,
            seed=seed,
            counting=Counting(engine),
            told=show,
            say=output.note,
        )
    with naming(folder / TRAINING):
        (folder / TRAINING).write_bytes(np.asarray(rows.training, dtype=bool).tobytes())
    return rows


def said_to_disk(view: ModelView, X: CountsOnDisk, folder: Path, output: Output) -> NDArray[np.float32]:
    """What a model says of documents that are on the disk, in a file of the folder."""
    file = ArrayFile(folder / "vectors", np.float32, len(view.components))
    with output.progress("representing documents") as show:
        for block in X.blocks(BLOCK):
            file.add(view.said(block))
            show(file.length, len(X), "")
    return file.array()


def sample_of(X: Any, y: Any, seed: int, output: Output) -> tuple[Any, Any]:
    """Documents on which settings are chosen: of those on the disk some, in memory."""
    if not isinstance(X, CountsOnDisk):
        return X, y
    if len(X) <= TUNED_ON:
        return X[:], y
    rows = np.sort(np.random.default_rng(seed).choice(len(X), TUNED_ON, replace=False))
    output.note(f"settings are chosen on {TUNED_ON:,} of {len(X):,} documents.")
    return X[rows], None if y is None else y[rows]


def _in_words(size: int) -> str:
    """A number of bytes for people."""
    return next(f"{size / unit:.{digits}f} {name}" for unit, name, digits in UNITS if size >= unit or unit == 1)
