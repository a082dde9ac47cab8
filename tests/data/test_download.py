"""Downloads from a server that misbehaves on purpose, and archives made to do harm."""

import hashlib
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from wideangle.data.download import download, sha256_of
from wideangle.exceptions import DownloadError

CONTENT = bytes(range(256)) * 4096  # 1 MiB
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HALF = len(CONTENT) // 2


class Server(ThreadingHTTPServer):
    """Serves CONTENT. Each request takes the next fault of the list; without one it is served well."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.headers = {}
        self.faults = []
        self.ranges = []
        self.url = f"http://127.0.0.1:{self.server_port}/file.bin"
        self.released = threading.Event()

    def handle_error(self, request, client_address):
        pass  # broken connections are the point here


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        asked = self.headers.get("Range")
        server.ranges.append(asked)
        fault = server.faults.pop(0) if server.faults else None
        if isinstance(fault, int):
            self.send_error(fault)
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked and fault != "no range" else 0
        if self.headers.get("If-Range", server.headers.get("ETag")) != server.headers.get("ETag"):
            start = 0
        if start >= len(server.content):
            self.send_error(416)
            return
        body = server.content[start:]
        self.send_response(206 if start else 200)
        if start:
            first = 0 if fault == "other range" else start
            self.send_header("Content-Range", f"bytes {first}-{len(server.content) - 1}/{len(server.content)}")
        self.send_header("Content-Length", str(len(body)))
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if fault == "corrupt":
            body = b"?" + body[1:]
        self.wfile.write(body[: HALF - start] if fault in ("drop", "stall") else body)
        if fault == "stall":
            self.wfile.flush()
            server.released.wait(10)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "file.bin"


def fetch(server, path, sha256=SHA256, **options):
    return download(server.url, path, sha256, **{"pause": 0.001, **options})


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_sha256_of_a_file_longer_than_a_piece(tmp_path):
    file = tmp_path / "long"
    file.write_bytes(CONTENT + b"more")
    assert sha256_of(file) == hashlib.sha256(CONTENT + b"more").hexdigest()


@pytest.mark.parametrize("sha256", [SHA256, SHA256.upper(), None])
def test_plain_download(server, path, sha256):
    assert fetch(server, path, sha256) == path
    assert path.read_bytes() == CONTENT
    assert names(path.parent) == ["file.bin"]


def test_an_existing_right_file_is_not_fetched_again(server, path):
    fetch(server, path)
    fetch(server, path)
    fetch(server, path, None)
    assert len(server.ranges) == 1


def test_an_existing_wrong_file_is_replaced(server, path):
    path.parent.mkdir()
    path.write_bytes(b"wrong")
    server.faults = [500]
    with pytest.raises(DownloadError):
        fetch(server, path, attempts=1)
    assert path.read_bytes() == b"wrong"
    fetch(server, path)
    assert path.read_bytes() == CONTENT


def test_a_dropped_connection_is_resumed(server, path):
    server.faults = ["drop"]
    fetch(server, path)
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]


def test_a_stalled_connection_times_out_and_is_resumed(server, path):
    server.faults = ["stall"]
    start = time.monotonic()
    fetch(server, path, timeout=0.2)
    assert time.monotonic() - start < 5
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]


@pytest.mark.parametrize("fault", ["no range", "other range"])
def test_it_restarts_where_the_server_does_not_send_the_range(server, path, fault):
    server.faults = ["drop", fault]
    fetch(server, path)
    assert path.read_bytes() == CONTENT


def test_it_restarts_where_the_pieces_do_not_fit(server, path):
    """One attempt is enough: the leftover was wrong, not the server."""
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(b"x" * 1000)
    fetch(server, path, attempts=1)
    assert path.read_bytes() == CONTENT
    assert server.ranges == ["bytes=1000-", None]


def test_a_leftover_longer_than_the_file_is_thrown_away(server, path):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(CONTENT + b"x")
    fetch(server, path, attempts=1)
    assert path.read_bytes() == CONTENT


def test_the_next_call_goes_on_where_this_one_gave_up(server, path):
    server.faults = ["drop"]
    with pytest.raises(DownloadError, match=f"closed after {HALF} of {len(CONTENT)} bytes"):
        fetch(server, path, attempts=1)
    assert names(path.parent) == ["file.bin.part"]
    fetch(server, path)
    assert server.ranges == [None, f"bytes={HALF}-"]
    assert names(path.parent) == ["file.bin"]


def test_a_whole_leftover_is_not_fetched_again(server, path):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(CONTENT)
    fetch(server, path)
    assert path.read_bytes() == CONTENT
    assert server.ranges == []


def test_without_a_checksum_only_the_same_version_is_resumed(server, path):
    server.headers = {"ETag": '"one"'}
    server.faults = ["drop"]
    fetch(server, path, None)
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]


@pytest.mark.parametrize("headers", [{}, {"ETag": 'W/"weak"'}])
def test_without_checksum_and_version_it_starts_again(server, path, headers):
    server.headers = headers
    server.faults = ["drop"]
    fetch(server, path, None)
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, None]


def test_a_new_version_is_not_joined_to_the_old_one(server, path):
    server.headers = {"ETag": '"one"'}
    server.faults = ["drop", 503]

    class Changing(list):
        def append(self, asked):  # a new file is put on the server before the third request
            if len(self) == 2:
                server.headers, server.content = {"ETag": '"two"'}, CONTENT[::-1]
            super().append(asked)

    server.ranges = Changing()
    fetch(server, path, None)
    assert path.read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_truncated_answers_are_noticed(server, path, sha256):
    server.faults = ["drop"] * 3
    with pytest.raises(DownloadError, match=r"closed after .* bytes \(tried 3 times\)"):
        fetch(server, path, sha256, attempts=3)
    assert not path.exists()


def test_server_errors_are_borne_with_growing_pauses(server, path, monkeypatch):
    pauses = []
    monkeypatch.setattr("wideangle.data.download.time.sleep", pauses.append)
    server.faults = [500, 503, 502]
    fetch(server, path, pause=1.5)
    assert pauses == [1.5, 3.0, 6.0]
    assert path.read_bytes() == CONTENT


def test_it_gives_up_after_so_many_failures(server, path):
    server.faults = [500] * 9
    with pytest.raises(DownloadError, match=r"answered 500 .*tried 4 times") as caught:
        fetch(server, path)
    assert len(server.ranges) == 4
    assert server.url in str(caught.value)
    assert f"put it at {path}" in str(caught.value)


@pytest.mark.parametrize("code", [403, 404, 410])
def test_a_refusal_is_final(server, path, code):
    server.faults = [code]
    with pytest.raises(DownloadError, match=rf"answered {code} .*tried once.*by hand"):
        fetch(server, path)
    assert len(server.ranges) == 1
    assert names(path.parent) == []


def test_nobody_answers(server, path):
    server.shutdown()
    server.server_close()
    with pytest.raises(DownloadError, match="refused.*tried 2 times"):
        fetch(server, path, attempts=2)


def test_a_corrupted_transfer_is_repeated(server, path):
    server.faults = ["corrupt"]
    fetch(server, path)
    assert path.read_bytes() == CONTENT


def test_a_wrong_file_never_gets_the_name(server, path):
    server.content = b"something else"
    with pytest.raises(DownloadError, match=f"sha256 of what came is .*, not {SHA256} .tried 2 times"):
        fetch(server, path, attempts=9)  # the second time shows that it is no accident
    assert names(path.parent) == []


def test_an_interrupt_leaves_what_came_for_the_next_call(server, path, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("wideangle.data.download.time.sleep", interrupt)
    server.faults = ["drop"]
    with pytest.raises(KeyboardInterrupt):
        fetch(server, path)
    assert names(path.parent) == ["file.bin.part"]


def test_several_at_once_do_not_spoil_one_another(server, path):
    path.parent.mkdir()
    path.with_name("file.bin.part").write_bytes(CONTENT[:1000])
    server.faults = ["drop"] * 4
    trouble = []

    def one():
        try:
            fetch(server, path, attempts=9)
        except Exception as error:
            trouble.append(error)

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not trouble
    assert path.read_bytes() == CONTENT
    assert names(path.parent) == ["file.bin"]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/file", "file.bin", ""])
def test_other_addresses_are_refused(path, url):
    with pytest.raises(ValueError, match="only http and https"):
        download(url, path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sha256": "abc"}, "64 hexadecimal digits; got 'abc'"),
        ({"attempts": 0}, "attempts=0"),
        ({"timeout": 0.0}, "timeout=0.0"),
        ({"pause": float("nan")}, "pause=nan"),
    ],
)
def test_bad_options(path, options, message):
    with pytest.raises(ValueError, match=message):
        download("http://127.0.0.1/file", path, **options)
