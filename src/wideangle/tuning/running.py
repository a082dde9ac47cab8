"""Fits of all trials on all folds, side by side where that pays."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import joblib  # type: ignore[import-untyped]
import torch

from wideangle.exceptions import DivergenceError
from wideangle.models._base import resolve_device
from wideangle.tuning.folds import Fold
from wideangle.tuning.grid import with_setting
from wideangle.tuning.measures import measured

WORTH_WORKERS = 30.0  # seconds of fits from where on processes are started, which take some seconds to import torch


@dataclass(frozen=True)
class Job:
    """A fit: the settings, the fold's number, its rows and its seed."""

    n_components: int
    diversity: float
    number: int
    fold: Fold
    seed: int


def run_jobs(estimator: Any, X: Any, y: Any, measure: str, jobs: Sequence[Job]) -> Iterator[tuple[Job, float]]:
    """Jobs as they are done, with their scores.

    On a CPU every fit has one thread, so that its bits do not depend on how many run side by side. The first is timed;
    if the others would take long, they are spread over processes, one a core.
    """
    alone = resolve_device(estimator.device).type != "cpu"
    began = time.perf_counter()
    yield jobs[0], run_job(estimator, X, y, measure, jobs[0])
    rest = jobs[1:]
    expected = len(rest) * (time.perf_counter() - began)
    workers = min(joblib.cpu_count(), len(rest))
    if alone or workers < 2 or expected < WORTH_WORKERS:
        for job in rest:
            yield job, run_job(estimator, X, y, measure, job)
        return
    parallel = joblib.Parallel(workers, return_as="generator_unordered")
    tasks = (joblib.delayed(_with_job)(estimator, X, y, measure, job) for job in rest)
    with closing(parallel(tasks)) as results:
        yield from results


def run_job(estimator: Any, X: Any, y: Any, measure: str, job: Job) -> float:
    """Fit on the fold's training rows and measure on those held out."""
    threads = torch.get_num_threads()
    model = with_setting(estimator, job.n_components, job.diversity).set_params(random_state=job.seed, verbose=False)
    train = job.fold[0]
    torch.set_num_threads(1)
    try:
        model.fit(X[train], None if y is None else y[train])
        return measured(measure, model, X, y, job.fold, job.seed)
    except DivergenceError as error:
        raise DivergenceError(
            f"the fit at K = {job.n_components}, λ = {job.diversity:g} on fold {job.number + 1} diverged; leave that "
            f"setting out, or lower learning_rate. {error}"
        ) from error
    finally:
        torch.set_num_threads(threads)


def _with_job(estimator: Any, X: Any, y: Any, measure: str, job: Job) -> tuple[Job, float]:
    return job, run_job(estimator, X, y, measure, job)
