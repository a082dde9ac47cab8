"""Pairs of rows of a dense or sparse matrix: their differences times A, and the gradient in A.

Only the rows of a mini-batch are gathered, so that time and memory depend on the number of pairs alone. A sparse matrix
stays sparse and on the CPU; its mini-batches are copied to the device.
"""

from functools import cache
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle._quiet import silenced

Indices = NDArray[np.int64]


class Differences(Protocol):
    """x − y of some pairs."""

    def through(self, A: Tensor) -> Tensor:
        """A(x − y), pairs × K."""

    def back(self, pull: Tensor) -> Tensor:
        """Σ over pairs pull (x − y)ᵀ, K×D."""


class DenseDifferences:
    """The differences themselves."""

    def __init__(self, X: Tensor, left: Indices, right: Indices) -> None:
        ends = (torch.from_numpy(end).to(X.device) for end in (left, right))
        self.values = torch.sub(*(X.index_select(0, end) for end in ends))

    def through(self, A: Tensor) -> Tensor:
        return self.values @ A.mT

    def back(self, pull: Tensor) -> Tensor:
        return pull.mT @ self.values


class SparseDifferences:
    """Both ends of each pair as sparse rows. They are subtracted after the product, so that no array has pairs × D."""

    def __init__(self, X: sp.csr_array, left: Indices, right: Indices, device: torch.device) -> None:
        self.ends = X[np.concatenate([left, right])]
        self.device = device

    def through(self, A: Tensor) -> Tensor:
        projected = csr_tensor(self.ends, self.device) @ A.mT
        half = len(projected) // 2
        return projected[:half] - projected[half:]

    def back(self, pull: Tensor) -> Tensor:
        # SciPy transposes in one pass over the entries. Torch's own product with Xᵀ takes several times as long.
        return (csr_tensor(self.ends.T.tocsr(), self.device) @ torch.cat([pull, -pull])).mT


class PairRows:
    """A matrix whose rows form pairs."""

    def __init__(self, X: Any, device: torch.device) -> None:
        self.device = device
        self.sparse = bool(sp.issparse(X))
        self.dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        self.matrix: Any = sp.csr_array(X) if self.sparse else _dense(X).to(device)
        self.entries_per_pair: float = 2 * X.nnz / X.shape[0] if self.sparse else X.shape[1]
        """how many stored numbers the product of one pair with one component takes"""

    def differences(self, left: Indices, right: Indices) -> Differences:
        """x − y of the given pairs of rows."""
        if self.sparse:
            return SparseDifferences(self.matrix, left, right, self.device)
        return DenseDifferences(self.matrix, left, right)

    def points(self, numbers: Indices) -> Any:
        """The rows with these numbers: a tensor, or a sparse matrix."""
        if self.sparse:
            return self.matrix[numbers]
        return self.matrix.index_select(0, torch.from_numpy(numbers).to(self.device))

    def projected(self, A: Tensor, numbers: Indices) -> Tensor:
        """A x of the rows with these numbers."""
        if self.sparse:
            return csr_tensor(self.matrix[numbers], self.device) @ A.mT
        projected: Tensor = self.points(numbers) @ A.mT
        return projected

    def squared_distances(self, A: Tensor, left: Indices, right: Indices, block: int = 4096) -> Tensor:
        """‖A(x − y)‖² of all the given pairs, block by block, in float64: squares of 1e20 are too large for float32."""
        starts = range(0, len(left), block)
        images = (self.differences(left[s : s + block], right[s : s + block]).through(A) for s in starts)
        parts = [image.double().square().sum(1) for image in images]
        return torch.cat(parts) if parts else A.new_empty(0, dtype=torch.float64)


def aligned(A: Tensor, rows: PairRows) -> Tensor:
    """The same components in the memory order in which products with these rows are fastest: by columns if sparse."""
    return A.mT.contiguous().mT if rows.sparse else A.contiguous()


def _dense(X: NDArray[Any]) -> Tensor:
    # Torch warns about read-only memory, such as a memory-mapped file.
    return torch.from_numpy(np.require(X, requirements=["C", "W"]))


def csr_tensor(X: sp.csr_array, device: torch.device) -> Tensor:
    """A SciPy sparse matrix as a torch tensor, which shares its memory on a CPU."""
    _hush(device)
    indptr, indices, data = (torch.from_numpy(part).to(device) for part in (X.indptr, X.indices, X.data))
    return torch.sparse_csr_tensor(indptr, indices, data, size=X.shape, check_invariants=False)


@cache
def _hush(device: torch.device) -> None:
    """Silence what torch says once per process: that sparse tensors are in beta, and in some versions unchecked. We use
    products only, and SciPy has checked the rows."""
    with silenced(message="Sparse (CSR tensor support is in beta|invariant checks are)"):
        ends, none = torch.tensor([0, 0], device=device), torch.zeros(0, dtype=torch.int64, device=device)
        for check in (None, False):  # It depends on the version with which of them torch says it.
            torch.sparse_csr_tensor(ends, none, none.float(), size=(1, 1), check_invariants=check)
