"""What `wideangle transform` does: it writes the representations of new documents to a file."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._files import replacing
from wideangle._optional import optional_import
from wideangle.commands._documents import ids_of
from wideangle.commands._guard import UsageError
from wideangle.commands._inputs import read_new
from wideangle.commands._models import load_model
from wideangle.commands._output import Output, silent
from wideangle.commands._writing import check_output, write_csv
from wideangle.data.corpus import write_npz
from wideangle.reading import ReadingOptions, Rows

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


def transform_documents(
    model_path: Path, path: Path, to: Path | None, how: ReadingOptions | None = None, *, output: Output | None = None
) -> Transformed:
    """Write the representations of a path's rows with names and labels; as CSV to stdout where `to` is None."""
    if to is not None:
        if to.suffix not in WRITERS:
            raise UsageError(f"{to} must end in {', '.join(WRITERS)}. Name such a file with -o.")
        check_output(to, "the representations", (model_path, path))
    view = load_model(model_path)
    rows = read_new(path, view, how or ReadingOptions(), output or silent())
    vectors = view.represent(rows.X)
    if to is None:
        _write_csv(None, vectors, rows)
    else:
        WRITERS[to.suffix](to, vectors, rows)
    return Transformed(to, len(vectors), int(vectors.shape[1]), rows.labels is not None)


def _write_npz(path: Path, vectors: NDArray[np.float32], rows: Rows) -> None:
    arrays: dict[str, Any] = {"X": vectors, "names": np.asarray(rows.names, dtype=np.str_)}
    if rows.classes is not None:
        arrays["labels"] = rows.classes
    if rows.is_train is not None:
        arrays["is_train"] = rows.is_train
    write_npz(path, arrays)


def _write_parquet(path: Path, vectors: NDArray[np.float32], rows: Rows) -> None:
    pa = optional_import("pyarrow", extra="parquet", purpose="writing Parquet")
    pq = optional_import("pyarrow.parquet", extra="parquet", purpose="writing Parquet")
    columns: dict[str, Any] = {"name": rows.names}
    if rows.classes is not None:
        columns["label"] = rows.classes.tolist()
    columns |= {f"c{k}": vectors[:, k - 1] for k in range(1, vectors.shape[1] + 1)}
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns), temporary)


def _write_csv(path: Path | None, vectors: NDArray[np.float32], rows: Rows) -> None:
    labels = rows.classes
    header = ["id", *(() if labels is None else ("label",)), *(f"c{k}" for k in range(1, vectors.shape[1] + 1))]
    write_csv(
        path,
        header,
        (
            # So many digits are enough to read the same float32 back.
            [name, *(() if labels is None else (labels[row],)), *(f"{value:.9g}" for value in vectors[row].tolist())]
            for row, name in enumerate(ids_of(rows))
        ),
    )


WRITERS: dict[str, Callable[[Path, NDArray[np.float32], Rows], None]] = {
    ".npz": _write_npz,
    ".parquet": _write_parquet,
    ".csv": _write_csv,
}


def show(written: Transformed, console: "Console") -> None:
    """Print what was written for people."""
    labels = ", with labels" if written.labelled else ""
    console.print(
        f"{written.rows:,} rows × {written.components} components{labels} → {written.path}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
