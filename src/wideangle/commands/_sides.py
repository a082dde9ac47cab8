"""Which documents query which when a model is evaluated by labels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import Documents
from wideangle.reading import Rows
from wideangle.view import ModelView

SAME_DECIMALS = 4  # Representations of one document agree in so many decimals, whatever was transformed with it.


@dataclass(frozen=True, eq=False)
class Sides:
    """The representations of the queries and of the searched documents, with their classes.

    They are compared by Euclidean distance.
    """

    queries: NDArray[Any]
    asked: NDArray[np.str_] | None
    """classes of the queries"""
    database: NDArray[Any]
    stored: NDArray[np.str_] | None
    protocol: str
    """which documents query which, for people"""
    own: NDArray[np.intp] | None = None
    """for each query its own row of the database; None where the queries are other documents"""

    def sampled(self, most: int, seed: int = 0) -> "Sides":
        """The same with at most so many queries, drawn at random. The protocol says so."""
        n = len(self.queries)
        if n <= most:
            return self
        chosen = np.sort(np.random.default_rng(seed).permutation(n)[:most])
        return replace(
            self,
            queries=self.queries[chosen],
            asked=None if self.asked is None else self.asked[chosen],
            own=None if self.own is None else self.own[chosen],
            protocol=f"{self.protocol} ({most:,} of {n:,} queries, drawn at random)",
        )


def choose_sides(view: ModelView, rows: Rows | None) -> Sides | None:
    """Queries from new rows or from the model's own documents; None where there are neither rows nor documents."""
    documents: Documents | None = getattr(view.model, "documents_", None)
    if rows is not None:
        return _with_rows(view, rows, documents)
    if documents is None:
        return None
    classes, vectors = documents.classes, view.comparable(documents.vectors)
    if _has_both(documents):
        said = "held-out documents of the model query those it was fitted on"
        return _split(vectors, classes, documents.is_train, said)
    return _among(vectors, classes, "each document of the model queries the others, on which it was fitted")


def held_out(rows: Rows) -> NDArray[np.bool_]:
    """The rows that are queries: those that their file keeps from training, or all."""
    every = np.ones(len(rows), dtype=bool)
    return every if rows.is_train is None or rows.is_train.all() else ~rows.is_train


def count_same_as_searched(sides: Sides) -> int:
    """How many queries have the same representation as a searched row. They may be the same documents."""
    if sides.own is not None:
        return 0
    known = {row.tobytes() for row in np.round(sides.database, SAME_DECIMALS) + 0.0}  # 0.0 turns −0 into 0.
    return sum(row.tobytes() in known for row in np.round(sides.queries, SAME_DECIMALS) + 0.0)


def _with_rows(view: ModelView, rows: Rows, documents: Documents | None) -> Sides:
    chosen = held_out(rows)
    queries = view.comparable(view.represent(rows.X[chosen]))
    asked = None if rows.classes is None else rows.classes[chosen]
    what = "the held-out documents" if not chosen.all() else "the documents"
    if documents is None:
        return _among(queries, asked, f"each of {what} of PATH queries the others; the model keeps none")
    vectors = view.comparable(documents.vectors)
    if _has_both(documents) and _same(queries, vectors):
        said = "PATH is what the model was made of: its held-out documents query those the model was fitted on"
        return _split(queries, asked, documents.is_train, said)
    train = np.ones(len(documents), dtype=bool) if documents.is_train is None else documents.is_train
    database, classes = vectors[train], documents.classes
    if _same(queries, database):
        return _among(queries, asked, "PATH is what the model was fitted on: each of its documents queries the others")
    stored = None if classes is None else classes[train]
    return Sides(queries, asked, database, stored, f"{what} of PATH query those the model was fitted on")


def _has_both(documents: Documents) -> bool:
    """Whether there are both documents that the model was fitted on and held-out documents."""
    return documents.is_train is not None and bool(documents.is_train.any() and not documents.is_train.all())


def _same(some: NDArray[Any], others: NDArray[Any]) -> bool:
    return some.shape == others.shape and np.allclose(some, others, atol=1e-5)


def _split(vectors: NDArray[Any], classes: NDArray[np.str_] | None, is_train: Any, protocol: str) -> Sides:
    asked, stored = (None, None) if classes is None else (classes[~is_train], classes[is_train])
    return Sides(vectors[~is_train], asked, vectors[is_train], stored, protocol)


def _among(vectors: NDArray[Any], classes: NDArray[np.str_] | None, protocol: str) -> Sides:
    return Sides(vectors, classes, vectors, classes, protocol, np.arange(len(vectors)))
