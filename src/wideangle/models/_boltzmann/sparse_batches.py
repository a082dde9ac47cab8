"""Mini-batches of documents that stay sparse: word counts in the three arrays of a CSR matrix."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.functional.boltzmann import per_token
from wideangle.models._base import passes

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
