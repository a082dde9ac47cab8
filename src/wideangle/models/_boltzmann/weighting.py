"""Weighted counts: repeated words count less than in proportion, and words that many documents have count less."""

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.models._boltzmann.counts import presence_of

Weighting = Literal["counts", "log", "balanced", "tf-idf"]
# The power of a word's rarity in its weight. In all but "counts" a count n is taken as 1 + log n.
RARITY_POWER: dict[Weighting, float] = {"counts": 0.0, "log": 0.0, "balanced": 0.5, "tf-idf": 1.0}
WEIGHTINGS = tuple(RARITY_POWER)


def rarity_of(X: Any, weighting: Weighting) -> NDArray[np.float64]:
    """(log((1 + n) / (1 + documents that have the word)) + 1)^power: a power of scikit-learn's smoothed idf."""
    n = X.shape[0]
    return np.asarray((np.log((1 + n) / (1 + n * presence_of(X))) + 1) ** RARITY_POWER[weighting])


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
