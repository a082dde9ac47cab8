"""Rows of real numbers as a Gaussian machine sees them: without their means, in units of deviations or of noise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.models._boltzmann.visible import VisibleRows

MOST_DENSE = 2**27  # The directions of the start are those of rows with at most so many entries.


@dataclass(frozen=True, eq=False)
class VisibleNumbers(VisibleRows):
    """Real numbers. In training their unit is the deviation of the column, afterwards the deviation of its noise."""

    means: NDArray[np.float64]
    deviations: NDArray[np.float64]
    noise: NDArray[np.float64]

    def in_training(self, rows: Tensor) -> tuple[Tensor, None]:
        return self._scaled(rows, self.deviations), None

    def in_transform(self, rows: Tensor) -> tuple[Tensor, None]:
        return self._scaled(rows, self.noise), None

    def total(self, rows: Any) -> NDArray[np.float64]:
        return np.asarray(rows.sum(axis=0, dtype=np.float64)).ravel()

    def for_directions(self, rows: Any) -> Any:
        step = -(-rows.shape[0] * rows.shape[1] // MOST_DENSE)
        rows = rows[::step]  # Centred rows cannot stay sparse.
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        return (dense - self.means) / self.deviations

    def as_given(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Rows as the machine sees them in the units of the data."""
        return np.asarray(self.means + self.noise * rows).astype(rows.dtype)

    def _scaled(self, rows: Tensor, units: NDArray[np.float64]) -> Tensor:
        return (rows - torch.as_tensor(self.means).to(rows)) / torch.as_tensor(units).to(rows)
