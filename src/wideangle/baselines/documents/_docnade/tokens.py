"""The words of documents one after another, in a random order at each visit."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor


class Visit(NamedTuple):
    """The tokens of some documents, those of the first document first. Each document has a random order."""

    words: Tensor
    documents: Tensor
    """the document of each token, from 0"""
    positions: Tensor
    """the place of each token in its document, from 0"""
    lengths: Tensor
    """the number of tokens of each document"""

    def of_documents(self, some: slice) -> "Visit":
        """The same visit of some documents that follow one another."""
        ends = [0, *self.lengths.cumsum(0).tolist()]
        tokens = slice(ends[some.start], ends[some.stop])
        return Visit(
            self.words[tokens], self.documents[tokens] - some.start, self.positions[tokens], self.lengths[some]
        )


class Tokens:
    """All tokens of a corpus on a device, so that mini-batches are put together there."""

    def __init__(self, counts: sp.csr_array, device: torch.device) -> None:
        self.words = torch.as_tensor(np.repeat(counts.indices, counts.data).astype(np.int64)).to(device)
        self.lengths: NDArray[np.int64] = np.asarray(counts.sum(axis=1), dtype=np.int64).ravel()
        self.starts = np.cumsum(self.lengths) - self.lengths

    def visit(self, rows: NDArray[np.intp], generator: torch.Generator) -> Visit:
        """The tokens of these documents, each document in a new random order."""
        device = self.words.device
        n_tokens = int(self.lengths[rows].sum())
        lengths, starts = (torch.as_tensor(part[rows]).to(device) for part in (self.lengths, self.starts))
        numbers = torch.arange(len(rows), device=device)
        documents = torch.repeat_interleave(numbers, lengths, output_size=n_tokens)
        positions = torch.arange(n_tokens, device=device) - (lengths.cumsum(0) - lengths)[documents]
        chances = torch.rand(n_tokens, dtype=torch.float64, device=device, generator=generator)
        order = torch.argsort(chances + documents)  # Tokens change places within their document only.
        return Visit(self.words[(starts[documents] + positions)[order]], documents, positions, lengths)
