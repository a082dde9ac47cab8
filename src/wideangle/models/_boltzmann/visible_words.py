"""Documents as a Replicated Softmax sees them: word counts, weighted, and all of one length where that is wanted."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.functional.boltzmann import per_token
from wideangle.models._base import passes
from wideangle.models._boltzmann.visible import BLOCK, VisibleRows
from wideangle.word_counts import Weighting, is_sparse, weigh_sparse, weigh_tensor

if TYPE_CHECKING:
    from wideangle.models._boltzmann.contrastive import ContrastiveTrainer

TINY_LENGTH = 1e-30  # Documents of fractions that add up to less are made longer before their counts are rescaled.
AHEAD = 2048  # Sparse mini-batches of about so many rows are prepared at a time.
SPARSE_RATIO = 10  # Batches stay sparse where a document has fewer than one in ten of the words.


@dataclass(frozen=True, eq=False)
class VisibleWords(VisibleRows):
    """Counts of words. Each word has a weight, and each document `document_length` tokens unless that is None."""

    weighting: Weighting
    rarity: NDArray[np.float64]
    document_length: float | None
    kept_share: float
    """the share of hidden units that dropout kept in training"""

    @property
    def tokens(self) -> int | None:
        return None if self.document_length is None else math.ceil(self.document_length)

    def in_training(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        rows = weigh_tensor(rows, self.weighting, self.rarity)
        lengths = rows.sum(1)
        return _at_length(rows, lengths, self.wanted(lengths))

    def in_transform(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        # The learned components are shorter than those in training by the share of units that dropout kept. Documents
        # are longer by the same factor, so that a hidden unit has the same logit as in training.
        rows = weigh_tensor(rows, self.weighting, self.rarity)
        lengths = rows.sum(1)
        # One over the length of a document of tiny fractions may be infinite in float32. A power of two rounds nothing.
        larger = torch.where(lengths < TINY_LENGTH, 2.0**100, 1.0).to(rows)
        return _at_length(rows * larger[:, None], lengths * larger, self.wanted(lengths) / self.kept_share)

    def wanted(self, lengths: Tensor) -> Tensor:
        """The lengths that documents of these weighted lengths have in training."""
        if self.document_length is None:
            return lengths
        return torch.where(lengths > 0, self.document_length, 0.0).to(lengths)

    def total(self, rows: Any) -> NDArray[np.float64]:
        weighed = self.weighed(rows)
        return np.asarray(weighed.T @ (1 / np.asarray(weighed.sum(axis=1)).ravel()), dtype=np.float64).ravel()

    def for_directions(self, rows: Any) -> Any:
        return self.weighed(rows)

    def weighed(self, rows: Any) -> Any:
        """Rows with weighted counts, as sparse or dense as they come."""
        if sp.issparse(rows):
            return weigh_sparse(sp.csr_array(rows), self.weighting, self.rarity)
        # Rows may be read-only (a memory map). torch takes only what may be written, though nothing is written here.
        rows = torch.as_tensor(np.require(rows, requirements="W"))
        return weigh_tensor(rows, self.weighting, self.rarity).numpy()

    def weighed_lengths(self, X: Any) -> Tensor:
        """The length of each document as the model sees it: the sum of its weighted counts."""
        if self.weighting == "counts":
            return torch.as_tensor(np.asarray(X.sum(axis=1), dtype=np.float64).ravel())
        blocks = (self.weighed(X[first : first + BLOCK]) for first in range(0, X.shape[0], BLOCK))
        sums = [np.asarray(block.sum(axis=1), dtype=np.float64).ravel() for block in blocks]
        return torch.as_tensor(np.concatenate(sums))

    def lengths(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.wanted(self.weighed_lengths(X)) / self.kept_share)

    def stays_sparse(self, X: Any, device: torch.device) -> bool:
        # Where documents have few of the words, products of the stored entries alone are faster on a CPU.
        return device.type == "cpu" and is_sparse(X) and SPARSE_RATIO * X.nnz < X.shape[0] * X.shape[1]

    def batches(
        self, X: Any, rows: NDArray[np.intp], size: int, trainer: "ContrastiveTrainer", skip: int = 0
    ) -> Iterator[tuple[Any, Tensor | None]]:
        if not trainer.sparse:
            return super().batches(X, rows, size, trainer, skip)

        def weigh(chosen: Any) -> Any:
            return weigh_sparse(chosen.astype(trainer.numpy_dtype, copy=False), self.weighting, self.rarity)

        return sparse_batches(X, rows, size, trainer.randomness.rows, weigh, self.wanted, skip)

    def logits_from_entries(
        self, X: Any, components: NDArray[Any], hidden_bias: NDArray[Any], device: torch.device
    ) -> NDArray[Any] | None:
        if not self.stays_sparse(X, device):
            return None
        found = []
        turned = np.ascontiguousarray(components.T)  # SciPy would copy them for each block.
        for first in range(0, X.shape[0], BLOCK):
            rows = self.weighed(X[first : first + BLOCK]).astype(components.dtype, copy=False)
            lengths = torch.as_tensor(np.asarray(rows.sum(axis=1)).ravel())
            wanted = self.wanted(lengths) / self.kept_share
            products = (rows @ turned) * per_token(wanted, lengths).numpy()[:, None]
            found.append(products + wanted.numpy()[:, None] * hidden_bias)
        return np.concatenate(found)


def as_they_are(counts: Tensor) -> tuple[Tensor, Tensor]:
    """Real counts and their lengths."""
    return counts, counts.sum(1)


def _at_length(rows: Tensor, lengths: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """The same documents at other lengths."""
    if wanted is lengths:
        return rows, lengths
    return rows * per_token(wanted, lengths)[:, None], wanted


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
