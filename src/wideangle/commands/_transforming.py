"""What `wideangle transform` does: new documents to a file of their representations."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wideangle._files import replacing
from wideangle.commands._guard import UsageError
from wideangle.commands._inputs import read_new
from wideangle.commands._models import check_writable, load_model, represent
from wideangle.commands._output import Output, silent
from wideangle.data.corpus import write_npz
from wideangle.reading import ReadingOptions, Rows

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Transformed:
    """What was written."""

    path: Path
    rows: int
    components: int
    labelled: bool


def transform_documents(
    model_path: Path, path: Path, to: Path, how: ReadingOptions | None = None, *, output: Output | None = None
) -> Transformed:
    """Represent the rows of a path and write them with their names and labels."""
    writers = {".npz": _write_npz, ".parquet": _write_parquet}
    if to.suffix not in writers:
        raise UsageError(f"{to.name} must end in .npz or .parquet. Name such a file with -o.")
    check_writable(to, "the representations")
    model = load_model(model_path)
    rows = read_new(path, model, how or ReadingOptions(), output or silent())
    vectors = represent(model, rows.X)
    writers[to.suffix](to, vectors, rows)
    return Transformed(to, len(vectors), int(vectors.shape[1]), rows.labels is not None)


def _write_npz(path: Path, vectors: NDArray[np.float32], rows: Rows) -> None:
    arrays: dict[str, Any] = {"X": vectors, "names": np.asarray(rows.names, dtype=np.str_)}
    if rows.classes is not None:
        arrays["labels"] = rows.classes
    if rows.is_train is not None:
        arrays["is_train"] = rows.is_train
    write_npz(path, arrays)


def _write_parquet(path: Path, vectors: NDArray[np.float32], rows: Rows) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError("writing Parquet needs pyarrow: pip install 'wideangle[parquet]'") from error
    columns: dict[str, Any] = {"name": rows.names}
    if rows.classes is not None:
        columns["label"] = rows.classes.tolist()
    columns |= {f"c{k}": vectors[:, k - 1] for k in range(1, vectors.shape[1] + 1)}
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns), temporary)


def show(written: Transformed, console: "Console") -> None:
    """For people."""
    labels = ", with labels" if written.labelled else ""
    console.print(
        f"{written.rows:,} rows × {written.components} components{labels} → {written.path}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
