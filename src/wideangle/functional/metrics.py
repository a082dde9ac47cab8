"""Metrics for angles: the angles of A L, for a linear map L from the columns of A to any space.

The paper measures angles of the weights themselves, L = I, as if all columns mattered alike. `Covariance` measures them
as data sees them: with Xc the centred rows of a sample and L = Xcᵀ, row k of A L is the response of component k to the
sample, and the cosine of two components is the correlation of their responses. A gradient comes back by
∂/∂A = (∂/∂(A L)) Lᵀ.
"""

from abc import ABC, abstractmethod
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from wideangle._arguments import flag
from wideangle._arrays import check_sparse
from wideangle.exceptions import MetricError
from wideangle.functional._inputs import from_array
from wideangle.functional.samples import DenseSample, Sample, SparseSample, without_rounding

__all__ = ["ColumnScales", "Covariance", "LinearMap", "Metric", "as_metric"]


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

    def back_into(self, B: Tensor, out: Tensor) -> None:
        """B Lᵀ in memory that is there already."""
        out.copy_(self.back(B))

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

    Parameters
    ----------
    scales : array or tensor of shape (D,)
        None is negative, and at least one is above 0.
    inspect : bool, default=True
        Look at the values, and refuse bad ones. On a GPU that waits for the device, so a training loop may turn it off.

    Examples
    --------
    >>> from wideangle import mutual_angular_score
    >>> from wideangle.functional import ColumnScales
    >>> round(float(mutual_angular_score([[1.0, 1.0], [1.0, -1.0]], metric=ColumnScales([1.0, 0.0]))), 4)
    0.0
    """

    def __init__(self, scales: Any, *, inspect: bool = True) -> None:
        scales = _as_tensor(scales, "the scales of a metric", inspect)
        if scales.ndim != 1:
            raise MetricError(f"scales must be one number per column; got shape {tuple(scales.shape)}.")
        self.scales = scales
        self.n_columns = self.rank = len(scales)
        if not inspect:
            return
        if bool((scales < 0).any()):
            raise MetricError(f"scales must not be negative; got {float(scales.min()):g}. Pass their absolute values.")
        if not bool((scales > 0).any()):
            raise MetricError("every scale is 0, so that no column counts. At least one must be above 0.")
        self.rank = int((scales > 0).sum())

    def map(self, A: Tensor) -> Tensor:
        return A * self.scales.to(A)

    def back(self, B: Tensor) -> Tensor:
        return B * self.scales.to(B)


class LinearMap(Metric):
    """L itself, D×m: for a metric that is known from elsewhere, such as a Cholesky factor of a covariance."""

    def __init__(self, L: Any) -> None:
        L = _as_tensor(L, "a linear map", inspect=True)
        if L.ndim != 2:
            raise MetricError(f"a linear map must be a matrix of D rows; got shape {tuple(L.shape)}.")
        if not bool(L.any()):
            raise MetricError("the linear map is 0 everywhere, so that no column counts.")
        self.L = L
        self.n_columns, self.rank = L.shape[0], min(L.shape)
        self._sizes = L.abs().amax(1)

    def map(self, A: Tensor) -> Tensor:
        return without_rounding(A @ self.L.to(A), A.detach().abs() @ self._sizes.to(A))

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
    inspect : bool, default=True
        Look at the values, and refuse bad ones. On a GPU that waits for the device, so a training loop may turn it off.

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

    def __init__(self, rows: Any, shrinkage: float = 0.0, *, inspect: bool = True) -> None:
        share: Any = shrinkage
        if not isinstance(share, Real) or not 0 <= float(share) <= 1:
            raise MetricError(f"shrinkage must be a share between 0 and 1; got {shrinkage!r}.")
        sparse = sp.issparse(rows)
        rows = _checked_sparse(rows) if sparse else _as_tensor(rows, "the rows of a metric", inspect)
        if rows.ndim != 2:
            raise MetricError(f"the rows of a metric must be a matrix, rows × columns; got shape {tuple(rows.shape)}.")
        if rows.shape[0] < 2:
            raise MetricError(f"angles in the data's metric need at least 2 rows that differ; got {rows.shape[0]}.")
        self.n_columns = rows.shape[1]
        self.sample: Sample = SparseSample(rows) if sparse else DenseSample(rows)
        varying = self.sample.n_varying() if inspect else self.n_columns
        if not varying:
            raise MetricError(
                f"all {rows.shape[0]} rows of the metric are alike, or empty: they vary in no direction. Pass rows "
                "that differ."
            )
        self.shrinkage = float(shrinkage)
        # The scale of the identity: Σ and shrinkage · (tr Σ / D) · I have their traces in that proportion.
        self._rest = (self.shrinkage / self.n_columns) ** 0.5 * self.sample.length() if shrinkage else 0.0
        self.rank = self.n_columns if shrinkage else min(rows.shape[0] - 1, varying)

    @property
    def n_rows(self) -> int:
        """The rows of the sample."""
        return self.sample.n_rows

    def map(self, A: Tensor) -> Tensor:
        seen = self.sample.responses(A)
        if not self.shrinkage:
            return seen
        return torch.cat([(1 - self.shrinkage) ** 0.5 * seen, self._rest * A], dim=1)

    def back(self, B: Tensor) -> Tensor:
        if not self.shrinkage:
            return self.sample.gathered(B)
        seen, rest = B[:, : self.n_rows], B[:, self.n_rows :]
        return (1 - self.shrinkage) ** 0.5 * self.sample.gathered(seen) + self._rest * rest

    def back_into(self, B: Tensor, out: Tensor) -> None:
        if self.shrinkage or B.dtype != out.dtype:
            super().back_into(B, out)
        else:
            self.sample.gather_into(B, out)


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
    if sp.issparse(metric):
        return Covariance(metric)
    values = _as_tensor(metric, "a metric", inspect=False)
    return ColumnScales(values) if values.ndim == 1 else Covariance(values)


def mapped(A: Tensor, metric: Metric | None) -> Tensor:
    """A L; A itself where angles are those of the weights."""
    if metric is None:
        return A
    metric.check(A)
    # Autocast would put the products into half precision, in which angles mean nothing.
    with torch.autocast(A.device.type, enabled=False):
        return metric.map(A)


def _as_tensor(values: Any, what: str, inspect: bool) -> Tensor:
    try:
        tensor = values.detach() if isinstance(values, Tensor) else from_array(values)
    except (TypeError, ValueError) as error:
        raise MetricError(
            f"{what} must be an array of real numbers; got {type(values).__name__}, which is none ({error})."
        ) from error
    if tensor.is_complex():
        raise MetricError(
            f"{what} must be real numbers; got {tensor.dtype}. Pass the real part, or the absolute values."
        )
    if tensor.layout != torch.strided:
        raise MetricError(
            f"{what} must be a dense tensor or a SciPy matrix; got layout {tensor.layout}. Call .to_dense()."
        )
    if not tensor.is_floating_point():
        tensor = tensor.to(torch.get_default_dtype())
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    flag(inspect, "inspect")
    # A finite sum shows in a tenth of the time that all summands are finite. Large summands may have an infinite sum.
    if inspect and not bool(tensor.sum().isfinite()) and not bool(tensor.isfinite().all()):
        raise MetricError(f"{what} must be finite; got NaN or infinities.")
    return tensor


def _checked_sparse(rows: Any) -> Any:
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise MetricError(
            f"the rows of a metric must be a matrix of real numbers; got a sparse array of shape {rows.shape} and "
            f"dtype {rows.dtype}."
        )
    check_sparse(rows, "the sample of a metric")
    rows = sp.csr_array(rows)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if not np.isfinite(rows.data).all():
        raise MetricError("the rows of a metric must be finite; got NaN or infinities.")
    if not rows.has_canonical_format:  # An entry may be stored in several parts.
        rows = rows.copy()
        rows.sum_duplicates()
    return rows
