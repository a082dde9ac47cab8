"""Files of vectors, one row for each document: arrays of NumPy, and Parquet tables of numbers or of lists.

A new kind is a function and its entry in `READERS`.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._optional import optional_import
from wideangle.data.corpus import open_npz
from wideangle.exceptions import DataError

__all__ = ["VECTOR_FILES", "Floats", "finite", "names_a_file", "read_vectors"]

NAMES = ("vectors", "embeddings", "X")  # of an array among several in an .npz file

Floats = NDArray[np.float32]


def names_a_file(named: str) -> bool:
    """Whether --vectors names a file, by its ending."""
    return Path(named).suffix.lower() in VECTOR_FILES


def read_vectors(file: Path) -> Floats:
    """The rows of a file of vectors: an array of NumPy, or a Parquet table of numbers or of lists.

    Those of an .npy file stay there until they are asked for.
    """
    if not os.path.isfile(file):
        raise DataError(f"{file} is no file. Name a file of vectors, one row for each document.")
    kind = file.suffix.lower()
    try:
        rows = READERS[kind](file)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # NumPy and pyarrow raise many kinds for a damaged file.
        raise DataError(f"{file.name} cannot be read as vectors: {error}. Write it again.") from error
    if getattr(rows, "ndim", 0) != 2 or rows.dtype.kind not in "biuf" or 0 in rows.shape:
        raise DataError(f"{file.name} must hold one row of numbers for each document; got {rows.dtype}, {rows.shape}.")
    return rows if kind == ".npy" and rows.dtype == np.float32 else finite(rows, file.name)


def _from_npy(file: Path) -> Any:
    return np.load(file, mmap_mode="r", allow_pickle=False)


def _from_npz(file: Path) -> Any:
    with open_npz(file, ()) as arrays:
        held = dict(arrays)
    chosen = next((name for name in NAMES if name in held), next(iter(held)) if len(held) == 1 else None)
    if chosen is None:
        raise DataError(f"{file.name} holds {', '.join(sorted(held))}. Call the vectors {' or '.join(NAMES)}.")
    return held[chosen]


def _from_parquet(file: Path) -> Any:
    parquet = optional_import("pyarrow.parquet", extra="parquet", purpose="reading vectors from Parquet")
    table = parquet.read_table(file)
    if table.num_columns == 1:
        return np.asarray(table.column(0).to_pylist(), dtype=np.float32)
    return np.column_stack([column.to_numpy() for column in table.columns])


def finite(rows: NDArray[Any], source: str) -> Floats:
    """The rows as float32; an error names the first that has a number which is not finite."""
    with np.errstate(over="ignore"):
        found = np.asarray(rows, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if len(bad):
        raise DataError(f"{source}, row {bad[0] + 1}: the vector has NaN, infinities or numbers above 3.4e38.")
    return found


READERS: dict[str, Callable[[Path], Any]] = {".npy": _from_npy, ".npz": _from_npz, ".parquet": _from_parquet}
VECTOR_FILES = tuple(READERS)
