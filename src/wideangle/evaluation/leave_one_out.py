"""Precision where each row queries all others."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle._arrays import array_of
from wideangle._rows import MadeRows
from wideangle.evaluation._inputs import checked_k, checked_labels, checked_rows
from wideangle.evaluation._neighbors import nearest
from wideangle.evaluation.retrieval import MEMORY


def precision_among(
    vectors: ArrayLike | MadeRows, labels: ArrayLike, k: int = 100, *, asking: ArrayLike | None = None
) -> NDArray[np.float64]:
    """(rows of the query's class among the k nearest others) / k, for every row or for the rows `asking`.

    Ties share places, as in `precision_at_k`.

    Parameters
    ----------
    vectors : array of shape (n, D)
    labels : array of shape (n,)
    k : int, default=100
        The number of neighbours, at most n − 1.
    asking : array of int or None, default=None
        The numbers of the rows that are queries; None takes all rows.

    Examples
    --------
    >>> from wideangle.evaluation import precision_among
    >>> precision_among([[0.0], [0.1], [0.3], [9.0]], ["a", "a", "b", "b"], k=2)
    array([0.5, 0.5, 0. , 0.5])
    """
    rows = checked_rows(vectors, "vectors")
    every = checked_labels(labels, "labels", rows.shape[0])
    checked_k(k, len(every) - 1)
    chosen = np.arange(len(every)) if asking is None else array_of(asking, "asking", kinds="iu")
    if chosen.ndim != 1 or not len(chosen) or not (chosen.min() >= 0 and chosen.max() < len(every)):
        raise ValueError(f"asking must be numbers of rows from 0 to {len(every) - 1}, in one dimension.")
    precision = np.zeros(len(chosen))
    # A query is nearest to itself, so that among k + 1 neighbours it counts as one hit too many.
    for found in nearest(rows[chosen], rows, k + 1, "euclidean", MEMORY):
        mine, n = chosen[found.queries], len(found.queries)
        alike = every[found.rows] == every[mine][found.owner]
        hits = np.round(np.bincount(found.owner[alike], found.weights[alike], minlength=n), 12)  # Shared places round.
        # Where more than k others equal a query, its own place is shared, and any k of them are the neighbours.
        itself = found.rows == mine[found.owner]
        is_whole = np.bincount(found.owner[itself], found.weights[itself], minlength=n) == 1
        equal, of_class = np.bincount(found.owner, minlength=n), np.bincount(found.owner[alike], minlength=n)
        precision[found.queries] = np.where(is_whole, (hits - 1) / k, (of_class - 1) / (equal - 1))
    return precision
