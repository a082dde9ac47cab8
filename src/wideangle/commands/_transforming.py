"""What `wideangle transform` does: it writes the representations of new documents to a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
from wideangle.commands._inputs import read_new
from wideangle.commands._models import load_model
from wideangle.commands._output import Output, silent
from wideangle.commands._own_files import mark_of
from wideangle.commands._tables import ARRAYS, SINGLE, Column, Table, write_table
from wideangle.data.corpus import write_npz
from wideangle.finishing import granularity_name
from wideangle.reading import ReadingOptions, Rows
from wideangle.reading.places import DataPath

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
    output: Output | None = None,
) -> Transformed:
    """Write the representations of a path's rows with names and labels; as CSV to stdout where `to` is None."""
    view = load_model(model_path, granularity)
    rows = read_new(path, view, how or ReadingOptions(), output or silent())
    vectors = view.represent(rows.X)
    if to is not None and to.suffix.lower() == ARRAYS:
        _write_arrays(to, vectors, rows)
    else:
        write_table(to, _table_of(vectors, rows))
    return Transformed(to, len(vectors), int(vectors.shape[1]), rows.labels is not None, view.granularity)


def _write_arrays(path: Path, vectors: NDArray[np.float32], rows: Rows) -> None:
    arrays: dict[str, Any] = {"X": vectors, "names": np.asarray(rows.names, dtype=np.str_)}
    if rows.classes is not None:
        arrays["labels"] = rows.classes
    if rows.is_train is not None:
        arrays["is_train"] = rows.is_train
    write_npz(path, arrays, comment=mark_of("vectors"))


def _table_of(vectors: NDArray[np.float32], rows: Rows) -> Table:
    labels = rows.classes
    first = [Column("id"), *(() if labels is None else (Column("label"),))]
    numbers = [Column(f"c{k}", float, SINGLE) for k in range(1, vectors.shape[1] + 1)]
    cells = (
        [name, *(() if labels is None else (str(labels[row]) or None,)), *vectors[row].tolist()]
        for row, name in enumerate(rows.names)
    )
    return Table("vectors", [*first, *numbers], cells)


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
