"""Which classes have a topic of their own."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle._arguments import checked, whole
from wideangle.evaluation._inputs import checked_labels


@checked(n_classes=whole(least=1))
def classes_with_own_topic(topics: ArrayLike, labels: ArrayLike, n_classes: int) -> NDArray[np.bool_]:
    """For each class, whether some topic is its own: the class has at least half of its documents, no other as many.

    A topic belongs to one class at most: where two classes have half of it each, it is neither's.

    Parameters
    ----------
    topics : array of shape (n,)
        The topic of each document, a whole number from 0; −1 for a document without a topic, which is skipped.
    labels : array of shape (n,)
        The class of each document, from 0 to n_classes − 1; −1 for a document without a class, which counts among the
        documents of its topic.
    n_classes : int

    Returns
    -------
    array of shape (n_classes,)

    Examples
    --------
    >>> from wideangle.evaluation import classes_with_own_topic
    >>> classes_with_own_topic([0, 0, 0, 1, 1, -1], [0, 0, 2, 1, 2, 1], 3)
    array([ True, False, False])
    """
    classes = _numbers(labels, "labels")
    groups = _numbers(topics, "topics", len(classes))
    if classes.max() >= n_classes:
        raise ValueError(f"labels must be below n_classes={n_classes}; got {classes.max()}.")
    classes, groups = classes[groups >= 0], groups[groups >= 0]
    own = np.zeros(n_classes, dtype=bool)
    if not len(groups):
        return own
    _, groups = np.unique(groups, return_inverse=True)
    # The last column counts documents without a class.
    cells = groups * (n_classes + 1) + np.where(classes < 0, n_classes, classes)
    table = np.bincount(cells, minlength=(groups.max() + 1) * (n_classes + 1)).reshape(-1, n_classes + 1)
    sizes, table = table.sum(axis=1), table[:, :n_classes]
    leading = table.argmax(axis=1)
    most = table.max(axis=1)
    alone = (table == most[:, None]).sum(axis=1) == 1
    own[leading[alone & (2 * most >= sizes)]] = True
    return own


def _numbers(values: Any, name: str, count: int | None = None) -> NDArray[np.int64]:
    numbers = checked_labels(values, name, count)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers; got dtype {numbers.dtype}.")
    if numbers.min() < -1:
        raise ValueError(f"{name} must be numbers from 0, or −1 for none; got {numbers.min()}.")
    return numbers.astype(np.int64)
