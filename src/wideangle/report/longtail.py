"""How well the documents of each class find one another, in frequent and in rare classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle.documents import Documents
from wideangle.evaluation import class_table, precision_among, precision_per_query
from wideangle.report.sampling import drawn_rows

NEIGHBOURS = 10
MOST_QUERIES = 3000
MOST_SEARCHED = 20_000


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


@dataclass(frozen=True)
class LongTail:
    """Precision class by class, in order of falling size, and how it was measured."""

    k: int
    classes: list[ClassPrecision]
    precision: float
    """over all documents that may query; a class of which only some were drawn counts with all its documents"""
    how: str


def long_tail(documents: Documents | None, *, k: int = NEIGHBOURS, seed: int = 0) -> LongTail | None:
    """The share of a document's k nearest that are of its class, per class; None without labels or neighbours.

    Held-out documents query the training documents. Where all documents are of one kind, each queries the others.
    """
    if documents is None or documents.labels is None:
        return None
    generator = np.random.default_rng(seed)
    everyone = np.arange(len(documents))
    split = documents.is_train is not None and 0 < documents.is_train.sum() < len(documents)
    held_out = everyone[~documents.is_train] if split else everyone  # type: ignore[operator]
    stored = everyone[documents.is_train] if split else everyone
    searched = drawn_rows(stored, None, MOST_SEARCHED, generator)
    asking = drawn_rows(held_out if split else searched, documents.labels, MOST_QUERIES, generator)
    k = min(k, len(searched) - (0 if split else 1))
    if k < 1 or not len(asking):
        return None
    labels, vectors = documents.labels, documents.vectors
    if split:
        precision = precision_per_query(vectors[asking], labels[asking], vectors[searched], labels[searched], k)
    else:
        places = np.searchsorted(searched, asking)  # Every query is among `searched`, which is sorted.
        precision = precision_among(vectors[searched], labels[searched], k, asking=places)
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
    asked = f"{len(asking):,}" + (f" of {len(held_out):,}" if len(asking) < len(held_out) else "")
    found = f"{len(searched):,}" + (f" of {len(stored):,}" if len(searched) < len(stored) else "")
    how = (
        f"{asked} held-out documents query {found} training documents"
        if split
        else f"{asked} documents query the {found} others"
    )
    sampled = len(asking) < len(held_out) or len(searched) < len(stored)
    how += ", drawn with a fixed seed, rare classes whole." if sampled else "."
    return LongTail(k, classes, round(float(overall), 4), how)


def _weights(asked: NDArray[np.int64], members: NDArray[np.intp]) -> NDArray[np.float64]:
    """How many documents each query stands for: the members of its class, shared among the queries of the class."""
    return (members / np.maximum(np.bincount(asked, minlength=len(members)), 1))[asked]
