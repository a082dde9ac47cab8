"""The same work on many things by several processes. What a process did that was lost is done again by another."""

import multiprocessing
import os
import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from wideangle.exceptions import LostWorkerError

__all__ = ["n_cores", "work_in_any_order", "work_in_order"]

MOST_LOSSES = 3  # So often processes may be lost before the work is given up.
AHEAD = 2  # So many tasks per process are handed out, so that none waits for the next one.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Task = TypeVar("Task")
Result = TypeVar("Result")


def n_cores() -> int:
    """How many processors this process may use."""
    from joblib import cpu_count

    return int(cpu_count())


def work_in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], processes: int | None = None
) -> Generator[Result, None, None]:
    """The result of each task, in the order of the tasks. Tasks are taken one by one, a few ahead of the results.

    With one process the work is done in this one, and so it is in a process that may not start others: a daemon of
    `multiprocessing`, as the workers of its pools are. None: one process per processor. A process that the system ended
    is replaced, and what has no result yet is done again; if that happens too often, `LostWorkerError` says so.
    """
    return _work(function, tasks, n_cores() if processes is None else processes, in_order=True)


def work_in_any_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], processes: int
) -> Generator[Result, None, None]:
    """The same with the results as they come."""
    return _work(function, tasks, processes, in_order=False)


@dataclass(eq=False)
class _Handed:
    """A task, and what will be its result where it was handed to a process."""

    task: Any
    future: "Future[Any] | None" = None


def _work(
    function: Callable[[Task], Result], tasks: Iterable[Task], processes: int, in_order: bool
) -> Generator[Result, None, None]:
    if processes == 1 or multiprocessing.current_process().daemon:
        yield from map(function, tasks)
        return
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    executor, losses, coming = _executor(processes), 0, iter(tasks)
    handed: list[_Handed] = []
    try:
        while True:
            handed.extend(_Handed(task) for task in islice(coming, AHEAD * processes - len(handed)))
            if not handed:
                return
            try:
                for each in handed:
                    if each.future is None:
                        each.future = executor.submit(function, each.task)
                done = _next(handed, in_order)
                assert done.future is not None
                result = done.future.result()
            except TerminatedWorkerError as error:
                losses += 1
                _tell_of_loss(losses, error)
                executor.shutdown(wait=True, kill_workers=True)
                executor = _executor(processes)
                for each in handed:
                    if not _has_result(each.future):
                        each.future = None
                continue
            handed.remove(done)
            yield result
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def _next(handed: list[_Handed], in_order: bool) -> _Handed:
    """The task whose result comes next."""
    if in_order:
        return handed[0]
    done, _ = wait([each.future for each in handed if each.future is not None], return_when=FIRST_COMPLETED)
    return next(each for each in handed if each.future in done)


def _has_result(future: "Future[Any] | None") -> bool:
    """Whether a task needs not be done again: it has a result, or an error of its own."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    if future is None or not future.done() or future.cancelled():
        return False
    return not isinstance(future.exception(), TerminatedWorkerError)


def _executor(processes: int) -> Any:
    """Processes of one call alone.

    Those that joblib shares with other threads of a program could not be ended here, and would keep their memory for
    five minutes.
    """
    from joblib.externals.loky.backend import get_context
    from joblib.externals.loky.process_executor import ProcessPoolExecutor

    return ProcessPoolExecutor(processes, context=get_context("loky"), env=_threads_each(processes))


def _threads_each(processes: int) -> dict[str, str]:
    """The environment of the processes. They share the processors, unless the user has set the numbers of threads."""
    share = str(max(1, n_cores() // processes))
    return {name: os.environ.get(name, share) for name in THREADS}


def _tell_of_loss(losses: int, error: Exception) -> None:
    if losses > MOST_LOSSES:
        raise LostWorkerError(
            f"processes of this work were ended by the system {losses} times, perhaps for lack of memory. "
            "Free some memory, and run the same again."
        ) from error
    warnings.warn(
        "a process was ended by the system, perhaps for lack of memory. What it did is done again by another.",
        stacklevel=3,
    )
