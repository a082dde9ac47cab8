"""A search for λ and other settings that costs no more than two fits, by successive halving.

All candidates get short fits first. The better third goes on to longer fits on more rows, and the last round compares
a few λ with λ = 0 and with the estimator's own λ. Everything is measured on the same held-out rows, which are divided
into sets of queries: the scores of these sets give the standard errors of paired differences. They do not tell how
much another seed of training would change; `cross_validate` does, at the cost of many fits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from wideangle._own_settings import set_known, unfitted_copy
from wideangle.catalogue import PRECISION, WITHOUT_LABELS, Entry
from wideangle.exceptions import DivergenceError
from wideangle.tuning.candidates import (
    FEWEST_ROWS,
    KEPT_ONE_IN,
    Round,
    Settings,
    Space,
    number_of_rounds,
    round_of,
    unique,
    without_diversity,
)
from wideangle.tuning.choosing import choose_among, clearly_better
from wideangle.tuning.folds import check_number, make_folds
from wideangle.tuning.grid import checked_entry
from wideangle.tuning.inputs import check_call, checked_targets, classes_of
from wideangle.tuning.measures import NEAREST, Held, check_labels, measured_in_views, problem_of, resolve_measure
from wideangle.tuning.results import SettingsSearch, SettingsTrial

MOST_QUERIES = 2000  # held-out rows that are measured,
MOST_SEARCHED = 10_000  # and training rows that they search, in the last round;
EARLIER = 1000, 2500  # the same in earlier rounds, which only have to find the better third
FOLDS = (3, 10)  # A third of few rows is held out, and a tenth of many.
SETS = 5  # sets of queries; fewer where there are few rows,
FEWEST_IN_A_SET = 4  # so that a set with a few documents of one word can be measured
MOST_NEAREST = 100  # of P@k: the paper's k, for large classes
CLASS_TO_NEAREST = 5  # P@k asks for a fifth of the class of a typical document

Progress = Callable[[int, int, SettingsTrial | None], object]


def choose_settings(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    diversity: Sequence[float] | None = None,
    seed: int = 0,
    measure: str = "auto",
    progress: Progress | None = None,
) -> SettingsSearch:
    """Choose λ, and with labels the weighting and granularity of documents, for the updates of two fits.

    Parameters
    ----------
    estimator : estimator
        Any of `wideangle.models`. Only copies of it are fitted. Parameters that are set are kept: the weighting and the
        granularity of `ReplicatedSoftmax` are chosen where they are None and the measure uses labels. Each fit is
        measured at all granularities. Without labels λ is judged at the estimator's own granularity.
    X : array or sparse matrix of shape (n, D)
    y : array of shape (n,), optional
        Labels, or targets of a regressor.
    diversity : sequence of float, optional
        The λ to try besides 0 and the estimator's own. None is a small grid for the estimator.
    seed : int, default=0
        Seed of what is held out and of every fit.
    measure : str, default="auto"
        As in `cross_validate`. "P@10" counts more than 10 neighbours where classes are large: a fifth of the class of a
        typical document, up to the 100 of the paper. A typical document is in a class that half of the documents are at
        most as large as.
    progress : callable, optional
        Called with (updates, updates of the whole search at most, trial) before the first fit and after each.

    Returns
    -------
    SettingsSearch
        Its `best` are the settings to take, and its `reason` says why. A weighting or a granularity other than the
        estimator's own is taken if it is better by more than two standard errors of the paired differences over sets of
        queries, and a precision by more than a point besides, for short fits favour some settings. The same holds for
        λ, compared with λ = 0. Where no λ is, the estimator's own λ is taken if it is not behind λ = 0 by more than one
        standard error, and else 0: broad classes may be found worse with any λ.

    Notes
    -----
    All fits together have at most 1.25 · max_updates updates, if max_updates is at least 50. Each has at least one.
    With what it takes to start and to measure them, a search takes about as long as two fits.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> from wideangle.models import ReplicatedSoftmax
    >>> from wideangle.tuning import choose_settings
    >>> corpus = synthetic_corpus(120, 5, 60).corpus
    >>> search = choose_settings(ReplicatedSoftmax(5, max_updates=50), corpus.counts, corpus.labels)
    >>> search.measure, sorted(search.best.settings), search.updates <= 100
    ('P@10', ['diversity', 'granularity', 'weighting'], True)
    """
    entry = checked_entry(estimator)
    check_call(seed, progress)
    if not entry.grid:
        raise ValueError(f"{entry.name} has no diversity to choose.")
    if "max_updates" not in estimator.get_params(deep=False):
        raise TypeError(f"{entry.name} has no max_updates by which fits could be shortened; use cross_validate.")
    measure = resolve_measure(measure, estimator, y is not None)
    X = check_array(X, accept_sparse="csr", input_name="X")
    check_number(FOLDS[0], X.shape[0])
    y = None if y is None else checked_targets(y, X.shape[0])
    if y is not None:
        check_labels(measure, y, FOLDS[0])
    space = Space.of(entry, estimator, diversity, measure not in WITHOUT_LABELS)
    train, held, sets = _held_out(X.shape[0], y, measure, int(seed))
    largest = Held(X, y, _some(train, MOST_SEARCHED, int(seed)), held, int(seed))
    search = _Search(entry, estimator, measure, train, largest, sets, space, progress)
    best, reason = search.run()
    return SettingsSearch(search.name, tuple(search.reached), best, reason, search.updates)


@dataclass(eq=False)
class _Search:
    entry: Entry
    estimator: Any
    measure: str
    train: NDArray[np.intp]
    held: Held
    sets: list[NDArray[np.intp]]
    space: Space
    progress: Progress | None
    updates: int = 0
    reached: list[SettingsTrial] = field(default_factory=list)
    """the best trial of each fit in the last round that its settings reached, later rounds first"""

    def run(self) -> tuple[SettingsTrial, str]:
        fits: Sequence[Settings] = self.space.fits
        rounds = number_of_rounds(len(fits))
        own = self.space.own["diversity"]
        self.tell(None)
        for number in range(rounds - 1):
            how = round_of(number, rounds, len(fits), self.estimator.max_updates)
            found = self.measured(fits, how, *EARLIER)
            ranked = sorted((max(views, key=_mean) for views in found), key=_mean, reverse=True)
            self.note(ranked)
            last = number == rounds - 2
            fits = self.finalists(ranked, own) if last else self.better_third(ranked)
        how = round_of(rounds - 1, rounds, len(fits), self.estimator.max_updates)
        found = self.measured(fits, how, MOST_QUERIES, MOST_SEARCHED)
        taken = [views[self.best_view(found)] for views in found]
        self.note(sorted(taken, key=_mean, reverse=True))
        return choose_among(taken, self.name, own)

    def better_third(self, ranked: list[SettingsTrial]) -> list[Settings]:
        """The better third, and the best of those with the estimator's own settings, which are kept if nothing is
        clearly better."""
        kept = ranked[: math.ceil(len(ranked) / KEPT_ONE_IN)]
        own = next(trial for trial in ranked if self.space.is_own(self.trained(trial)))
        return unique(self.trained(trial) for trial in (*kept, own))

    def finalists(self, ranked: list[SettingsTrial], own: float) -> list[Settings]:
        """The better λ at the best settings besides λ, and always λ = 0 and the estimator's own λ."""
        leader = ranked[0]
        default = next(trial for trial in ranked if self.space.is_own(self.trained(trial)))
        if not clearly_better(leader, default, self.name):
            leader = default
        others = without_diversity(self.trained(leader))
        alike = [trial for trial in ranked if without_diversity(self.trained(trial)) == others]
        kept = alike[: math.ceil(len(alike) / KEPT_ONE_IN)]
        return unique({**others, "diversity": weight} for weight in (*(t.diversity for t in kept), 0.0, own))

    def best_view(self, found: list[list[SettingsTrial]]) -> int:
        """Which granularity is best over all fits of a round; the estimator's own where none is clearly better."""
        pooled = [
            SettingsTrial(views[0].settings, 0, tuple(np.mean([trial.scores for trial in views], axis=0)))
            for views in zip(*found, strict=True)
        ]
        best = max(range(len(pooled)), key=lambda view: pooled[view].mean)
        own = next(number for number, view in enumerate(self.space.views) if self.space.is_own(view))
        return best if clearly_better(pooled[best], pooled[own], self.name) else own

    def measured(
        self, fits: Sequence[Settings], how: Round, most_queries: int, most_searched: int
    ) -> list[list[SettingsTrial]]:
        """For each fit, a trial per setting that the same fit can be measured with."""
        rows = _some(self.train, max(FEWEST_ROWS, round(how.share * len(self.train))), self.held.seed)
        searched = _some(rows, most_searched, self.held.seed)
        parts = [part[: max(FEWEST_IN_A_SET, most_queries // len(self.sets))] for part in self.sets]
        ends = np.cumsum([0, *map(len, parts)])
        sets = [np.arange(first, last) for first, last in pairwise(ends)]
        asking = self.held.rows[np.concatenate(parts)]
        held = replace(self.held, searched=searched, rows=asking, nearest=self.nearest_of(searched))
        found = []
        for settings in fits:
            model = self.fitted(settings, how.updates, rows)
            trials = []
            measured = measured_in_views(self.measure, model, held, sets, self.space.views)
            for view, scores in zip(self.space.views, measured, strict=True):
                if not np.isfinite(scores).all():
                    raise ValueError(f"{self.measure} at λ = {settings['diversity']:g} is {scores}; look at the rows.")
                trials.append(SettingsTrial({**settings, **view}, how.updates, scores))
            found.append(trials)
            self.updates += how.updates
            self.tell(max(trials, key=_mean))
        return found

    def fitted(self, settings: Settings, updates: int, rows: NDArray[np.intp]) -> Any:
        model = unfitted_copy(self.estimator).set_params(**settings, max_updates=updates)
        set_known(model, random_state=self.held.seed, verbose=False)
        try:
            return model.fit(self.held.X[rows], None if self.held.y is None else self.held.y[rows])
        except DivergenceError as error:
            raise DivergenceError(
                f"the fit at λ = {settings['diversity']:g} diverged; lower learning_rate, or leave that λ out. {error}"
            ) from error

    @property
    def name(self) -> str:
        """The measure of the last round."""
        return f"P@{self.nearest_of(self.held.searched)}" if self.measure == PRECISION else self.measure

    def nearest_of(self, searched: NDArray[np.intp]) -> int:
        """k of P@k: a fifth of the class that a typical document is in; at least 10 and at most 100."""
        if self.held.y is None or self.measure != PRECISION:
            return NEAREST
        _, codes, sizes = np.unique(self.held.y[searched], return_inverse=True, return_counts=True)
        typical = float(np.median(sizes[codes.ravel()]))
        return int(np.clip(typical // CLASS_TO_NEAREST, NEAREST, min(MOST_NEAREST, len(searched))))

    def trained(self, trial: SettingsTrial) -> dict[str, Any]:
        """The settings that the fit depends on."""
        return {name: trial.settings[name] for name in self.space.fits[0]}

    def note(self, ranked: list[SettingsTrial]) -> None:
        again = [self.trained(trial) for trial in ranked]
        self.reached = ranked + [trial for trial in self.reached if self.trained(trial) not in again]

    def tell(self, trial: SettingsTrial | None) -> None:
        if self.progress is not None:
            self.progress(self.updates, 2 * self.estimator.max_updates, trial)


def _held_out(
    n: int, y: NDArray[Any] | None, measure: str, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], list[NDArray[np.intp]]]:
    """Rows to train on, rows to hold out, and sets of the latter as positions.

    The positions are in random order, so that a set can be cut. Raises an error where no sets can be measured.
    """
    folds = int(np.clip(n // MOST_QUERIES, *FOLDS))
    train, held = make_folds(n, classes_of(y, measure), folds, seed)[0]
    held = _some(held, MOST_QUERIES, seed)
    order = np.random.default_rng(seed).permutation(len(held))
    most = min(len(held), max(2, min(SETS, len(held) // FEWEST_IN_A_SET)))
    problem = "it holds out one row only"
    for count in range(most, 1, -1):
        sets = np.array_split(order, count)
        problems = [] if y is None else [problem_of(measure, y[train], y[held[part]]) for part in sets]
        problem = next((each for each in problems if each), "")
        if not problem:
            return train, held, sets
    raise ValueError(f"the settings cannot be compared by {measure}: {problem}. Bring more rows.")


def _some(rows: NDArray[np.intp], most: int, seed: int) -> NDArray[np.intp]:
    """At most so many of the rows, drawn at random, in rising order."""
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def _mean(trial: SettingsTrial) -> float:
    return trial.mean
