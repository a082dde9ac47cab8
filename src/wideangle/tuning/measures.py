"""How good a fitted estimator is on held-out rows; larger is better."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from wideangle.catalogue import (
    ACCURACY,
    HELD_OUT_WORDS,
    PAIRS_AND_NEIGHBOURS,
    PER_ROW,
    PER_WORD,
    PRECISION,
    R2,
    WITHOUT_LABELS,
    entry_of,
)
from wideangle.data import make_pairs
from wideangle.evaluation import knn_accuracy, pair_average_precision, precision_at_k
from wideangle.tuning.folds import Fold
from wideangle.tuning.likelihood import (
    log_likelihood_of_held_out_words,
    log_likelihood_per_row,
    log_likelihood_per_word,
)
from wideangle.view import transform_metric

NEAREST = 10  # of P@10
PAIRS = 20_000  # pairs of either kind for the average precision: so many that their choice adds little to its error
CLASSES = (PRECISION, ACCURACY, PAIRS_AND_NEIGHBOURS)  # measures that need classes


def resolve_measure(measure: str, estimator: Any, labelled: bool) -> str:
    """The measure's name, with "auto" replaced. A measure that does not suit the estimator raises an error."""
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
    if measure not in CLASSES:
        return
    if y.ndim != 1:
        raise ValueError(f"y must be one class per row; got shape {y.shape}.")
    check_classification_targets(y)
    if len(np.unique(y)) < 2:
        raise ValueError(f"y holds one class only, {y[0]!r}; {measure} needs at least two.")


def check_folds(measure: str, y: NDArray[Any], folds: list[Fold]) -> None:
    """Raise an error, before any fit, where a fold could not be measured."""
    for number, (train, held) in enumerate(folds, 1):
        problem = _problem(measure, y[train], y[held])
        if problem:
            raise ValueError(
                f"fold {number} of {len(folds)} cannot be measured by {measure}: {problem}. "
                "Use fewer folds or more rows."
            )


def _problem(measure: str, train: NDArray[Any], held: NDArray[Any]) -> str:
    if measure not in CLASSES:
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


def measured(measure: str, model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    """The score of a model fitted on the fold's training rows."""
    return _HOW[measure](model, X, y, fold, seed)


def _precision(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    """P@10 where held-out rows query training rows, by the distance that suits the representation."""
    database, queries = (model.transform(X[rows]) for rows in fold)
    return precision_at_k(queries, y[fold[1]], database, y[fold[0]], k=NEAREST, metric=transform_metric(model))


def _distance(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    """Mean of the average precision of held-out pairs and of the 3-NN accuracy."""
    train, held = (model.transform(X[rows]) for rows in fold)
    pairs = make_pairs(y[fold[1]], PAIRS, PAIRS, seed=seed)
    apart = np.linalg.norm(held[pairs.indices[:, 0]] - held[pairs.indices[:, 1]], axis=1)
    precision = pair_average_precision(apart, pairs.similar > 0)
    return (precision + knn_accuracy(train, y[fold[0]], held, y[fold[1]])) / 2


def _own_score(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    return float(model.score(X[fold[1]], y[fold[1]]))


def _held_out_words(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    return log_likelihood_of_held_out_words(model, X[fold[1]], seed)


def _per_word(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    return log_likelihood_per_word(model, X[fold[1]])


def _per_row(model: Any, X: Any, y: Any, fold: Fold, seed: int) -> float:
    return log_likelihood_per_row(model, X[fold[1]])


_HOW: dict[str, Callable[[Any, Any, Any, Fold, int], float]] = {
    PRECISION: _precision,
    PAIRS_AND_NEIGHBOURS: _distance,
    ACCURACY: _own_score,
    R2: _own_score,
    HELD_OUT_WORDS: _held_out_words,
    PER_WORD: _per_word,
    PER_ROW: _per_row,
}
