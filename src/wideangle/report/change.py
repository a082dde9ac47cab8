"""What the second model changed for each class; of one model, how each class fares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle.documents import Documents
from wideangle.evaluation import ClassRow, classes_with_own_topic, macro_average
from wideangle.evaluation.longtail import head_and_tail_rows
from wideangle.report.longtail import ClassPrecision, LongTail
from wideangle.report.views import View

ClassChange = TypedDict(  # A class would do, but for its first name.
    "ClassChange",
    {
        "class": int | None,  # its label; None where only the second model's documents have it
        "name": str,
        "size": int,  # all its documents, searched or not
        "rare": bool,  # whether it is in the rarer half
        "precision": list[float | None],  # in each model; None where no query is of this class
        "own": list[bool | None],  # whether it has a topic of its own in each model; None where the model has no topics
    },
)


@dataclass(frozen=True)
class Change:
    """The classes in order of falling size, and what is said of them. Lists have one entry per model."""

    k: int
    how: str
    classes: list[ClassChange]
    rarer: list[float | None]
    larger: list[float | None]
    """mean precision over the rarer and the larger half of the classes; None where there are no two classes"""
    all: list[float | None]
    """precision over all queries"""
    headline: str
    own: list[int | None]
    """how many classes of the rarer half have a topic of their own"""
    rare: int
    """how many classes the rarer half has"""


def change_of(
    views: Sequence[View], tails: Sequence[LongTail | None], topics: Sequence[ArrayLike | None]
) -> Change | None:
    """Precision and own topics class by class, in one model or two; None where no model has a precision by class.

    Parameters
    ----------
    views : sequence of one or two View
    tails : sequence of LongTail or None
        What `long_tail` finds in the documents of each view.
    topics : sequence of array or None
        For each view the topic of each of its documents, −1 for none; None where it has no topics.
    """
    measured = [which for which, tail in enumerate(tails) if tail is not None]
    known = [tail for tail in tails if tail is not None]
    if not known:
        return None
    rows = _side_by_side(views, tails)
    table = [_compared(place, [row[which] for which in measured]) for place, row in enumerate(rows)]
    enough = sum(row.queries > 0 for row in table) > 1
    head, tail = head_and_tail_rows(table) if enough else ([], [])
    rare = {row.label for row in tail}
    own = [_own(view.documents, each) for view, each in zip(views, topics, strict=True)]
    classes = [_class(row, place in rare, views, measured[0], own) for place, row in enumerate(rows)]
    classes.sort(key=lambda row: -row["size"])
    rarer, larger = (_means(half, measured, len(views)) for half in (tail, head))
    overall = [None if tail is None else tail.precision for tail in tails]
    return Change(
        k=known[0].k,
        how=" ".join(dict.fromkeys(tail.how for tail in known)),
        classes=classes,
        rarer=rarer,
        larger=larger,
        all=overall,
        headline=(
            change_said([row["precision"] for row in classes], rarer, len(tail))
            if len(known) == 2
            else precision_said(known[0], rarer[measured[0]], larger[measured[0]])
        ),
        own=[
            None if mine is None else sum(bool(row["own"][which]) for row in classes if row["rare"])
            for which, mine in enumerate(own)
        ],
        rare=len(tail),
    )


def change_said(precision: Sequence[Sequence[float | None]], rarer: Sequence[float | None], rare: int) -> str:
    """The change in words, from the precision of each class before and after, and that of the rarer half.

    Examples
    --------
    >>> from wideangle.report.change import change_said
    >>> change_said([[0.6, 0.7], [0.5, 0.4], [0.3, 0.4]], [0.3, 0.4], 1)
    '2 of 3 classes better; rarest class 0.30 → 0.40'
    """
    both = [(before, after) for before, after in precision if before is not None and after is not None]
    if not both:
        return "No class has queries in both models."
    better, equal = sum(b < a for b, a in both), sum(b == a for b, a in both)
    if len(both) == 1:
        word = "better" if better else "unchanged" if equal else "worse"
        return f"The only class that both models are asked for is {word}: {_step(*both[0])}"
    every = "Both" if len(both) == 2 else f"All {len(both)}"
    none = "Neither of 2" if len(both) == 2 else f"None of {len(both)}"
    if equal == len(both):
        said = f"{every} classes unchanged"
    elif better == len(both):
        said = f"{every} classes better"
    else:
        said = (f"{better} of {len(both)}" if better else none) + " classes better"
        said += f", {equal} unchanged" if equal else ""
    before, after = rarer
    if before is None or after is None:
        return said
    return f"{said}; {'rarest class' if rare == 1 else 'rarer half'} {_step(before, after)}"


def precision_said(tail: LongTail, rarer: float | None, larger: float | None) -> str:
    """The precision of one model in words."""
    said = f"Precision at {tail.k}: {_digits(tail.precision)}"
    if rarer is None or larger is None:
        return said
    return f"{said} over all queries; larger half of the classes {_digits(larger)}, rarer half {_digits(rarer)}"


def _step(before: float, after: float) -> str:
    """Two digits, or as many as it takes to see that they differ; what is equal stays at two."""
    digits = next((n for n in (2, 3, 4) if _digits(before, n) != _digits(after, n)), 2)
    return f"{_digits(before, digits)} → {_digits(after, digits)}"


def _digits(value: float, digits: int = 2) -> str:
    """Half is rounded up, as the page's script does: 0.125 is 0.13 in both."""
    return str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def _side_by_side(views: Sequence[View], tails: Sequence[LongTail | None]) -> list[list[ClassPrecision | None]]:
    """The rows of each class in all models. Classes of two models are the same if they have the same name."""
    found: dict[tuple[str, int], list[ClassPrecision | None]] = {}
    for which, tail in enumerate(tails):
        seen: dict[str, int] = {}
        for row in () if tail is None else sorted(tail.classes, key=lambda row: row.number):
            occurrence = seen[row.label] = seen.get(row.label, -1) + 1  # Two classes may have one name.
            found.setdefault((row.label, occurrence), [None] * len(views))[which] = row
    return list(found.values())


def _compared(place: int, rows: Sequence[ClassPrecision | None]) -> ClassRow:
    """One class of the models that know its precision, the first as the baseline. It is asked if all were asked."""
    size = next(row.size for row in rows if row is not None)
    values = [math.nan if row is None or row.precision is None else row.precision for row in rows]
    queries = min(0 if row is None else row.queries for row in rows)
    return ClassRow(place, size, queries, values[-1], math.nan, values[0] if len(rows) == 2 else None, None)


def _class(
    row: Sequence[ClassPrecision | None],
    rare: bool,
    views: Sequence[View],
    first: int,
    own: Sequence[NDArray[np.bool_] | None],
) -> ClassChange:
    labelled = row[first]
    which, known = next((which, each) for which, each in enumerate(row) if each is not None)
    documents = views[which].documents
    assert documents is not None
    assert documents.labels is not None
    return {
        "class": None if labelled is None else labelled.number,
        "name": known.label,
        "size": int((documents.labels == known.number).sum()),
        "rare": rare,
        "precision": [None if each is None else each.precision for each in row],
        "own": [
            None if mine is None else each is not None and bool(mine[each.number])
            for mine, each in zip(own, row, strict=True)
        ],
    }


def _own(documents: Documents | None, topics: ArrayLike | None) -> NDArray[np.bool_] | None:
    if documents is None or documents.labels is None or topics is None:
        return None
    return classes_with_own_topic(topics, documents.labels, int(documents.labels.max()) + 1)


def _means(half: Sequence[ClassRow], measured: Sequence[int], models: int) -> list[float | None]:
    means: list[float | None] = [None] * models
    if half:
        average = macro_average(half)
        means[measured[-1]] = round(average.precision, 4)
        if average.baseline is not None:
            means[measured[0]] = round(average.baseline, 4)
    return means
