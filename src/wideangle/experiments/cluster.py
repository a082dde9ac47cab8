"""Fits on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from wideangle._engines import connected
from wideangle.experiments.jobs import Job, Record

__all__ = ["on_cluster"]


def on_cluster(job_runner: Callable[..., Record], jobs: Iterator[Job], address: str) -> Iterator[Record]:
    """Records as they come. What a dying worker was doing is done again by another.

    joblib's backend for Dask is not used: where a cluster is left with one worker, joblib fits on this machine instead.
    """
    with connected(address) as (client, distributed):
        begun: dict[Any, Job] = {}
        finished = distributed.as_completed(loop=client.loop)

        def begin() -> None:
            """Keep each thread of the cluster busy, and hand out no more, so that a budget is kept."""
            # Workers may have come or gone since the last time.
            threads = max(1, sum(client.ncores().values()))
            while len(begun) < threads and (job := next(jobs, None)) is not None:
                # Not pure: Dask would otherwise remember a failed fit and not try it again.
                future = client.submit(job_runner, job, threads=1, pure=False)
                begun[future] = job
                finished.add(future)

        begin()
        for future in finished:
            yield _record(begun.pop(future), future, distributed.KilledWorker)
            begin()


def _record(job: Job, future: Any, killed: type[Exception]) -> Record:
    """What came of a fit. One during which several workers died has failed; the others go on."""
    try:
        record: Record = future.result()
    except killed as error:
        return asdict(job) | {"failed": f"workers died of it, perhaps for lack of memory: {error}"[:500]}
    return record
