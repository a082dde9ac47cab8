"""Some documents of many, drawn with a seed."""

import numpy as np
from numpy.typing import NDArray


def drawn_rows(
    rows: NDArray[np.intp], labels: NDArray[np.int64] | None, most: int, generator: np.random.Generator
) -> NDArray[np.intp]:
    """At most `most` rows. With labels each class has the same limit, so that rare classes stay whole."""
    if len(rows) <= most:
        return rows
    if labels is None:
        return np.sort(generator.choice(rows, most, replace=False))
    groups = labels + 1  # Documents without a class, whose label is −1, are a group of their own.
    sizes = np.bincount(groups[rows])
    each = next(limit for limit in range(most, 0, -1) if np.minimum(sizes, limit).sum() <= most or limit == 1)
    shuffled = generator.permutation(rows)
    by_class = shuffled[np.argsort(groups[shuffled], kind="stable")]
    starts = np.cumsum(sizes) - sizes
    place_in_class = np.arange(len(rows)) - starts[groups[by_class]]
    return np.sort(by_class[place_in_class < each])
