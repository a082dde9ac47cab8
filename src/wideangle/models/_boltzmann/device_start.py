"""Directions in which rows vary most, found on a GPU. There the singular vectors of a start would take as long on the
CPU as all updates."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

SPARE = 10  # The subspace has so many dimensions more than vectors are wanted, as in scikit-learn's randomized_svd.
DENSE_BYTES = 2**30  # At most so much of the rows is dense at a time.


class DeviceRows:
    """Rows in the memory of a device, with products in blocks of dense rows.

    Sparse products would be quicker for few entries, but on a GPU they need not give the same bits twice.
    """

    def __init__(self, rows: Any, device: torch.device) -> None:
        self.shape: tuple[int, int] = rows.shape
        self.dtype = torch.float64 if rows.dtype == np.float64 else torch.float32
        self._step = max(1, DENSE_BYTES // (self.shape[1] * self.dtype.itemsize))
        self._dense: Tensor | None = None
        if not sp.issparse(rows):
            self._dense = torch.as_tensor(np.ascontiguousarray(rows), dtype=self.dtype).to(device)
            return
        rows = sp.csr_array(rows)
        rows.sum_duplicates()
        self._starts = rows.indptr
        self._columns = torch.as_tensor(rows.indices).to(device)
        self._values = torch.as_tensor(rows.data, dtype=self.dtype).to(device)
        self._owners = torch.repeat_interleave(torch.as_tensor(np.diff(rows.indptr))).to(device)

    def blocks(self) -> Iterator[Tensor]:
        """Dense blocks of rows, in order."""
        for first in range(0, self.shape[0], self._step):
            last = min(first + self._step, self.shape[0])
            if self._dense is not None:
                yield self._dense[first:last]
                continue
            entries = slice(int(self._starts[first]), int(self._starts[last]))
            block = self._values.new_zeros(last - first, self.shape[1])
            block[self._owners[entries] - first, self._columns[entries]] = self._values[entries]
            yield block

    def times(self, Q: Tensor) -> Tensor:
        """X Q"""
        return torch.cat([block @ Q for block in self.blocks()])

    def transposed_times(self, P: Tensor) -> Tensor:
        """Xᵀ P"""
        found, first = P.new_zeros(self.shape[1], P.shape[1]), 0
        for block in self.blocks():
            found.addmm_(block.mT, P[first : first + len(block)])
            first += len(block)
        return found


def leading_vectors(rows: DeviceRows, count: int, generator: torch.Generator, rounding: float) -> tuple[Tensor, Tensor]:
    """Right singular vectors as columns, the largest first and at most `count`, and X times them.

    They are those of a random subspace after power iterations (Halko, Martinsson and Tropp, 2011). Vectors are left out
    where the singular value is at most `rounding` times the largest.
    """
    count = min(count, *rows.shape)
    size = min(count + SPARE, *rows.shape)
    Q = torch.randn(rows.shape[1], size, generator=generator, device=generator.device, dtype=rows.dtype)
    for _ in range(7 if count < 0.1 * min(rows.shape) else 4):  # as many as scikit-learn takes
        Q = torch.linalg.qr(rows.times(Q)).Q
        Q = torch.linalg.qr(rows.transposed_times(Q)).Q
    P = rows.times(Q)
    squares, turned = _principal(P)
    kept = int((squares[:count] > squares[0] * rounding**2).sum())
    turned = turned[:, :kept].to(Q)
    return Q @ turned, P @ turned


def centred_directions(
    rows: DeviceRows, count: int, most: int, generator: torch.Generator, rounding: float
) -> tuple[Tensor, Tensor, float]:
    """As `start._centred_directions`: vectors as rows, their squared singular values, and the mean of all squares."""
    n, D = rows.shape
    basis, projected = leading_vectors(rows, count, generator, rounding)
    mean_row = rows.transposed_times(projected.new_ones(n, 1)).double().ravel() / n
    squares, turned = _principal(projected.double() - mean_row @ basis.double())
    squares, turned = squares[:most], turned[:, :most]
    kept = squares > n * rounding**2
    total = n * (1 - float(mean_row @ mean_row))
    return (basis @ turned[:, kept].to(basis)).mT, squares[kept], total / max(1, min(n, D - 1))


def _principal(P: Tensor) -> tuple[Tensor, Tensor]:
    """The squared singular values of a tall matrix, the largest first, and its right singular vectors as columns.

    Double precision keeps the digits that squares would lose.
    """
    P = P.double()
    squares, vectors = torch.linalg.eigh(P.mT @ P)
    return squares.flip(0).clamp_min(0), vectors.flip(1)
