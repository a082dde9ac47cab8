"""Cross-validation of λ and K."""

import os
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_array

from wideangle._own_settings import is_finished, own_diversity, own_granularity
from wideangle.catalogue import WITHOUT_LABELS, Entry
from wideangle.finishing import Granularity, granularity_number
from wideangle.tuning.choosing import choose
from wideangle.tuning.folds import check_number, make_folds
from wideangle.tuning.granularity import choice_among
from wideangle.tuning.grid import checked_entry, components, diversities
from wideangle.tuning.inputs import check_call, checked_targets, classes_of
from wideangle.tuning.journal import Journal, journal_of
from wideangle.tuning.measures import check_folds, check_labels, resolve_measure
from wideangle.tuning.results import Trial, Tuning
from wideangle.tuning.running import FitOnFold, run_fits

Progress = Callable[[int, int, Trial | None], object]


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    diversity: Sequence[float] | None = None,
    n_components: Sequence[int] | None = None,
    folds: int = 3,
    seed: int = 0,
    measure: str = "auto",
    granularities: Sequence[Granularity] | None = None,
    progress: Progress | None = None,
    journal: str | os.PathLike[str] | None = None,
) -> Tuning:
    """Choose λ and K by cross-validation. Every setting has the same folds and seeds, so that differences are paired.

    Fits make as many updates as the estimator says. The regulariser gains more at fewer updates, so that tuning with
    fewer would mislead. Long runs on a CPU are spread over processes, one per core (the environment variable
    LOKY_MAX_CPU_COUNT lowers their number).

    Parameters
    ----------
    estimator : estimator
        Any of `wideangle.models`, or one of your own that is registered in `wideangle.catalogue`. Only copies of it are
        fitted, and callbacks set on it are not called.
    X : array or sparse matrix of shape (n, D)
    y : array of shape (n,), optional
        Labels, or targets of a regressor.
    diversity : sequence of float, optional
        The λ to try. None is a small grid for the estimator that contains 0 and its own λ.
    n_components : sequence of int, optional
        The K to try. None is the estimator's own. For a network, K is the width of the first hidden layer, and the
        other layers keep their proportion to it: (200, 100) becomes (50, 25) at K = 50.
    folds : int, default=3
        How many folds. They are stratified by class where y has classes; classes with fewer rows than folds are
        stratified together.
    seed : int, default=0
        Seed of the folds. At every setting the fit on fold f, counted from 0, has random_state = seed + f.
    measure : str, default="auto"
        What fits are judged by. "auto" takes "P@10" for the RBMs with labels: held-out rows query training rows, by the
        Euclidean distance of `transform`, or by the cosine for representation="logits". Without labels it takes
        "agreement of halves" for documents: the share of nearest training documents that both halves of a held-out
        document's words find, of the nearest 100 for the granularity "groups", 10 for "details", and the mean of both
        for "balance", a mean with other weights between them; at most a tenth of the training documents. It takes
        "log-likelihood per row" for `BernoulliRBM` and `GaussianRBM`, by annealing. It takes "AP + 3-NN" for the
        distance, which is the mean of the average precision of held-out pairs and the 3-NN accuracy; "accuracy" and
        "R²" for the networks. For documents, three others must be asked for: "half retrieval", the mean reciprocal rank
        of a document's other half; "log-likelihood of held-out words", per word, of half of each document's words given
        the other half; and "log-likelihood per word", of whole documents. The last needs log Z, which cannot be
        estimated with much dropout (the default from 50 components on); that is an error.
    granularities : sequence, optional
        The granularities at which each fit is measured, besides the estimator's own. None: 0, ¼, ½, ¾ and 1 where
        labels judge a `ReplicatedSoftmax` whose granularity is None; else its own alone. No more fits are needed.
    progress : callable, optional
        Called with (0, total, None) before the first fit, and with (done, total, trial) after each fit. trial is the
        `Trial` that this fit completed, at the estimator's own granularity, or None.
    journal : path, optional
        A file in which the scores of each finished fit are kept. If the same call comes again, after an interruption or
        in another program, it goes on with the fits that are missing. A journal of other options, data or code is
        refused, and the error names what differs.

    Returns
    -------
    Tuning
        Its `best` is the trial to take, and its `reason` says why. It is the best mean if that is better than λ = 0 by
        more than one standard error of the paired differences. Else it is the estimator's own λ, if that is behind the
        best mean by at most one such error, because it keeps components apart at no measurable cost. Else it is the
        best mean. Where several granularities are measured, all trials are at the one that is best over all fits, if it
        is better than the estimator's own beyond noise: by as many standard errors of the paired differences over folds
        as Student's distribution asks for in place of two. Else they are at its own. `granularities` of the result says
        what each is worth.

    Examples
    --------
    >>> from wideangle.data import synthetic_corpus
    >>> from wideangle.models import ReplicatedSoftmax
    >>> from wideangle.tuning import cross_validate
    >>> corpus = synthetic_corpus(120, 5, 60).corpus
    >>> tuning = cross_validate(ReplicatedSoftmax(5, max_updates=50), corpus.counts, diversity=[0, 0.3])
    >>> tuning.measure, len(tuning.trials), len(tuning.best.scores)
    ('agreement of halves', 2, 3)
    >>> model = tuning.tuned(ReplicatedSoftmax(5, max_updates=50, random_state=0)).fit(corpus.counts)
    """
    entry = checked_entry(estimator)
    check_call(seed, progress)
    measure = resolve_measure(measure, estimator, y is not None)
    X = check_array(X, accept_sparse="csr", input_name="X")
    check_number(folds, X.shape[0])
    y = None if y is None else checked_targets(y, X.shape[0])
    if y is not None:
        check_labels(measure, y, folds)
    weights, sizes = diversities(estimator, diversity), components(estimator, n_components, X.shape[1])
    made = make_folds(X.shape[0], classes_of(y, measure), folds, int(seed))
    if y is not None:
        check_folds(measure, y, made)
    numbers = _granularities(entry, estimator, granularities, measure)
    views: list[dict[str, Any]] = [{"granularity": number} for number in numbers] or [{}]
    settings = list(product(sizes, weights))
    jobs = [FitOnFold(K, weight, f, fold, int(seed) + f) for K, weight in settings for f, fold in enumerate(made)]
    scores: dict[tuple[int, float], dict[int, tuple[float, ...]]] = {setting: {} for setting in settings}
    own = numbers.index(own_granularity(estimator)) if numbers else 0

    def trial(setting: tuple[int, float], view: int) -> Trial:
        return Trial(*setting, tuple(scores[setting][f][view] for f in range(folds)), views[view].get("granularity"))

    asked = {"folds": folds, "seed": int(seed), "measure": measure, "views": views}
    path = None if journal is None else Path(journal)
    with journal_of(path, estimator, {"X": X, "y": y}, asked) as kept:
        missing = []
        for job in jobs:
            if Journal.key(job) in kept.known:
                scores[job.n_components, job.diversity][job.number] = kept.known[Journal.key(job)]
            else:
                missing.append(job)
        if progress is not None:
            progress(len(jobs) - len(missing), len(jobs), None)
        found = run_fits(entry, estimator, X, y, measure, missing, views) if missing else ()
        for done, (job, score) in enumerate(found, len(jobs) - len(missing) + 1):
            kept.note(job, score)
            setting = job.n_components, job.diversity
            scores[setting][job.number] = score
            if progress is not None:
                progress(done, len(jobs), trial(setting, own) if len(scores[setting]) == folds else None)
    choice = None
    if numbers:
        over_fits = np.mean([[scores[setting][f] for f in range(folds)] for setting in settings], axis=0)
        by_number = dict(zip(numbers, over_fits.T, strict=True))
        choice = choice_among(by_number, numbers[own], measure, f"{folds} folds")
        own = numbers.index(choice.best.granularity)
    trials = tuple(trial(setting, own) for setting in settings)
    best, reason = choose(trials, measure, own_diversity(estimator))
    return Tuning(measure, trials, best, reason, choice)


def _granularities(entry: Entry, estimator: Any, given: Sequence[Granularity] | None, measure: str) -> list[float]:
    """The granularities at which fits are measured, the estimator's own among them; none: only its own."""
    if given is None:
        left_open = estimator.get_params(deep=False).get("granularity", "set") is None and is_finished(estimator)
        if not left_open or measure in WITHOUT_LABELS:
            return []
        given = entry.tried_on_one_fit.get("granularity", ())
    elif not is_finished(estimator):
        raise ValueError(f"{entry.name} has no granularity here: nothing finishes what it says. Leave it out.")
    elif measure in WITHOUT_LABELS:
        raise ValueError(f"{measure} cannot compare granularities, for it depends on them. Pass labels as y.")
    return sorted({*map(granularity_number, given), own_granularity(estimator)})
