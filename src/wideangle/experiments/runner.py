"""Runs what specs need: several processes or a cluster, and stops and goes on without losing a record."""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import Any

from wideangle.catalogue import entry_of
from wideangle.experiments.cluster import on_cluster
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.plan import Plan
from wideangle.experiments.records import RecordFolder, writing
from wideangle.experiments.specs import Spec, check, check_names
from wideangle.experiments.tasks import Outcome

__all__ = ["Price", "Result", "price", "run", "run_job"]

Progress = Callable[[int, int, str], None]
MOST_DEATHS = 3


@dataclass(frozen=True)
class Result:
    """What a run did."""

    done: int
    failed: int
    left: int
    """fits that are still missing; there may be more, since folds decide what follows them"""
    seconds: float


@dataclass(frozen=True)
class Price:
    """What a spec will cost, before it starts."""

    spec: str
    fits: int
    done: int
    seconds: float | None
    """of one process, for what is missing; None where no record tells what such a fit costs"""
    unpriced: int
    """missing fits of which nothing is known"""


class Deadline:
    """When no fit is begun any more. Only `before_it` asks the clock, so that whoever asks `has_passed` is told the
    same: a run whose two clocks disagreed would plan the same fits for ever and begin none.
    """

    def __init__(self, minutes: float | None) -> None:
        self._end = None if minutes is None else time.perf_counter() + 60 * minutes
        self.has_passed = False
        """whether a fit was held back because the time was up"""

    def before_it(self, jobs: Iterable[Job]) -> Iterator[Job]:
        """Hand jobs out until the time is up."""
        for job in jobs:
            if self._end is not None and time.perf_counter() > self._end:
                self.has_passed = True
                return
            yield job


def run_job(job: Job, threads: int | None = None) -> Record:
    """Fit and measure; the record holds all that must be known to trust it. A failure is a record too."""
    import torch
    from threadpoolctl import threadpool_limits

    from wideangle.experiments.code_of_fits import fit_digest
    from wideangle.experiments.provenance import code_digest, made_with, measuring
    from wideangle.experiments.tasks import task_of

    if threads is not None:
        torch.set_num_threads(threads)
    code_digest()  # of the code that is about to run, not of what it may be changed to meanwhile
    code_of_fit = fit_digest(job.task, job.estimator)
    record: Record = asdict(job)
    outcome, task = None, task_of(job.task)  # Its imports are no part of the cost.
    with threadpool_limits(threads), measuring() as cost:
        try:
            outcome = task.measured(job)
        except Exception as error:  # The other fits go on; this one is told, and tried again by the next run.
            record["failed"] = f"{type(error).__name__}: {error}"[:500]
    if outcome is not None and (flaw := _flaw(outcome)):
        record["failed"] = flaw
    elif outcome is not None:
        measures = {name: float(value) for name, value in outcome.measures.items()}
        record |= {"measures": measures, "details": outcome.details, "seconds": outcome.seconds}
        record["checksum"] = outcome.checksum
    record |= {"all seconds": cost["seconds"], "GB": cost["GB"], "GPU GB": cost["GPU GB"]}
    record["made with"] = made_with(outcome.device if outcome else "cpu") | {"code of the fit": code_of_fit}
    record["made on"] = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return record


def _flaw(outcome: Outcome) -> str | None:
    """Why an outcome cannot be recorded; None: it can."""
    strange = [f"{name} = {value}" for name, value in outcome.measures.items() if not math.isfinite(value)]
    if strange:
        return f"not finite: {', '.join(strange)}"[:500]
    try:
        json.dumps(outcome.details, allow_nan=False)
    except (TypeError, ValueError) as error:
        return f"details cannot be written: {error}"[:500]
    return None


def run(
    specs: Sequence[Spec],
    folder: Path,
    *,
    jobs: int = 1,
    dask: str | None = None,
    budget: float | None = None,
    only_this_code: bool = False,
    progress: Progress | None = None,
    job_runner: Callable[..., Record] = run_job,
) -> Result:
    """Run every fit that the specs need and that has no record in the folder.

    Parameters
    ----------
    jobs : int
        Processes on this machine.
    dask : str or None
        The address of a Dask scheduler whose workers run the fits instead.
    budget : float or None
        Minutes after which no fit is begun. Fits that run then are waited for.
    only_this_code : bool
        Whether records of other code than that which is here now count as missing. They stay in their files.
    progress : callable or None
        Called with (done, total, note) after each fit.
    """
    for spec in specs:
        check(spec)
    began = time.perf_counter()
    deadline = Deadline(budget)
    known = RecordFolder(folder)
    done = failed = 0
    tried: set[str] = set()  # A failed fit is not tried again in the same run.
    deaths: list[str] = []
    with ExitStack() as files:
        writers = {
            task: files.enter_context(writing(known.path(task)))
            for task in dict.fromkeys(spec.task for spec in specs if spec.is_fitted)
        }
        records = {task: known.read(task, only_this_code=only_this_code) for task in writers}
        timed = {task: known.read(task) for task in writers}  # Other code tells about costs as well.
        while missing := [job for job in _missing(specs, records) if job.key not in tried]:
            in_time = deadline.before_it(_dear_first(missing, timed))
            total = done + failed + len(missing)
            for record in _until_worker_dies(_results(job_runner, in_time, jobs, dask), deaths):
                job = Job.of(record)
                tried.add(job.key)
                writers[job.task](record)
                if "failed" in record:
                    failed += 1
                else:
                    records[job.task][job.key] = timed[job.task][job.key] = record
                    done += 1
                if progress is not None:
                    progress(done + failed, total, f"{job.data}, {job.estimator}")
            if deadline.has_passed:
                break
        left = len(_missing(specs, records))
    return Result(done, failed, left, time.perf_counter() - began)


def price(specs: Sequence[Spec], folder: Path, *, only_this_code: bool = False) -> list[Price]:
    """What is missing, and what it will cost by the records of like fits. No data is needed."""
    known = RecordFolder(folder)
    records: dict[str, dict[str, Record]] = {}
    timed: dict[str, dict[str, Record]] = {}
    found = []
    for spec in specs:
        check_names(spec)
        if spec.is_fitted and spec.task not in records:
            records[spec.task] = known.read(spec.task, only_this_code=only_this_code)
            timed[spec.task] = known.read(spec.task)  # Other code tells about costs as well.
        plan = Plan(spec, records.get(spec.task, {}))
        wanted, missing = plan.jobs(), plan.missing()
        costs = [expected_seconds(job, timed[job.task]) for job in missing]
        told = [cost for cost in costs if cost is not None]
        total = sum(told) if len(told) == len(costs) else (sum(told) or None)
        found.append(Price(spec.name, len(wanted), len(wanted) - len(missing), total, len(costs) - len(told)))
    return found


def expected_seconds(job: Job, records: dict[str, Record]) -> float | None:
    """The median of the most like fits: of the same data and number of components, of the data, of the estimator."""
    of_kind = [r for r in records.values() if r["estimator"] == job.estimator]
    on_data = [r for r in of_kind if r["data"] == job.data]
    size = _size(job.estimator, job.settings)
    alike = [r for r in on_data if _size(job.estimator, r["settings"]) == size]
    for group in (alike, on_data, of_kind):
        seconds = [float(r["all seconds"]) for r in group if r.get("all seconds") is not None]
        if seconds:
            return median(seconds)
    return None


def _size(estimator: str, settings: Mapping[str, Any]) -> int | None:
    """The number of components, whatever its parameter is called; None: it is not set, or there is none."""
    name = entry_of(estimator).size
    return None if name is None else settings.get(name)


def _missing(specs: Sequence[Spec], records: dict[str, dict[str, Record]]) -> list[Job]:
    """What the specs need, once, though several may need the same."""
    found: dict[str, Job] = {}
    for spec in specs:
        if spec.is_fitted:
            found |= {job.key: job for job in Plan(spec, records[spec.task]).missing()}
    return list(found.values())


def _dear_first(jobs: list[Job], records: dict[str, dict[str, Record]]) -> list[Job]:
    """Long fits first, so that no process is left alone with one in the end."""
    costs = {job.key: expected_seconds(job, records[job.task]) or 0.0 for job in jobs}
    sizes = {job.key: _size(job.estimator, job.settings) or 0 for job in jobs}
    return sorted(jobs, key=lambda job: (-costs[job.key], -sizes[job.key]))


def _results(
    job_runner: Callable[..., Record], jobs_in_time: Iterator[Job], jobs: int, dask: str | None
) -> Iterator[Record]:
    """Records as they come, whatever the order."""
    if jobs == 1 and dask is None:
        yield from (job_runner(job) for job in jobs_in_time)
        return
    if dask is not None:
        yield from on_cluster(job_runner, jobs_in_time, dask)
        return
    from joblib import Parallel, delayed

    # Few jobs are handed out ahead, so that a budget is kept. One thread each: the processes share the cores.
    parallel: Any = Parallel(jobs, backend="loky", return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)
    yield from parallel(delayed(job_runner)(job, threads=1) for job in jobs_in_time)


def _until_worker_dies(records: Iterator[Record], deaths: list[str]) -> Iterator[Record]:
    """Pass records on. If a process died, end early: what has no record is planned again, a few times."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        yield from records
    except TerminatedWorkerError as error:
        deaths.append(str(error))
        if len(deaths) > MOST_DEATHS:
            raise RuntimeError(
                f"processes died {len(deaths)} times, perhaps for lack of memory: take fewer --jobs. "
                "The records of finished fits are kept."
            ) from error
