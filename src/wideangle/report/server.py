"""The explorer page and the answers to its searches, served to the browsers of this computer alone.

The server listens on the loopback address and answers GET and HEAD for two paths. It reads no files and changes
nothing. Web pages of others must not read documents through a visitor's browser. Hence a request must name this
computer as its host. A page whose own name was made to point to this computer (DNS rebinding) names another host. The
request must not come from a page of another site, and no header lets other sites read an answer.
"""

import json
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation.retrieval import Method
from wideangle.exceptions import DataError
from wideangle.report.explorer import Made, made_of
from wideangle.report.page import Page
from wideangle.searching import Hit, Searcher
from wideangle.searching.searcher import vocabulary_of
from wideangle.view import ModelView

__all__ = ["PageServer", "Searched", "server_of"]

LOOPBACK = "127.0.0.1"
LONGEST_QUERY = 1000  # characters
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


@dataclass(frozen=True, eq=False)
class Searched:
    """A model of the page: how it is searched, and where its documents are on the page."""

    searcher: Searcher | None
    """None: the model has no documents or no words"""
    leaves: NDArray[Any] | None = None
    """the leaf of the topic tree of each document, negative where it has none"""
    shown: NDArray[np.intp] | None = None
    """the numbers of the documents that are on the page, in rising order; None: none is"""

    def place(self, number: int) -> int | None:
        """The number of a document among those shown; None where it is not on the page."""
        if self.shown is None or not len(self.shown):
            return None
        place = int(np.searchsorted(self.shown, number))
        return place if place < len(self.shown) and int(self.shown[place]) == number else None

    def leaf(self, number: int) -> int | None:
        """The leaf of a document in the tree of topics; None where it has none."""
        leaf = -1 if self.leaves is None else int(self.leaves[number])
        return leaf if leaf >= 0 else None


class RequestError(ValueError):
    """A request that is refused, with the status to say."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class PageServer(ThreadingHTTPServer):
    """Serves one page and the searches of its models, until `shutdown`.

    Parameters
    ----------
    page : Page
        Made with `served=True`.
    models : sequence of Searched
        As many as the page has, in its order.
    port : int, default=0
        Where to listen on the loopback address. 0 takes any port that is free.
    count : int, default=10
        Documents that a search finds.
    method : {"exact", "faiss", "faiss-hnsw"}
        How the closest documents are found.
    told : str, default=""
        A sentence for the person who starts it: where two models do not carry the same documents.
    """

    daemon_threads = True
    block_on_close = False  # A browser that keeps its connection must not keep the program from ending.

    def __init__(
        self,
        page: Page,
        models: Sequence[Searched],
        *,
        port: int = 0,
        count: int = 10,
        method: Method = "exact",
        told: str = "",
    ) -> None:
        self.page, self.models = page.html.encode(), tuple(models)
        self.count, self.method, self.told = count, method, told
        # What reads queries and asks models changes filters of warnings, which all threads of a program share.
        self.one_at_a_time = threading.Lock()
        super().__init__((LOOPBACK, port), _Handler)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    def server_bind(self) -> None:
        """Bind as plain TCP servers do. An HTTP server would ask for the computer's name, which can take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, int(self.server_address[1])

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may call this server."""
        names = (LOOPBACK, "localhost")
        with_port = frozenset(f"{name}:{self.server_port}" for name in names)
        return with_port | frozenset(names) if self.server_port == USUAL_PORT else with_port

    def answer(self, query: str) -> dict[str, Any]:
        """What the page is told for the query string of a search."""
        try:
            given = parse_qs(query, keep_blank_values=True, max_num_fields=10)
        except ValueError as error:
            raise RequestError(HTTPStatus.BAD_REQUEST, "the address has too many parts.") from error
        words, number = (given.get(name, [default])[0] for name, default in (("q", ""), ("model", "0")))
        if len(words) > LONGEST_QUERY:
            raise RequestError(HTTPStatus.BAD_REQUEST, f"the query is longer than {LONGEST_QUERY} characters.")
        if not (number.isascii() and number.isdigit() and len(number) < 4 and int(number) < len(self.models)):
            raise RequestError(HTTPStatus.BAD_REQUEST, f"there is no model {number[:20]!r}.")
        model = self.models[int(number)]
        if model.searcher is None:
            return {
                "error": "the model carries no documents, or was not fitted on text, so that it cannot be searched."
            }
        try:
            with self.one_at_a_time:
                found = model.searcher.search(words, self.count, method=self.method)
        except DataError as error:  # no known word: what to do stands in the message
            return {"error": str(error)}
        return {
            "hits": [_hit(hit, model) for hit in found.hits],
            "known": found.known,
            "unknown": found.unknown,
            "left_out": found.left_out,
            "by": found.by,
        }


def _hit(hit: Hit, model: Searched) -> dict[str, Any]:
    return {
        "name": hit.name,
        "title": hit.title,
        "text": hit.snippet or "",
        "label": hit.label,
        "topic": model.leaf(hit.number),
        "shown": model.place(hit.number),
        "distance": hit.distance if math.isfinite(hit.distance) else None,
        "score": hit.score if math.isfinite(hit.score) else None,
        "matched": hit.matched,
    }


def server_of(
    model: Any,
    other: Any = None,
    *,
    names: tuple[str, str] = ("this model", "the other"),
    title: str | None = None,
    port: int = 0,
    method: Method = "exact",
    **more: Any,
) -> PageServer:
    """Make the page of one model or two, and a server for it. `serve_forever` answers requests, `shutdown` ends that.

    `names`, `title` and `more` are as in `wideangle.report.explore`.
    """
    made = made_of(model, other, names=names, title=title, served=True, **more)
    models = [model] if other is None else [model, other]
    searched = [_searched(each, number, made) for number, each in enumerate(models)]
    return PageServer(made.page, searched, port=port, method=method, told=made.told)


def _searched(model: Any, number: int, made: Made) -> Searched:
    view, documents = ModelView.of(model), getattr(model, "documents_", None)
    if documents is None:
        return Searched(None)
    try:
        vocabulary_of(view)
    except DataError:  # Numbers are looked at, and not searched.
        return Searched(None)
    topics = made.views[number].topics
    on_page = made.shown is not None and made.shown.holds(made.views[number])
    return Searched(
        Searcher(view, documents),
        None if topics is None else topics.leaves,
        made.shown.rows if made.shown is not None and on_page else None,
    )


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
                self._send_json(HTTPStatus.OK, self.server.answer(query))
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
