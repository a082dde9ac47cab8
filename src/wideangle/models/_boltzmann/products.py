"""Products of mini-batches with components: dense on any device, or sparse on a CPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from wideangle.functional.boltzmann import (
    Draws,
    Machine,
    draw_words,
    gibbs_step,
    hidden_logits,
    per_token,
    reconstruction_loss,
    visible_logits,
)

IN_ROWS_RATIO = 2  # A gradient has the rows of some words alone where a batch has fewer than one in so many words.


class WordRows(NamedTuple):
    """A gradient of words × components that is 0 but for some words, which are different ones."""

    words: Tensor
    rows: Tensor

    @contextmanager
    def added_to(self, matrix: Tensor) -> Iterator[Tensor]:
        """The matrix with these rows added to it, until the context ends. Other rows are not touched."""
        before = matrix.index_select(0, self.words)
        matrix.index_copy_(0, self.words, before + self.rows)
        try:
            yield matrix
        finally:
            matrix.index_copy_(0, self.words, before)


class Contrast(NamedTuple):
    """The gradient of the mean log-likelihood, by the names of `Machine`."""

    components: Tensor | WordRows
    visible_bias: Tensor
    hidden_bias: Tensor


class DenseProducts:
    """Rows are dense tensors."""

    def __init__(self) -> None:
        self._gradient: Tensor | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_gradient": None}  # Memory that is written before it is read needs no place in a pickle.

    def hidden_logits(self, machine: Machine, visible: Tensor, lengths: Tensor | None) -> Tensor:
        """As the function of this name."""
        return hidden_logits(machine, visible, lengths)

    def gibbs_step(
        self, machine: Machine, hidden: Tensor, draws: Draws, lengths: Tensor | None, most: int | None
    ) -> tuple[Any, Tensor]:
        """As the function of this name."""
        return gibbs_step(machine, hidden, draws, lengths, most)

    def contrast(
        self, hidden: Tensor, visible: Tensor, answer: Tensor, imagined: Tensor, lengths: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The gradient of A and α: the means of h vᵀ − h′ v′ᵀ and v − v′, per visible unit or per token."""
        if lengths is None:
            share = 1 / visible.numel()
            bias = visible.sum(0).sub_(imagined.sum(0)).mul_(share)
        else:
            weights, share = document_weights(lengths), 1.0
            hidden, answer = weights[:, None] * hidden, weights[:, None] * answer
            bias = weights @ visible - weights @ imagined
        if self._gradient is None:
            # It is kept: new memory of this size costs time at each update.
            self._gradient = visible.new_empty(hidden.shape[1], visible.shape[1])
        # The share is a factor of the products, because another pass over the gradient would cost time too.
        torch.addmm(self._gradient, hidden.mT, visible, beta=0, alpha=share, out=self._gradient)
        return self._gradient.addmm_(answer.mT, imagined, alpha=-share), bias

    def loss(self, machine: Machine, hidden: Tensor, visible: Tensor, lengths: Tensor | None) -> Tensor:
        """The reconstruction loss of the rows from hidden units."""
        return reconstruction_loss(machine, visible, hidden, lengths)


class SparseProducts:
    """Rows are word counts in the three arrays of a CSR matrix, because a document has few words of a large vocabulary.

    The components must be stored as the transpose of a matrix of words × components. Random draws are the same as those
    of `DenseProducts` from the same generator. With `in_rows`, the gradient of a large vocabulary has only the rows of
    words that occur: a matrix of all words would take longer to fill than all sparse products.
    """

    def __init__(self, in_rows: bool = False) -> None:
        self._in_rows = in_rows
        self._memory: Tensor | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_memory": None, "_in_rows": self._in_rows}

    def hidden_logits(self, machine: Machine, visible: Any, lengths: Any) -> Tensor:
        """N β + A n"""
        words, starts, counts = (torch.from_numpy(part) for part in (visible.indices, visible.indptr, visible.data))
        return self._sums(machine, words, counts, lengths, starts)

    def _sums(
        self, machine: Machine, words: Tensor, counts: Tensor, lengths: Tensor, starts: Tensor | None = None
    ) -> Tensor:
        """N β + A n, where A n is the sum of the columns of A that belong to the words, by how much these count."""
        sums = embedding_bag(
            words,
            machine.components.mT,
            starts,
            mode="sum",
            per_sample_weights=counts,
            include_last_offset=starts is not None,
        )
        return sums.addcmul_(lengths[:, None], machine.hidden_bias)

    def gibbs_step(
        self, machine: Machine, hidden: Tensor, draws: Draws, lengths: Any, most: int | None
    ) -> tuple[Any, Tensor]:
        """One sweep of the chain from hidden units: words with their counts, then the hidden units' probabilities."""
        shape = (2, len(hidden), machine.components.shape[1])
        if self._memory is None or self._memory.shape != shape:
            self._memory = hidden.new_empty(shape)  # It is kept: new memory of this size costs more than the product.
        logits, probabilities = self._memory
        visible_logits(machine, hidden, out=logits)
        words, counts = draw_words(logits, lengths, draws, most, out=probabilities)
        return (words, counts), self._sums(machine, words, counts, lengths).sigmoid_()

    def contrast(
        self, hidden: Tensor, visible: Any, answer: Tensor, imagined: Any, lengths: Any
    ) -> tuple[Tensor | WordRows, Tensor]:
        """The gradient of A and α: the means of h nᵀ − h′ n′ᵀ and n − n′, per token."""
        words, counts = imagined
        weights = document_weights(lengths)
        # Documents and imagined documents are the columns of one matrix, so that one product gives the difference.
        starts = visible.indptr[-1] + words.shape[1] * np.arange(1, len(words) + 1, dtype=visible.indptr.dtype)
        places = np.concatenate([visible.indices, words.to(torch.int32).view(-1).numpy()])
        found, n_words = None, visible.shape[1]
        if self._in_rows and IN_ROWS_RATIO * len(places) < n_words:
            found, places = np.unique(places, return_inverse=True)
        both = sp.csc_array(
            (
                np.concatenate([visible.data, counts.view(-1).numpy()]),
                places.astype(visible.indices.dtype, copy=False),
                np.concatenate([visible.indptr, starts]),
            ),
            shape=(n_words if found is None else len(found), 2 * len(words)),
        )
        signed = torch.cat([weights, -weights])
        gradient = torch.from_numpy(both @ (torch.cat([hidden, answer]) * signed[:, None]).numpy())
        bias = torch.from_numpy(both @ signed.numpy())
        if found is None:
            return gradient.mT, bias
        there = torch.from_numpy(found.astype(np.int64))
        return WordRows(there, gradient), bias.new_zeros(n_words).index_copy_(0, there, bias)

    def loss(self, machine: Machine, hidden: Tensor, visible: Any, lengths: Any) -> Tensor:
        """The reconstruction loss of the rows from hidden units: Σ_j n_j (log Σ_i exp(l_i) − l_j) of the logits l."""
        logits = visible_logits(machine, hidden)
        rows = torch.from_numpy(np.repeat(np.arange(len(hidden)), np.diff(visible.indptr)))
        entries = torch.from_numpy(visible.data) * logits[rows, torch.from_numpy(visible.indices)]
        said = torch.zeros_like(lengths).index_add_(0, rows, entries)
        return per_token(lengths * logits.logsumexp(-1) - said, lengths).mean()


def document_weights(lengths: Tensor) -> Tensor:
    """1/(documents · tokens) for each document: every document counts alike, and its tokens share its weight."""
    return per_token(torch.ones_like(lengths), lengths) / len(lengths)
