"""Starts processes on this machine that fit one model together, by torch's elastic agent."""

import os
import signal
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import wideangle
from wideangle._forking import in_each_child
from wideangle.distributed.job import FITTED, raise_failure, write_job
from wideangle.exceptions import ProcessesError
from wideangle.models._training.checkpoint import OFTEN, Checkpoints
from wideangle.process_group.environment import place_in

MOST_RESTARTS = 3  # So often all processes are started anew after one of them was killed.
_ONE_AT_A_TIME = threading.Lock()
SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT") if hasattr(signal, name))


def _new_lock() -> None:
    global _ONE_AT_A_TIME
    _ONE_AT_A_TIME = threading.Lock()


in_each_child(_new_lock)


def fit_in_processes(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    processes: int,
    checkpoints: str | os.PathLike[str] | None = None,
    every_seconds: float = OFTEN,
) -> Any:
    """Fit a model in several processes of this machine, which divide the rows of each mini-batch among themselves.

    The result is that of `model.fit(X, y)` but for rounding. If a process is killed, all are started anew, at most
    three times, and go on from the last checkpoint.

    Parameters
    ----------
    model : estimator
        One that is trained by mini-batches: `ReplicatedSoftmax`, `BernoulliRBM`, `GaussianRBM`, `DistanceLearner`,
        `MLPClassifier`, `MLPRegressor` or `DocNADE`. It has no callbacks, because they would stay in this process.
    X : array or sparse matrix
        The rows. They are written to a temporary folder once, and all processes map them into memory.
    y : array, optional
        Labels or targets, as `fit` takes them.
    processes : int
        How many. Each of them has its share of the cores, and must get at least one row of each mini-batch.
    checkpoints : path, optional
        A folder for checkpoints; a later call with the same options and data goes on from there. Without it they are in
        a temporary folder, and serve a restart only.
    every_seconds : float, default=30
        The time between two checkpoints.

    Returns
    -------
    estimator
        The model itself, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.distributed import fit_in_processes
    >>> from wideangle.models import BernoulliRBM
    >>> X = np.repeat([[1.0, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0)
    >>> model = BernoulliRBM(2, max_updates=20, random_state=0)
    >>> fit_in_processes(model, X, processes=2).components_.shape  # doctest: +SKIP
    (2, 4)
    """
    _check(model, processes)
    with tempfile.TemporaryDirectory(prefix="wideangle-") as name:
        folder = Path(name)
        kept = folder / "checkpoints" if checkpoints is None else Path(checkpoints).absolute()
        if processes == 1:
            with Checkpoints(kept, every_seconds):
                return model.fit(X) if y is None else model.fit(X, y)
        write_job(folder, model, {"X": X, "y": y}, kept, every_seconds)
        _run(folder, processes)
        fitted = wideangle.load(folder / FITTED)
    model._forget()
    names = model._parameter_names()
    model.__dict__.update({name: value for name, value in vars(fitted).items() if name not in names})
    return model


def _check(model: Any, processes: Any) -> None:
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise ValueError(f"processes must be a whole number of at least 1; got {processes!r}.")
    if not getattr(model, "_trains_in_processes", False):
        raise TypeError(
            f"{type(model).__name__} is not trained by mini-batches that processes could divide. Call its fit, in one "
            "process."
        )
    if getattr(model, "_skl_callbacks", None):
        raise ValueError("callbacks cannot go into other processes. Take them away by set_callbacks(), or call fit.")
    if place_in() is not None:
        raise ProcessesError(
            "this process is already one of several that were started together. Call fit, which joins the others."
        )


def _run(folder: Path, processes: int) -> None:
    """Run the workers until all are done, or raise what went wrong."""
    # These take long to import, and only this function needs them.
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logs = folder / "logs"
    logs.mkdir()
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="127.0.0.1:0",  # The system chooses a free port.
        local_addr="127.0.0.1",
        max_restarts=MOST_RESTARTS,
        logs_specs=DefaultLogsSpecs(log_dir=str(logs)),
    )
    # Threads that call this at once take turns: the processes of both would be told the environment of one.
    with _ONE_AT_A_TIME, _own_signals(), _environment(OMP_NUM_THREADS=str(threads_each(processes))):
        try:
            elastic_launch(config, sys.executable)("-m", "wideangle.distributed.worker", str(folder))
        except SignalException as stopped:
            if stopped.sigval == signal.SIGINT:
                raise KeyboardInterrupt from stopped
            raise SystemExit(128 + stopped.sigval) from stopped
        except ChildFailedError as error:
            raise_failure(folder)
            rank, failure = error.get_first_failure()
            raise ProcessesError(
                f"process {rank} of {processes} failed {MOST_RESTARTS + 1} times, the last time with exit code "
                f"{failure.exitcode}. What it printed is above. Start fewer processes if memory was short."
            ) from error
    raise_failure(folder)


def threads_each(processes: int) -> int:
    """The threads of each process: all together have as many as there are cores, or as OMP_NUM_THREADS allows."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores // processes, int(allowed) if allowed.isdecimal() and int(allowed) else cores))


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set variables, which the processes inherit, and take back what the block and torch's agent change.

    What other threads change meanwhile stays, and so does what they read: the environment is never emptied.
    """
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in {*variables, *(name for name in os.environ if name.startswith("TORCH"))}:
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep this program's handlers of signals. The agent sets its own, and leaves them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
