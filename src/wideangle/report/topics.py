"""The components of one model, reduced to what a page needs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from wideangle.documents import Documents
from wideangle.evaluation import angle_matrix, angle_summary, redundant_pairs
from wideangle.report.layout import place
from wideangle.report.views import Floats, View
from wideangle.view import Directions, first_columns

TOP, AGAINST = 50, 8  # So many words of the largest and of the most negative weight are listed per component.
NEAREST, EXAMPLES = 8, 5
MOST_LINKS = 300  # At most this many near-duplicate pairs are drawn on the map.
BINS = 36
FOR_WORD, AGAINST_WORD = 6, 2  # So many components of positive and of negative weight are kept per word,
USUAL_WORDS = 10_000  # and fewer where the vocabulary is larger than this, to keep the page small.


@dataclass(frozen=True)
class Topic:
    """One component."""

    x: float | None
    y: float | None
    """its place on the map; None where it has no direction: all zeros, or the same in all documents"""
    length: float
    usage: float | None
    """how many documents use it: the sum of its probabilities; None where vectors are no probabilities"""
    top: list[tuple[int, float]]
    """the columns of largest weight"""
    effect: list[tuple[int, float]]
    """the columns of largest effect, in percent of the model's largest; empty where the model has no effects"""
    against: list[tuple[int, float]]
    """the columns of the most negative weight, unless it is small compared with the largest weight"""
    near: list[tuple[int, float, bool]]
    """the nearest other components: number, angle in degrees, whether it points the opposite way"""
    examples: list[tuple[int, float]]
    """the documents in which it is strongest: number among the page's documents, and value"""


@dataclass(frozen=True)
class Angles:
    """The angles of all pairs in degrees; None where there is no pair."""

    kind: str
    """whether they are as the documents see them, or of the weights"""
    mean: float | None
    smallest: float | None
    redundant: int
    dead: int
    histogram: list[int]


@dataclass(frozen=True)
class Topics:
    """All components of a model, and what is found through them."""

    topics: list[Topic]
    angles: Angles
    links: list[tuple[int, int, float]]
    """near-duplicate pairs, the closest first"""
    words: list[list[float]]
    """for each column, the components in which it is strong; each has three entries: number, weight, the word's rank"""
    documents: list[tuple[str, str, str]]
    """the name, beginning and class of each example"""
    n_documents: int
    without_examples: str
    """why there are no example documents; empty where there are"""


def topics_of(view: View) -> Topics:
    """Everything the page shows of one model."""
    components, documents = view.components, view.documents
    fitting = documents if documents is not None and documents.vectors.shape[1] == len(components) else None
    rows = view.angular.rows
    angles, alive = angle_matrix(rows), np.flatnonzero(rows.any(axis=1))
    points = np.full((len(components), 2), np.nan)
    points[alive] = place(np.deg2rad(angles[np.ix_(alive, alive)]))
    order = first_columns(components, components.shape[1])
    largest = 1.0 if view.effects is None else float(view.effects.max())
    usage = None if fitting is None else _usage(fitting)
    chosen, examples = ([], [[] for _ in components]) if fitting is None else _examples(fitting)
    topics = [
        Topic(
            x=_number(points[k, 0]),
            y=_number(points[k, 1]),
            length=_short(float(np.linalg.norm(row))),
            usage=None if usage is None else round(float(usage[k]), 1),
            top=[(int(c), _short(row[c])) for c in order[k, :TOP] if row[c] > 0],
            effect=[] if view.effects is None else _strongest(view.effects[k], largest),
            against=_against(row, order[k]),
            near=_nearest(k, angles[k], rows),
            examples=examples[k],
        )
        for k, row in enumerate(components)
    ]
    return Topics(
        topics=topics,
        angles=_summary(view.angular),
        links=[(int(i), int(j), round(float(angles[i, j]), 1)) for i, j in redundant_pairs(rows)[:MOST_LINKS]],
        words=_where_words_are(components, order),
        documents=[] if fitting is None else [_described(fitting, row) for row in chosen],
        n_documents=0 if documents is None else len(documents),
        without_examples="" if fitting is not None and len(fitting) else _why_no_examples(view),
    )


def _summary(directions: Directions) -> Angles:
    found = angle_summary(directions.rows, bins=BINS)
    mean, smallest = _number(found.mean), _number(found.smallest)
    return Angles(directions.kind, mean, smallest, found.redundant, found.dead, found.histogram.tolist())


def _strongest(effects: Floats, largest: float) -> list[tuple[int, float]]:
    order = np.argsort(-effects, kind="stable")[:TOP]
    return [(int(c), _short(100 * effects[c] / largest)) for c in order if effects[c] > 0]


def _against(row: Floats, order: NDArray[np.intp]) -> list[tuple[int, float]]:
    worst = [(int(c), _short(row[c])) for c in order[::-1][:AGAINST] if row[c] < 0]
    return worst if worst and -worst[0][1] >= 0.25 * row[order[0]] else []


def _nearest(k: int, angles: Floats, rows: Floats) -> list[tuple[int, float, bool]]:
    others = np.flatnonzero(~np.isnan(angles))
    others = others[others != k]
    closest = others[np.argsort(angles[others], kind="stable")[:NEAREST]]
    return [(int(j), round(float(angles[j]), 1), bool(rows[k] @ rows[j] < 0)) for j in closest]


def _where_words_are(components: Floats, order: NDArray[np.intp]) -> list[list[float]]:
    """For each column, the few components in which it is strongest, so that every word can be searched for."""
    K, D = components.shape
    share = min(1.0, USUAL_WORDS / D)
    n_for, n_against = max(2, round(FOR_WORD * share)), max(1, round(AGAINST_WORD * share))
    rank = np.empty((K, D), np.int32)
    np.put_along_axis(rank, order, np.arange(1, D + 1, dtype=np.int32)[None], axis=1)
    by_weight = np.argsort(-components, axis=0, kind="stable")
    found = []
    for c in range(D):
        best = [k for k in by_weight[:n_for, c].tolist() if components[k, c] > 0]
        worst = [k for k in by_weight[::-1][:n_against, c].tolist() if components[k, c] < 0]
        found.append([x for k in best + worst for x in (k, _short(components[k, c]), int(rank[k, c]))])
    return found


def _usage(documents: Documents) -> NDArray[np.float64] | None:
    if documents.logits is not None:
        # Half of a unit is no use: a document without words, whose logits are all 0, switches on nothing.
        return np.asarray(expit(documents.logits[documents.logits.any(axis=1)]).sum(axis=0, dtype=np.float64))
    if not len(documents) or documents.vectors.min() < 0 or documents.vectors.max() > 1:
        return None
    return documents.vectors.sum(axis=0, dtype=np.float64)


def _examples(documents: Documents) -> tuple[list[int], list[list[tuple[int, float]]]]:
    """The documents to show, and for each component which of them are its examples, with its value in each."""
    vectors = documents.vectors
    strongest = [_largest(vectors[:, k], EXAMPLES).tolist() for k in range(vectors.shape[1])]
    chosen = sorted({row for rows in strongest for row in rows})
    place_of = {row: number for number, row in enumerate(chosen)}
    return chosen, [[(place_of[r], _short(float(vectors[r, k]))) for r in rows] for k, rows in enumerate(strongest)]


def _largest(values: NDArray[np.float32], n: int) -> NDArray[np.intp]:
    """The positions of the n largest values, the largest first; of equal ones the first. Not all values are sorted."""
    if not len(values):
        return np.empty(0, np.intp)
    least = np.partition(values, -min(n, len(values)))[-min(n, len(values))]
    candidates = np.flatnonzero(values >= least)
    return candidates[np.argsort(-values[candidates], kind="stable")[:n]]


def _described(documents: Documents, row: int) -> tuple[str, str, str]:
    begins = "" if documents.snippets is None else documents.snippets[row]
    return documents.names[row], begins, documents.class_of(row) or ""


def _why_no_examples(view: View) -> str:
    if view.documents is None or not len(view.documents):
        return "No documents came with this model, so there are no examples."
    width = view.documents.vectors.shape[1]
    return f"The documents have {width} numbers each and the model {len(view.components)} components: no examples."


def _short(value: Any) -> float:
    """Rounded to three digits, which are enough for readers and halve the size of the page."""
    return float(f"{float(value):.3g}")


def _number(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 4)
