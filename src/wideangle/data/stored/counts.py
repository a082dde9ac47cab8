"""Word counts of documents in files: rows are read when they are asked for."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arguments import checked
from wideangle._arguments import path as a_path
from wideangle._blocks import parts
from wideangle._mapped import let_go, map_array
from wideangle.documents import NO_LABEL, WordLists
from wideangle.exceptions import DataError

__all__ = ["CountsOnDisk", "open_counts"]

DESCRIPTION = "counts.json"
FORMAT = 1
BLOCK = 2**16  # So many documents are in memory at a time where all are gone through.
LITTLE = 2**26  # bytes of files that are small enough to stay in memory once they were read
ARRAYS = ("columns", "times", "ends")
# The types that these may have, as `join_parts` chooses them.
KINDS = {"columns": ("uint16", "uint32"), "times": ("uint8", "uint16", "uint32"), "ends": ("int64",)}


@dataclass(frozen=True, eq=False)
class CountsOnDisk:
    """Documents × words in a folder. Rows are taken as from a SciPy matrix, and come as one, in float32.

    `ReplicatedSoftmax` is fitted on it as on a matrix in memory, with the same result.

    Examples
    --------
    >>> import tempfile
    >>> from wideangle.data import Document, write_counts
    >>> documents = [Document(f"cats chase mice number {i}", "a", "") for i in range(10)]
    >>> counts = write_counts(documents, tempfile.mkdtemp() + "/counts")
    >>> counts.shape, counts[[3, 7]].toarray().tolist(), counts[2:].shape
    ((10, 4), [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]], (8, 4))
    """

    folder: Path
    words: WordLists
    """which words each document has, and how often; memory maps"""
    vocabulary: NDArray[np.str_]
    labels: NDArray[np.int64] | None = None
    """class of each document, from 0; −1 for a document without one"""
    label_names: NDArray[np.str_] | None = None
    chosen: NDArray[np.intp] | None = None
    """the documents that are rows of this object, where it is a part of others; None: all"""

    dtype = np.dtype(np.float32)
    ndim = 2

    def __len__(self) -> int:
        return len(self.words) if self.chosen is None else len(self.chosen)

    @property
    def shape(self) -> tuple[int, int]:
        """Documents × words."""
        return len(self), len(self.vocabulary)

    @cached_property
    def nnz(self) -> int:
        """How many entries are not 0."""
        return len(self.words.columns) if self.chosen is None else int(self._sizes.sum())

    def __getitem__(self, rows: Any) -> sp.csr_array:
        """Some documents, by a slice, their numbers or a mask."""
        places = self._places(rows)
        ends = self.words.ends
        # A document begins where the one before it ends.
        begins = np.where(places > 0, ends[np.maximum(places - 1, 0)], 0)
        sizes = ends[places] - begins
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(begins - indptr[:-1], sizes) + np.arange(indptr[-1])
        assert self.words.times is not None
        columns, times = self.words.columns[entries].astype(np.int32), self.words.times[entries].astype(self.dtype)
        self._let_go()
        # Compiled code of SciPy would follow a wrong column anywhere.
        if len(columns) and not 0 <= columns.min() <= columns.max() < self.shape[1]:
            raise DataError(f"{self.folder / 'columns'} is damaged: a column is not there; write the counts anew.")
        small = indptr[-1] <= np.iinfo(np.int32).max
        found = sp.csr_array(
            (times, columns, indptr.astype(np.int32) if small else indptr), shape=(len(places), self.shape[1])
        )
        found.has_canonical_format = True  # Columns are in rising order, so that nobody has to look.
        return found

    def blocks(self, size: int = BLOCK) -> Iterator[sp.csr_array]:
        """All documents in their order, some at a time."""
        for first in range(0, len(self), size):
            yield self[first : first + size]

    def only(self, rows: Any) -> "CountsOnDisk":
        """Some of the documents, chosen by their numbers or a mask, as an object of this kind. Nothing is copied."""
        places = self._places(rows)
        labels = None if self.labels is None else self.labels[np.asarray(rows)]
        return replace(self, chosen=places, labels=labels)

    def sum(self, axis: int) -> NDArray[np.int64]:
        """The tokens of each document (axis 1), or how often each word occurs (axis 0)."""
        if axis == 1:
            return np.concatenate([np.zeros(0, dtype=np.int64), *(_token_sums(block) for block in self.blocks())])
        total = np.zeros(self.shape[1])
        for block in self.blocks():
            total += np.bincount(block.indices, weights=block.data, minlength=len(total))
        return total.astype(np.int64)

    @cached_property
    def document_frequency(self) -> NDArray[np.int64]:
        """How many documents have each word."""
        found = np.zeros(self.shape[1], dtype=np.int64)
        for block in self.blocks():
            found += np.bincount(block.indices, minlength=len(found))
        return found

    @property
    def _sizes(self) -> NDArray[np.int64]:
        """How many different words each document has."""
        sizes = np.diff(self.words.ends, prepend=0)
        return sizes if self.chosen is None else sizes[self.chosen]

    def _places(self, rows: Any) -> NDArray[np.intp]:
        """The documents in the files that are these rows."""
        n = len(self)
        if isinstance(rows, slice):
            places = np.arange(n)[rows] if self.chosen is None else self.chosen[rows]
            return np.asarray(places, dtype=np.intp)
        numbers = np.asarray(rows)
        if numbers.ndim != 1:
            raise IndexError(f"rows are taken by a slice, their numbers or a mask; got {rows!r}.")
        if numbers.dtype == bool:
            if len(numbers) != n:
                raise IndexError(f"a mask has one value per document, {n:,}; got {len(numbers):,}.")
            numbers = np.flatnonzero(numbers)
        numbers = numbers.astype(np.intp)
        if len(numbers) and not -n <= numbers.min() <= numbers.max() < n:
            raise IndexError(f"there are {n:,} documents; got numbers from {numbers.min()} to {numbers.max()}.")
        numbers = np.where(numbers < 0, numbers + n, numbers)
        return numbers if self.chosen is None else self.chosen[numbers]

    def _let_go(self) -> None:
        if len(self.words.columns) > LITTLE // 4:  # Where documents end stays: it is little, and asked for each time.
            let_go(self.words.columns, self.words.times)


def _token_sums(block: sp.csr_array) -> NDArray[np.int64]:
    return np.asarray(block.sum(axis=1, dtype=np.float64), dtype=np.int64).ravel()


@checked(folder=a_path)
def open_counts(folder: str | os.PathLike[str]) -> CountsOnDisk:
    """Open what `write_counts` wrote."""
    path = Path(folder)
    try:
        described = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
        if described["format"] != FORMAT:
            raise DataError(
                f"{path} was written in format {described['format']!r}, and this version reads {FORMAT}. Write the "
                "counts anew."
            )
        sizes = {"ends": int(described["documents"])} | dict.fromkeys(("columns", "times"), int(described["entries"]))
        kinds = {name: _kind(described, name) for name in ARRAYS}
        vocabulary, names = _strings(described, "vocabulary"), described["label_names"]
        label_names = None if names is None else _strings(described, "label_names")
    except FileNotFoundError as error:
        raise DataError(f"{path} is no folder of counts: {DESCRIPTION} is not there.") from error
    except (ValueError, KeyError, TypeError, ArithmeticError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path / DESCRIPTION} is damaged ({error!r}); write the counts anew.") from error
    if names is not None:
        sizes["labels"], kinds["labels"] = sizes["ends"], np.dtype(np.int64)
    arrays = {name: _mapped(path / name, kinds[name], size) for name, size in sizes.items()}
    _check_ends(path / "ends", arrays["ends"], sizes["columns"])
    words = WordLists(arrays["columns"], arrays["ends"], arrays["times"])
    labels = None if label_names is None else np.array(arrays["labels"])
    if label_names is not None and not _have_names(arrays["labels"], len(label_names)):
        raise DataError(f"{path / 'labels'} is damaged: a label has no name; write the counts anew.")
    return CountsOnDisk(path, words, vocabulary, labels, label_names)


def _have_names(labels: NDArray[np.int64], n_names: int) -> bool:
    """Whether each label is that of no class, or a number from 0 to the last name."""
    return bool(labels.min(initial=NO_LABEL) >= NO_LABEL and labels.max(initial=NO_LABEL) < n_names)


def _kind(described: dict[str, Any], name: str) -> np.dtype[Any]:
    """The type of the numbers in a file, of which few make sense."""
    if described[name] not in KINDS[name]:
        raise ValueError(f"{name} cannot be of type {described[name]!r}")
    return np.dtype(described[name])


def _strings(described: dict[str, Any], name: str) -> NDArray[np.str_]:
    if not isinstance(described[name], list) or not all(isinstance(each, str) for each in described[name]):
        raise TypeError(f"{name} must be a list of strings")
    return np.array(described[name], dtype=np.str_)


def _check_ends(path: Path, ends: NDArray[np.int64], entries: int) -> None:
    """Raise an error where documents do not end one after the other, the last one with the last entry."""
    before = 0
    for part in parts(len(ends), ends):
        some = ends[part]
        if some[0] < before or (some[1:] < some[:-1]).any():
            raise DataError(f"{path} is damaged: documents end in the wrong order; write the counts anew.")
        before = int(some[-1])
    if before != entries:
        raise DataError(f"{path} is damaged: documents do not end where their words end; write the counts anew.")


def _mapped(path: Path, dtype: np.dtype[Any], length: int) -> NDArray[Any]:
    """The array in a file, after a look at how long the file is."""
    found = path.stat().st_size if path.is_file() else -1
    wanted = length * dtype.itemsize
    if found != wanted:
        has = "is not there" if found < 0 else f"has {found:,} bytes instead of {wanted:,}"
        raise DataError(f"{path} {has}; write the counts anew.")
    return map_array(path, dtype, (length,))
