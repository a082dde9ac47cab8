"""How good a fitted estimator is on held-out rows; larger is better."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from wideangle._arguments import text
from wideangle.catalogue import (
    ACCURACY,
    AGREEMENT,
    HALF_RETRIEVAL,
    HELD_OUT_WORDS,
    OF_CLASSES,
    PAIRS_AND_NEIGHBOURS,
    PER_ROW,
    PER_WORD,
    PRECISION,
    R2,
    WITHOUT_LABELS,
    entry_of,
)
from wideangle.data import make_pairs
from wideangle.evaluation import knn_accuracy, pair_average_precision, precision_per_query, split_words
from wideangle.evaluation.halves import agreement_per_document, reciprocal_ranks
from wideangle.finishing import GRANULARITIES, Finished
from wideangle.tuning.folds import Fold
from wideangle.tuning.log_likelihoods import (
    log_likelihoods_of_held_out_words,
    log_likelihoods_per_row,
    log_likelihoods_per_word,
)
from wideangle.view import ModelView, transform_metric

Rows = NDArray[np.intp]
NEAREST = 10  # of P@10
PAIRS = 20_000  # pairs of either kind for the average precision: so many that their choice adds little to its error
# How many neighbours of both halves are compared at granularity 0 and 1: few are alike in detail, many are in the same
# broad group. Between them both agreements are mixed linearly.
HALVES_NEAREST = (10, 100)
LEAST_ROWS_PER_NEIGHBOUR = 10  # In a small corpus the halves are compared by at most a tenth of the documents.


@dataclass(frozen=True, eq=False)
class Held:
    """Data, the rows to search, the held-out rows, the seed of coins, and how many neighbours precision counts.

    `said` keeps what one fitted model says of some rows, so that it can be finished at several granularities.
    """

    X: Any
    y: Any
    searched: Rows
    rows: Rows
    seed: int
    nearest: int = NEAREST
    said: dict[str, Any] = field(default_factory=dict)


def resolve_measure(measure: str, estimator: Any, labelled: bool) -> str:
    """The measure's name, with "auto" replaced. A measure that does not suit the estimator raises an error."""
    text(measure, "measure")
    entry = entry_of(estimator)
    suitable = entry.all_measures
    if measure == "auto" and suitable:
        preferred = suitable if labelled else (*entry.measures_without_labels, *entry.measures)
        measure = preferred[0]
    if measure not in suitable:
        raise ValueError(f"measure of {entry.name} must be 'auto' or one of {list(suitable)}; got {measure!r}.")
    if not labelled and measure not in WITHOUT_LABELS:
        raise ValueError(f"{measure} of {entry.name} needs y, and none came. Pass the labels or targets of all rows.")
    return measure


def check_labels(measure: str, y: NDArray[Any], folds: int) -> None:
    """Raise an error where the measure cannot use these labels."""
    if measure == R2 and len(y) < 2 * folds:
        raise ValueError(f"R² needs two rows held out in each fold; got {len(y)} rows in {folds} folds.")
    if measure not in OF_CLASSES:
        return
    if y.ndim != 1:
        raise ValueError(f"y must be one class per row; got shape {y.shape}.")
    check_classification_targets(y)
    if len(np.unique(y)) < 2:
        raise ValueError(f"y holds one class only, {y[0]!r}; {measure} needs at least two.")


def check_folds(measure: str, y: NDArray[Any], folds: list[Fold]) -> None:
    """Raise an error, before any fit, where a fold could not be measured."""
    for number, (train, held) in enumerate(folds, 1):
        problem = problem_of(measure, y[train], y[held])
        if problem:
            raise ValueError(
                f"fold {number} of {len(folds)} cannot be measured by {measure}: {problem}. "
                "Use fewer folds or more rows."
            )


def problem_of(measure: str, train: NDArray[Any], held: NDArray[Any]) -> str:
    """Why rows with these labels or targets cannot be measured; empty where they can."""
    if measure == R2 and len(held) < 2:
        return "it needs two held-out rows"
    if measure not in OF_CLASSES:
        return ""
    if measure == PRECISION and len(train) < NEAREST:
        return f"it has {len(train)} rows to search, fewer than {NEAREST}"
    if measure != PRECISION and len(np.unique(train)) < 2:
        return "its training rows are of one class"
    if measure == PAIRS_AND_NEIGHBOURS:
        sizes = np.unique(held, return_counts=True)[1]
        if len(sizes) < 2 or sizes.max() < 2:
            return "its held-out rows make no similar or no dissimilar pair"
        if np.unique(train, return_counts=True)[1].max() < 2 or len(train) < 3:
            return "its training rows make no similar pair"
    return ""


def measured(measure: str, model: Any, held: Held) -> float:
    """The score of a fitted model on the held-out rows."""
    return measured_in_sets(measure, model, held, [np.arange(len(held.rows))])[0]


def measured_in_views(
    measure: str, model: Any, held: Held, sets: Sequence[Rows], views: Sequence[Mapping[str, Any]]
) -> list[tuple[float, ...]]:
    """The scores of one fit with each of some settings that the fit does not depend on. The model keeps the last."""
    fresh = replace(held, said={})
    return [measured_in_sets(measure, model.set_params(**view), fresh, sets) for view in views]


def measured_in_sets(measure: str, model: Any, held: Held, sets: Sequence[Rows]) -> tuple[float, ...]:
    """The score on each set of held-out rows; sets are positions in `held.rows`."""
    if measure in _OF_SETS:
        return tuple(_OF_SETS[measure](model, held, rows) for rows in sets)
    each = _OF_ROWS[measure](model, held)
    return tuple(float(np.nanmean(each[rows])) if np.isfinite(each[rows]).any() else np.nan for rows in sets)


def _precision(model: Any, held: Held) -> NDArray[np.float64]:
    """P@k where held-out rows query training rows, by the distance that suits the representation."""
    database = _transformed(model, held, "searched", held.X[held.searched])
    queries = _transformed(model, held, "rows", held.X[held.rows])
    labels = held.y[held.rows], held.y[held.searched]
    metric = transform_metric(model)
    return precision_per_query(queries, labels[0], database, labels[1], k=held.nearest, metric=metric)


def _accuracy(model: Any, held: Held) -> NDArray[np.float64]:
    return np.asarray(model.predict(held.X[held.rows]) == held.y[held.rows], dtype=np.float64)


def _agreement(model: Any, held: Held) -> NDArray[np.float64]:
    """The share of neighbours that both halves of a document find; how many neighbours, the granularity says."""
    first, second, useful = _halves(model, held)
    database = _transformed(model, held, "searched", held.X[held.searched])
    most = max(1, len(database) // LEAST_ROWS_PER_NEIGHBOUR)
    broad = model._used_granularity() if isinstance(model, Finished) else GRANULARITIES["balance"]
    shares: dict[int, float] = {}
    for k, share in zip(HALVES_NEAREST, (1 - broad, broad), strict=True):
        shares[min(k, most)] = shares.get(min(k, most), 0.0) + share
    found = np.full(len(useful), np.nan)
    found[useful] = sum(
        share * agreement_per_document(first, second, database, k) for k, share in shares.items() if share
    )
    return found


def _half_retrieval(model: Any, held: Held) -> NDArray[np.float64]:
    first, second, useful = _halves(model, held)
    found = np.full(len(useful), np.nan)
    found[useful] = reciprocal_ranks(first, second)
    return found


def _halves(model: Any, held: Held) -> tuple[Any, Any, NDArray[np.bool_]]:
    """`transform` of both halves of each held-out document, and which documents have words in both."""
    first, second = split_words(held.X[held.rows], held.seed)
    useful = np.asarray((first.sum(axis=1) > 0) & (second.sum(axis=1) > 0))
    if not useful.any():
        raise ValueError("no document held out has two words, one for each half; bring longer documents.")
    both = _transformed(model, held, "first", first[useful]), _transformed(model, held, "second", second[useful])
    return *both, useful


def _transformed(model: Any, held: Held, name: str, rows: Any) -> Any:
    """`transform` of some rows. What the model says of them is kept, because it does not depend on the granularity."""
    if not ModelView.of(model).is_finished:
        return model.transform(rows)
    if name not in held.said:
        held.said[name] = model._said(model._checked(rows, reset=False))
    return model._finished(held.said[name])


def _held_out_words(model: Any, held: Held) -> NDArray[np.float64]:
    return log_likelihoods_of_held_out_words(model, held.X[held.rows], held.seed)


def _per_word(model: Any, held: Held) -> NDArray[np.float64]:
    return log_likelihoods_per_word(model, held.X[held.rows])


def _per_row(model: Any, held: Held) -> NDArray[np.float64]:
    return log_likelihoods_per_row(model, held.X[held.rows])


def _distance(model: Any, held: Held, rows: Rows) -> float:
    """Mean of the average precision of held-out pairs and of the 3-NN accuracy."""
    chosen = held.rows[rows]
    train, asking = (model.transform(held.X[some]) for some in (held.searched, chosen))
    pairs = make_pairs(held.y[chosen], PAIRS, PAIRS, seed=held.seed)
    apart = np.linalg.norm(asking[pairs.indices[:, 0]] - asking[pairs.indices[:, 1]], axis=1)
    precision = pair_average_precision(apart, pairs.similar > 0)
    return (precision + knn_accuracy(train, held.y[held.searched], asking, held.y[chosen])) / 2


def _own_score(model: Any, held: Held, rows: Rows) -> float:
    chosen = held.rows[rows]
    return float(model.score(held.X[chosen], held.y[chosen]))


# Measures that are means over rows, where NaN marks a row that is left out, and measures of sets of rows.
_OF_ROWS: dict[str, Callable[[Any, Held], NDArray[np.float64]]] = {
    PRECISION: _precision,
    ACCURACY: _accuracy,
    AGREEMENT: _agreement,
    HALF_RETRIEVAL: _half_retrieval,
    HELD_OUT_WORDS: _held_out_words,
    PER_WORD: _per_word,
    PER_ROW: _per_row,
}
_OF_SETS: dict[str, Callable[[Any, Held, Rows], float]] = {PAIRS_AND_NEIGHBOURS: _distance, R2: _own_score}
