"""What a visible row is to a Boltzmann machine: what the machine sees of it, in training and afterwards."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.functional.boltzmann import Machine
from wideangle.models._base import Prepare, dense_batch, dense_batches
from wideangle.models._boltzmann.start import MOST_ROWS

if TYPE_CHECKING:
    from wideangle.models._boltzmann.contrastive import ContrastiveTrainer

BLOCK = 1024  # So many rows are dense at a time.


class VisibleRows:
    """Rows of values from 0 to 1, which the machine sees as they are. Rows of another kind say what differs.

    An estimator makes this object from its parameters and from what it has learned of the columns, and asks it for all
    that depends on the kind of rows.
    """

    @property
    def tokens(self) -> int | None:
        """How many tokens every row has in training; 0 where rows are no documents, None where lengths differ."""
        return 0

    def in_training(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Rows and their lengths as training sees them."""
        return rows, None

    def in_transform(self, rows: Tensor) -> tuple[Tensor, Tensor | None]:
        """Rows and their lengths as `transform` and the monitor see them."""
        return self.in_training(rows)

    def total(self, rows: Any) -> NDArray[np.float64]:
        """The sum of some rows as the model sees them, each of which counts alike."""
        return np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()

    def for_directions(self, rows: Any) -> Any:
        """Rows as the singular vectors of the start are found from them."""
        return rows

    def lengths(self, X: Any) -> NDArray[np.float64] | None:
        """The length of each row in `transform`; None where rows have none."""
        return None

    def stays_sparse(self, X: Any, device: torch.device) -> bool:
        """Whether mini-batches of X stay sparse in training."""
        return False

    def batches(
        self, X: Any, rows: NDArray[np.intp], size: int, trainer: "ContrastiveTrainer", skip: int = 0
    ) -> Iterator[tuple[Any, Tensor | None]]:
        """Yield the mini-batches of a training without end, but for the first `skip`."""
        like = trainer.machine.components
        return dense_batches(X, rows, size, trainer.randomness.rows, like, self.in_training, skip)

    def logits_from_entries(
        self, X: Any, components: NDArray[Any], hidden_bias: NDArray[Any], device: torch.device
    ) -> NDArray[Any] | None:
        """Hidden logits from the stored entries of sparse rows; None where rows are better made dense."""
        return None


def total_of(visible: VisibleRows, X: Any, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """The sum of the rows with these numbers, of which some are dense at a time."""
    total = np.zeros(X.shape[1])
    for first in range(0, len(rows), BLOCK):
        total += visible.total(X[rows[first : first + BLOCK]])
    return total


def some_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """The rows with these numbers, or of many some: as many as the singular vectors of the start need."""
    if len(rows) > MOST_ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)]
    return X[rows]


def by_blocks(
    X: Any, machine: Machine, prepare: Prepare, function: Callable[[Machine, Tensor, Tensor | None], Tensor]
) -> NDArray[Any]:
    """What a function says of a machine and rows, which are dense and prepared a block at a time."""
    out = []
    for first in range(0, X.shape[0], BLOCK):
        rows = np.arange(first, min(first + BLOCK, X.shape[0]))
        out.append(function(machine, *prepare(dense_batch(X, rows, machine.components))).cpu().numpy())
    return np.concatenate(out)
