"""Word counts of documents: whether they are counts, which words are there, and documents at other lengths."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle._arrays import MOST_OF_A_WORD
from wideangle.data.stored.counts import CountsOnDisk
from wideangle.functional.boltzmann import per_token
from wideangle.models._base import passes

PIECE = 2**20  # entries looked at at a time: a copy of all of them may be large
AHEAD = 2048  # Sparse mini-batches of about so many rows are prepared at a time.


class SparseRows(NamedTuple):
    """The arrays of a CSR matrix. To make SciPy's own matrix takes longer than to multiply a mini-batch."""

    data: NDArray[Any]
    indices: NDArray[Any]
    indptr: NDArray[Any]
    shape: tuple[int, int]

    @classmethod
    def of(cls, rows: Any) -> "SparseRows":
        """Those of a SciPy matrix or of an array."""
        rows = sp.csr_array(rows)
        return cls(rows.data, rows.indices, rows.indptr, rows.shape)

    def part(self, rows: slice) -> "SparseRows":
        """Some rows that follow one another."""
        starts = self.indptr[rows.start : rows.stop + 1]
        entries = slice(starts[0], starts[-1])
        return SparseRows(
            self.data[entries], self.indices[entries], starts - starts[0], (len(starts) - 1, self.shape[1])
        )

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return len(self.data)


def check_counts(X: Any, allow_fractions: bool) -> None:
    """An error where entries are negative, or are no whole numbers where they must be."""
    values = (X.data if sp.issparse(X) else np.asarray(X)).reshape(-1)
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data: counts must not be negative; got {values.min():g}.")
    if values.size and values.max() > MOST_OF_A_WORD:
        raise ValueError(f"counts must be at most {MOST_OF_A_WORD:,}; got {values.max():g}. Scale them down.")
    pieces = (values[first : first + PIECE] for first in range(0, len(values), PIECE))
    if not allow_fractions and any((piece != np.round(piece)).any() for piece in pieces):
        raise ValueError("counts must be whole numbers; got fractions. Pass raw counts, or allow_fractions=True.")


def is_sparse(X: Any) -> bool:
    """Whether rows of X come as a sparse matrix: X is one, or is on disk."""
    return sp.issparse(X) or isinstance(X, CountsOnDisk)


def presence_of(X: Any) -> NDArray[np.float64]:
    """The share of documents that have each word."""
    if isinstance(X, CountsOnDisk):
        return X.document_frequency / len(X)
    if not sp.issparse(X):
        return np.asarray(np.count_nonzero(X, axis=0) / X.shape[0])
    if not X.has_canonical_format:  # an entry may be held in several parts, which make one
        X = X.copy()
        X.sum_duplicates()
    counts = np.zeros(X.shape[1])
    for first in range(0, X.nnz, PIECE):
        there = X.data[first : first + PIECE] != 0
        counts += np.bincount(X.indices[first : first + PIECE][there], minlength=X.shape[1])
    return counts / X.shape[0]


def as_they_are(visible: Tensor) -> tuple[Tensor, Tensor]:
    """Real counts and their lengths."""
    return visible, visible.sum(1)


def rescaled(visible: Tensor, lengths: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """The same documents at other lengths."""
    if wanted is lengths:
        return visible, lengths
    return visible * per_token(wanted, lengths)[:, None], wanted


def sparse_batches(
    X: Any,
    rows: NDArray[np.intp],
    size: int,
    generator: np.random.Generator,
    weigh: Callable[[Any], Any],
    wanted: Callable[[Tensor], Tensor],
    skip: int = 0,
) -> Iterator[tuple[SparseRows, Tensor]]:
    """Yield mini-batches of the given rows without end: weighted counts at the wanted lengths, and these lengths.

    Several mini-batches are prepared at a time, because SciPy takes longer to begin than to prepare one.
    """
    for of_a_pass in passes(len(rows), size, generator, skip):
        for first in range(0, len(of_a_pass), max(1, AHEAD // size)):
            numbers = of_a_pass[first : first + max(1, AHEAD // size)]
            chosen = weigh(sp.csr_array(X[rows[np.concatenate(numbers)]]))
            lengths = torch.as_tensor(chosen.sum(axis=1))
            scaled = wanted(lengths)
            data = chosen.data * np.repeat(per_token(scaled, lengths).numpy(), np.diff(chosen.indptr))
            prepared = SparseRows(data, chosen.indices, chosen.indptr, chosen.shape)
            last = 0
            for n in map(len, numbers):
                yield prepared.part(slice(last, last + n)), scaled[last : last + n]
                last += n
