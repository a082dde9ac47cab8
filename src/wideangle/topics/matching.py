"""Which topics of two groupings of the same documents are the same."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import checked, share
from wideangle._arrays import array_of

__all__ = ["SAME", "match_topics"]

SAME = 1 / 3  # Two topics are the same where both have at least this share of the documents that either has.


def _topics(values: Any) -> NDArray[np.intp]:
    """A topic per document. An empty list has no kind of its own."""
    found = array_of(values, "a grouping", kinds="iuf")
    if found.dtype.kind == "f" and found.size:
        raise TypeError(f"a grouping must hold whole numbers; got dtype {found.dtype}.")
    return found.astype(np.intp)


@checked(at_least=share)
def match_topics(before: Any, after: Any, at_least: float = SAME) -> dict[int, int]:
    """The new number of each old topic that is still there, by the documents that both groupings have.

    Each topic is matched with one other, so that as many documents as possible stay in their topic. A pair counts where
    both have at least a share `at_least` of the documents that either of them has.

    Parameters
    ----------
    before, after : sequences of int
        The topic of each document in either grouping, from 0; −1 for a document without one, which does not count.
    at_least : float, default=1/3

    Examples
    --------
    >>> from wideangle.topics import match_topics
    >>> match_topics([0, 0, 0, 1, 1, -1], [2, 2, 2, 0, 1, 1])
    {0: 2, 1: 0}
    """
    from scipy.optimize import linear_sum_assignment

    before, after = (_topics(each) for each in (before, after))
    if before.shape != after.shape or before.ndim != 1:
        raise ValueError(f"both must have one topic per document; got shapes {before.shape} and {after.shape}.")
    both = (before >= 0) & (after >= 0)
    if not both.any():
        return {}
    shared = np.zeros((before[both].max() + 1, after[both].max() + 1))
    np.add.at(shared, (before[both], after[both]), 1)
    either = shared.sum(axis=1)[:, None] + shared.sum(axis=0)[None] - shared
    same = (shared > 0) & (shared >= at_least * either)
    return {int(old): int(new) for old, new in zip(*linear_sum_assignment(-shared), strict=True) if same[old, new]}
