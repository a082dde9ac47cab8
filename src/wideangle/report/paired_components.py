"""The components of two models, one beside the other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from wideangle.evaluation import angle_matrix
from wideangle.report.views import PageView


@dataclass(frozen=True)
class ComponentPair:
    """A component of the first model and the one of the second that stands beside it."""

    first: int
    second: int
    angle: float | None
    """in degrees; None where one of them is zero on the shared columns"""
    opposite: bool
    """whether they point away from each other"""


@dataclass(frozen=True)
class Alignment:
    """Which components are paired, the closest pair first."""

    shared: int
    """columns both models know"""
    pairs: list[ComponentPair]
    left_first: list[int]
    """components of the first model that are left without a partner"""
    left_second: list[int]


def align(first: PageView, second: PageView) -> Alignment:
    """Pair components so that the sum of angles is smallest (the Hungarian method), over the columns both know.

    For Boltzmann machines the angles are those of effects. Weights alone would separate topics that read the same,
    because of rare words that neither model has learned.
    """
    here, there = shared_columns(first.vocabulary, second.vocabulary)
    K, L = len(first.components), len(second.components)
    if not len(here):
        return Alignment(0, [], list(range(K)), list(range(L)))
    rows_here, rows_there = (view.components if view.effects is None else view.effects for view in (first, second))
    angles, opposite = _between(rows_here[:, here], rows_there[:, there])
    rows, columns = linear_sum_assignment(np.nan_to_num(angles, nan=90.0))
    pairs = [
        ComponentPair(
            int(i), int(j), None if np.isnan(angles[i, j]) else round(float(angles[i, j]), 1), bool(opposite[i, j])
        )
        for i, j in zip(rows, columns, strict=True)
    ]
    pairs.sort(key=lambda pair: 91.0 if pair.angle is None else pair.angle)
    left_first, left_second = (sorted(set(range(n)) - set(taken.tolist())) for n, taken in ((K, rows), (L, columns)))
    return Alignment(len(here), pairs, left_first, left_second)


def shared_columns(first: list[str], second: list[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The positions in both lists of the words that both have. Of a word that occurs twice, the first counts.

    Examples
    --------
    >>> from wideangle.report.paired_components import shared_columns
    >>> [columns.tolist() for columns in shared_columns(["corn", "wheat", "rate"], ["rate", "oil", "corn"])]
    [[0, 2], [2, 0]]
    """
    where: dict[str, int] = {}
    for number, word in enumerate(second):
        where.setdefault(word, number)
    both = [
        (number, where[word])
        for word, number in {w: n for n, w in reversed(list(enumerate(first)))}.items()
        if word in where
    ]
    both.sort()
    table = np.array(both, dtype=np.intp).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _between(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Angles in degrees between all components of one and of the other, NaN for zeros; and which are opposite."""
    return angle_matrix(np.concatenate([first, second]))[: len(first), len(first) :], first @ second.T < 0
