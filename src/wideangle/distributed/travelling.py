"""How data travels to processes: files in a folder, which each of them maps into its memory. They share one copy."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from wideangle.data.stored.counts import CountsOnDisk, open_counts

Folder = Path


class Kind(NamedTuple):
    """One kind of data: whether something is of it, how it is written under a name, and how it is read."""

    accepts: Callable[[Any], bool]
    write: Callable[[Any, Folder, str], None]
    read: Callable[[Folder, str], Any]


def _write_dense(values: Any, folder: Folder, name: str) -> None:
    np.save(folder / f"{name}.npy", values, allow_pickle=False)


def _read_dense(folder: Folder, name: str) -> Any:
    return np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)


def _write_sparse(values: Any, folder: Folder, name: str) -> None:
    rows = sp.csr_array(values)
    if not rows.has_canonical_format:  # The processes may not change what they share.
        rows = rows.copy()
        rows.sum_duplicates()
    for part in ("data", "indices", "indptr"):
        _write_dense(getattr(rows, part), folder, f"{name}.{part}")
    _write_dense(np.array(rows.shape), folder, f"{name}.shape")


def _read_sparse(folder: Folder, name: str) -> Any:
    arrays = tuple(_read_dense(folder, f"{name}.{part}") for part in ("data", "indices", "indptr"))
    rows = sp.csr_array(arrays, shape=tuple(_read_dense(folder, f"{name}.shape").tolist()))
    rows.has_canonical_format = True  # It was written so, and need not be looked through again.
    return rows


def _write_on_disk(values: CountsOnDisk, folder: Folder, name: str) -> None:
    """Counts on disk stay where they are. Which of them are meant is written."""
    chosen = np.arange(len(values)) if values.chosen is None else values.chosen
    _write_dense(chosen, folder, f"{name}.chosen")
    (folder / f"{name}.folder").write_text(os.path.abspath(values.folder), encoding="utf-8")


def _read_on_disk(folder: Folder, name: str) -> CountsOnDisk:
    counts = open_counts((folder / f"{name}.folder").read_text(encoding="utf-8"))
    chosen = _read_dense(folder, f"{name}.chosen")
    return counts if len(chosen) == len(counts) else counts.only(chosen)


# A further kind of data joins by one entry here.
KINDS: dict[str, Kind] = {
    "dense": Kind(lambda values: isinstance(values, np.ndarray) and values.dtype != object, _write_dense, _read_dense),
    "sparse": Kind(sp.issparse, _write_sparse, _read_sparse),
    "on disk": Kind(lambda values: isinstance(values, CountsOnDisk), _write_on_disk, _read_on_disk),
}


def write(values: Any, folder: str | os.PathLike[str], name: str) -> str:
    """Write data for other processes, and return its kind."""
    for kind, ways in KINDS.items():
        if ways.accepts(values):
            ways.write(values, Path(folder), name)
            return kind
    got = f"an array of {values.dtype}" if isinstance(values, np.ndarray) else type(values).__name__
    raise TypeError(
        f"{name} must be a NumPy array of numbers or strings, or a SciPy sparse matrix, to go to other processes; "
        f"got {got}. Pass numpy.asarray({name}), or {name}.to_numpy() of a table."
    )


def read(folder: str | os.PathLike[str], name: str, kind: str) -> Any:
    """What `write` wrote, mapped into memory."""
    return KINDS[kind].read(Path(folder), name)
