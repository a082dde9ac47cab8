"""How good a representation is by its labels. Queries may be other documents than the database, or a part of it."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.catalogue import ACCURACY, PAIRS_AND_NEIGHBOURS
from wideangle.commands.work.evaluate.sides import Sides
from wideangle.data.pairs import make_pairs
from wideangle.evaluation import (
    ClassRow,
    class_table,
    head_and_tail,
    kmeans_scores,
    knn_correct,
    nearest_rows,
    pair_average_precision,
    precision_among,
    precision_per_query,
)
from wideangle.view import ModelView

KS = (10, 100)
NEIGHBORS = 3
PAIRS = 10_000  # pairs of either kind for the average precision
RESTARTS = 10


@dataclass(frozen=True)
class PrecisionAt:
    """Precision at k, what a perfect ranking would reach, and precision in the frequent and the rare classes."""

    k: int
    precision: float
    ceiling: float
    head: float | None
    tail: float | None


@dataclass(frozen=True)
class ByLabels:
    """The numbers that need labels."""

    precision: tuple[PrecisionAt, ...]
    knn_accuracy: float | None
    """of a vote of the 3 nearest neighbours"""
    kmeans_accuracy: float
    kmeans_nmi: float
    accuracy: float | None
    """of a network's own predictions"""
    pair_average_precision: float | None
    """for a distance: whether similar pairs rank before dissimilar ones"""
    classes: tuple[ClassRow, ...]
    """precision of each class, at the smaller k"""


def by_labels(view: ModelView, sides: Sides) -> ByLabels | None:
    """All numbers that need labels; None where labels are missing or all the same."""
    asked, stored = sides.asked, sides.stored
    if asked is None or stored is None or not len(asked) or len(np.unique(stored)) < 2:
        return None
    neighbours = len(stored) - (sides.own is not None)
    tables = {k: _classes(sides, k) for k in KS if k <= neighbours}
    queries = sides.queries[:]
    kmeans = kmeans_scores(queries, asked, restarts=RESTARTS)
    measures = view.entry.measures
    return ByLabels(
        tuple(_precision(sides, table, k) for k, table in tables.items()),
        _knn(sides) if neighbours >= NEIGHBORS else None,
        kmeans.accuracy,
        kmeans.nmi,
        _accuracy(view.model, queries, np.array(sides.names)[asked]) if ACCURACY in measures else None,
        _pair_precision(queries, asked) if PAIRS_AND_NEIGHBOURS in measures else None,
        next(iter(tables.values()), ()),
    )


def _classes(sides: Sides, k: int) -> tuple[ClassRow, ...]:
    asked, stored = sides.asked, sides.stored
    assert asked is not None
    assert stored is not None
    if sides.own is None:
        each = precision_per_query(sides.queries, asked, sides.database, stored, k)
        return class_table(asked, each, stored, k=k, names=sides.names)
    each = precision_among(sides.database, stored, k, asking=sides.own)
    rows = class_table(asked, each, stored, k=k, names=sides.names)
    # A query cannot find itself, so a perfect ranking finds one document of its class less.
    return tuple(replace(row, ceiling=min(max(row.size - 1, 0), k) / k) for row in rows)


def _precision(sides: Sides, table: tuple[ClassRow, ...], k: int) -> PrecisionAt:
    asked = [row for row in table if row.queries]
    # A class of which only some queries were drawn counts with all of them.
    every = None if sides.members is None else dict(zip(sides.names, sides.members.tolist(), strict=True))
    weights = [row.queries if every is None else every[row.label] for row in asked]
    halves = head_and_tail(table) if len(asked) > 1 else None
    return PrecisionAt(
        k,
        float(np.average([row.precision for row in asked], weights=weights)),
        float(np.average([row.ceiling for row in asked], weights=weights)),
        None if halves is None else halves.head.precision,
        None if halves is None else halves.tail.precision,
    )


def _knn(sides: Sides) -> float:
    asked, stored = sides.asked, sides.stored
    assert asked is not None
    assert stored is not None
    if sides.own is None:
        right = knn_correct(sides.database, stored, sides.queries, asked, NEIGHBORS)
    else:
        right = majority(stored[_others(sides, NEIGHBORS)]) == asked
    return float(np.average(right, weights=sides.weights))


def _others(sides: Sides, k: int) -> NDArray[np.intp]:
    """The k rows nearest to each query that are not the query itself."""
    assert sides.own is not None
    rows = nearest_rows(sides.queries, sides.database, k + 1).rows
    other = rows != sides.own[:, None]
    # Among more than k equal rows the query's own row may be missing. Then the last row is one too many.
    other[other.all(axis=1), -1] = False
    return rows[other].reshape(len(rows), k)


def majority(votes: NDArray[Any]) -> NDArray[Any]:
    """The class of most neighbours, which come nearest first. A tie is decided without the last one, and so on."""
    chosen = votes[:, 0].copy()
    undecided = np.arange(len(votes))
    for places in range(votes.shape[1], 0, -1):
        some = votes[undecided, :places]
        backing = (some[:, :, None] == some[:, None, :]).sum(axis=1)
        leading = backing == backing.max(axis=1, keepdims=True)
        first = some[np.arange(len(some)), leading.argmax(axis=1)]
        tied = (leading & (some != first[:, None])).any(axis=1)
        chosen[undecided[~tied]] = first[~tied]
        undecided = undecided[tied]
    return chosen


def _accuracy(model: Any, vectors: NDArray[Any], classes: NDArray[np.str_]) -> float | None:
    """The accuracy of the model's own predictions, if it can make them from the result of `transform`."""
    if not hasattr(model, "predict_transformed"):
        return None
    return float(np.mean(model.predict_transformed(vectors).astype(str) == classes))


def _pair_precision(vectors: NDArray[Any], classes: NDArray[Any]) -> float | None:
    _, sizes = np.unique(classes, return_counts=True)
    if len(sizes) < 2 or sizes.max() < 2:
        return None
    pairs = make_pairs(classes, PAIRS, PAIRS)
    distances = np.linalg.norm(vectors[pairs.indices[:, 0]] - vectors[pairs.indices[:, 1]], axis=1)
    return pair_average_precision(distances, pairs.similar > 0)
