"""The angles between the components of a model, and one order of components for two models."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation import angle_matrix, angle_summary, redundant_pairs
from wideangle.evaluation.diversity import NEAR
from wideangle.report.paired_components import align
from wideangle.report.views import PageView

MOST_DOUBLES = 300
MOST_ORDERED = 1000  # To order leaves takes seconds for more components; then the tree's own order is taken.


@dataclass(frozen=True)
class Angles:
    """The angles of all pairs in degrees. What is under the limit stays under it, also where it is rounded."""

    kind: str
    """whose angles they are, in words that follow "angles" """
    mean: float | None
    smallest: float | None
    """None where there is no pair"""
    redundant: int
    """pairs under the limit"""
    dead: int
    """components without a direction"""
    matrix: str
    """base64 of K×K little-endian float32; NaN where a component has no direction"""
    order: list[int]
    """the components as the rows and columns are drawn"""
    doubles: list[tuple[int, int, float]]
    """the pairs under the limit, the closest first; no more than a page can list"""


def page_angles(view: PageView, order: Sequence[int] | None = None, *, degrees: float = NEAR) -> Angles:
    """What the page tells about the angles of one model. The default order is the model's own."""
    rows = view.angular.rows
    found = angle_summary(rows, degrees)
    pairs = redundant_pairs(rows, degrees)
    matrix = _on_their_side(angle_matrix(rows), pairs, degrees)
    return Angles(
        kind=view.angular.kind,
        mean=None if np.isnan(found.mean) else round(found.mean, 4),
        smallest=None if np.isnan(found.smallest) else _rounded(found.smallest, degrees),
        redundant=found.redundant,
        dead=found.dead,
        matrix=base64.b64encode(matrix.astype("<f4").tobytes()).decode(),
        order=component_order(view) if order is None else [int(number) for number in order],
        doubles=[(int(i), int(j), _rounded(float(matrix[i, j]), degrees)) for i, j in pairs[:MOST_DOUBLES]],
    )


def component_order(view: PageView) -> list[int]:
    """An order of the components in which close ones are neighbours; those without a direction come last.

    It is an order of the leaves of the tree of average linkage, with small angles between neighbours. SciPy's
    is not quite the best of these orders (its issue 11227), but near enough for a picture.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    angles = angle_matrix(view.angular.rows)
    with_direction = ~np.isnan(np.diag(angles))
    alive, dead = np.flatnonzero(with_direction), np.flatnonzero(~with_direction)
    if len(alive) > 2:
        apart = squareform(angles[np.ix_(alive, alive)], checks=False)
        alive = alive[leaves_list(linkage(apart, "average", optimal_ordering=len(alive) <= MOST_ORDERED))]
    return [*alive.tolist(), *dead.tolist()]


def common_order(first: PageView, second: PageView) -> tuple[list[int], list[int]]:
    """The first model's order, and the second's components in the order of their partners in the first.

    Components of the second model that have no partner come last. Models without a common column have each its own
    order.
    """
    order = component_order(first)
    alignment = align(first, second)
    if not alignment.shared:
        return order, component_order(second)
    partner = {pair.first: pair.second for pair in alignment.pairs}
    return order, [*(partner[number] for number in order if number in partner), *alignment.left_second]


def _on_their_side(angles: NDArray[np.float64], pairs: NDArray[np.intp], degrees: float) -> NDArray[np.float32]:
    """The angles as float32, where rounding could take a pair across the limit and make counts disagree."""
    matrix = angles.astype(np.float32)
    limit = np.float32(degrees)
    under = np.eye(len(matrix), dtype=bool)
    under[pairs[:, 0], pairs[:, 1]] = under[pairs[:, 1], pairs[:, 0]] = True
    below = np.nextafter(limit, np.float32(0))
    return np.where(under, np.minimum(matrix, below), np.maximum(matrix, limit))


def _rounded(angle: float, degrees: float) -> float:
    return math.floor(angle * 1e4) / 1e4 if angle < degrees else round(angle, 4)
