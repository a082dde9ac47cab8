"""Which granularity suits the labels of documents, found from one fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle import _arguments as rules
from wideangle._arguments import checked
from wideangle._arrays import array_of
from wideangle._rows import RowMatrix, made_rows, on_disk
from wideangle.evaluation import class_table, head_and_tail, precision_among, precision_per_query
from wideangle.finishing import Granularity, granularity_name, granularity_number
from wideangle.tuning.inputs import check_call, checked_targets
from wideangle.tuning.measures import NEAREST
from wideangle.tuning.results import standard_error
from wideangle.view import ModelView

TRIED = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_QUERIES = 2000
CLEAR = 2.0  # So many standard errors of the paired differences must be gained; more where there are few of them.
WORTH_SAYING = 0.0005  # A smaller gain would be said to be 0.0 points.

Values = NDArray[np.float64]


@dataclass(frozen=True)
class GranularityTrial:
    """How well one granularity finds documents of the same class."""

    granularity: float
    score: float
    """the mean over queries, or over folds"""
    error: float
    """its standard error"""
    rarer: float | None
    """the score as a mean over the rarer half of the classes; None where it was not measured"""
    gain: float
    """the score minus that of the model's own granularity"""
    gain_error: float
    """the standard error of the gain; differences are paired"""
    clear: bool
    """whether the gain is beyond noise: more than two standard errors, and more than that with few folds"""

    @property
    def name(self) -> str:
        """Its name, or the number where it has none."""
        return granularity_name(self.granularity)


@dataclass(frozen=True)
class GranularityChoice:
    """All granularities that were tried, the one to take, and why."""

    measure: str
    """what the scores are"""
    trials: tuple[GranularityTrial, ...]
    """by rising granularity"""
    best: GranularityTrial
    """the one to take: the highest of those that are clearly better than the model's own, or else the model's own"""
    own: GranularityTrial
    """that of the model's own granularity"""
    reason: str
    """a sentence that says what the best is worth"""


@checked(k=rules.whole(least=1), most_queries=rules.whole(least=1))
def choose_granularity(
    model: Any,
    X: Any,
    y: Any,
    *,
    database: tuple[Any, Any] | None = None,
    granularities: Sequence[Granularity] = TRIED,
    k: int = NEAREST,
    most_queries: int = MOST_QUERIES,
    seed: int = 0,
) -> GranularityChoice:
    """Find the granularity at which documents of a class are nearest to each other. One fit is enough for all.

    Parameters
    ----------
    model : estimator
        A fitted document model with a finish. It stays as it is: set the best by
        `model.set_params(granularity=choice.best.granularity)`.
    X : array or sparse matrix of shape (n, D)
        Word counts of the documents that are queries.
    y : array of shape (n,)
        Their classes.
    database : (X, y), optional
        The documents that are searched, and their classes. None: each document of X queries the others.
    granularities : sequence, default=(0, 0.25, 0.5, 0.75, 1)
        What to try besides the model's own granularity.
    k : int, default=10
        The number of neighbours; fewer where fewer documents are searched.
    most_queries : int, default=2000
        If X has more documents, so many of them are drawn at random.
    seed : int, default=0
        Seed of that draw.

    Returns
    -------
    GranularityChoice
        Its `best` is the granularity of the highest precision among those that are better than the model's own by more
        than two standard errors of the paired differences over queries. Where none is, it is the model's own. Being
        chosen on these documents, it is a little too good: report it on others.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> from wideangle.models import ReplicatedSoftmax
    >>> from wideangle.tuning import choose_granularity
    >>> corpus = synthetic_corpus(300, 5, 60).corpus
    >>> model = ReplicatedSoftmax(5, max_updates=100, random_state=0).fit(corpus.counts)
    >>> choice = choose_granularity(model, corpus.counts, corpus.labels)
    >>> [trial.granularity for trial in choice.trials], choice.own.name
    ([0.0, 0.25, 0.5, 0.75, 1.0], 'balance')
    >>> model = model.set_params(granularity=choice.best.granularity)
    """
    check_call(seed, None)
    view = ModelView.of(model)
    check_finished(view)
    X = _rows(X, "X")
    classes = checked_targets(y, X.shape[0])
    chosen = _drawn(len(classes), most_queries, seed)
    said = view.said(X)
    if database is None:
        return compared(view, said[chosen], classes[chosen], said, classes, chosen, granularities=granularities, k=k)
    if not isinstance(database, list | tuple) or len(database) != 2:
        raise TypeError(f"database must be a pair of rows and their classes; got {rules.shown(database)}.")
    searched, others = _rows(database[0], "database"), database[1]
    stored = checked_targets(others, searched.shape[0])
    return compared(view, said[chosen], classes[chosen], view.said(searched), stored, granularities=granularities, k=k)


def _rows(X: Any, name: str) -> Any:
    """Documents that can be counted; the model itself checks what they hold."""
    found = X if hasattr(X, "shape") else array_of(X, name, kinds=None)
    if len(found.shape) != 2:
        raise ValueError(f"{name} must have one document per row; got shape {found.shape}.")
    return found


def compared(
    view: ModelView,
    queries: RowMatrix,
    asked: NDArray[Any],
    database: RowMatrix,
    stored: NDArray[Any],
    own: NDArray[np.intp] | None = None,
    *,
    granularities: Sequence[Granularity] = TRIED,
    k: int = NEAREST,
) -> GranularityChoice:
    """`choose_granularity` of what the model says of queries and searched documents, with their classes.

    `own` is for each query its own row among the searched documents; None where queries are other documents.
    """
    if len(np.unique(stored)) < 2:
        raise ValueError("the searched documents are of one class only; a granularity is chosen by two at least.")
    neighbours = len(stored) - (own is not None)
    if neighbours < 1 or not len(queries):
        raise ValueError(f"nothing can be searched: there are {len(queries)} queries and {len(stored)} documents.")
    k = min(int(k), neighbours)
    found: dict[float, Values] = {}
    for number in tried_numbers(view, granularities):
        finish = partial(view.model._finished, granularity=number)
        at = (on_disk(view.comparable(made_rows(said, finish))) for said in (queries, database))
        found[number] = _precision(next(at), asked, next(at), stored, own, k)
    rarer = {number: _of_rarer_classes(each, asked, stored, k) for number, each in found.items()}
    return choice_among(found, float(view.granularity or 0.0), f"P@{k}", "queries", rarer)


def choice_among(
    scores: dict[float, Values], own: float, measure: str, over: str, rarer: dict[float, float | None] | None = None
) -> GranularityChoice:
    """The choice, given each granularity's scores for the same queries or folds. `over` says which they are."""
    trials = {}
    for number, each in sorted(scores.items()):
        apart = each - scores[own]
        gain, error = float(apart.mean()), _error(apart)
        clear = len(apart) > 1 and gain > error * _errors_beyond_noise(len(apart))
        share = None if rarer is None else rarer[number]
        trials[number] = GranularityTrial(number, float(each.mean()), _error(each), share, gain, error, clear)
    mine = trials[own]
    better = [trial for trial in trials.values() if trial.clear]
    best = max(better, key=lambda trial: trial.score, default=mine)
    return GranularityChoice(measure, tuple(trials.values()), best, mine, _reason(trials, best, mine, over))


def check_finished(view: ModelView) -> None:
    """Raise an error where no granularity can be chosen, because nothing finishes what the model says."""
    if not view.is_finished:
        todo = "Fit it with finish='halves'" if hasattr(view.model, "finish") else "Take a model of word counts"
        raise ValueError(f"{view.entry.name} has no granularity here: nothing finishes what it says. {todo}.")


def tried_numbers(view: ModelView, granularities: Sequence[Granularity]) -> list[float]:
    """The granularities as numbers, with the model's own among them, in rising order."""
    several = list(granularities) if rules.is_several(granularities) else []
    if not several:
        raise TypeError(f"granularities must be a sequence such as (0, 0.5, 1); got {rules.shown(granularities)}.")
    granularities = several
    return sorted({*map(granularity_number, granularities), float(view.granularity or 0.0)})


def _precision(
    queries: RowMatrix,
    asked: NDArray[Any],
    database: RowMatrix,
    stored: NDArray[Any],
    own: NDArray[np.intp] | None,
    k: int,
) -> Values:
    if own is not None:
        return precision_among(database, stored, k, asking=own)
    return precision_per_query(queries, asked, database, stored, k)


def _of_rarer_classes(each: Values, asked: NDArray[Any], stored: NDArray[Any], k: int) -> float | None:
    rows = class_table(asked, each, stored, k=k)
    if sum(row.queries > 0 for row in rows) < 2:
        return None
    return float(head_and_tail(rows).tail.precision)


def _drawn(n: int, most: int, seed: int) -> NDArray[np.intp]:
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).permutation(n)[:most])


def _errors_beyond_noise(n: int) -> float:
    """As rare as two standard errors of a normal distribution, by Student's distribution for so many values."""
    from scipy.stats import norm, t

    return float(t.isf(norm.sf(CLEAR), n - 1))


def _error(values: Values) -> float:
    return standard_error(values) if len(values) > 1 else float("nan")


def _reason(trials: dict[float, GranularityTrial], best: GranularityTrial, own: GranularityTrial, over: str) -> str:
    if best is not own:
        return f"{_capital(_worth(best))} than {own.name} (± {100 * best.gain_error:.1f} over {over})."
    highest = max(trials.values(), key=lambda trial: trial.score)
    if highest.gain < WORTH_SAYING:
        return f"No other granularity finds more than {own.name}."
    return (
        f"No other granularity is clearly better than {own.name}: {_worth(highest)} "
        f"(± {100 * highest.gain_error:.1f} over {over})."
    )


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _worth(trial: GranularityTrial) -> str:
    return f"{trial.name} finds {100 * trial.gain:.1f} points more"
