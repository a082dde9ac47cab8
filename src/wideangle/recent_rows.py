"""The rows that a model saw last, from which the metric of its diversity term is made."""

from collections import deque
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from wideangle._resumed import rows_like
from wideangle.exceptions import MetricError
from wideangle.functional.metrics import ColumnScales, Covariance, LinearMap, Metric

MetricName = Literal["identity", "scales", "covariance"]
METRICS: tuple[MetricName, ...] = ("identity", "scales", "covariance")

ENOUGH = 1000  # So many rows are kept. Angles of the components hardly change with more.


def checked_metric(metric: Any) -> MetricName:
    """The name of a metric, or an error that lists them."""
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(map(repr, METRICS))}; got {metric!r}.")
    return metric


class RecentRows:
    """Keeps the rows of the last mini-batches, so that the metric follows the data and no second pass is needed.

    "identity" needs no rows and keeps none. "scales" measures each column by its deviation in these rows, "covariance"
    measures angles as these rows see them.
    """

    def __init__(self, name: MetricName, enough: int = ENOUGH) -> None:
        self.name = checked_metric(name)
        self.enough = enough
        self._batches: deque[Any] = deque()
        self._n_rows = 0
        self._made: dict[bool, Metric] = {}

    def note(self, rows: Any) -> None:
        """Take the rows of a mini-batch: a tensor, or a SciPy CSR matrix. They are not copied."""
        if self.name == "identity":
            return
        if self._batches and isinstance(rows, Tensor) != isinstance(self._batches[0], Tensor):
            self._forget()  # Dense rows after sparse ones, in a later call, cannot be stacked with them.
        self._made.clear()
        self._batches.append(rows)
        self._n_rows += rows.shape[0]
        while self._n_rows - self._batches[0].shape[0] >= self.enough:
            self._n_rows -= self._batches.popleft().shape[0]

    def keep_only(self, rows: Any) -> None:
        """Take these rows instead of all those before."""
        self._forget()
        self.note(rows)

    @property
    def is_full(self) -> bool:
        """Whether there are as many rows as are kept."""
        return self._n_rows >= self.enough

    def metric(self, compact: bool = False) -> Metric | None:
        """The metric of the rows; None for "identity". Rows that do not vary raise `MetricError`.

        A compact covariance is a triangular map of D columns. It takes longer to make, and less long to ask where there
        are fewer columns than rows. Either is kept until there are new rows.
        """
        if self.name == "identity":
            return None
        if not self._batches:
            raise MetricError("no rows have been seen, from which the metric could be made.")
        if compact not in self._made:
            self._made[compact] = self._new_metric(compact)
        return self._made[compact]

    def _new_metric(self, compact: bool) -> Metric:
        rows = self.rows()
        if self.name == "scales":
            return ColumnScales(deviations(rows))
        if not compact or rows.shape[0] <= rows.shape[1]:
            return Covariance(rows)
        return LinearMap(Covariance(rows).root(rows if isinstance(rows, Tensor) else torch.as_tensor(rows.data)))

    def rows(self) -> Any:
        """All rows that are kept, as one matrix."""
        first = self._batches[0]
        if isinstance(first, Tensor):
            return torch.cat(list(self._batches))
        # This does what scipy.sparse.vstack does, in a tenth of its time.
        ends = np.cumsum([0, *(batch.nnz for batch in self._batches)])
        starts = [batch.indptr[:-1] + end for batch, end in zip(self._batches, ends, strict=False)]
        parts = (np.concatenate([getattr(batch, name) for batch in self._batches]) for name in ("data", "indices"))
        return sp.csr_array((*parts, np.concatenate([*starts, ends[-1:]])), shape=(self._n_rows, first.shape[1]))

    def progress(self) -> list[Any]:
        """The rows of each mini-batch, for a checkpoint."""
        return [
            batch if isinstance(batch, Tensor) else [batch.data, batch.indices, batch.indptr, list(batch.shape)]
            for batch in self._batches
        ]

    def resume(self, progress: list[Any], like: Tensor) -> None:
        """Take the rows of a checkpoint, as tensors like these components or as sparse matrices."""
        self._forget()
        self._made.clear()
        kinds = {isinstance(batch, list) for batch in progress}
        if len(kinds) > 1:
            raise ValueError("some of the rows that were seen are sparse, and others are not")
        for batch in progress:
            if isinstance(batch, list):
                *arrays, shape = batch
                rows = sp.csr_array(tuple(arrays), shape=tuple(shape))
                rows.check_format(full_check=True)  # Products with them trust their indices.
                if rows.shape[1] != like.shape[1] or rows.dtype.kind != "f":
                    raise ValueError("the rows that were seen are those of other data")
                self.note(rows)
            else:
                rows = rows_like(batch, like.shape[1], "a batch of the rows that were seen")
                self.note(torch.tensor(rows, dtype=like.dtype, device=like.device))

    def _forget(self) -> None:
        self._batches.clear()
        self._n_rows = 0


def deviations(rows: Any) -> Any:
    """The standard deviation of each column."""
    if isinstance(rows, Tensor):
        return rows.std(0, correction=0)
    mean = np.asarray(rows.sum(axis=0)).ravel() / rows.shape[0]
    squares = np.asarray((rows * rows).sum(axis=0)).ravel() / rows.shape[0]
    return np.sqrt(np.maximum(squares - mean**2, 0))
