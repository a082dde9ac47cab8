"""The same work on many things by several processes, with the results in order."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import TypeVar

__all__ = ["n_cores", "work_in_order"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def n_cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def work_in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], processes: int | None = None
) -> Iterator[Result]:
    """The result of each task, in the order of the tasks. Tasks are taken one by one, a few ahead of the results.

    With one process the work is done in this one. None: one process per processor.
    """
    processes = n_cores() if processes is None else processes
    if processes == 1:
        yield from map(function, tasks)
        return
    import joblib

    parallel = joblib.Parallel(processes, return_as="generator", pre_dispatch="2 * n_jobs", batch_size=1)
    try:
        with closing(parallel(joblib.delayed(function)(task) for task in tasks)) as results:
            yield from results
    finally:
        # joblib would keep its processes for five minutes, and their memory with them.
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True, kill_workers=True)
