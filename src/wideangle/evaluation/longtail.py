"""Retrieval class by class, from the frequent classes to the rare."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wideangle._arguments import checked, real, shown
from wideangle.evaluation._inputs import checked_k, checked_labels, checked_vector, shared_codes


@dataclass(frozen=True)
class ClassRow:
    """How one class fares."""

    label: Any
    """the class, or its name where names were given"""
    size: int
    """its members in the database"""
    queries: int
    precision: float
    """mean over its queries; NaN where it has none"""
    ceiling: float
    """min(size, k) / k, what a perfect ranking reaches"""
    baseline: float | None
    """the same mean for the baseline; None where no baseline was given"""
    improvement: float | None
    """(precision − baseline) / baseline; None where the baseline is 0, NaN or absent"""


@dataclass(frozen=True)
class MacroAverage:
    """Means over classes, each class counting once, however many queries it has."""

    classes: int
    """how many classes with queries"""
    precision: float
    baseline: float | None
    improvement: float | None
    """of the means: (precision − baseline) / baseline"""


@dataclass(frozen=True)
class HeadTail:
    """The frequent classes beside the rare ones."""

    head: MacroAverage
    tail: MacroAverage


def class_table(
    query_labels: ArrayLike,
    precision: ArrayLike,
    database_labels: ArrayLike,
    *,
    baseline: ArrayLike | None = None,
    k: int = 100,
    names: Mapping[Any, str] | Sequence[str] | None = None,
) -> tuple[ClassRow, ...]:
    """Mean precision of each class, in order of falling size; classes of equal size in order of their labels.

    Classes without queries are listed with precision NaN, classes that the database lacks with size and ceiling 0.

    Parameters
    ----------
    query_labels : array of shape (n_queries,)
    precision : array of shape (n_queries,)
        What `precision_per_query` returns.
    database_labels : array of shape (n,)
    baseline : array of shape (n_queries,) or None, default=None
        The precision of another representation for the same queries.
    k : int, default=100
        The k of the precision, by which the ceiling is found.
    names : mapping or sequence of str, or None, default=None
        The name of each label: `names[label]`.

    Examples
    --------
    >>> from wideangle.evaluation import class_table
    >>> for row in class_table([0, 0, 1], [0.9, 0.7, 0.3], [0, 0, 0, 1], baseline=[0.8, 0.8, 0.2], k=2,
    ...                        names=["earn", "corn"]):
    ...     print(row.label, row.size, row.queries, round(row.precision, 2), row.ceiling, round(row.improvement, 2))
    earn 3 2 0.8 1.0 0.0
    corn 1 1 0.3 0.5 0.5
    """
    asked = checked_labels(query_labels, "query_labels")
    stored = checked_labels(database_labels, "database_labels")
    classes, codes, stored_codes = shared_codes(asked, stored)
    sizes = np.bincount(stored_codes, minlength=len(classes))
    counts = np.bincount(codes, minlength=len(classes))
    ceilings = np.minimum(sizes, checked_k(k)) / k

    def means(values: ArrayLike, name: str) -> list[float]:
        sums = np.bincount(codes, checked_vector(values, name, len(asked)), minlength=len(classes))
        return [float(total / count) if count else math.nan for total, count in zip(sums, counts, strict=True)]

    ours = means(precision, "precision")
    theirs: Sequence[float | None] = [None] * len(classes) if baseline is None else means(baseline, "baseline")
    labels = classes.tolist()
    called = labels if names is None else [_name_of(label, names) for label in labels]
    return tuple(
        ClassRow(
            called[c],
            int(sizes[c]),
            int(counts[c]),
            ours[c],
            float(ceilings[c]),
            theirs[c],
            _relative(ours[c], theirs[c]),
        )
        for c in np.argsort(-sizes, kind="stable")
    )


def _name_of(label: Any, names: Mapping[Any, str] | Sequence[str]) -> str:
    try:
        name = names[label]
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"names must have a name for each label, and has none for {label!r}.") from error
    if not isinstance(name, str):
        raise TypeError(f"names must be strings; that of {label!r} is {shown(name)}.")
    return name


def _rows(table: Any, name: str) -> list[ClassRow]:
    rows = table if isinstance(table, list | tuple) else []
    if not rows or not all(isinstance(row, ClassRow) for row in rows):
        raise TypeError(f"{name} must be rows that `class_table` made, one or more; got {shown(table)}.")
    return list(rows)


@checked(table=_rows)
def macro_average(table: Sequence[ClassRow]) -> MacroAverage:
    """(1/C) Σ_c precision_c over the C classes that have queries, and the same for the baseline.

    Examples
    --------
    >>> from wideangle.evaluation import class_table, macro_average
    >>> round(macro_average(class_table([0, 0, 1], [0.9, 0.7, 0.3], [0, 0, 0, 1])).precision, 2)
    0.55
    """
    asked = [row for row in table if row.queries]
    if not asked:
        raise ValueError(f"none of the {len(table)} classes of the table has queries: there is nothing to average.")
    precision = math.fsum(row.precision for row in asked) / len(asked)
    known = [row.baseline for row in asked if row.baseline is not None]
    baseline = math.fsum(known) / len(known) if len(known) == len(asked) else None
    return MacroAverage(len(asked), precision, baseline, _relative(precision, baseline))


def head_and_tail(table: Sequence[ClassRow], share: float = 0.5) -> HeadTail:
    """Macro averages of the ⌈share · C⌉ largest of the C classes with queries, and of the rarer rest.

    Where the number of classes is odd, the middle one belongs to the head, so that the tail holds only what is rare.

    Parameters
    ----------
    table : sequence of ClassRow
        What `class_table` returns, in any order.
    share : float, default=0.5
        The share of classes in the head, between 0 and 1. Head and tail have one class at least.

    Examples
    --------
    >>> from wideangle.evaluation import class_table, head_and_tail
    >>> both = head_and_tail(class_table([0, 1, 2], [0.9, 0.7, 0.3], [0, 0, 0, 1, 1, 2]))
    >>> both.head.classes, both.tail.precision
    (2, 0.3)
    """
    head, tail = head_and_tail_rows(table, share)
    return HeadTail(macro_average(head), macro_average(tail))


@checked(table=_rows, share=real(above=0, below=1))
def head_and_tail_rows(table: Sequence[ClassRow], share: float = 0.5) -> tuple[list[ClassRow], list[ClassRow]]:
    """The rows that `head_and_tail` averages: the largest classes with queries, and the rarer rest."""
    asked = sorted((row for row in table if row.queries), key=lambda row: -row.size)
    if len(asked) < 2:
        raise ValueError(f"head and tail need at least 2 classes with queries; got {len(asked)}.")
    # Rounded first, because 0.55 · 20 is a little above 11.
    head = min(math.ceil(round(share * len(asked), 9)), len(asked) - 1)
    return asked[:head], asked[head:]


def _relative(precision: float, baseline: float | None) -> float | None:
    if baseline is None or baseline == 0 or math.isnan(baseline):
        return None
    return (precision - baseline) / baseline
