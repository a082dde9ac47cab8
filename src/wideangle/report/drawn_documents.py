"""Some documents of many, drawn with a seed."""

import numpy as np
from numpy.typing import NDArray

from wideangle._rare_groups import first_of_each

OF_EACH_GROUP = 5  # So many documents of each group are drawn,
SHARE_OF_GROUPS = 4  # but no more than one in so many of all that are drawn.


def drawn_rows(
    rows: NDArray[np.intp],
    labels: NDArray[np.int64] | None,
    most: int,
    generator: np.random.Generator,
    groups: NDArray[np.int32] | None = None,
) -> NDArray[np.intp]:
    """At most `most` rows. With labels each class has the same limit, so that rare classes stay whole.

    `groups` are the topics of documents, or other groups that must not vanish, −1 for none: a few documents of each are
    among those that are drawn.
    """
    if len(rows) <= most:
        return rows
    if labels is None and groups is None:
        return np.sort(generator.choice(rows, most, replace=False))
    shuffled = generator.permutation(rows)
    wanted = np.zeros(len(rows), dtype=bool)
    if groups is not None:
        each = min(OF_EACH_GROUP, most // (SHARE_OF_GROUPS * (int(groups.max(initial=0)) + 1)))
        wanted = first_of_each(groups[shuffled] + 1, each) & (groups[shuffled] >= 0)
    kept, others = shuffled[wanted], shuffled[~wanted]
    left = most - len(kept)
    if labels is None:
        return np.sort(np.concatenate([kept, others[:left]]))
    classes = labels[others] + 1  # Documents without a class, whose label is −1, are a group of their own.
    sizes = np.bincount(classes)
    limit = next(limit for limit in range(left, 0, -1) if np.minimum(sizes, limit).sum() <= left or limit == 1)
    return np.sort(np.concatenate([kept, others[first_of_each(classes, limit)]]))
