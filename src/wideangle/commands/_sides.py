"""Which documents query which when a model is evaluated by labels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._wording import number_of
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
    said: tuple[NDArray[Any], NDArray[Any]] | None = None
    """what the model says of the queries and of the database before it is finished; None where nothing finishes it"""

    def labelled(self) -> "Sides":
        """The same without rows that have no class. The protocol says how many these are."""
        if self.asked is None or self.stored is None:
            return self
        asking, searched = self.asked != "", self.stored != ""
        if asking.all() and searched.all():
            return self
        left_out = int((~asking).sum()) + (0 if self.own is not None else int((~searched).sum()))
        place = np.cumsum(searched) - 1  # A row of the database moves to where the rows before it leave room.
        return replace(
            self,
            queries=self.queries[asking],
            asked=self.asked[asking],
            database=self.database[searched],
            stored=self.stored[searched],
            own=None if self.own is None else place[self.own[asking]],
            said=None if self.said is None else (self.said[0][asking], self.said[1][searched]),
            protocol=f"{self.protocol} ({number_of(left_out, 'document')} without a label left out)",
        )

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
            said=None if self.said is None else (self.said[0][chosen], self.said[1]),
            protocol=f"{self.protocol} ({most:,} of {number_of(n, 'query', 'queries')}, drawn at random)",
        )


def choose_sides(view: ModelView, rows: Rows | None) -> Sides | None:
    """Queries from new rows or from the model's own documents; None where there are neither rows nor documents."""
    documents: Documents | None = getattr(view.model, "documents_", None)
    if rows is not None:
        return _with_rows(view, rows, documents)
    if documents is None:
        return None
    stored, classes = _Stored.of(view, documents), documents.classes
    if _has_both(documents):
        said = "held-out documents of the model query those it was fitted on"
        return _split(stored, classes, documents.is_train, said)
    return _among(stored, classes, "each document of the model queries the others, on which it was fitted")


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


@dataclass(frozen=True, eq=False)
class _Stored:
    """Documents as they are compared, and as the model says them if it finishes that."""

    vectors: NDArray[Any]
    said: NDArray[Any] | None

    @classmethod
    def of(cls, view: ModelView, documents: Documents) -> "_Stored":
        return cls(view.comparable(view.vectors(documents)), None if documents.finished else documents.vectors)

    @classmethod
    def of_rows(cls, view: ModelView, X: Any) -> "_Stored":
        said = view.said(X)
        if not view.is_finished:
            return cls(view.comparable(said), None)
        return cls(view.comparable(np.asarray(view.model._finished(said))), said)

    def __getitem__(self, rows: NDArray[np.bool_]) -> "_Stored":
        return _Stored(self.vectors[rows], None if self.said is None else self.said[rows])


def _with_rows(view: ModelView, rows: Rows, documents: Documents | None) -> Sides:
    chosen = held_out(rows)
    queries = _Stored.of_rows(view, rows.X[chosen])
    asked = None if rows.classes is None else rows.classes[chosen]
    what = "the held-out documents" if not chosen.all() else "the documents"
    if documents is None:
        return _among(queries, asked, f"each of {what} of PATH queries the others; the model keeps none")
    stored = _Stored.of(view, documents)
    if _has_both(documents) and _same(queries.vectors, stored.vectors):
        said = "PATH is what the model was made of: its held-out documents query those the model was fitted on"
        return _split(queries, asked, documents.is_train, said)
    train = np.ones(len(documents), dtype=bool) if documents.is_train is None else documents.is_train
    database = stored[train]
    if _same(queries.vectors, database.vectors):
        return _among(queries, asked, "PATH is what the model was fitted on: each of its documents queries the others")
    known = None if documents.classes is None else documents.classes[train]
    return _sides(queries, asked, database, known, f"{what} of PATH query those the model was fitted on")


def _has_both(documents: Documents) -> bool:
    """Whether there are both documents that the model was fitted on and held-out documents."""
    return documents.is_train is not None and bool(documents.is_train.any() and not documents.is_train.all())


def _same(some: NDArray[Any], others: NDArray[Any]) -> bool:
    return some.shape == others.shape and np.allclose(some, others, atol=1e-5)


def _split(stored: _Stored, classes: NDArray[np.str_] | None, train: Any, protocol: str) -> Sides:
    """Held-out documents query the others."""
    asked, known = (None, None) if classes is None else (classes[~train], classes[train])
    return _sides(stored[~train], asked, stored[train], known, protocol)


def _among(stored: _Stored, classes: NDArray[np.str_] | None, protocol: str) -> Sides:
    return _sides(stored, classes, stored, classes, protocol, np.arange(len(stored.vectors)))


def _sides(
    queries: _Stored,
    asked: NDArray[np.str_] | None,
    database: _Stored,
    known: NDArray[np.str_] | None,
    protocol: str,
    own: NDArray[np.intp] | None = None,
) -> Sides:
    said = None if queries.said is None or database.said is None else (queries.said, database.said)
    return Sides(queries.vectors, asked, database.vectors, known, protocol, own, said)
