"""Connections of the page's server: one loop receives requests and sends answers, within limits, for all clients.

A client that is slow costs the loop a socket and the bytes that it sent so far, and no thread. What takes long is done
by one thread besides (`Worker`), one search after another in the order in which they came.
"""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from http import HTTPStatus
from typing import Protocol

from wideangle.report.limits import Limits, possible_connections
from wideangle.report.receiving import LimitError, receive_head
from wideangle.report.search_thread import Worker

__all__ = ["Connections", "Exchange", "Response"]

AT_ONCE = 2**14  # bytes that are received at a time
BUFFER = 2**18  # bytes of an answer that the system holds for a client
LINGERING = 1.0  # seconds in which a client may still send, so that it can read why it was refused
REFUSING = 16  # connections that may wait, over the limit, until they have been refused
SLOW = 0.25  # seconds after which a client that has sent no whole request makes room before those that have
PIECE = 2**18  # bytes of an answer that a client takes at a time, as which it is seen not to be slow
PAUSE = 0.05  # seconds until a connection is accepted again after the system refused one
SCARCE = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Response:
    """The bytes of an answer, and whether the connection is kept after it."""

    def __init__(self, parts: list[bytes], keep: bool, shared: bool) -> None:
        self.parts, self.keep = parts, keep
        self.size = sum(map(len, parts))
        self.own = 0 if shared else self.size  # The page is in memory once, for all clients.


class Exchange(Protocol):
    """A request that was read, and can be answered."""

    @property
    def takes_long(self) -> bool:
        """Whether a search must be made to answer it."""

    def answer(self) -> Response:
        """Answer it."""

    def refused(self, status: HTTPStatus, message: str) -> Response:
        """Say why it is not answered."""


class _Connection:
    def __init__(self, client: socket.socket) -> None:
        self.client = client
        self.received = bytearray()
        self.is_sending = self.has_answer = False
        self.since = 0.0  # when the client was last seen to do something
        self.task: asyncio.Task[None] | None = None


class Connections:
    """Serves all connections to a listening socket.

    Parameters
    ----------
    listens : socket
    limits : Limits
    read : callable
        It makes an `Exchange` of the bytes of a request line and headers. Empty bytes are of a request that never came.
    show_error : callable
        It is called where an exception is handled that is a mistake of the program.
    """

    def __init__(
        self, listens: socket.socket, limits: Limits, read: Callable[[bytes], Exchange], show_error: Callable[[], None]
    ) -> None:
        self.listens, self.limits, self.read, self.show_error = listens, limits, read, show_error
        self.most = possible_connections(limits.connections)
        self.open: set[_Connection] = set()
        # Connections whose clients are waited for; first in each, who is waited for the longest.
        self.asking: dict[_Connection, None] = {}  # They have begun their first request, or a further one.
        self.answered: dict[_Connection, None] = {}  # They take an answer, or have done so and ask for nothing.
        self.refusing: set[_Connection] = set()
        self.queued = self.unread = 0
        self.worker = Worker()

    async def serve(self, stopped: asyncio.Event) -> None:
        """Serve until the event is set. Answers that are on their way then have some seconds."""
        self.loop, self.turn = asyncio.get_running_loop(), asyncio.Lock()
        self.stopped = stopped
        self.listens.setblocking(False)
        self.worker.start()
        accepting = self.loop.create_task(self._accept())
        try:
            await stopped.wait()
        finally:
            stopped.set()
            # A task that is cancelled forgets a connection that the loop has just accepted for it. So no more are
            # accepted, and the task takes the last one first. Loops of Windows have no readers.
            with suppress(NotImplementedError):
                self.loop.remove_reader(self.listens)
            await asyncio.sleep(0)
            accepting.cancel()
            await self._end()
            self.worker.stop()

    async def _end(self) -> None:
        tasks = {each: each.task for each in self.open | self.refusing if each.task is not None}
        for connection, task in tasks.items():
            if not connection.is_sending and (connection in self.asking or connection in self.answered):
                task.cancel()
        if tasks:
            late = (await asyncio.wait(tasks.values(), timeout=self.limits.ending))[1]
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                client, _ = await self.loop.sock_accept(self.listens)
            except OSError as error:
                if error.errno in SCARCE:
                    self._make_room()
                    await asyncio.sleep(PAUSE)
                continue  # Other errors are of a client that left before it was accepted.
            try:
                self._take(client)
            except OSError:  # The client has left.
                client.close()
            await asyncio.sleep(0)  # The others come next, however many connect.

    def _take(self, client: socket.socket) -> None:
        client.setblocking(False)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = _Connection(client)
        if len(self.open) < self.most or self._make_room():
            self.open.add(connection)
            self._begin(connection, self._served(connection))
        elif len(self.refusing) < REFUSING:
            self.refusing.add(connection)
            self._begin(connection, self._turned_away(connection))
        else:
            with client:
                client.send(self._full())

    def _begin(self, connection: _Connection, serving: Coroutine[None, None, None]) -> None:
        connection.task = self.loop.create_task(serving)
        # A task that is cancelled before it begins does not come to where it would close the socket.
        connection.task.add_done_callback(lambda _: connection.client.close())

    def _full(self) -> bytes:
        said = f"{self.most} connections are open, and no more are accepted. Try again."
        return b"".join(self.read(b"").refused(HTTPStatus.SERVICE_UNAVAILABLE, said).parts)

    def _make_room(self) -> bool:
        """Close a connection whose client is waited for; False where all wait for the server."""
        asking, answered = (next(iter(each), None) for each in (self.asking, self.answered))
        # Who has sent no whole request goes before those that have, but not in the first moment, in which all are so.
        is_new = asking is not None and not self._is_slow(asking)
        slowest = answered if asking is None or (is_new and answered and self._is_slow(answered)) else asking
        if slowest is None or slowest.task is None:
            return False
        self._do_not_wait_for(slowest)
        self.open.discard(slowest)
        if not slowest.is_sending and (slowest.received or not slowest.has_answer):
            with suppress(OSError):
                slowest.client.send(self._full())
        slowest.task.cancel()  # It closes the socket.
        return True

    def _is_slow(self, connection: _Connection) -> bool:
        return self.loop.time() - connection.since > SLOW

    async def _turned_away(self, connection: _Connection) -> None:
        with connection.client as client:
            try:
                await self.loop.sock_sendall(client, self._full())
                await self._linger(connection)
            except (OSError, asyncio.CancelledError):
                pass
            finally:
                self.refusing.discard(connection)

    async def _served(self, connection: _Connection) -> None:
        with connection.client:
            try:
                await self._converse(connection)
            except (OSError, asyncio.CancelledError):  # The client left, or was too slow; or the server stops.
                pass
            except Exception:
                self.show_error()
            finally:
                self.open.discard(connection)
                self._do_not_wait_for(connection)

    async def _converse(self, connection: _Connection) -> None:
        keep = True
        while keep and not self.stopped.is_set():
            connection.is_sending = False
            self._wait_for(connection, self.answered if connection.has_answer else self.asking)
            try:
                head = await self._head(connection)
                if head is None or connection not in self.open:  # It was closed for another one.
                    return
                self._do_not_wait_for(connection)
                answer = await self._answer(head, connection)
                if answer is None:
                    return
            except LimitError as refused:
                answer = self.read(b"").refused(refused.status, str(refused))
            connection.is_sending = True
            await self._send(connection, answer)
            keep, connection.has_answer = answer.keep, True
        await self._linger(connection)

    def _wait_for(self, connection: _Connection, among: dict[_Connection, None]) -> None:
        """Remember that the client was seen now, and is waited for from now on."""
        self._do_not_wait_for(connection)
        connection.since = self.loop.time()
        among[connection] = None

    def _do_not_wait_for(self, connection: _Connection) -> None:
        self.asking.pop(connection, None)
        self.answered.pop(connection, None)

    async def _head(self, connection: _Connection) -> bytes | None:
        """The bytes of the next request line and its headers; None where the client has ended the connection."""
        received, limits = connection.received, self.limits

        def receive() -> Awaitable[bytes]:
            return self.loop.sock_recv(connection.client, AT_ONCE)

        if connection.has_answer and not received:
            try:
                received += await asyncio.wait_for(receive(), limits.idle)
            except asyncio.TimeoutError:
                return None
            if not received:
                return None
            self._wait_for(connection, self.asking)
        try:
            return await asyncio.wait_for(receive_head(receive, received, limits), limits.receiving)
        except asyncio.TimeoutError as error:
            said = f"the request was not complete after {limits.receiving:g} seconds."
            raise LimitError(HTTPStatus.REQUEST_TIMEOUT, said) from error

    async def _answer(self, head: bytes, connection: _Connection) -> Response | None:
        """What is sent; None to a client that has left."""
        exchange, limits = self.read(head), self.limits
        if not exchange.takes_long:
            return exchange.answer()
        busy = HTTPStatus.SERVICE_UNAVAILABLE
        if self.queued >= limits.queue:
            return exchange.refused(busy, f"{limits.queue} searches wait for their turn already. Try again.")
        has_waited = self.turn.locked()
        self.queued += 1
        try:
            await asyncio.wait_for(self.turn.acquire(), limits.turn)
        except asyncio.TimeoutError:
            return exchange.refused(busy, f"the search had no turn within {limits.turn:g} seconds. Try again.")
        finally:
            self.queued -= 1
        working = None
        try:
            if has_waited and _has_left(connection.client):
                return None
            if self.unread > limits.unread:
                return exchange.refused(busy, "too many answers wait until clients take them. Try again.")
            working = self.loop.create_task(self.worker.run(exchange.answer))
            # The thread cannot be interrupted. The next search has its turn when this one has ended, and not before.
            working.add_done_callback(lambda _: self.turn.release())
            answer: Response = await asyncio.wait_for(asyncio.shield(working), limits.answering)
            return answer
        except asyncio.TimeoutError:
            return exchange.refused(busy, f"the search took more than {limits.answering:g} seconds.")
        finally:
            if working is None:
                self.turn.release()

    async def _send(self, connection: _Connection, answer: Response) -> None:
        self.unread += answer.own
        patience = self.limits.sending + answer.size / self.limits.slowest

        async def send() -> None:
            for part in answer.parts:
                view = memoryview(part)
                for start in range(0, len(view), PIECE):
                    self._wait_for(connection, self.answered)
                    await self.loop.sock_sendall(connection.client, view[start : start + PIECE])

        try:
            await asyncio.wait_for(send(), patience)
        except asyncio.TimeoutError as error:
            raise OSError("the client was too slow.") from error
        finally:
            self.unread -= answer.own

    async def _linger(self, connection: _Connection) -> None:
        """Let the client read the answer. A socket that is closed while more arrives takes the answer back."""
        connection.client.shutdown(socket.SHUT_WR)

        async def rest() -> None:
            while await self.loop.sock_recv(connection.client, AT_ONCE):
                pass

        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(rest(), LINGERING)


def _has_left(client: socket.socket) -> bool:
    """Whether a client has ended its side of the connection, as a browser does that no longer wants an answer."""
    try:
        return not client.recv(1, socket.MSG_PEEK)
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True
