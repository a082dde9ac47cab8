"""Some rows of many, drawn so that rare groups keep theirs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_of_each"]


def first_of_each(groups: NDArray[Any], each: int) -> NDArray[np.bool_]:
    """Which of some rows are among the first `each` of their group, given the group of each row, a number from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle._rare_groups import first_of_each
    >>> first_of_each(np.array([1, 0, 1, 1, 0]), 2).tolist()
    [True, True, True, False, True]
    """
    by_group = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    place = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[groups[by_group]]
    found = np.zeros(len(groups), dtype=bool)
    found[by_group[place < each]] = True
    return found
