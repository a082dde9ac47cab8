"""One thread that does one piece of work after another, for a loop of asyncio."""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Worker"]


class Worker:
    """Does work apart from the loop. The program can end while it works, as a search may take long."""

    def __init__(self) -> None:
        self._todo: queue.SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="wideangle searches", daemon=True)

    def start(self) -> None:
        """Begin to work. A worker starts once."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after what it is doing, without waiting for it."""
        self._todo.put(None)

    async def run(self, work: Callable[[], Any]) -> Any:
        """What the work returns or raises."""
        future = asyncio.get_running_loop().create_future()
        self._todo.put((future, work))
        return await future

    def _work(self) -> None:
        while (item := self._todo.get()) is not None:
            future, work = item
            found, error = None, None
            try:
                found = work()
            except Exception as raised:  # It is raised again where the work was asked for.
                error = raised
            try:
                future.get_loop().call_soon_threadsafe(_tell, future, found, error)
            except RuntimeError:  # The loop has ended, and nobody waits for this.
                return


def _tell(future: "asyncio.Future[Any]", found: Any, error: Exception | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(found)
    else:
        future.set_exception(error)
