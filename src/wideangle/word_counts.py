"""Word counts of documents: whether they are counts, which words are there, and what a word weighs."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle._arrays import MOST_OF_A_WORD
from wideangle.data.stored.counts import CountsOnDisk

Weighting = Literal["counts", "log", "balanced", "tf-idf"]
# The power of a word's rarity in its weight. In all but "counts" a count n is taken as 1 + log n.
RARITY_POWER: dict[Weighting, float] = {"counts": 0.0, "log": 0.0, "balanced": 0.5, "tf-idf": 1.0}
WEIGHTINGS = tuple(RARITY_POWER)

PIECE = 2**20  # entries looked at at a time: a copy of all of them may be large


def check_word_counts(X: Any, allow_fractions: bool) -> None:
    """An error where entries are negative, or are no whole numbers where they must be."""
    values = (X.data if sp.issparse(X) else np.asarray(X)).reshape(-1)
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data: counts must not be negative; got {values.min():g}.")
    if values.size and values.max() > MOST_OF_A_WORD:
        raise ValueError(f"counts must be at most {MOST_OF_A_WORD:,}; got {values.max():g}. Scale them down.")
    pieces = (values[first : first + PIECE] for first in range(0, len(values), PIECE))
    if not allow_fractions and any((piece != np.round(piece)).any() for piece in pieces):
        raise ValueError("counts must be whole numbers; got fractions. Pass raw counts, or allow_fractions=True.")


def is_sparse(X: Any) -> bool:
    """Whether rows of X come as a sparse matrix: X is one, or is on disk."""
    return sp.issparse(X) or isinstance(X, CountsOnDisk)


def presence_of(X: Any) -> NDArray[np.float64]:
    """The share of documents that have each word."""
    if isinstance(X, CountsOnDisk):
        return X.document_frequency / len(X)
    if not sp.issparse(X):
        return np.asarray(np.count_nonzero(X, axis=0) / X.shape[0])
    if not X.has_canonical_format:  # an entry may be held in several parts, which make one
        X = X.copy()
        X.sum_duplicates()
    counts = np.zeros(X.shape[1])
    for first in range(0, X.nnz, PIECE):
        there = X.data[first : first + PIECE] != 0
        counts += np.bincount(X.indices[first : first + PIECE][there], minlength=X.shape[1])
    return counts / X.shape[0]


def rarity_of(X: Any, weighting: Weighting, presence: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """(log((1 + n) / (1 + documents that have the word)) + 1)^power: a power of scikit-learn's smoothed idf.

    `presence` is what `presence_of` gives for X, where it is known.
    """
    n, presence = X.shape[0], presence_of(X) if presence is None else presence
    return np.asarray((np.log((1 + n) / (1 + n * presence)) + 1) ** RARITY_POWER[weighting])


def weigh_sparse(X: Any, weighting: Weighting, rarity: NDArray[np.float64]) -> Any:
    """The rows of a CSR matrix with weighted counts. The matrix is left as it is."""
    if weighting == "counts":
        return X
    if not X.has_canonical_format:  # An entry may be stored in several parts, whose logarithms do not add up.
        X = X.copy()
        X.sum_duplicates()
    # The logarithm of a fraction may be negative, so counts below 1 stay as they are.
    logs = np.where(X.data > 1, 1 + np.log(np.maximum(X.data, 1)), X.data)
    return sp.csr_array(((logs * rarity[X.indices]).astype(X.dtype), X.indices, X.indptr), shape=X.shape)


def weigh_tensor(X: Tensor, weighting: Weighting, rarity: NDArray[np.float64]) -> Tensor:
    """Dense rows with weighted counts."""
    if weighting == "counts":
        return X
    return torch.where(X > 1, 1 + X.clamp_min(1).log(), X) * torch.as_tensor(rarity).to(X)
