"""Which documents query which when a model is evaluated by labels."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._blocks import parts
from wideangle._rare_groups import first_of_each
from wideangle._rows import RowMatrix, made_rows, on_disk, row_blocks, some_rows
from wideangle._wording import number_of
from wideangle.documents import NO_LABEL, Documents
from wideangle.reading import Rows
from wideangle.view import ModelView

SAME_DECIMALS = 4  # Representations of one document agree in so many decimals, whatever was transformed with it.


@dataclass(frozen=True, eq=False)
class Sides:
    """The representations of the queries and of the searched documents, with their classes.

    They are compared by Euclidean distance.
    """

    queries: RowMatrix
    asked: NDArray[np.int32] | None
    """the class of each query, a number of `names`; `NO_LABEL` where it has none"""
    database: RowMatrix
    stored: NDArray[np.int32] | None
    names: tuple[str, ...]
    """what the classes are called, in the order of their names"""
    protocol: str
    """which documents query which, for people"""
    own: NDArray[np.intp] | None = None
    """for each query its own row of the database; None where the queries are other documents"""
    said: tuple[RowMatrix, RowMatrix] | None = None
    """what the model says of the queries and of the database before it is finished; None where nothing finishes it"""
    members: NDArray[np.intp] | None = None
    """how many queries of each class there were before some were drawn; None: these are all"""

    def labelled(self) -> "Sides":
        """The same without rows that have no class. The protocol says how many these are."""
        if self.asked is None or self.stored is None:
            return self
        asking, searched = self.asked != NO_LABEL, self.stored != NO_LABEL
        if asking.all() and searched.all():
            return self
        left_out = int((~asking).sum()) + (0 if self.own is not None else int((~searched).sum()))
        place = np.cumsum(searched) - 1  # A row of the database moves to where the rows before it leave room.
        return replace(
            self,
            queries=some_rows(self.queries, asking),
            asked=self.asked[asking],
            database=some_rows(self.database, searched),
            stored=self.stored[searched],
            own=None if self.own is None else place[self.own[asking]],
            said=None if self.said is None else (some_rows(self.said[0], asking), some_rows(self.said[1], searched)),
            protocol=f"{self.protocol} ({number_of(left_out, 'document')} without a label left out)",
        )

    def sampled(self, most: int, seed: int = 0, *, of_each_class: int = 0) -> "Sides":
        """The same with at most so many queries, drawn at random. The protocol says so.

        Of each class `of_each_class` queries are among them, or all that it has. They are fewer where they would be
        more than half of the queries that are drawn.
        """
        n = len(self.queries)
        if n <= most:
            return self
        shuffled = np.random.default_rng(seed).permutation(n)
        members, also = None, ""
        if self.asked is not None and of_each_class:
            members = np.bincount(self.asked, minlength=len(self.names))
            each = min(of_each_class, most // (2 * max(1, int((members > 0).sum()))))
            first = first_of_each(self.asked[shuffled], each)
            shuffled = np.concatenate([shuffled[first], shuffled[~first]])
            also = f", {each} of each class at least where it has so many" if each else ""
        chosen = np.sort(shuffled[:most])
        return replace(
            self,
            queries=self.queries[chosen],
            asked=None if self.asked is None else self.asked[chosen],
            own=None if self.own is None else self.own[chosen],
            said=None if self.said is None else (self.said[0][chosen], self.said[1]),
            members=members,
            protocol=f"{self.protocol} ({most:,} of {number_of(n, 'query', 'queries')}, drawn at random{also})",
        )

    @property
    def weights(self) -> NDArray[np.float64]:
        """How many queries each one stands for: those of its class, shared among the ones that were drawn."""
        if self.members is None or self.asked is None:
            return np.ones(len(self.queries))
        return (self.members / np.maximum(np.bincount(self.asked, minlength=len(self.members)), 1))[self.asked]


def choose_sides(view: ModelView, rows: Rows | None, said_of_rows: NDArray[Any] | None = None) -> Sides | None:
    """Queries from new rows or from the model's own documents; None where there are neither rows nor documents.

    `said_of_rows` is what the model says of the new rows, where that is known already.
    """
    documents: Documents | None = getattr(view.model, "documents_", None)
    if rows is not None:
        return _with_rows(view, rows, documents, said_of_rows)
    if documents is None:
        return None
    stored = _Stored.of(view, documents)
    names = _names_of(documents)
    classes = _numbers_of(documents, names)
    if _has_both(documents):
        said = "held-out documents of the model query those it was fitted on"
        return _split(stored, classes, documents.is_train, names, said)
    return _among(stored, classes, names, "each document of the model queries the others, on which it was fitted")


def held_out(rows: Rows) -> NDArray[np.bool_]:
    """The rows that are queries: those that their file keeps from training, or all."""
    every = np.ones(len(rows), dtype=bool)
    return every if rows.is_train is None or rows.is_train.all() else ~rows.is_train


def count_same_as_searched(sides: Sides) -> int:
    """How many queries have the same representation as a searched row. They may be the same documents."""
    if sides.own is not None:
        return 0
    asked = _fingerprints(sides.queries[:])
    found = np.zeros(len(asked), dtype=bool)
    for block in row_blocks(sides.database):
        found |= np.isin(asked, _fingerprints(block))
    return int(found.sum())


def _fingerprints(rows: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each row. Rows that agree in the first decimals have the same, and others have others."""
    factors = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=rows.shape[1])
    rounded = np.rint(np.asarray(rows, dtype=np.float64) * 10.0**SAME_DECIMALS).astype(np.int64)
    return np.asarray((rounded * factors).sum(axis=1))  # Sums of whole numbers are exact, but for what overflows.


@dataclass(frozen=True, eq=False)
class _Stored:
    """Documents as they are compared, and as the model says them if it finishes that."""

    vectors: RowMatrix
    said: RowMatrix | None

    @classmethod
    def of(cls, view: ModelView, documents: Documents) -> "_Stored":
        said = None if documents.finished else made_rows(documents.vectors)
        return cls(on_disk(view.comparable(view.rows(documents))), said)  # They are searched again and again.

    @classmethod
    def of_rows(cls, view: ModelView, X: Any, said: NDArray[Any] | None) -> "_Stored":
        said = view.said(X) if said is None else said
        if not view.is_finished:
            return cls(view.comparable(said), None)
        return cls(view.comparable(np.asarray(view.model._finished(said))), said)

    def __getitem__(self, rows: NDArray[np.bool_]) -> "_Stored":
        return _Stored(some_rows(self.vectors, rows), None if self.said is None else some_rows(self.said, rows))


def _with_rows(view: ModelView, rows: Rows, documents: Documents | None, said: NDArray[Any] | None) -> Sides:
    chosen = held_out(rows)
    queries = _Stored.of_rows(view, rows.X[chosen], None if said is None else said[chosen])
    told = None if rows.classes is None else rows.classes[chosen]
    names = _names_of(documents, () if told is None else told.tolist())
    number = {name: place for place, name in enumerate(names)} | {"": NO_LABEL}
    asked = None if told is None else np.array([number[name] for name in told.tolist()], dtype=np.int32)
    what = "the held-out documents" if not chosen.all() else "the documents"
    if documents is None:
        return _among(queries, asked, names, f"each of {what} of PATH queries the others; the model keeps none")
    stored = _Stored.of(view, documents)
    if _has_both(documents) and _same(queries.vectors, stored.vectors):
        protocol = "PATH is what the model was made of: its held-out documents query those the model was fitted on"
        return _split(queries, asked, documents.is_train, names, protocol)
    train = np.ones(len(documents), dtype=bool) if documents.is_train is None else documents.is_train
    database = stored if train.all() else stored[train]
    if _same(queries.vectors, database.vectors):
        protocol = "PATH is what the model was fitted on: each of its documents queries the others"
        return _among(queries, asked, names, protocol)
    classes = _numbers_of(documents, names)
    known = None if classes is None else classes[train]
    return _sides(queries, asked, database, known, names, f"{what} of PATH query those the model was fitted on")


def _names_of(documents: Documents | None, others: Iterable[str] = ()) -> tuple[str, ...]:
    """The names of all classes of the documents, and others, in their order."""
    labels = None if documents is None else documents.labels
    found = set(others) - {""}
    if documents is not None and labels is not None:
        found |= {documents.class_name(label) for label in np.flatnonzero(np.bincount(labels - NO_LABEL)[1:])}
    return tuple(sorted(found))


def _numbers_of(documents: Documents, names: tuple[str, ...]) -> NDArray[np.int32] | None:
    """The class of each document as a number of `names`. Millions of names would fill the memory."""
    if documents.labels is None:
        return None
    number = {name: place for place, name in enumerate(names)}
    known = [number.get(documents.class_name(label), NO_LABEL) for label in range(int(documents.labels.max()) + 1)]
    return np.array([*known, NO_LABEL], dtype=np.int32)[documents.labels]  # No class, which is −1, takes the last.


def _has_both(documents: Documents) -> bool:
    """Whether there are both documents that the model was fitted on and held-out documents."""
    return documents.is_train is not None and bool(documents.is_train.any() and not documents.is_train.all())


def _same(some: RowMatrix, others: RowMatrix) -> bool:
    if some.shape != others.shape:
        return False
    return all(np.allclose(some[part], others[part], atol=1e-5) for part in parts(len(some), some, others))


def _split(
    stored: _Stored, classes: NDArray[np.int32] | None, train: Any, names: tuple[str, ...], protocol: str
) -> Sides:
    """Held-out documents query the others."""
    asked, known = (None, None) if classes is None else (classes[~train], classes[train])
    return _sides(stored[~train], asked, stored[train], known, names, protocol)


def _among(stored: _Stored, classes: NDArray[np.int32] | None, names: tuple[str, ...], protocol: str) -> Sides:
    return _sides(stored, classes, stored, classes, names, protocol, np.arange(len(stored.vectors)))


def _sides(
    queries: _Stored,
    asked: NDArray[np.int32] | None,
    database: _Stored,
    known: NDArray[np.int32] | None,
    names: tuple[str, ...],
    protocol: str,
    own: NDArray[np.intp] | None = None,
) -> Sides:
    said = None if queries.said is None or database.said is None else (queries.said, database.said)
    return Sides(queries.vectors, asked, database.vectors, known, names, protocol, own, said)
