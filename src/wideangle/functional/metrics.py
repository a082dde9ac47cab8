"""Metrics for angles: the angles of A L, for a linear map L from the columns of A to any space.

The paper measures angles of the weights themselves, L = I, as if all columns mattered alike. `Covariance` measures them
as data sees them: with Xc the centred rows of a sample and L = Xcᵀ, row k of A L is the response of component k to the
sample, and the cosine of two components is the correlation of their responses. A gradient comes back by
∂/∂A = (∂/∂(A L)) Lᵀ.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from wideangle.exceptions import MetricError
from wideangle.functional._inputs import from_array

__all__ = ["ColumnScales", "Covariance", "LinearMap", "Metric", "as_metric"]

ROUNDINGS = 32  # A response that varies by at most so many roundings of its size is constant.


class Metric(ABC):
    """A linear map L of D columns. Made once for one sample, and asked at every step."""

    n_columns: int
    """D"""
    rank: int
    """at most so many rows of A L can be linearly independent"""

    @abstractmethod
    def map(self, A: Tensor) -> Tensor:
        """A L, differentiable in A."""

    @abstractmethod
    def back(self, B: Tensor) -> Tensor:
        """B Lᵀ: a gradient in A L as a gradient in A."""

    def root(self, like: Tensor) -> Tensor:
        """A lower triangular map R of at most D columns with R Rᵀ = L Lᵀ, so that angles of A R are those of A L.

        It has the dtype and the device of `like`. No number on its diagonal is negative.
        """
        L = self.map(torch.eye(self.n_columns, dtype=like.dtype, device=like.device))
        R = torch.linalg.qr(L.mT, mode="r").R
        return torch.where(R.diagonal()[:, None] < 0, -R, R).mT

    def check(self, A: Tensor) -> None:
        """Raise an error where the components have other columns than the metric."""
        if A.ndim == 2 and A.shape[1] != self.n_columns:
            raise MetricError(
                f"the metric is of {self.n_columns} columns, but the components have {A.shape[1]}. Make it of rows "
                "that have the components' columns."
            )


class ColumnScales(Metric):
    """L = diag(scales): columns with a large scale count more, and those of scale 0 do not count.

    Examples
    --------
    >>> from wideangle import mutual_angular_score
    >>> from wideangle.functional import ColumnScales
    >>> round(float(mutual_angular_score([[1.0, 1.0], [1.0, -1.0]], metric=ColumnScales([1.0, 0.0]))), 4)
    0.0
    """

    def __init__(self, scales: Any) -> None:
        scales = _as_tensor(scales, "the scales of a metric")
        if scales.ndim != 1:
            raise MetricError(f"scales must be one number per column; got shape {tuple(scales.shape)}.")
        if bool((scales < 0).any()):
            raise MetricError(f"scales must not be negative; got {float(scales.min()):g}. Pass their absolute values.")
        if not bool((scales > 0).any()):
            raise MetricError("every scale is 0, so that no column counts. At least one must be above 0.")
        self.scales = scales
        self.n_columns, self.rank = len(scales), int((scales > 0).sum())

    def map(self, A: Tensor) -> Tensor:
        return A * self.scales.to(A)

    def back(self, B: Tensor) -> Tensor:
        return B * self.scales.to(B)


class LinearMap(Metric):
    """L itself, D×m: for a metric that is known from elsewhere, such as a Cholesky factor of a covariance."""

    def __init__(self, L: Any) -> None:
        L = _as_tensor(L, "a linear map")
        if L.ndim != 2:
            raise MetricError(f"a linear map must be a matrix of D rows; got shape {tuple(L.shape)}.")
        if not bool(L.any()):
            raise MetricError("the linear map is 0 everywhere, so that no column counts.")
        self.L = L
        self.n_columns, self.rank = L.shape[0], min(L.shape)

    def map(self, A: Tensor) -> Tensor:
        return A @ self.L.to(A)

    def back(self, B: Tensor) -> Tensor:
        return B @ self.L.to(B).mT


class Covariance(Metric):
    """Angles as a sample of rows sees them: cosines are correlations of the components' responses to the rows.

    Parameters
    ----------
    rows : array, tensor or sparse matrix of shape (n, D)
        A thousand rows are usually enough. Sparse rows stay sparse on a CPU: they are centred by a term of rank one.
    shrinkage : float, default=0.0
        From 0 to 1: the covariance is mixed with this share of a multiple of the identity that has the same trace. With
        0, directions in which the sample does not vary do not count. Components that only differ there have angle 0,
        and a component to which all rows respond alike counts as orthogonal to the others.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle import pairwise_angles
    >>> from wideangle.functional import Covariance
    >>> rows = np.random.default_rng(0).random((100, 3))
    >>> A = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> angle = pairwise_angles(A, metric=Covariance(rows))[0, 1]
    >>> bool(np.isclose(np.cos(angle), np.corrcoef(A @ rows.T)[0, 1]))
    True
    """

    def __init__(self, rows: Any, shrinkage: float = 0.0) -> None:
        if not 0 <= shrinkage <= 1:
            raise MetricError(f"shrinkage must be a share between 0 and 1; got {shrinkage!r}.")
        sparse = sp.issparse(rows)
        rows = _checked_sparse(rows) if sparse else _as_tensor(rows, "the rows of a metric")
        if rows.ndim != 2:
            raise MetricError(f"the rows of a metric must be a matrix, rows × columns; got shape {tuple(rows.shape)}.")
        if rows.shape[0] < 2:
            raise MetricError(f"angles in the data's metric need at least 2 rows that differ; got {rows.shape[0]}.")
        self.n_columns = rows.shape[1]
        self.sample: _Sample = _SparseSample(rows) if sparse else _DenseSample(rows)
        if not self.sample.total > 0:
            raise MetricError(
                f"all {rows.shape[0]} rows of the metric are alike, or empty: they vary in no direction. Pass rows "
                "that differ."
            )
        self.shrinkage = shrinkage
        seen = min(rows.shape[0] - 1, self.n_columns)
        self.rank = self.n_columns if shrinkage else seen

    @property
    def n_rows(self) -> int:
        """The rows of the sample."""
        return self.sample.n_rows

    def map(self, A: Tensor) -> Tensor:
        seen = self.sample.responses(A)
        if not self.shrinkage:
            return seen
        return torch.cat([(1 - self.shrinkage) ** 0.5 * seen, self._rest() * A], dim=1)

    def back(self, B: Tensor) -> Tensor:
        if not self.shrinkage:
            return self.sample.gathered(B)
        seen, rest = B[:, : self.n_rows], B[:, self.n_rows :]
        return (1 - self.shrinkage) ** 0.5 * self.sample.gathered(seen) + self._rest() * rest

    def _rest(self) -> float:
        """The scale of the identity: Σ and shrinkage · (tr Σ / D) · I have their traces in that proportion."""
        return float((self.shrinkage * self.sample.total / self.n_columns) ** 0.5)


class _Sample(ABC):
    """Centred rows Xc, without a factor that makes a covariance of Xcᵀ Xc: angles do not depend on it."""

    n_rows: int
    total: float
    """Σ of all squared entries of Xc, the trace of Xcᵀ Xc"""

    @abstractmethod
    def responses(self, A: Tensor) -> Tensor:
        """A Xcᵀ"""

    @abstractmethod
    def gathered(self, B: Tensor) -> Tensor:
        """B Xc"""


class _DenseSample(_Sample):
    def __init__(self, rows: Tensor) -> None:
        self.n_rows = len(rows)
        self.centred = rows - rows.mean(0)
        # The mean of equal numbers is rounded. A constant column must be 0 exactly, or rounding would have angles.
        self.centred *= (rows != rows[0]).any(0)
        self.total = float(self.centred.square().sum())

    def responses(self, A: Tensor) -> Tensor:
        return A @ self.centred.to(A).mT

    def gathered(self, B: Tensor) -> Tensor:
        return B @ self.centred.to(B)


class _SparseSample(_Sample):
    """Xc = X − 1 μᵀ with sparse X, which SciPy multiplies in the memory of torch tensors."""

    def __init__(self, rows: Any) -> None:
        self.n_rows = rows.shape[0]
        self.rows = rows
        self.mean = np.asarray(rows.sum(axis=0)).ravel() / self.n_rows
        squares = float(np.square(rows.data, dtype=np.float64).sum())
        total = squares - self.n_rows * float(self.mean.astype(np.float64) @ self.mean)
        self.total = total if total > ROUNDINGS * np.finfo(rows.dtype).eps * squares else 0.0
        self._dense: _DenseSample | None = None

    def responses(self, A: Tensor) -> Tensor:
        if A.device.type != "cpu":
            return self._on_device(A).responses(A)
        return _ResponsesOfSparse.apply(A, self)  # type: ignore[no-untyped-call]

    def gathered(self, B: Tensor) -> Tensor:
        if B.device.type != "cpu":
            return self._on_device(B).gathered(B)
        rows = self.rows.astype(B.numpy().dtype, copy=False)
        # B X is computed as (Xᵀ Bᵀ)ᵀ. Its memory order is that of the components of a trainer with sparse batches.
        product = torch.from_numpy(rows.T @ np.ascontiguousarray(B.numpy().T)).mT
        return product.sub_(torch.outer(B.sum(1), torch.as_tensor(self.mean).to(B)))

    def product(self, A: Tensor) -> Tensor:
        """A Xcᵀ without autograd. A response that is constant but for rounding is 0."""
        rows = self.rows.astype(A.numpy().dtype, copy=False)
        raw = torch.from_numpy(rows @ np.ascontiguousarray(A.numpy().T)).mT
        size = torch.linalg.vector_norm(raw, dim=1)
        centred = raw.sub_((A @ torch.as_tensor(self.mean).to(A))[:, None])
        varies = torch.linalg.vector_norm(centred, dim=1) > ROUNDINGS * torch.finfo(A.dtype).eps * size
        return centred.mul_(varies[:, None])

    def _on_device(self, like: Tensor) -> _DenseSample:
        # A GPU multiplies a dense sample faster than a sparse one, and a thousand rows fit there.
        if self._dense is None:
            self._dense = _DenseSample(torch.as_tensor(self.rows.toarray()).to(like))
        return self._dense


class _ResponsesOfSparse(torch.autograd.Function):
    """A Xcᵀ, differentiable as often as wanted."""

    @staticmethod
    def forward(A: Tensor, sample: _SparseSample) -> Tensor:
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
    def forward(B: Tensor, sample: _SparseSample) -> Tensor:
        return sample.gathered(B.detach())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.sample = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _ResponsesOfSparse.apply(grad, ctx.sample), None  # type: ignore[no-untyped-call]


def as_metric(metric: Any) -> Metric | None:
    """A metric from what a user passes: None (that of the paper), a metric, scales of the columns, or a sample of rows.

    Examples
    --------
    >>> from wideangle.functional.metrics import as_metric
    >>> type(as_metric([1.0, 2.0])).__name__, type(as_metric([[1.0, 2.0], [0.0, 1.0]])).__name__
    ('ColumnScales', 'Covariance')
    """
    if metric is None or isinstance(metric, Metric):
        return metric
    if isinstance(metric, str):
        raise MetricError(
            f"metric must be a matrix of rows, an array of column scales, a Metric, or None; got {metric!r}. Only "
            "estimators, which see the data, take a metric by name."
        )
    values = metric if isinstance(metric, Tensor) or sp.issparse(metric) else np.asarray(metric)
    return ColumnScales(values) if values.ndim == 1 else Covariance(values)


def mapped(A: Tensor, metric: Metric | None) -> Tensor:
    """A L; A itself where angles are those of the weights."""
    if metric is None:
        return A
    metric.check(A)
    return metric.map(A)


def _as_tensor(values: Any, what: str) -> Tensor:
    try:
        tensor = values.detach() if isinstance(values, Tensor) else from_array(values)
    except (TypeError, ValueError) as error:
        raise MetricError(f"{what} must be real numbers; got {type(values).__name__}: {error}") from error
    if not tensor.is_floating_point():
        tensor = tensor.to(torch.get_default_dtype())
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    if not bool(tensor.isfinite().all()):
        raise MetricError(f"{what} must be finite; got NaN or infinities.")
    return tensor


def _checked_sparse(rows: Any) -> Any:
    rows = sp.csr_array(rows)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if not np.isfinite(rows.data).all():
        raise MetricError("the rows of a metric must be finite; got NaN or infinities.")
    if not rows.has_canonical_format:  # An entry may be stored in several parts.
        rows = rows.copy()
        rows.sum_duplicates()
    return rows
