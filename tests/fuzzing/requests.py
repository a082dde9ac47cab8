"""Requests to the server of the explorer page, sent over a real socket of this computer."""

import re
import socket
import threading
import time
import traceback

from fuzzing.of_texts import mutate_request
from fuzzing.target import BrokenLawError, Subject, Target
from saved_models import save_with_all

import wideangle
from wideangle.report.answers import Searched
from wideangle.report.page import Page
from wideangle.report.server import PageServer
from wideangle.searching import Searcher
from wideangle.view import ModelView

PATIENCE = 5  # seconds that an answer may take
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) [^\r\n]*\r\n")
# What a page or a browser may be told. 500 is a mistake of the program.
EXPECTED = {200, 400, 403, 404, 405, 408, 413, 414, 417, 429, 431, 501, 503, 505, 100}


def targets():
    """One server for all cases."""
    return [Target("server requests", _subject)]


class _Watched(PageServer):
    """A server that keeps what would be printed of its own mistakes."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.mistakes = []

    def handle_error(self, request, client_address):
        error = traceback.format_exc()
        super_says_nothing = "OSError" in error or "ConnectionResetError" in error or "BrokenPipeError" in error
        if not super_says_nothing:
            self.mistakes.append(error)


def _subject(folder):
    save_with_all("softmax", folder / "m")
    model = wideangle.load(folder / "m")
    searched = Searched(Searcher(ModelView.of(model), model.documents_))
    server = _Watched(Page("<!doctype html><title>t</title>", "t"), [searched, Searched(None)])
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    host = f"Host: 127.0.0.1:{server.server_port}\r\n".encode()
    paths = [b"/", b"/search?q=one+two&model=0&count=3", b"/search?q=two&granularity=0.5", b"/search?q=three&count=1"]
    seeds = [b"GET " + path + b" HTTP/1.1\r\nHOST\r\n\r\n" for path in paths]
    seeds += [b"HEAD / HTTP/1.1\r\nHOSTSec-Fetch-Site: same-origin\r\n\r\n", b"GET / HTTP/1.0\r\nHOST\r\n\r\n"]

    def read(content):
        # The port differs each time, and cases must not.
        answer = _answer(server.server_port, content.replace(b"HOST\r\n", host).replace(b"HOST", host))
        if server.mistakes:
            raise BrokenLawError(server.mistakes.pop())
        statuses = [int(found) for found in STATUS.findall(answer)]
        if not statuses and answer and not answer.startswith(b"<!doctype html>"):  # what HTTP/0.9 is answered with
            raise BrokenLawError(f"the answer is no HTTP: {answer[:100]!r}")
        if not set(statuses) <= EXPECTED:
            raise BrokenLawError(f"the answer has the status {statuses}: {answer[:300]!r}")
        if 200 not in statuses:
            raise RefusedError(f"refused with {statuses}")

    return Subject(seeds, mutate_request, read, lambda error: isinstance(error, RefusedError))


class RefusedError(Exception):
    """The server refused a request in its own words, or closed the connection."""


def _answer(port, content):
    """All that the server sends until it closes the connection, after we said that nothing more comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        received = b""
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            began = time.monotonic()
            while piece := connection.recv(1 << 16):
                received += piece
                if time.monotonic() - began > PATIENCE:
                    raise BrokenLawError("the server does not come to an end of its answer")
        except TimeoutError:
            raise BrokenLawError(f"the server did not answer within {PATIENCE} seconds") from None
        except OSError:  # The server has closed the connection before it read all.
            pass
        return received
