"""The server of the page: what it answers, and whom."""

import http.client
import json
import socket
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import quote

import numpy as np
import pytest
from small_corpus import documents

from wideangle._listening import listening
from wideangle.data import count_words
from wideangle.documents import Documents, KeptTexts, Reading, Strings
from wideangle.models import DistanceLearner, ReplicatedSoftmax
from wideangle.report.answers import LONGEST_QUERY, Searched
from wideangle.report.limits import Limits
from wideangle.report.page import Page
from wideangle.report.server import PageServer, server_of
from wideangle.searching import Searcher
from wideangle.view import ModelView

PAGE = Page("<!doctype html><title>tëst</title>", "tëst")
TEXTS, LABELS = zip(*documents(), strict=True)


@pytest.fixture(scope="module")
def topics():
    corpus = count_words(TEXTS, labels=LABELS)
    model = ReplicatedSoftmax(4, max_updates=50, random_state=0).fit(corpus.counts)
    view = ModelView.of(model)
    model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts", r"\b[a-z]{3,}\b")
    model.documents_ = view.documents(
        corpus.counts,
        texts=TEXTS,
        labels=corpus.labels,
        label_names=corpus.label_names.tolist(),
        counts=corpus.counts,
        titles=[f"<b>Title</b> {number}" for number in range(len(TEXTS))],
    )
    return model


@contextmanager
def running(server):
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join(10)
            assert not thread.is_alive()


@pytest.fixture(scope="module")
def server(topics):
    searcher = Searcher(ModelView.of(topics), topics.documents_)
    leaves = np.arange(len(TEXTS)) % 7 - 1
    shown = np.arange(0, len(TEXTS), 2)
    with running(PageServer(PAGE, [Searched(searcher, leaves, shown), Searched(None)])) as server:
        yield server


def asked(server, path, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, headers=headers)
        reply = connection.getresponse()
        return reply, reply.read()
    finally:
        connection.close()


def searched(server, query, **parameters):
    more = "".join(f"&{name}={value}" for name, value in parameters.items())
    reply, body = asked(server, f"/search?q={quote(query)}{more}")
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    return reply.status, json.loads(body)


def test_the_page(server):
    reply, body = asked(server, "/")
    assert (reply.status, body.decode()) == (200, PAGE.html)
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    head, nothing = asked(server, "/", "HEAD")
    assert (head.status, nothing) == (200, b"")
    assert head.headers["Content-Length"] == str(len(body))


@pytest.mark.parametrize("path", ["/", "/search?q=wheat", "/nothing"])
def test_every_answer_is_for_this_page_alone(path, server):
    reply, _ = asked(server, path, Origin="http://evil.example")
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert ("connect-src 'self'" in reply.headers["Content-Security-Policy"]) == (path == "/")
    assert not [name for name in reply.headers if name.lower().startswith("access-control")]


def test_it_listens_to_this_computer_alone(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.address == f"http://127.0.0.1:{server.server_port}/"


def test_a_search_finds_what_the_library_finds(server, topics):
    status, answer = searched(server, "wheat spaceship corn", model=0)
    found = Searcher(ModelView.of(topics), topics.documents_).search("wheat spaceship corn")
    assert status == 200
    assert (answer["known"], answer["unknown"]) == (["wheat", "corn"], ["spaceship"])
    assert len(answer["hits"]) == 10
    for told, hit in zip(answer["hits"], found.hits, strict=True):
        number = hit.number
        assert told == {
            "name": f"row {number + 1}",
            "title": f"<b>Title</b> {number}",
            "text": TEXTS[number],
            "label": LABELS[number],
            "topic": number % 7 - 1 if number % 7 else None,
            "shown": number // 2 if number % 2 == 0 else None,
            "distance": hit.distance,
            "score": hit.score,
            "matched": [word for word in ("wheat", "corn") if word in TEXTS[number].split()],
            "others": 0,
        }


@pytest.mark.parametrize(
    ("query", "said"),
    [("zzzz", "knows no word of 'zzzz'"), ("", "there is no word in ''"), ("wheet", "Did you mean wheat")],
)
def test_words_that_are_not_known(query, said, server):
    status, answer = searched(server, query)
    assert status == 200
    assert list(answer) == ["error"]
    assert said in answer["error"]


def test_a_model_that_cannot_be_searched(server):
    assert "cannot be searched" in searched(server, "wheat", model=1)[1]["error"]


@pytest.mark.parametrize("model", ["2", "-1", "x", "", "²", "9" * 50, "0.0"])
def test_models_that_are_not_there(model, server):
    status, answer = searched(server, "wheat", model=quote(model))
    assert (status, list(answer)) == (400, ["error"])


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("a" * (LONGEST_QUERY + 1), 400, f"the query is longer than {LONGEST_QUERY} characters"),
        ("é" * 9_000, 414, f"longer than {Limits().request_line} bytes"),
    ],
    ids=["long", "very long"],
)
def test_long_queries(query, status, said, server):
    got, answer = searched(server, query)
    assert got == status
    assert said in answer["error"]
    assert searched(server, "𒀀" * LONGEST_QUERY)[0] == 200  # four bytes each, of which each takes three in an address
    assert searched(server, "wheat " * (LONGEST_QUERY // 6))[0] == 200


def test_an_address_of_many_parts(server):
    reply, body = asked(server, "/search?" + "q=wheat&" * 50)
    assert (reply.status, json.loads(body)) == (400, {"error": "the address has too many parts."})


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{}",
        "[::1]:{}",
        "127.0.0.1:{}.",
        "",
    ],
)
def test_other_hosts(host, server):
    for path in ("/", "/search?q=wheat"):
        reply, body = asked(server, path, Host=host.format(server.server_port))
        assert reply.status == 403
        assert "name of this computer" in json.loads(body)["error"]


def test_both_names_of_this_computer(server):
    for name in ("127.0.0.1", "localhost"):
        assert asked(server, "/", Host=f"{name}:{server.server_port}")[0].status == 200


def test_two_hosts_or_none(server):
    right = f"Host: 127.0.0.1:{server.server_port}\r\n"
    for hosts in ("", right + "Host: evil.example\r\n", "Host: evil.example\r\n" + right):
        assert b" 403 " in raw(server, f"GET / HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n".encode()).split(b"\r\n")[0]


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]
)
def test_pages_of_other_sites(site, status, server):
    assert asked(server, "/search?q=wheat", Sec_Fetch_Site=site)[0].status == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "NONSENSE"])
def test_other_methods(method, server):
    reply, body = asked(server, "/search?q=wheat", method)
    assert (reply.status, reply.headers["Allow"]) == (405, "GET, HEAD")
    assert json.loads(body) == {"error": "only GET and HEAD are answered."}


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/search/",
        "/search/../",
        "/index.html",
        "/etc/passwd",
        "/%00",
    ],
)
def test_there_is_nothing_elsewhere(path, server):
    reply, body = asked(server, path)
    assert (reply.status, json.loads(body)) == (404, {"error": "there is nothing at this address."})


@pytest.mark.parametrize("granularity", ["0", "0.25", "1", "1e-3"])
def test_a_search_at_a_granularity_finds_what_the_library_finds(granularity, server, topics):
    status, answer = searched(server, "wheat corn", granularity=granularity)
    assert status == 200
    library = Searcher(ModelView.of(topics), topics.documents_)
    found = library.search("wheat corn", granularity=float(granularity))
    assert [(hit["name"], hit["score"]) for hit in answer["hits"]] == [(hit.name, hit.score) for hit in found.hits]
    usual = searched(server, "wheat corn")[1]["hits"]
    assert ([hit["score"] for hit in usual] == [hit.score for hit in found.hits]) == (granularity == "0.25")


@pytest.mark.parametrize("granularity", ["1.01", "-0.1", "nan", "inf", "", "details", "0,5", "9" * 400])
def test_granularities_that_are_none(granularity, server):
    status, answer = searched(server, "wheat", granularity=quote(granularity))
    assert status == 400
    assert "granularity must be a number from 0 (fine) to 1 (broad)" in answer["error"]


def test_a_granularity_for_documents_that_have_but_one(topics):
    finished = Documents.of(topics.transform(topics.documents_.words.matrix(len(topics.vocabulary_))))
    with running(PageServer(PAGE, [Searched(Searcher(ModelView.of(topics), finished))])) as server:
        assert "hits" in searched(server, "wheat")[1]
        assert "granularity=0.5 cannot be chosen" in searched(server, "wheat", granularity=0.5)[1]["error"]


def test_addresses_for_a_proxy(server):
    assert asked(server, "http://evil.example/", Host=f"127.0.0.1:{server.server_port}")[0].status == 404


def raw(server, request):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_an_old_client_gets_an_answer_and_the_end_of_the_connection(server):
    host = f"Host: 127.0.0.1:{server.server_port}\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(f"GET / HTTP/1.0\r\n{host}\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b" 200 " in answer.split(b"\r\n")[0]
    assert answer.endswith(PAGE.html.encode())


@pytest.mark.parametrize("body", ["Content-Length: 34\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n22\r\n"])
def test_what_a_request_carries_is_no_request(body, server):
    """What a request smuggles in after its headers is not answered."""
    host = f"Host: 127.0.0.1:{server.server_port}\r\n"
    answer = raw(server, f"GET / HTTP/1.1\r\n{host}{body}GET /search?q=wheat HTTP/1.1\r\n{host}\r\n".encode())
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b" 413 " in answer.split(b"\r\n")[0]


@pytest.mark.parametrize(
    "request_", [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_request(request_, server):
    answer = raw(server, request_)
    assert answer.rstrip().endswith(b"}")
    assert b"Traceback" not in answer
    assert asked(server, "/")[0].status == 200


def test_a_mistake_in_the_program_is_told_to_the_terminal_and_not_to_the_browser(server, monkeypatch, capsys):
    def fails(*_, **__):
        raise RuntimeError("/home/somebody/secret")

    monkeypatch.setattr(Searcher, "search", fails)
    status, answer = searched(server, "wheat")
    assert (status, answer) == (500, {"error": "the search failed."})
    assert "RuntimeError: /home/somebody/secret" in capsys.readouterr().err


def test_many_at_a_time(server):
    queries = ["wheat corn", "ship cargo", "loan credit", "zzzz"] * 6
    alone = {query: searched(server, query) for query in set(queries)}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda query: searched(server, query), queries))
    assert together == [alone[query] for query in queries]


def test_models_are_asked_one_at_a_time(server, monkeypatch):
    """Searches that overlap would change filters of warnings that all threads share."""
    inside, counted = [], []
    search = Searcher.search

    def slow(*given, **more):
        inside.append(given)
        counted.append(len(inside))
        time.sleep(0.03)  # Other requests arrive in the meantime.
        inside.pop()
        return search(*given, **more)

    monkeypatch.setattr(Searcher, "search", slow)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda query: searched(server, query), ["wheat", "ship", "loan", "corn"]))
    assert [status for status, _ in answers] == [200] * 4
    assert counted == [1] * 4


def leave(connection):
    """Close a connection as a program does that ends while data is still on its way."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n" * 50,
        b"GET / HTTP/1.1\r\nHo",
        b"NONSENSE\r\n\r\n" * 50,
        b"",
    ],
    ids=["the page", "refused", "half a request", "nonsense", "nothing"],
)
def test_a_browser_that_leaves_is_no_error(request_, capsys):
    """It leaves before the answer, which is too large for the buffers between the two, or in the middle of it."""
    large = Page("<!doctype html>" + "x" * 30_000_000, "large")
    with running(PageServer(large, [])) as server:
        request_ = request_.replace(b"{host}", f"127.0.0.1:{server.server_port}".encode())
        for answer in (0, 1000):
            connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
            connection.sendall(request_)
            if answer and request_.endswith(b"\r\n\r\n"):
                assert connection.recv(answer)
            leave(connection)
        assert becomes(lambda: server.open_connections == 0)
        assert asked(server, "/", "HEAD")[0].status == 200
    assert capsys.readouterr() == ("", "")


def becomes(is_so, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_so()


def test_mistakes_of_the_program_are_shown(capsys, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("http.server.BaseHTTPRequestHandler.parse_request", broken)
    with running(PageServer(PAGE, [])) as server:
        assert raw(server, b"GET / HTTP/1.1\r\n\r\n") == b""
        assert becomes(lambda: server.open_connections == 0)
    assert "ZeroDivisionError: by nothing" in capsys.readouterr().err


def test_many_connections_at_once():
    """All of them connect before the server accepts one, and all are answered."""
    server = PageServer(PAGE, [])
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nConnection: close\r\n\r\n".encode()
    connections = [socket.create_connection(("127.0.0.1", server.server_port), timeout=2) for _ in range(60)]
    for connection in connections:
        connection.sendall(request)
    with running(server):
        for connection in connections:
            connection.settimeout(20)
            answer = b"".join(iter(lambda connection=connection: connection.recv(65536), b""))
            assert answer.endswith(PAGE.html.encode())
            connection.close()


def test_a_socket_that_listens_already():
    with listening() as listens:
        port = listens.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            listening(port)
        early = socket.create_connection(("127.0.0.1", port), timeout=20)  # It waits for the server.
        early.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        with running(PageServer(PAGE, [], port=listens)) as server:
            assert server.server_port == port
            assert b" 200 " in early.recv(65536)
            early.close()
        assert listens.fileno() == -1  # The server has closed it.


def test_it_stops_and_leaves_its_port():
    with running(PageServer(PAGE, [])) as server:
        port = server.server_port
        open_connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)  # A browser keeps its connections.
        open_connection.request("GET", "/")
        open_connection.getresponse().read()
    with running(PageServer(PAGE, [], port=port)) as again:
        assert asked(again, "/")[0].status == 200
    open_connection.close()


def test_the_page_of_a_model_and_its_searches(topics):
    with running(server_of(topics)) as server:
        body = asked(server, "/")[1].decode()
        assert '"served":true' in body
        assert "connect-src 'self'" in body
        hit = searched(server, "wheat")[1]["hits"][0]
        assert hit["shown"] == int(hit["name"].removeprefix("row ")) - 1
        assert isinstance(hit["topic"], int)


def test_the_page_of_two_models_of_which_one_knows_no_words(topics):
    X = np.random.default_rng(0).normal(size=(40, 4))
    numbers = DistanceLearner(2, max_updates=5, random_state=0).fit(X, np.arange(40) % 2)
    numbers.documents_ = Documents.of(numbers.transform(X))
    with running(server_of(topics, numbers)) as server:
        assert "hits" in searched(server, "wheat", model=0)[1]
        assert "cannot be searched" in searched(server, "wheat", model=1)[1]["error"]


def test_a_search_may_ask_for_more_documents(server, topics):
    few, many = searched(server, "wheat")[1], searched(server, "wheat", count=40)[1]
    assert (len(few["hits"]), len(many["hits"])) == (10, 40)
    assert many["hits"][:10] == few["hits"]
    assert few["more"]
    assert not searched(server, "wheat", count=1000)[1]["more"]


@pytest.mark.parametrize("count", ["0", "1001", "-3", "1e3", "", "x" * 50, "99999999999"])
def test_numbers_of_documents_that_are_none(count, server):
    reply, body = asked(server, f"/search?q=wheat&count={count}")
    assert reply.status == 400
    assert "count must be a number from 1 to 1000" in json.loads(body)["error"]


def test_texts_of_which_the_page_holds_less(topics):
    long = [f"{text}. {'And so on, and on. ' * 60}" for text in TEXTS]
    documents = replace(topics.documents_, snippets=Strings.of(KeptTexts.of(long).texts))
    with running(
        server_of(topics, documents=documents, layout=np.random.default_rng(0).random((len(TEXTS), 2)))
    ) as own:
        for number in (0, 7, len(TEXTS) - 1):
            reply, body = asked(own, f"/text?document={number}")
            assert reply.status == 200
            assert json.loads(body)["text"] == documents.snippets[number]
        for number in (len(TEXTS), "x", "", "-1", "9" * 30):
            assert asked(own, f"/text?document={number}")[0].status == 404
        assert asked(own, "/text?" + "&".join(["a=1"] * 20))[0].status == 400


def test_a_server_without_documents_has_no_texts(server):
    assert asked(server, "/text?document=0")[0].status == 404
