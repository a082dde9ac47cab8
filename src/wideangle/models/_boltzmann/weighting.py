"""Weighted counts: repeated words count less than in proportion, and words that many documents have count less."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.models._boltzmann.counts import presence_of

Weighting = Literal["counts", "log", "tf-idf"]
WEIGHTINGS: tuple[Weighting, ...] = ("counts", "log", "tf-idf")


def rarity_of(X: Any) -> NDArray[np.float64]:
    """log((1 + n) / (1 + documents that have the word)) + 1, as scikit-learn's smoothed idf."""
    n = X.shape[0]
    return np.asarray(np.log((1 + n) / (1 + n * presence_of(X))) + 1)


def weigh_entries(counts: NDArray[Any], rarity: NDArray[Any] | float) -> NDArray[Any]:
    """(1 + log count) · rarity, and count · rarity for fractions below 1, where the logarithm would be negative."""
    return np.where(counts > 1, 1 + np.log(np.maximum(counts, 1)), counts).astype(counts.dtype) * rarity


def weigh_sparse(X: Any, weighting: Weighting, rarity: NDArray[np.float64] | None) -> Any:
    """The rows of a CSR matrix with weighted counts. The matrix is left as it is."""
    if weighting == "counts":
        return X
    if not X.has_canonical_format:  # An entry may be stored in several parts, of which the logarithm is another.
        X = X.copy()
        X.sum_duplicates()
    scale = 1.0 if rarity is None else rarity.astype(X.dtype)[X.indices]
    return sp.csr_array((weigh_entries(X.data, scale), X.indices, X.indptr), shape=X.shape)


def weigh_tensor(X: Tensor, weighting: Weighting, rarity: NDArray[np.float64] | None) -> Tensor:
    """Dense rows with weighted counts."""
    if weighting == "counts":
        return X
    weighted = torch.where(X > 1, 1 + X.clamp_min(1).log(), X)
    return weighted if rarity is None else weighted * torch.as_tensor(rarity).to(X)
