"""The explorer page, the answers to its searches and its texts, served to the browsers of this computer alone.

The server listens on the loopback address and answers GET and HEAD for three paths. It reads no files and changes
nothing. Web pages of others must not read documents through a visitor's browser. Hence a request must name this
computer as its host. A page whose own name was made to point to this computer (DNS rebinding) names another host. The
request must not come from a page of another site, and no header lets other sites read an answer.
"""

import json
import socket
import sys
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from wideangle._listening import LOOPBACK, listening
from wideangle.evaluation.retrieval import Method
from wideangle.report.answers import Answers, RequestError, Searched, searched_of
from wideangle.report.explorer import made_of
from wideangle.report.page import Page
from wideangle.report.shown import Shown

__all__ = ["PageServer", "server_of"]

USUAL_PORT = 80  # Browsers leave it out.
PATIENCE = 30  # seconds that a browser may take for its request
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


class PageServer(ThreadingHTTPServer):
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
    """

    daemon_threads = True
    block_on_close = False  # A browser that keeps its connection must not keep the program from ending.

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
    ) -> None:
        self.page, self.told = page.html.encode(), told
        self.answers = Answers(models, count, method, shown)
        # An HTTP server that binds by itself would ask for the computer's name, which can take long.
        super().__init__((LOOPBACK, 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening(port) if isinstance(port, int) else port
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = LOOPBACK, int(self.server_address[1])

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

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing where a browser has left. Any other error is a mistake of the program, and is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def server_of(
    model: Any,
    other: Any = None,
    *,
    names: tuple[str, str] = ("this model", "the other"),
    title: str | None = None,
    port: int | socket.socket = 0,
    method: Method = "exact",
    **more: Any,
) -> PageServer:
    """Make the page of one model or two, and a server for it. `serve_forever` answers requests, `shutdown` ends that.

    `names` and `title` are as in `wideangle.report.explore`, and `more` is passed to what makes the page.
    """
    made = made_of(model, other, names=names, title=title, served=True, **more)
    models = [model] if other is None else [model, other]
    searched = [searched_of(each, number, made) for number, each in enumerate(models)]
    return PageServer(made.page, searched, port=port, method=method, told=made.told, shown=made.shown)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = PATIENCE
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "wideangle", ""

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
            self._check_sender()
            path, query = self._target()
            if path == "/":
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page, PAGE_POLICY)
            elif path == "/search":
                self._send_json(HTTPStatus.OK, self.server.answers.of(query))
            elif path == "/text":
                self._send_json(HTTPStatus.OK, self.server.answers.text(query))
            else:
                raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing at this address.")
        except RequestError as error:
            self._send_json(error.status, {"error": str(error)})
        except OSError:  # The browser has gone.
            self.close_connection = True
        except Exception:
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": "the search failed."})

    def _target(self) -> tuple[str, str]:
        try:
            parts = urlsplit(self.path)
        except ValueError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, "the address cannot be read.") from error
        if parts.scheme or parts.netloc:  # Such an address is for a proxy.
            raise RequestError(HTTPStatus.NOT_FOUND, "there is nothing at this address.")
        return parts.path, parts.query

    def _check_sender(self) -> None:
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
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
        self.send_response(status)
        own = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for name, value in (HEADERS | own | (more or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class says of requests that it cannot read, as JSON."""
        self.close_connection = True
        self._send_json(HTTPStatus(code), {"error": message or HTTPStatus(code).phrase}, {"Connection": "close"})

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""
