"""Precision where each row queries all others."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle.evaluation._inputs import checked_k, checked_labels
from wideangle.evaluation.retrieval import precision_per_query


def precision_among(
    vectors: ArrayLike, labels: ArrayLike, k: int = 100, *, asking: ArrayLike | None = None
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
    rows, every = np.asarray(vectors), checked_labels(labels, "labels")
    checked_k(k, len(every) - 1)
    chosen = np.arange(len(every)) if asking is None else np.asarray(asking)
    # A query is nearest to itself, so that among k + 1 neighbours it counts as one hit too many.
    with_itself = precision_per_query(rows[chosen], every[chosen], rows, every, k + 1)
    precision = (with_itself * (k + 1) - 1) / k
    return _crowds_shared(precision, rows, every, chosen, k)


def _crowds_shared(
    precision: NDArray[np.float64], rows: NDArray[Any], labels: NDArray[Any], chosen: NDArray[np.intp], k: int
) -> NDArray[np.float64]:
    """Where more than k others equal a query, its own place was shared, and any k of them are the neighbours."""
    _, group = np.unique(rows + 0.0, axis=0, return_inverse=True)  # + 0.0: −0 equals 0
    group = group.ravel()
    size = np.bincount(group)
    for number in np.flatnonzero(size[group[chosen]] > k + 1):
        mine = group[chosen[number]]
        alike = (labels[group == mine] == labels[chosen[number]]).sum() - 1
        precision[number] = alike / (size[mine] - 1)
    return precision
