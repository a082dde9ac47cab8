"""Products of mini-batches with components: dense on any device, or sparse on a CPU."""

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from wideangle.functional.boltzmann import Machine, draw_words, gibbs_step, hidden_logits, visible_logits


class DenseProducts:
    """Rows are dense tensors."""

    def hidden_logits(self, machine: Machine, visible: Tensor, lengths: Tensor | None) -> Tensor:
        """As the function of this name."""
        return hidden_logits(machine, visible, lengths)

    def gibbs_step(
        self, machine: Machine, hidden: Tensor, draws: torch.Generator, lengths: Tensor | None, most: int | None
    ) -> tuple[Tensor, Tensor]:
        """As the function of this name."""
        return gibbs_step(machine, hidden, draws, lengths, most)

    def difference(self, seen: Tensor, visible: Tensor, dreamt: Tensor, imagined: Tensor) -> Tensor:
        """seenᵀ visible − dreamtᵀ imagined"""
        return torch.addmm(seen.mT @ visible, dreamt.mT, imagined, alpha=-1)

    def mean_difference(self, weights: Tensor, visible: Tensor, imagined: Tensor) -> Tensor:
        """weights · (visible − imagined)"""
        return weights @ visible - weights @ imagined


class SparseProducts:
    """Rows are SciPy CSR matrices of word counts, because a document has few words of a large vocabulary.

    SciPy multiplies the memory of torch tensors in place. It needs words × components, so the components must be stored
    as the transpose of such a matrix. Random draws are the same as those of `DenseProducts` from the same generator.
    """

    def __init__(self) -> None:
        self._logits: Tensor | None = None

    def hidden_logits(self, machine: Machine, visible: Any, lengths: Any) -> Tensor:
        """N β + A n"""
        products = torch.from_numpy(visible @ machine.components.mT.numpy())
        return products.addcmul_(lengths[:, None], machine.hidden_bias)

    def gibbs_step(
        self, machine: Machine, hidden: Tensor, draws: torch.Generator, lengths: Any, most: int | None
    ) -> tuple[Any, Tensor]:
        """One sweep of the chain from hidden units: documents, then the probabilities of the hidden units."""
        shape = (len(hidden), machine.components.shape[1])
        if self._logits is None or self._logits.shape != shape:
            self._logits = hidden.new_empty(shape)  # It is kept: new memory of this size costs more than the product.
        drawn, counts = draw_words(visible_logits(machine, hidden, out=self._logits), lengths, draws, most)
        starts = np.arange(0, drawn.numel() + 1, max(1, drawn.shape[1]))[: len(drawn) + 1]
        parts = (counts.view(-1).numpy(), drawn.to(torch.int32).view(-1).numpy(), starts)
        imagined = sp.csr_array(parts, shape=shape)
        return imagined, torch.sigmoid(self.hidden_logits(machine, imagined, lengths))

    def difference(self, seen: Tensor, visible: Any, dreamt: Tensor, imagined: Any) -> Tensor:
        """seenᵀ visible − dreamtᵀ imagined"""
        # Both sets of rows are stacked for one product, which avoids a second matrix of this size and a subtraction.
        starts = np.concatenate([visible.indptr, visible.indptr[-1] + imagined.indptr[1:]])
        entries = (
            np.concatenate(parts) for parts in zip(*((m.data, m.indices) for m in (visible, imagined)), strict=True)
        )
        both = sp.csr_array((*entries, starts), shape=(2 * len(seen), visible.shape[1]))
        return torch.from_numpy(both.T @ torch.cat([seen, dreamt.neg()]).numpy()).mT

    def mean_difference(self, weights: Tensor, visible: Any, imagined: Any) -> Tensor:
        """weights · (visible − imagined)"""
        return torch.from_numpy(visible.T @ weights.numpy() - imagined.T @ weights.numpy())
