"""What users are told of a fit to few documents: how much of it is more than chance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from wideangle._quiet import silenced
from wideangle.evaluation.halves import part_words

FEW, VERY_FEW = 300, 30  # Below these numbers of documents a note says how much to trust the result.
NEIGHBOURS = 5
HINT = "So few documents say little about topics: take them as a hint, and try other numbers with -t."


def said_of_few(model: Any, X: Any) -> str | None:
    """A sentence on how much to trust what was learned from few documents; None where there are enough.

    The words of each document are cut into two halves by a coin. A model of the first halves and a model of the second
    halves know nothing of each other, so that neighbours on which both agree are no chance.
    """
    n = X.shape[0]
    if n >= FEW:
        return None
    if n < 3:
        return (
            f"{'One document has' if n == 1 else 'Two documents have'} no neighbours to choose from. Give more of them."
        )
    first, second = part_words(X[:], np.random.default_rng(0))  # They may be on disk, and are few.
    both = np.flatnonzero((np.diff(first.indptr) > 0) & (np.diff(second.indptr) > 0))
    if len(both) < 3:
        return f"{n} documents with so few words tell hardly anything: take neighbours and topics as chance."
    k = min(NEIGHBOURS, max(1, (len(both) - 1) // 2))
    here, there = (_neighbours(clone(model), half[both], k) for half in (first, second))
    agreed = np.mean([len(set(one) & set(other)) / k for one, other in zip(here, there, strict=True)])
    told = (
        f"{n} documents are few. Two models, each of one half of the words, agree on {agreed:.0%} of the nearest "
        f"documents ({k} of each); chance would be {k / (len(both) - 1):.0%}."
    )
    return f"{told} {HINT}" if n < VERY_FEW else told


def _neighbours(model: Any, rows: Any, k: int) -> NDArray[np.intp]:
    """The nearest other rows of each row, by a model that is fitted to them."""
    with silenced():  # What this model cannot do is no news of the user's model.
        vectors = model.fit(rows).transform(rows)
    found: NDArray[np.intp] = NearestNeighbors(n_neighbors=k).fit(vectors).kneighbors(return_distance=False)
    return found
