"""Coordinates in which angles of components are those of a metric, so that Algorithm 1 need know of none."""

import math
from typing import Any

import torch
from torch import Tensor

from wideangle.exceptions import MetricError
from wideangle.functional.metrics import Metric, as_metric


class Coordinates:
    """C = A L with a square, invertible L: the angles of C are those of A in the metric, and A = C L⁻¹."""

    def __init__(self, metric: Metric, A: Tensor) -> None:
        metric.check(A)
        if metric.rank < metric.n_columns:
            raise _singular(metric.rank, metric.n_columns)
        # In double precision, because differences between the columns may be small.
        L = metric.root(A.double())
        # The units of a column do not matter: rank is that of its correlations with the others.
        sizes = torch.linalg.svdvals(L / torch.linalg.vector_norm(L, dim=1, keepdim=True).clamp(min=1e-300))
        rank = int((sizes > len(L) * torch.finfo(A.dtype).eps * sizes.max()).sum())
        if rank < len(L):
            raise _singular(rank, len(L))
        # The scale of L changes no angle. C is about as long as A with this one.
        self.L = (L * (math.sqrt(len(L)) / torch.linalg.matrix_norm(L))).to(A)

    def enter(self, A: Tensor) -> Tensor:
        """C = A L"""
        return A @ self.L

    def leave(self, C: Tensor) -> Tensor:
        """A = C L⁻¹, differentiable in C."""
        return torch.linalg.solve_triangular(self.L, C, upper=False, left=False)


def coordinates_for(metric: Any, A: Tensor) -> Coordinates | None:
    """The coordinates of a metric as users pass it; None for the angles of A itself."""
    chosen = as_metric(metric)
    return None if chosen is None else Coordinates(chosen, A)


def _singular(rank: int, n_columns: int) -> MetricError:
    return MetricError(
        f"the metric has rank {rank}, but the components have {n_columns} columns: it does not see all directions, and "
        "fit_components needs that. Drop columns that are constant or have scale 0, or pass Covariance(rows, "
        "shrinkage=0.1)."
    )
