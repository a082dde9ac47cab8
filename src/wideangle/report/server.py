"""The explorer page, the answers to its searches and its texts, served to the browsers of this computer alone.

The server listens on the loopback address and answers GET and HEAD for three paths. It reads no files and changes
nothing. Web pages of others must not read documents through a visitor's browser. Hence a request must name this
computer as its host. A page whose own name was made to point to this computer (DNS rebinding) names another host. The
request must not come from a page of another site, and no header lets other sites read an answer.
"""

import asyncio
import io
import json
import socket
import sys
import threading
import traceback
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from wideangle._listening import LOOPBACK, listening
from wideangle.evaluation.retrieval import Method
from wideangle.report.answers import Answers, RequestError, Searched, searched_of
from wideangle.report.connections import Connections, Response
from wideangle.report.explorer import make_page
from wideangle.report.limits import Limits
from wideangle.report.map_documents import Shown
from wideangle.report.page import Page

__all__ = ["PageServer", "server_of"]

USUAL_PORT = 80  # Browsers leave it out.
RETRY = "1"  # seconds after which a client that was refused for others may ask again
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
# The page has a policy of its own, which names its script by a hash. Both hold, and this one allows what it may.
PAGE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ANSWER_POLICY = "default-src 'none'; frame-ancestors 'none'"


class PageServer:
    """Serves one page and the searches of its models, until `shutdown`.

    Parameters
    ----------
    page : Page
        Made with `served=True`.
    models : sequence of Searched
        As many as the page has, in its order.
    port : int or socket, default=0
        Where to listen on the loopback address: a port, of which 0 takes any that is free, or a socket that listens
        already, from `wideangle._listening`. The server closes it.
    count : int, default=10
        Documents that a search finds.
    method : {"exact", "faiss", "faiss-hnsw"}
        How the closest documents are found.
    told : str, default=""
        A sentence for the person who starts it: where two models do not carry the same documents.
    shown : Shown, optional
        The documents of the map, whose texts the page may ask for.
    limits : Limits, optional
        What clients may take: connections, seconds and bytes.
    """

    def __init__(
        self,
        page: Page,
        models: Sequence[Searched],
        *,
        port: int | socket.socket = 0,
        count: int = 10,
        method: Method = "exact",
        told: str = "",
        shown: Shown | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.page, self.told = page.html.encode(), told
        self.answers = Answers(models, count, method, shown)
        self.socket = listening(port) if isinstance(port, int) else port
        self.server_address = self.socket.getsockname()
        self.server_port = int(self.server_address[1])
        self._connections = Connections(
            self.socket, limits or Limits(), lambda head: _Request(head, self), self.handle_error
        )
        self._changing = threading.Lock()  # of the three below, which several threads ask for
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._is_stopped = False
        self._ended = threading.Event()

    def __enter__(self) -> "PageServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.server_close()

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        """Answer requests until `stop` or `shutdown`, once. `poll_interval` is not needed, as nothing is polled."""
        try:
            asyncio.run(self._serve())
        finally:
            self._ended.set()

    async def _serve(self) -> None:
        with self._changing:
            if self._is_stopped:
                return
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            await self._connections.serve(self._stop)
        finally:
            with self._changing:
                self._loop = None

    def stop(self) -> None:
        """Tell `serve_forever` to end, from any thread. Answers on their way are still sent, for a short time."""
        # A signal may come while this thread has the lock, which is hence only tried.
        locked = self._changing.acquire(timeout=1)
        try:
            self._is_stopped = True
            if self._loop is not None and self._stop is not None:
                self._loop.call_soon_threadsafe(self._stop.set)
        finally:
            if locked:
                self._changing.release()

    def shutdown(self) -> None:
        """`stop`, and wait until `serve_forever` has ended, which must run in another thread."""
        self.stop()
        self._ended.wait()

    def server_close(self) -> None:
        """Leave the port."""
        self.socket.close()

    @property
    def open_connections(self) -> int:
        """How many connections there are now."""
        return len(self._connections.open)

    @property
    def most_connections(self) -> int:
        """How many connections there may be at a time: fewer than asked for where the system allows fewer files."""
        return self._connections.most

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may call this server."""
        names = (LOOPBACK, "localhost")
        with_port = frozenset(f"{name}:{self.server_port}" for name in names)
        return with_port | frozenset(names) if self.server_port == USUAL_PORT else with_port

    def handle_error(self) -> None:
        """Show the exception that is being handled, which is a mistake of the program. A browser that left is none."""
        traceback.print_exc(file=sys.stderr)


def server_of(
    model: Any,
    other: Any = None,
    *,
    names: tuple[str, str] = ("this model", "the other"),
    title: str | None = None,
    port: int | socket.socket = 0,
    method: Method = "exact",
    limits: Limits | None = None,
    **more: Any,
) -> PageServer:
    """Make the page of one model or two, and a server for it. `serve_forever` answers requests, `shutdown` ends that.

    `names` and `title` are as in `wideangle.report.explore`, and `more` is passed to what makes the page.
    """
    made = make_page(model, other, names=names, title=title, served=True, **more)
    models = [model] if other is None else [model, other]
    searched = [searched_of(each, number, made) for number, each in enumerate(models)]
    return PageServer(made.page, searched, port=port, method=method, told=made.told, shown=made.shown, limits=limits)


class _Request(BaseHTTPRequestHandler):
    """A request whose line and headers have been received. The base class reads them; nothing here touches a socket."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "wideangle", ""

    def __init__(self, head: bytes, server: PageServer) -> None:
        # The base class would receive the request and send the answer at once.
        self.written = io.BytesIO()
        self.page_server, self.rfile, self.wfile = server, io.BytesIO(head), self.written
        self.body, self.close_connection = b"", True
        self.command, self.requestline, self.request_version = "", "", self.protocol_version
        self.raw_requestline = self.rfile.readline()
        # Where it is wrong, the base class has called `send_error`.
        self.is_read = bool(self.raw_requestline) and self.parse_request()

    @property
    def takes_long(self) -> bool:
        """Whether a search must be made, or a text be looked up, to answer it."""
        return self.is_read and self.path.partition("?")[0] in ("/search", "/text")

    def answer(self) -> Response:
        """What is sent to the client."""
        if self.is_read:
            getattr(self, f"do_{self.command}")()
        return self._answer()

    def refused(self, status: HTTPStatus, message: str) -> Response:
        """Say why the request is not answered. A request that was not read ends the connection."""
        more = {} if self.is_read else {"Connection": "close"}
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            more["Retry-After"] = RETRY
        self._send_json(status, {"error": message}, more)
        return self._answer()

    def _answer(self) -> Response:
        head: bytes = self.written.getvalue()
        is_page = self.body is self.page_server.page
        parts = [head, self.body] if is_page else [head + self.body]
        return Response([part for part in parts if part], not self.close_connection, shared=is_page)

    def do_GET(self) -> None:
        self._respond()

    def do_HEAD(self) -> None:
        self._respond()

    def __getattr__(self, name: str) -> Any:
        # The base class looks for a method called do_POST and so on, and answers 501 where there is none.
        if name.startswith("do_"):
            return self._refuse_method
        raise AttributeError(name)

    def _respond(self) -> None:
        try:
            self._check_body()
            self._check_sender()
            path, query = self._target()
            if path == "/":
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.page_server.page, PAGE_POLICY)
            elif path == "/search":
                self._send_json(HTTPStatus.OK, self.page_server.answers.of(query))
            elif path == "/text":
                self._send_json(HTTPStatus.OK, self.page_server.answers.text(query))
            else:
                raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing at this address.")
        except RequestError as error:
            self._send_json(error.status, {"error": str(error)})
        except Exception:  # The browser is told that it failed, and the person who started the server how.
            self.page_server.handle_error()
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the search failed."})

    def _target(self) -> tuple[str, str]:
        try:
            parts = urlsplit(self.path)
        except ValueError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, "the address cannot be read.") from error
        if parts.scheme or parts.netloc:  # Such an address is for a proxy.
            raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing at this address.")
        return parts.path, parts.query

    def _check_body(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # What follows is not read, and is no request.
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a request carries nothing but its headers.")

    def _check_sender(self) -> None:
        if self.headers.get_all("Host", []) not in [[host] for host in self.page_server.hosts]:
            raise RequestError(HTTPStatus.FORBIDDEN, "this server answers only to the name of this computer.")
        # Typed addresses and bookmarks say "none", the page itself "same-origin"; programs without a page say nothing.
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RequestError(HTTPStatus.FORBIDDEN, "this server answers no pages of other sites.")

    def _refuse_method(self) -> None:
        self.close_connection = True  # What the request carries is not read.
        refused = {"error": "only GET and HEAD are answered."}
        self._send_json(HTTPStatus.METHOD_NOT_ALLOWED, refused, {"Allow": "GET, HEAD", "Connection": "close"})

    def _send_json(self, status: HTTPStatus, content: dict[str, Any], more: dict[str, str] | None = None) -> None:
        body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode(errors="replace")
        self._send(status, "application/json; charset=utf-8", body, ANSWER_POLICY, more)

    def _send(
        self, status: HTTPStatus, kind: str, body: bytes, policy: str, more: dict[str, str] | None = None
    ) -> None:
        # The base class takes what it cannot read for HTTP/0.9, whose answers have no status.
        if self.request_version == "HTTP/0.9":
            self.request_version, self.close_connection = "HTTP/1.0", True
        self.send_response(status)
        own = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for name, value in (HEADERS | own | (more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.body = body

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class says of requests that it cannot read, as JSON."""
        self.close_connection = True
        self._send_json(HTTPStatus(code), {"error": message or HTTPStatus(code).phrase}, {"Connection": "close"})

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""
