"""What `wideangle fit` does where documents do not fit into memory: where they are kept, and what is made of them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._engines import Engine
from wideangle._packed import ArrayFile
from wideangle.catalogue import Entry
from wideangle.commands._output import Output
from wideangle.data.stored.counts import CountsOnDisk
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.files import STANDARD_INPUT
from wideangle.reading.opening import size_of
from wideangle.reading.places import DataPath, name_of
from wideangle.reading.to_disk import Counting, may_be_text, read_to_disk
from wideangle.view import ModelView

__all__ = ["kept_beside", "read_training_to_disk", "said_to_disk", "sample_of"]

LARGE = 200 * 2**20  # Files of more bytes are read in a stream. In memory they would need about ten times as much.
NEEDED = 3  # The disk needs about so many times the size of the texts until the model is written.
TUNED_ON = 20_000  # λ and granularity are chosen on at most so many documents.
BLOCK = 2**14  # So many documents are represented at a time.


def is_large(path: DataPath, entry: Entry, how: ReadingOptions, least: int = LARGE) -> bool:
    """Whether documents are read in a stream instead of into memory: those of more than `least` bytes."""
    if not entry.from_disk or str(path) == STANDARD_INPUT or size_of(path, how) <= least:
        return False
    return may_be_text(path, how)


@contextmanager
def kept_beside(to: Path) -> Iterator[Path]:
    """A folder beside the model, which is deleted when the model is written. After an error it stays.

    The same command then uses the parts that were finished.
    """
    folder = to.with_name(f"{to.name}.parts")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def read_training_to_disk(
    path: DataPath, folder: Path, how: ReadingOptions, output: Output, *, hold_out: float, seed: int, engine: Engine
) -> Rows:
    """Rows to fit a model on, whose counts stay on the disk."""
    size = size_of(path, how)
    output.note(
        f"{name_of(path)} has {_in_words(size)}, and is read in a stream: {engine} count its words into {folder}, "
        f"which needs about {_in_words(NEEDED * size)} until the model is written."
    )
    output.when_interrupted = f"interrupted; no model was written. The same command uses what is in {folder} again."
    with output.progress("counting words, in parts of the file") as show:
        return read_to_disk(
            path,
            folder,
            how,
            hold_out=hold_out,
            seed=seed,
            counting=Counting(engine),
            told=show,
            say=output.note,
        )


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
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
