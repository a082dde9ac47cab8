"""The server of the page: what it answers, and whom."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import quote

import numpy as np
import pytest
from small_corpus import documents

from wideangle.data import count_words
from wideangle.documents import Documents, Reading
from wideangle.models import DistanceLearner, ReplicatedSoftmax
from wideangle.report.page import Page
from wideangle.report.server import LONGEST_QUERY, PageServer, Searched, server_of
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
    model.documents_ = Documents.of(
        view.represent(corpus.counts),
        logits=view.logits(corpus.counts),
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


@pytest.mark.parametrize("query", ["a" * (LONGEST_QUERY + 1), "é" * 9_000], ids=["long", "very long"])
def test_long_queries(query, server):
    status, answer = searched(server, query)
    assert status == 400
    assert f"longer than {LONGEST_QUERY} characters" in answer["error"]
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


def test_addresses_for_a_proxy(server):
    assert asked(server, "http://evil.example/", Host=f"127.0.0.1:{server.server_port}")[0].status == 404


def raw(server, request):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "request_", [b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET " + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_request(request_, server):
    answer = raw(server, request_)
    assert answer.rstrip().endswith(b"}")
    assert b"Traceback" not in answer
    assert asked(server, "/")[0].status == 200


def test_a_mistake_in_the_program_is_not_told_to_the_browser(server, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("/home/somebody/secret")

    monkeypatch.setattr(Searcher, "search", fails)
    status, answer = searched(server, "wheat")
    assert (status, answer) == (500, {"error": "the search failed."})


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
