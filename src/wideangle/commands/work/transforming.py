"""What `wideangle transform` does: it writes the representations of new documents to a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.commands.files.own_files import mark_of
from wideangle.commands.files.tables import ARRAYS, SINGLE, Column, Table, write_table
from wideangle.commands.shell.output import Output, silent
from wideangle.commands.work.shared.answering import Answer, Answers, divided_for, joined_rows
from wideangle.commands.work.shared.inputs import read_new
from wideangle.commands.work.shared.models import load_model
from wideangle.data.corpus import write_npz
from wideangle.finishing import granularity_name
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Transformed:
    """What was written."""

    path: Path | None
    """None means stdout"""
    rows: int
    components: int
    labelled: bool
    granularity: float | None
    """how finely documents are told apart; None where nothing finishes what the model says"""


def transform_documents(
    model_path: Path,
    path: DataPath,
    to: Path | None,
    how: ReadingOptions | None = None,
    *,
    granularity: float | str | None = None,
    dask: str | None = None,
    output: Output | None = None,
) -> Transformed:
    """Write the representations of a path's rows with names and labels; as CSV to stdout where `to` is None.

    `dask` is the address of a cluster that reads and represents documents. Without one, the processors of this computer
    do so where there are many.
    """
    view, how, output = load_model(model_path, granularity), how or ReadingOptions(), output or silent()
    divided = divided_for(path, view, how, dask)
    if divided is None:
        rows = read_new(path, view, how, output)
        parts: Iterable[Answer] = [Answer(rows, view.represent(rows.X))]
        labelled = rows.labels is not None
    else:
        parts = Answers(Represent(granularity), model_path, *divided, output)
        labelled = divided[0].has_labels
    if to is not None and to.suffix.lower() == ARRAYS:
        every = list(parts)
        written, width = sum(len(part.rows) for part in every), int(every[0].value.shape[1])
        _write_arrays(to, every)
    else:
        first, parts = _begun(parts)
        width = int(first.value.shape[1])
        written = write_table(to, _table_of(parts, width, labelled))
    return Transformed(to, written, width, labelled, view.granularity)


@dataclass(frozen=True)
class Represent:
    """Asks a model for the vectors of documents."""

    granularity: float | str | None
    keeps_rows = False

    def prepared(self, model_path: Path) -> tuple[ModelView, Callable[[Rows], NDArray[np.float32]]]:
        """Load the model, and give what answers."""
        view = load_model(model_path, self.granularity)
        return view, lambda rows: view.represent(rows.X)


def _begun(parts: Iterable[Answer]) -> tuple[Answer, Iterator[Answer]]:
    """The first part, and all of them."""
    coming = iter(parts)
    first = next(coming)
    return first, chain([first], coming)


def _write_arrays(path: Path, parts: Sequence[Answer]) -> None:
    rows = joined_rows([part.rows for part in parts]) if len(parts) > 1 else parts[0].rows
    arrays: dict[str, Any] = {
        "X": np.concatenate([part.value for part in parts]),
        "names": np.asarray(rows.names, dtype=np.str_),
    }
    if rows.classes is not None:
        arrays["labels"] = rows.classes
    if rows.is_train is not None:
        arrays["is_train"] = rows.is_train
    write_npz(path, arrays, comment=mark_of("vectors"))


def _table_of(parts: Iterable[Answer], width: int, labelled: bool) -> Table:
    first = [Column("id"), *((Column("label"),) if labelled else ())]
    numbers = [Column(f"c{k}", float, SINGLE) for k in range(1, width + 1)]
    return Table("vectors", [*first, *numbers], chain.from_iterable(_cells(part, labelled) for part in parts))


def _cells(part: Answer, labelled: bool) -> Iterator[list[Any]]:
    labels = part.rows.classes
    for row, name in enumerate(part.rows.names):
        label = None if labels is None else str(labels[row]) or None
        yield [name, *((label,) if labelled else ()), *part.value[row].tolist()]


def show(written: Transformed, console: "Console") -> None:
    """Print what was written for people."""
    labels = ", with labels" if written.labelled else ""
    finely = "" if written.granularity is None else f", for {granularity_name(written.granularity)}"
    size = f"{number_of(written.rows, 'row')} × {number_of(written.components, 'component')}"
    console.print(
        f"{size}{labels}{finely} → {written.path}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
