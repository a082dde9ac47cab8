"""Pairs as row numbers of a matrix, and the checks of pairs that are given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from wideangle._arrays import array_of
from wideangle.exceptions import DataError

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IndexPairs:
    """Pairs of row numbers, and whether each is similar."""

    left: Indices
    right: Indices
    similar: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def subset(self, which: Any) -> "IndexPairs":
        """Some of the pairs."""
        return IndexPairs(self.left[which], self.right[which], self.similar[which])


def index_pairs(pairs: Any, n_rows: int) -> tuple[Indices, Indices]:
    """The two columns of an (n, 2) array of row numbers, checked."""
    array = array_of(pairs, "pairs", kinds=None)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(
            "with X, pairs must be whole numbers of shape (n, 2), each a pair of rows of X; got "
            f"shape {array.shape} of {array.dtype}. Pass pairs of points, shape (n, 2, d), without X."
        )
    if array.size and not 0 <= array.min() <= array.max() < n_rows:
        raise ValueError(
            f"pairs are out of range: X has rows 0 to {n_rows - 1}, but pairs go from {array.min()} to {array.max()}."
        )
    return array[:, 0].astype(np.int64), array[:, 1].astype(np.int64)


def point_pairs(pairs: Any) -> tuple[NDArray[Any], Indices, Indices]:
    """An (n, 2, d) array of points as 2n rows and the pairs of their numbers."""
    if sp.issparse(pairs):
        raise ValueError("sparse pairs come as index pairs: pass the row numbers as pairs, and the matrix as X.")
    array = array_of(pairs, "pairs", kinds=None)
    if array.ndim != 3 or array.shape[1] != 2 or not len(array):
        raise ValueError(
            f"pairs must have shape (n, 2, d), two points each; got shape {array.shape}. "
            "Row numbers of shape (n, 2) need the matrix they point into: pass X."
        )
    left = np.arange(0, 2 * len(array), 2, dtype=np.int64)
    return array.reshape(2 * len(array), array.shape[2]), left, left + 1


def checked_signs(y: Any, n_pairs: int) -> NDArray[np.bool_]:
    """True for +1, False for −1; an error for anything else."""
    signs = array_of(y, "y")
    if signs.shape != (n_pairs,):
        raise ValueError(f"y must have one sign for each of the {n_pairs} pairs; got shape {signs.shape}.")
    if not np.isin(signs, (1, -1)).all():
        strange = np.setdiff1d(signs, (1, -1))[:3].tolist()
        raise ValueError(f"y must be +1 for similar and -1 for dissimilar pairs; got {strange}.")
    return signs == 1


def require_both_kinds(n_similar: int, n_dissimilar: int) -> None:
    """An error where all pairs are similar, or all dissimilar: nothing can be learned or judged by them."""
    if not n_similar or not n_dissimilar:
        kind = "dissimilar" if n_similar else "similar"
        raise DataError(
            f"there are no {kind} pairs among the {n_similar + n_dissimilar}: a distance needs pairs of both kinds."
        )
