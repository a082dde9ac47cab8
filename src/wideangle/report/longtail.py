"""How well the documents of each class find one another, in frequent and in rare classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import some_rows
from wideangle.documents import NO_LABEL, Documents
from wideangle.evaluation import class_table, precision_among, precision_per_query
from wideangle.report.drawn_documents import drawn_rows

NEIGHBOURS = 10
MOST_QUERIES = 3000
MOST_SEARCHED = 500_000  # Of fewer, rare classes of millions of documents would have none.


@dataclass(frozen=True)
class ClassPrecision:
    """One class of one model."""

    number: int
    """what the documents' labels call it"""
    label: str
    size: int
    """how many of the documents that are searched are of this class"""
    queries: int
    precision: float | None
    """None where no query is of this class"""


@dataclass(frozen=True, eq=False)
class LongTail:
    """Precision class by class, in order of falling size, and how it was measured."""

    k: int
    classes: list[ClassPrecision]
    precision: float
    """over all documents that may query; a class of which only some were drawn counts with all its documents"""
    how: str
    asked: NDArray[np.intp]
    """the documents that query"""
    of_each: NDArray[np.float64]
    """the precision of each of them"""


def long_tail(documents: Documents | None, *, k: int = NEIGHBOURS, seed: int = 0) -> LongTail | None:
    """The share of a document's k nearest that are of its class, per class; None without labels or neighbours.

    Held-out documents query the training documents. Where all documents are of one kind, each queries the others.
    """
    if documents is None or documents.labels is None:
        return None
    generator = np.random.default_rng(seed)
    everyone = np.flatnonzero(documents.labels != NO_LABEL)
    is_train = np.ones(len(everyone), dtype=bool) if documents.is_train is None else documents.is_train[everyone]
    split = bool(0 < is_train.sum() < len(everyone))
    held_out = everyone[~is_train] if split else everyone
    stored = everyone[is_train] if split else everyone
    searched = drawn_rows(stored, None, MOST_SEARCHED, generator)
    asking = drawn_rows(held_out if split else searched, documents.labels, MOST_QUERIES, generator)
    k = min(k, len(searched) - (0 if split else 1))
    if k < 1 or not len(asking):
        return None
    labels, vectors = documents.labels, documents.vectors
    if split:
        precision = precision_per_query(
            vectors[asking], labels[asking], some_rows(vectors, searched), labels[searched], k
        )
    else:
        places = np.searchsorted(searched, asking)  # Every query is among `searched`, which is sorted.
        precision = precision_among(some_rows(vectors, searched), labels[searched], k, asking=places)
    table = class_table(labels[asking], precision, labels[searched], k=k)
    classes = [
        ClassPrecision(
            int(row.label),
            documents.class_name(row.label),
            row.size,
            row.queries,
            round(row.precision, 4) if row.queries else None,
        )
        for row in table
    ]
    members = np.bincount(labels[held_out], minlength=int(labels.max()) + 1)
    overall = np.average(precision, weights=_weights(labels[asking], members))
    how = _how(len(asking), len(held_out), len(searched), len(stored), split=split)
    return LongTail(k, classes, round(float(overall), 4), how, asking, precision)


def _how(asking: int, may_ask: int, searched: int, stored: int, *, split: bool) -> str:
    """Which documents query which, in words. Without a split no document queries itself: its others are one fewer."""
    asked = f"{asking:,}" + (f" of {may_ask:,}" if asking < may_ask else "")
    itself = 0 if split else 1
    found = f"{searched - itself:,} of the {stored - itself:,}" if searched < stored else f"the {stored - itself:,}"
    kind, which = ("held-out ", "training documents") if split else ("", "others")
    sampled = ", drawn with a fixed seed, rare classes whole" if asking < may_ask or searched < stored else ""
    return f"{asked} {kind}documents query {found} {which}{sampled}."


def _weights(asked: NDArray[np.int64], members: NDArray[np.intp]) -> NDArray[np.float64]:
    """How many documents each query stands for: the members of its class, shared among the queries of the class."""
    return (members / np.maximum(np.bincount(asked, minlength=len(members)), 1))[asked]
