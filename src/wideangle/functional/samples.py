"""Centred rows of a sample, dense or sparse, and the products by which a covariance measures angles."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

NARROW = 2  # Columns without an entry are left out where fewer than one in so many has any.
ROUNDINGS = 32  # A response that varies by at most so many roundings of its summands is constant.


class Sample(ABC):
    """Centred rows Xc, without a factor that makes a covariance of Xcᵀ Xc: angles do not depend on it."""

    n_rows: int

    @abstractmethod
    def n_varying(self) -> int:
        """The number of columns that vary."""

    @abstractmethod
    def length(self) -> float:
        """‖Xc‖, whose square is the trace of Xcᵀ Xc."""

    @abstractmethod
    def responses(self, A: Tensor) -> Tensor:
        """A Xcᵀ. A response that is constant but for rounding is 0."""

    @abstractmethod
    def gathered(self, B: Tensor) -> Tensor:
        """B Xc"""

    @abstractmethod
    def gather_into(self, B: Tensor, out: Tensor) -> None:
        """B Xc in memory that is there already: new memory of the size of large components takes time to get."""


class DenseSample(Sample):
    def __init__(self, rows: Tensor) -> None:
        self.n_rows = len(rows)
        self.centred = rows - rows.mean(0)
        self.centred -= self.centred.mean(0)  # The first mean was rounded, as the rows are, which may be far from 0.
        # The mean of equal numbers is rounded. A constant column must be 0 exactly, or rounding would have angles.
        self.centred *= (rows.amin(0) != rows.amax(0)).to(rows)
        self._sizes = torch.maximum(self.centred.amax(0), -self.centred.amin(0))

    def n_varying(self) -> int:
        return int(self._sizes.count_nonzero())

    def length(self) -> float:
        largest = self._sizes.max()  # Squares of very large or small numbers leave the float range.
        return float(largest * torch.linalg.vector_norm(self.centred / largest))

    def responses(self, A: Tensor) -> Tensor:
        return without_rounding(A @ self.centred.to(A).mT, A.detach().abs() @ self._sizes.to(A))

    def gathered(self, B: Tensor) -> Tensor:
        return B @ self.centred.to(B)

    def gather_into(self, B: Tensor, out: Tensor) -> None:
        torch.matmul(B, self.centred.to(B), out=out)


class SparseSample(Sample):
    """Xc = X − 1 μᵀ with sparse X, which SciPy multiplies in the memory of torch tensors.

    A column without zeros may be far from 0, where rounding of X and μ would hide how it varies. Its entries are
    centred themselves, which stores no more of them, and its μ is 0. Any other column varies about as much as it is
    large.
    """

    def __init__(self, rows: Any) -> None:
        self.n_rows, n_columns = rows.shape
        stored = np.bincount(rows.indices, minlength=n_columns)
        # A constant column must be 0 exactly, or rounding would have angles.
        varies = rows.max(axis=0).toarray().ravel() != rows.min(axis=0).toarray().ravel()
        full = stored == self.n_rows
        values = rows.data.astype(np.float64)
        for _ in range(2):  # The first mean is rounded, as the entries are.
            values -= (self._mean(rows, values) * full)[rows.indices]
        values *= varies[rows.indices]
        self.mean = self._mean(rows, values) * ~full
        # Moments around the mean, in a second pass, because their difference from those around 0 may be all rounding.
        spread = np.bincount(rows.indices, (values - self.mean[rows.indices]) ** 2, n_columns)
        self.variance = (spread + (self.n_rows - stored) * self.mean**2) / self.n_rows
        self.rows = sp.csr_array((values.astype(rows.dtype), rows.indices, rows.indptr), rows.shape)
        self._sizes = np.sqrt(self.variance + self.mean**2)
        there = np.flatnonzero(stored)
        self._there: NDArray[np.intp] | None = there if NARROW * len(there) < n_columns else None
        self._dense: DenseSample | None = None

    def _mean(self, rows: Any, values: Any) -> Any:
        return np.bincount(rows.indices, values, rows.shape[1]) / self.n_rows

    def n_varying(self) -> int:
        return int(np.count_nonzero(self.variance))

    def length(self) -> float:
        return float(np.sqrt(self.n_rows * self.variance.sum()))

    def responses(self, A: Tensor) -> Tensor:
        if A.device.type != "cpu":
            return self._on_device(A).responses(A)
        return _ResponsesOfSparse.apply(A, self)  # type: ignore[no-untyped-call]

    def gathered(self, B: Tensor) -> Tensor:
        if B.device.type != "cpu":
            return self._on_device(B).gathered(B)
        rows = self.rows.astype(B.numpy().dtype, copy=False)
        # B X is computed as (Xᵀ Bᵀ)ᵀ. Its memory order is that of the components of a trainer with sparse batches.
        product = torch.from_numpy(rows.T @ np.ascontiguousarray(B.numpy().T))
        return product.addr_(torch.as_tensor(self.mean).to(B), B.sum(1), alpha=-1).mT

    def gather_into(self, B: Tensor, out: Tensor) -> None:
        if self._there is None or B.device.type != "cpu":
            out.copy_(self.gathered(B))
            return
        # Columns without an entry have the mean 0, so that nothing is gathered there.
        rows = self._narrow().astype(B.numpy().dtype, copy=False)
        product = torch.from_numpy(rows.T @ np.ascontiguousarray(B.numpy().T))
        product.addr_(torch.as_tensor(self.mean[self._there]).to(B), B.sum(1), alpha=-1)
        out.mT.zero_().index_copy_(0, torch.from_numpy(self._there), product)

    def product(self, A: Tensor) -> Tensor:
        """A Xcᵀ without autograd."""
        rows, mean, sizes = self.rows, self.mean, self._sizes
        if self._there is not None:
            A = A.mT.index_select(0, torch.from_numpy(self._there)).mT
            rows, mean, sizes = self._narrow(), mean[self._there], sizes[self._there]
        rows = rows.astype(A.numpy().dtype, copy=False)
        raw = torch.from_numpy(rows @ np.ascontiguousarray(A.numpy().T))
        centred = raw.sub_(A @ torch.as_tensor(mean).to(A)).mT
        return without_rounding(centred, A.abs() @ torch.as_tensor(sizes).to(A))

    def _narrow(self) -> Any:
        """The rows without the columns that have no entry."""
        assert self._there is not None
        places = np.searchsorted(self._there, self.rows.indices).astype(self.rows.indices.dtype)
        return sp.csr_array((self.rows.data, places, self.rows.indptr), (self.n_rows, len(self._there)))

    def _on_device(self, like: Tensor) -> DenseSample:
        # A GPU multiplies a dense sample faster than a sparse one, and a thousand rows fit there.
        if self._dense is None:
            self._dense = DenseSample(torch.as_tensor(self.rows.toarray()).to(like.device))
        return self._dense


class _ResponsesOfSparse(torch.autograd.Function):
    """A Xcᵀ, differentiable as often as wanted."""

    @staticmethod
    def forward(A: Tensor, sample: SparseSample) -> Tensor:
        return sample.product(A.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.sample = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _GatheredBySparse.apply(grad, ctx.sample), None  # type: ignore[no-untyped-call]


class _GatheredBySparse(torch.autograd.Function):
    """B Xc, differentiable as often as wanted."""

    @staticmethod
    def forward(B: Tensor, sample: SparseSample) -> Tensor:
        return sample.gathered(B.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.sample = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _ResponsesOfSparse.apply(grad, ctx.sample), None  # type: ignore[no-untyped-call]


def without_rounding(responses: Tensor, size: Tensor) -> Tensor:
    """The responses, one row per component, with 0 where a row is nothing but the rounding errors of its sums.

    `size` is, for each row, the sum of the summands' sizes. Without this, a component to which all rows respond alike
    would have the direction of its rounding errors.
    """
    # The largest entry is taken, not the length, because squares may leave the float range.
    largest = responses.detach().abs().amax(1)
    return responses * (largest > ROUNDINGS * torch.finfo(responses.dtype).eps * size)[:, None]
