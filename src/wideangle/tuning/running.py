"""The fits of all trials on all folds, in parallel where that saves time."""

import math
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
import torch

from wideangle._forking import in_each_child
from wideangle._own_settings import set_known, with_setting
from wideangle._parallel import work_in_any_order
from wideangle._quiet import silenced
from wideangle.catalogue import Entry, register
from wideangle.exceptions import DivergenceError
from wideangle.models._base import resolve_device
from wideangle.process_group.group import Group
from wideangle.tuning.folds import Fold
from wideangle.tuning.measures import Held, measured_in_views

WORTH_WORKERS = 30.0  # Processes need some seconds to import torch, so they are started for more seconds of fits only.
PROBED_ONE_IN = 50  # One in so many updates of a fit is made first, to estimate how long all fits take,
FEWEST_PROBED = 25  # but at least this many, because the first updates are slow.


Views = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class FitOnFold:
    """One fit: K and λ, the fold's number, its rows and its seed."""

    n_components: int
    diversity: float
    number: int
    fold: Fold
    seed: int


def run_fits(
    entry: Entry, estimator: Any, X: Any, y: Any, measure: str, jobs: Sequence[FitOnFold], views: Views = ({},)
) -> Iterator[tuple[FitOnFold, tuple[float, ...]]]:
    """Yield each job when it is done, with a score per view: settings that the fit does not depend on.

    `entry` is passed on, because other processes lack those that were registered.

    On a CPU every fit has one thread, so that its bits do not depend on how many fits run in parallel. If all of them
    would take long, they are spread over processes, one per core. A GPU runs them one after the other.
    """
    device = resolve_device(getattr(estimator, "device", "cpu"))
    workers = min(joblib.cpu_count(), len(jobs)) if device.type == "cpu" else 1
    if not Group.current().alone:  # Processes that were started together fit each model together.
        workers = 1
    if workers < 2 or seconds_of_fits(entry, estimator, X, y, jobs) < WORTH_WORKERS:
        for job in jobs:
            yield job, run_fit(entry, estimator, X, y, measure, job, views)
        return
    work = partial(_with_job, entry, estimator, X, y, measure, views)
    with closing(work_in_any_order(work, jobs, workers)) as results:
        yield from results


def seconds_of_fits(entry: Entry, estimator: Any, X: Any, y: Any, jobs: Sequence[FitOnFold]) -> float:
    """How long all fits would take one after the other, estimated by the first fit or by some of its updates."""
    model = _unfitted(entry, estimator, jobs[0])
    budget = model.get_params(deep=False).get("max_updates")
    if budget is not None:
        model.set_params(max_updates=min(budget, max(FEWEST_PROBED, budget // PROBED_ONE_IN)))
    began = time.perf_counter()
    with silenced(), one_thread():  # The real fit gives the same warnings.
        _fitted(model, X, y, jobs[0])
    if budget is None or not getattr(model, "history_", ()):
        return len(jobs) * (time.perf_counter() - began)
    return len(jobs) * model.history_[-1].seconds * budget / model.max_updates


def run_fit(
    entry: Entry, estimator: Any, X: Any, y: Any, measure: str, job: FitOnFold, views: Views = ({},)
) -> tuple[float, ...]:
    """Fit on the fold's training rows and measure on its held-out rows, with the settings of each view."""
    with one_thread():
        model = _fitted(_unfitted(entry, estimator, job), X, y, job)
        held = Held(X, y, *job.fold, job.seed)
        found = measured_in_views(measure, model, held, [np.arange(len(held.rows))], views)
    scores = tuple(score for (score,) in found)
    for score in scores:
        if not math.isfinite(score):
            raise ValueError(
                f"{measure} at K = {job.n_components}, λ = {job.diversity:g} on fold {job.number + 1} is {score}; "
                "leave that setting out, or look at the rows of that fold."
            )
    return scores


_ONE_AT_A_TIME = threading.RLock()


def _new_lock() -> None:
    global _ONE_AT_A_TIME
    _ONE_AT_A_TIME = threading.RLock()


in_each_child(_new_lock)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread inside the block.

    Torch has one such number for all threads of a program. Threads that tune at once take turns, because the second
    would else find the number of the first, and leave it behind.
    """
    with _ONE_AT_A_TIME:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _unfitted(entry: Entry, estimator: Any, job: FitOnFold) -> Any:
    model = with_setting(estimator, job.n_components, job.diversity, entry)
    return set_known(model, random_state=job.seed, verbose=False)


def _fitted(model: Any, X: Any, y: Any, job: FitOnFold) -> Any:
    train = job.fold[0]
    try:
        return model.fit(X[train], None if y is None else y[train])
    except DivergenceError as error:
        raise DivergenceError(
            f"the fit at K = {job.n_components}, λ = {job.diversity:g} on fold {job.number + 1} diverged; leave that "
            f"setting out, or lower learning_rate. {error}"
        ) from error


def _with_job(
    entry: Entry, estimator: Any, X: Any, y: Any, measure: str, views: Views, job: FitOnFold
) -> tuple[FitOnFold, tuple[float, ...]]:
    if entry.estimator is not None:  # Another process lacks what was registered in the first.
        register(entry)
    return job, run_fit(entry, estimator, X, y, measure, job, views)
