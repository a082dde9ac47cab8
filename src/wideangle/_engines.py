"""Who does the work on the parts of a collection: processes of this computer, or the workers of a Dask cluster."""

import hashlib
import platform
import shutil
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from wideangle._optional import optional_import
from wideangle._parallel import n_cores, work_in_order
from wideangle.exceptions import DataError

__all__ = ["DaskCluster", "Engine", "LocalProcesses", "connected"]

PATIENCE = 60  # seconds to wait for the first worker
AHEAD = 2  # So many tasks per thread of a cluster are handed out, so that none waits for the next one.
MOST_LOSSES = 3  # So often what all workers need is sent again after the workers that had it died.

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class LocalProcesses:
    """Processes of this computer. They see its disk."""

    number: int | None = None
    """None: one per processor"""

    sees_disk = True

    def __str__(self) -> str:
        number = n_cores() if self.number is None else self.number
        return "one process" if number == 1 else f"{number} processes"

    def work(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The result of each task, in the order of the tasks. Tasks are taken a few ahead of the results."""
        return work_in_order(function, tasks, self.number)

    def work_with_file(
        self, function: Callable[[Path, Task], Result], file: Path, tasks: Iterable[Task]
    ) -> Iterator[Result]:
        """The same of a function that needs a file besides."""
        return work_in_order(partial(function, file), tasks, self.number)


@dataclass(frozen=True)
class DaskCluster:
    """The workers of a Dask cluster. They need not see the disk of this computer.

    What a dying worker was doing is done again by another. If workers die of one task again and again, an error says
    so, and the results of the tasks before it have been given.
    """

    address: str

    sees_disk = False

    def __str__(self) -> str:
        return f"the workers of the Dask cluster at {self.address}"

    def work(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The result of each task, in the order of the tasks. Tasks are taken a few ahead of the results."""
        yield from self._work(function, None, tasks)

    def work_with_file(
        self, function: Callable[[Path, Task], Result], file: Path, tasks: Iterable[Task]
    ) -> Iterator[Result]:
        """The same of a function that needs a file besides. Its bytes are sent to each worker once."""
        yield from self._work(function, SentFile.of(file), tasks)

    def _work(self, function: Callable[..., Any], file: "SentFile | None", tasks: Iterable[Any]) -> Iterator[Any]:
        with connected(self.address) as (client, distributed):
            self._check_versions(client)
            waiting: deque[tuple[Any, Any]] = deque()
            coming, losses = iter(tasks), 0
            sent = None if file is None else client.scatter(file, broadcast=True, hash=False)

            def begin(task: Any) -> Any:
                # Not pure: Dask would otherwise remember a failed task and not try it again.
                return client.submit(_on_worker, function, task, sent, pure=False)

            while True:
                # Workers may have come or gone since the last time.
                most = AHEAD * max(1, sum(client.ncores().values()))
                for task in islice(coming, max(0, most - len(waiting))):
                    waiting.append((task, begin(task)))
                if not waiting:
                    return
                task, future = waiting[0]
                try:
                    result = future.result()
                except distributed.KilledWorker as error:
                    raise RuntimeError(
                        f"workers of the Dask cluster at {self.address} died again and again of the same task, perhaps "
                        f"for lack of memory ({error}). Give workers more memory or fewer threads, and run the same "
                        "again."
                    ) from error
                except distributed.CancelledError as error:
                    losses += 1
                    if file is None or losses > MOST_LOSSES:
                        raise RuntimeError(
                            f"the Dask cluster at {self.address} lost its workers {losses} times ({error}). Look at "
                            "their logs, and run the same again."
                        ) from error
                    client.wait_for_workers(1, timeout=PATIENCE)
                    sent = client.scatter(file, broadcast=True, hash=False)
                    waiting = deque((task, begin(task)) for task, _ in waiting)
                    continue
                waiting.popleft()
                yield result

    def _check_versions(self, client: Any) -> None:
        """Raise an error where a worker has no wideangle or another one, whose results might be others."""
        here = _version()
        for worker, there in client.run(_version, on_error="return").items():
            if isinstance(there, Exception):
                raise RuntimeError(
                    f"the Dask worker {worker} cannot use wideangle ({there}). Install wideangle {here} on all workers."
                )
            if there != here:
                raise RuntimeError(
                    f"the Dask worker {worker} has wideangle {there}, and this is {here}. Install the same on all "
                    "workers."
                )


Engine = LocalProcesses | DaskCluster


@contextmanager
def connected(address: str) -> Iterator[tuple[Any, Any]]:
    """A client of the Dask cluster, which has a worker at least, and the package `distributed`."""
    distributed = optional_import("distributed", extra="dask", purpose="running on a Dask cluster")
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RuntimeError(
            f"no Dask scheduler answers at {address} ({error}). Check the address; dask scheduler prints its own."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise RuntimeError(
                f"the Dask scheduler at {address} has no workers. Start some with: dask worker"
            ) from error
        yield client, distributed


@dataclass(frozen=True, eq=False)
class SentFile:
    """A file that travels to workers, which write it to a disk of theirs."""

    name: str
    digest: str
    content: bytes

    @classmethod
    def of(cls, path: Path) -> "SentFile":
        content = path.read_bytes()
        return cls(path.name, hashlib.sha256(content).hexdigest(), content)


class _Arrived:
    """The files that were sent to this process, each written once. They go when the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paths: dict[str, Path] = {}
        self._folder: Path | None = None

    def path_of(self, file: SentFile) -> Path:
        with self._lock:  # A worker may have several threads.
            if file.digest not in self._paths:
                if self._folder is None:
                    self._folder = Path(tempfile.mkdtemp(prefix="wideangle-"))
                    weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
                path = self._folder / f"{file.digest[:16]}-{file.name}"
                path.write_bytes(file.content)
                self._paths[file.digest] = path
            return self._paths[file.digest]


_ARRIVED = _Arrived()


def _on_worker(function: Callable[..., Any], task: Any, file: SentFile | None) -> Any:
    """Do a task on a worker. Where it does not find a file, the error says what workers need."""
    try:
        return function(task) if file is None else function(_ARRIVED.path_of(file), task)
    except DataError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise DataError(
                f"{error} It is a worker of the Dask cluster, on {platform.node()}, that does not find it: workers "
                "must see the same paths, on a disk that all share, or read from a URL."
            ) from error
        raise


def _version() -> str:
    from wideangle import __version__

    return __version__
