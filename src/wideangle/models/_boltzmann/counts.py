"""Word counts of documents: whether they are counts, which words are there, and documents at other lengths."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import Tensor

from wideangle.functional.boltzmann import per_token

PIECE = 2**20  # entries looked at at a time: a copy of all of them may be large


def check_counts(X: Any, allow_fractions: bool) -> None:
    """An error where entries are negative, or are no whole numbers where they must be."""
    values = (X.data if sp.issparse(X) else np.asarray(X)).reshape(-1)
    if values.size and values.min() < 0:
        raise ValueError(f"Negative values in data: counts must not be negative; got {values.min():g}.")
    pieces = (values[first : first + PIECE] for first in range(0, len(values), PIECE))
    if not allow_fractions and any((piece != np.round(piece)).any() for piece in pieces):
        raise ValueError("counts must be whole numbers; got fractions. Pass raw counts, or allow_fractions=True.")


def presence_of(X: Any) -> NDArray[np.float64]:
    """The share of documents that have each word."""
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


def as_they_are(visible: Tensor) -> tuple[Tensor, Tensor]:
    """Real counts and their lengths."""
    return visible, visible.sum(1)


def rescaled(visible: Tensor, lengths: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """The same documents at other lengths."""
    if wanted is lengths:
        return visible, lengths
    return visible * per_token(wanted, lengths)[:, None], wanted
