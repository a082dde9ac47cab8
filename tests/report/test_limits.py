"""What the server of the page gives to its clients, at small limits: the others are served while some reach one."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from wideangle.report import limits
from wideangle.report.answers import Answers
from wideangle.report.connections import SLOW
from wideangle.report.limits import FEWEST_CONNECTIONS, FILES_LEFT, Limits
from wideangle.report.page import Page
from wideangle.report.server import PageServer

LARGE = Page("<!doctype html>" + "x" * 20_000_000, "too large for the buffers of the system")
QUICK = Limits(receiving=0.3, idle=0.3, sending=0.3, slowest=100_000_000)


@contextmanager
def serving(given, page=None):
    with PageServer(page or Page("<!doctype html>", ""), [], limits=given) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(20)
            assert not thread.is_alive()
            assert server.open_connections == 0


def connected(server):
    return socket.create_connection(("127.0.0.1", server.server_port), timeout=20)


def request(server, path="/", more=""):
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n{more}\r\n".encode()


def asked(server, path="/"):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read()
    finally:
        connection.close()


def everything(connection):
    return b"".join(iter(lambda: connection.recv(65536), b""))


def refusal(answer):
    """The status, the headers and the sentence of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode(), json.loads(body)["error"]


def becomes(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_so()


@pytest.fixture
def held(monkeypatch):
    """Searches that are answered when they are let go, and in which order they were begun."""
    let_go, begun = threading.Event(), []

    def search(self, query):
        begun.append(query)
        assert let_go.wait(20)
        return {"hits": [], "query": query}

    monkeypatch.setattr(Answers, "of", search)
    yield let_go, begun
    let_go.set()


@pytest.mark.parametrize("sent", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: a\r\n"], ids=["none", "line", "headers"])
def test_a_request_that_is_not_sent_in_time(sent):
    with serving(QUICK) as server, connected(server) as slow:
        slow.sendall(sent)
        status, head, said = refusal(everything(slow))
        assert (status, said) == (408, "the request was not complete after 0.3 seconds.")
        assert "Connection: close" in head


def test_one_byte_after_another_is_no_way_to_keep_a_connection():
    with serving(QUICK) as server, connected(server) as slow:
        slow.settimeout(0.02)
        answer = b""
        for letter in request(server, more="X: " + "y" * 10_000):
            try:
                slow.sendall(bytes([letter]))
                answer += slow.recv(1000)
            except TimeoutError:
                continue
            except OSError:
                break
            if answer:
                break
        assert b" 408 " in answer


def test_a_connection_that_is_kept_without_a_request_is_closed_without_a_word():
    with serving(QUICK) as server, connected(server) as idle:
        idle.sendall(request(server))
        assert everything(idle).endswith(b"<!doctype html>")


def test_who_does_not_read_the_answer_is_left():
    with serving(QUICK, LARGE) as server, connected(server) as slow:
        slow.sendall(request(server))
        assert becomes(lambda: server.open_connections == 1)
        assert asked(server, "/nothing")[0] == 404
        assert becomes(lambda: server.open_connections == 0)
        head, _, body = everything(slow).partition(b"\r\n\r\n")
        assert f"Content-Length: {len(LARGE.html)}" in head.decode()  # by which the client sees that it was cut off
        assert len(body) < len(LARGE.html)


@pytest.mark.parametrize(
    ("line", "headers", "status", "said"),
    [
        ("/" + "a" * 3000, "", 414, "the address is longer than 1000 bytes."),
        ("/", "X: " + "y" * 6000 + "\r\n", 431, "the headers are longer than 4000 bytes."),
        ("/", "X: y\r\n" * 3000, 431, "the headers are longer than 4000 bytes."),
        ("/", "Content-Length: 5\r\n", 413, "a request carries nothing but its headers."),
        ("/", "Transfer-Encoding: chunked\r\n", 413, "a request carries nothing but its headers."),
    ],
)
def test_requests_that_are_too_long(line, headers, status, said):
    with serving(Limits(request_line=1000, head=4000)) as server, connected(server) as client:
        client.sendall(request(server, line, headers) + b"12345" * 1000)
        got, _, why = refusal(everything(client))
        assert (got, why) == (status, said)
        assert asked(server, "/" + "a" * 900)[0] == 404


def test_a_request_that_ends_before_its_headers():
    with serving(Limits()) as server, connected(server) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        client.shutdown(socket.SHUT_WR)
        assert refusal(everything(client))[::2] == (400, "the request ended before its headers did.")


@pytest.mark.parametrize("pieces", [1, 7, 10_000])
def test_requests_in_a_row_in_pieces_of_any_size(pieces):
    with serving(Limits()) as server, connected(server) as client:
        sent = request(server, "/one") + request(server) + request(server, "/three", "Connection: close\r\n")
        for start in range(0, len(sent), pieces):
            client.sendall(sent[start : start + pieces])
        answer = everything(client)
        assert [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]] == [404, 200, 404]


def test_the_slowest_client_makes_room_for_the_next():
    with serving(Limits(connections=3)) as server, ExitStack() as kept:
        slow = []
        for number in range(3):
            slow.append(kept.enter_context(connected(server)))
            assert becomes(lambda number=number: server.open_connections == number + 1)
        assert asked(server)[0] == 200
        status, head, said = refusal(everything(slow[0]))  # It came first.
        assert (status, said) == (503, "3 connections are open, and no more are accepted. Try again.")
        assert "Retry-After: 1" in head
        for other in slow[1:]:
            other.sendall(request(server, more="Connection: close\r\n"))
            assert everything(other).endswith(b"<!doctype html>")


def test_who_does_not_read_makes_room_too():
    with serving(Limits(connections=3), LARGE) as server, ExitStack() as kept:
        for number in range(3):
            slow = kept.enter_context(connected(server))
            slow.sendall(request(server))
            assert slow.recv(10)
            assert becomes(lambda number=number: server.open_connections == number + 1)
        for _ in range(5):
            assert len(asked(server)[2]) == len(LARGE.html)
            assert server.open_connections <= 3


def test_who_waits_for_the_server_keeps_the_connection(held):
    let_go, begun = held
    with serving(Limits(connections=3)) as server, ThreadPoolExecutor(3) as pool:
        searches = [pool.submit(asked, server, f"/search?q={number}") for number in range(3)]
        assert becomes(lambda: server.open_connections == 3 and len(begun) == 1 and server._connections.queued == 2)
        for _ in range(40):  # more than are let in to be refused at a time
            with connected(server) as late:
                late.sendall(request(server))
                status, head, said = refusal(everything(late))
                assert (status, said) == (503, "3 connections are open, and no more are accepted. Try again.")
                assert "Retry-After: 1" in head
        let_go.set()
        assert [search.result()[0] for search in searches] == [200] * 3
        assert becomes(lambda: server.open_connections == 0)
        assert asked(server)[0] == 200


def test_who_takes_an_answer_is_not_closed_for_those_that_ask_for_nothing():
    """Clients come again and again, more than there may be, while one takes a large answer in pieces."""
    with serving(Limits(connections=4), LARGE) as server, ExitStack() as kept:
        reader = kept.enter_context(connected(server))
        reader.sendall(request(server, more="Connection: close\r\n"))
        answer = bytearray(reader.recv(1000))
        for _ in range(40):
            for _ in range(3):
                kept.enter_context(connected(server)).sendall(b"GET /")
            while len(piece := reader.recv(300_000)) == 300_000:
                answer += piece
            answer += piece
        answer += everything(reader)
        assert answer.endswith(LARGE.html[-100:].encode())
        assert len(answer) > len(LARGE.html)


def test_who_begins_a_request_is_not_closed_for_the_first_moment():
    """Connections that are kept after an answer make room for those that have just come."""
    with serving(Limits(connections=3)) as server, ExitStack() as kept:
        idle = [kept.enter_context(connected(server)) for _ in range(3)]
        for client in idle:
            client.sendall(request(server))
            answer = b""
            while not answer.endswith(b"<!doctype html>"):
                answer += client.recv(10_000)
        time.sleep(2 * SLOW)
        new = kept.enter_context(connected(server))
        new.sendall(b"GET / HT")
        assert idle[0].recv(10) == b""
        assert asked(server)[0] == 200
        assert idle[1].recv(10) == b""
        new.sendall(request(server, more="Connection: close\r\n")[8:])
        assert everything(new).endswith(b"<!doctype html>")


def test_a_search_that_takes_too_long(held):
    """Its client is told, and the next search has its turn when the long one has ended."""
    let_go, begun = held
    with serving(Limits(answering=1)) as server, ThreadPoolExecutor(1) as pool:
        status, headers, body = asked(server, "/search?q=long")
        assert (status, headers["Retry-After"]) == (503, "1")
        assert json.loads(body)["error"] == "the search took more than 1 seconds."
        following = pool.submit(asked, server, "/search?q=next")
        assert becomes(lambda: server._connections.queued == 1)
        assert begun == ["q=long"]
        let_go.set()
        assert following.result()[0] == 200
        assert begun == ["q=long", "q=next"]


def test_who_has_left_is_not_searched_for(held):
    """As a person types, a browser asks again and again, and drops what it asked before."""
    let_go, begun = held
    with serving(Limits()) as server, ThreadPoolExecutor(2) as pool:
        first = pool.submit(asked, server, "/search?q=first")
        assert becomes(lambda: len(begun) == 1)
        for number in range(5):
            with connected(server) as client:
                client.sendall(request(server, f"/search?q={number}"))
                assert becomes(lambda number=number: server._connections.queued == number + 1)
        last = pool.submit(asked, server, "/search?q=last")
        assert becomes(lambda: server._connections.queued == 6)
        let_go.set()
        assert [first.result()[0], last.result()[0]] == [200, 200]
        assert begun == ["q=first", "q=last"]


def test_searches_have_their_turn_in_the_order_in_which_they_came(held):
    let_go, begun = held
    with serving(Limits(queue=4)) as server, ThreadPoolExecutor(5) as pool:
        searches = []
        for number in range(5):
            searches.append(pool.submit(asked, server, f"/search?q={number}"))
            assert becomes(lambda number=number: len(begun) + server._connections.queued == number + 1)
        status, headers, body = asked(server, "/search?q=late")
        assert (status, headers["Retry-After"]) == (503, "1")
        assert json.loads(body)["error"] == "4 searches wait for their turn already. Try again."
        assert asked(server)[0] == 200  # The page does not wait for searches.
        let_go.set()
        assert [search.result()[0] for search in searches] == [200] * 5
        assert begun == [f"q={number}" for number in range(5)]


def test_a_search_that_waits_too_long(held):
    let_go, begun = held
    with serving(Limits(turn=0.2)) as server, ThreadPoolExecutor(1) as pool:
        first = pool.submit(asked, server, "/search?q=first")
        assert becomes(lambda: len(begun) == 1)
        status, headers, body = asked(server, "/search?q=late")
        assert (status, headers["Retry-After"]) == (503, "1")
        assert json.loads(body)["error"] == "the search had no turn within 0.2 seconds. Try again."
        let_go.set()
        assert first.result()[0] == 200
        assert asked(server, "/search?q=next")[0] == 200
        assert begun == ["q=first", "q=next"]


def test_answers_that_nobody_reads_take_little_memory(monkeypatch):
    monkeypatch.setattr(Answers, "of", lambda self, query: {"text": "x" * 20_000_000})
    with serving(Limits(unread=30_000_000)) as server, ExitStack() as kept:
        for number in range(4):
            slow = kept.enter_context(connected(server))
            slow.sendall(request(server, "/search?q=x"))
            beginning = slow.recv(30)
            assert (b" 200 " in beginning) == (number < 2)
            assert (b" 503 " in beginning) == (number >= 2)
        assert server._connections.unread < 50_000_000
        assert asked(server)[0] == 200
    assert server._connections.unread == 0


def test_answers_on_their_way_are_sent_when_the_server_stops(held):
    let_go, begun = held
    with serving(replace(QUICK, ending=10)) as server, ThreadPoolExecutor(1) as pool, connected(server) as waiting:
        search = pool.submit(asked, server, "/search?q=last")
        assert becomes(lambda: len(begun) == 1)
        server.stop()
        assert waiting.recv(100) == b""  # Who has not asked is not waited for.
        let_go.set()
        assert search.result()[0] == 200


def test_a_search_that_takes_long_does_not_keep_the_server_from_ending(held):
    _, begun = held
    with serving(Limits(ending=0.1)) as server, connected(server) as client:
        client.sendall(request(server, "/search?q=long"))
        assert becomes(lambda: len(begun) == 1)
        server.shutdown()
        assert client.recv(100) == b""


def test_a_server_that_is_stopped_before_it_serves():
    with PageServer(Page("", ""), []) as server:
        server.stop()
        server.serve_forever()


@contextmanager
def files(most):
    """No more files than that may be open."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


POSSIBLE = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])  # The file alone, for the package would take seconds.
from limits import possible_connections

soft, hard, *wanted = map(int, sys.argv[2:])
opened = len(os.listdir("/dev/fd"))
resource.setrlimit(resource.RLIMIT_NOFILE, (opened + soft, opened + hard))
print(*map(possible_connections, wanted), resource.getrlimit(resource.RLIMIT_NOFILE)[0] - opened)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "possible", "after"),
    [
        (FILES_LEFT + 20, FILES_LEFT + 20, (10, 20), FILES_LEFT + 20),
        (5, 5, (FEWEST_CONNECTIONS, FEWEST_CONNECTIONS), 5),
        (FILES_LEFT + 20, FILES_LEFT + 50, (10, 50), FILES_LEFT + 50),
        (FILES_LEFT + 20, FILES_LEFT + 500, (10, 100), FILES_LEFT + 100),
        (FILES_LEFT + 300, FILES_LEFT + 500, (10, 100), FILES_LEFT + 300),
    ],
    ids=["as many as there may be", "too few", "more are allowed", "enough are allowed", "there are enough"],
)
def test_no_more_connections_than_files_may_be_open(soft, hard, possible, after):
    """In a program of its own, as a limit that was lowered stays low. The program raises its own as far as it may."""
    pytest.importorskip("resource", reason="Windows has no such limit")
    command = [sys.executable, "-c", POSSIBLE, os.path.dirname(limits.__file__), *map(str, (soft, hard, 10, 100))]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    found = [int(number) for number in said.split()]
    assert found[0] == possible[0]
    assert abs(found[1] - possible[1]) <= 2  # The file by which open files are counted is one of them.
    assert abs(found[2] - after) <= 2


def test_a_server_that_can_open_no_more_files_goes_on():
    """The limit sinks while the server runs, and clients that send nothing hold all that are left."""
    with ExitStack() as kept, serving(Limits()) as server:
        first = [kept.enter_context(connected(server)) for _ in range(20)]
        assert becomes(lambda: server.open_connections == 20)
        late = [socket.socket() for _ in range(10)]
        with files(max(client.fileno() for client in late) + 1):
            for client in late:
                kept.enter_context(client)
                client.settimeout(20)
                client.connect(("127.0.0.1", server.server_port))
                client.sendall(request(server, more="Connection: close\r\n"))
            assert [everything(client)[-15:] for client in late] == [b"<!doctype html>"] * 10
            assert refusal(everything(first[0]))[0] == 503


@pytest.fixture(scope="module")
def thousands():
    """More files than usual, for both ends of all connections."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * CLIENTS + 500
    if hard not in (-1, resource.RLIM_INFINITY) and hard < wanted:
        pytest.skip(f"{wanted} open files are needed, and {hard} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


CLIENTS = 1500


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["silent", "a byte now and then", "not reading"])
@pytest.mark.parametrize("connections", [2000, 300], ids=["enough", "too few"])
def test_many_slow_clients(kind, connections, thousands):
    """All get a connection or an answer, others are served in the meantime, and no thread is started for them."""
    with serving(Limits(connections=connections, receiving=60, sending=60), LARGE) as server, ExitStack() as kept:
        assert asked(server, "/nothing")[0] == 404
        threads = threading.active_count()
        slow = []
        for number in range(CLIENTS):
            slow.append(client := kept.enter_context(connected(server)))
            if kind == "not reading":
                client.sendall(request(server))
            if number % 100 == 0:
                assert len(asked(server)[2]) == len(LARGE.html)
        for letter in request(server)[:5] if kind == "a byte now and then" else b"":
            for client in slow[-200:]:
                client.sendall(bytes([letter]))
            assert len(asked(server)[2]) == len(LARGE.html)
        assert threading.active_count() == threads
        # The last one that asked may have taken the place of a slow client, and has left.
        most = min(connections, CLIENTS)
        assert becomes(lambda: most - 1 <= server.open_connections <= most, seconds=120)
        for _ in range(20):
            assert len(asked(server)[2]) == len(LARGE.html)
        if connections == 300 and kind == "silent":
            assert refusal(everything(slow[0]))[0] == 503


@pytest.mark.slow
def test_a_hundred_searches_at_once(monkeypatch):
    """All are answered, each with what was asked, in the order in which they came."""
    begun = []

    def search(self, query):
        begun.append(query)
        time.sleep(0.005)
        return {"query": query}

    monkeypatch.setattr(Answers, "of", search)
    with serving(Limits()) as server, ThreadPoolExecutor(100) as pool:
        together = threading.Barrier(100)

        def one(number):
            together.wait(60)
            return asked(server, f"/search?q={number}")

        found = list(pool.map(one, range(100)))
    assert [status for status, _, _ in found] == [200] * 100
    assert [json.loads(body)["query"] for _, _, body in found] == [f"q={number}" for number in range(100)]
    assert sorted(begun) == sorted(f"q={number}" for number in range(100))
