"""What the second model changed for each class; of one model, how each class fares."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle.documents import Documents
from wideangle.evaluation import ClassRow, classes_with_own_topic, macro_average
from wideangle.evaluation.longtail import head_and_tail_rows
from wideangle.report.longtail import ClassPrecision, LongTail
from wideangle.report.same_documents import same_documents
from wideangle.report.sentences import change_said, precision_said
from wideangle.report.verdicts import Verdict, paired_differences, verdict, verdicts_of_classes
from wideangle.report.views import PageView

NOT_EQUAL = 1.5  # Classes have a rarer half where those of the larger half are so many times as large, in the mean.

ClassChange = TypedDict(  # A class would do, but for its first name.
    "ClassChange",
    {
        "class": int | None,  # its label; None where only the second model's documents have it
        "name": str,
        "size": int,  # all its documents, searched or not
        "rare": bool,  # whether it is in the rarer half
        "precision": list[float | None],  # in each model; None where no query is of this class
        "own": list[bool | None],  # whether it has a topic of its own in each model; None where the model has no topics
        "verdict": Verdict | None,  # None where its documents were not compared one by one
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
    """mean precision over the rarer and the larger half of the classes; None where there are no such halves"""
    all: list[float | None]
    """precision over all queries"""
    headline: str
    own: list[int | None]
    """how many classes of the rarer half have a topic of their own"""
    rare: int
    """how many classes the rarer half has; 0 where all are about equally large"""
    verdict: Verdict | None
    verdict_larger: Verdict | None
    verdict_rarer: Verdict | None
    """over all queries, and those of the halves; None where not the same documents query both models"""
    verdict_own: Verdict | None
    """of the rare classes that won a topic of their own and those that lost it; None where one model has no topics"""


def change_of(
    views: Sequence[PageView], tails: Sequence[LongTail | None], topics: Sequence[ArrayLike | None]
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
    head, tail = _halves(table)
    rare = {row.label for row in tail}
    own = [_own(view.documents, each) for view, each in zip(views, topics, strict=True)]
    gains = paired_differences(tails) if same_documents(views) else None
    classes = [_class(row, place in rare, views, measured[0], own) for place, row in enumerate(rows)]
    classes.sort(key=lambda row: -row["size"])
    rarer, larger = (_means(half, measured, len(views)) for half in (tail, head))
    overall = [None if tail is None else tail.precision for tail in tails]
    over_all = of_larger = of_rarer = None
    if gains is not None:
        labels = _labels_of_queries(views[0].documents, known[0])
        _judge(classes, gains, labels)
        over_all = verdict(gains, _gain(overall))
        is_rare = np.isin(labels, [row["class"] for row in classes if row["rare"] and row["class"] is not None])
        if tail:
            of_larger, of_rarer = verdict(gains[~is_rare], _gain(larger)), verdict(gains[is_rare], _gain(rarer))
    return Change(
        k=known[0].k,
        how=" ".join(dict.fromkeys(tail.how for tail in known)),
        classes=classes,
        rarer=rarer,
        larger=larger,
        all=overall,
        headline=(
            change_said(known[0].k, overall, over_all, [row["verdict"] for row in classes], rarer, of_rarer, len(tail))
            if len(known) == 2
            else precision_said(known[0], rarer[measured[0]], larger[measured[0]])
        ),
        own=[
            None if mine is None else sum(bool(row["own"][which]) for row in classes if row["rare"])
            for which, mine in enumerate(own)
        ],
        rare=len(tail),
        verdict=over_all,
        verdict_larger=of_larger,
        verdict_rarer=of_rarer,
        verdict_own=_own_verdict([row["own"] for row in classes if row["rare"]]),
    )


def _gain(precision: Sequence[float | None]) -> float | None:
    before, after = precision
    return None if before is None or after is None else after - before


def _halves(table: Sequence[ClassRow]) -> tuple[list[ClassRow], list[ClassRow]]:
    """The larger and the rarer half of the classes; none where there is one class, or all are about equally large."""
    if sum(row.queries > 0 for row in table) < 2:
        return [], []
    head, tail = head_and_tail_rows(table)
    large, small = (sum(row.size for row in half) / len(half) for half in (head, tail))
    return (head, tail) if large >= NOT_EQUAL * small else ([], [])


def _own_verdict(own: Sequence[Sequence[bool | None]]) -> Verdict | None:
    """Whether more classes won a topic of their own than lost it, or chance shuffled them."""
    won = [float(each[1]) - float(each[0]) for each in own if len(each) == 2 and None not in each]  # type: ignore[arg-type]
    return verdict(np.array(won)) if won else None


def _judge(classes: Sequence[ClassChange], gains: NDArray[np.float64], labels: NDArray[np.int64]) -> None:
    """Enter the verdict of each class that has queries."""
    asked = [row for row in classes if (labels == row["class"]).any()]
    for row, found in zip(asked, verdicts_of_classes([gains[labels == row["class"]] for row in asked]), strict=True):
        row["verdict"] = found


def _labels_of_queries(documents: Documents | None, tail: LongTail) -> NDArray[np.int64]:
    assert documents is not None
    assert documents.labels is not None
    return documents.labels[tail.asked]


def _side_by_side(views: Sequence[PageView], tails: Sequence[LongTail | None]) -> list[list[ClassPrecision | None]]:
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
    views: Sequence[PageView],
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
        "verdict": None,
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
