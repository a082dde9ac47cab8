"""`wideangle explore --serve` as a program."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

import pytest

from wideangle.report.page import Page
from wideangle.report.server import PageServer


@contextmanager
def serving(*arguments):
    """The program, and where it serves."""
    command = [sys.executable, "-m", "wideangle", "explore", *map(str, arguments), "--serve", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"NO_COLOR": "1"}
    ) as program:
        try:
            lines = [program.stdout.readline() for _ in range(3)]
            assert lines[-1], program.stderr.read()
            yield program, json.loads("".join(lines))["address"]
        finally:
            program.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_it_serves_what_search_finds_and_ends_by_an_interrupt(models, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = models["replicated-softmax"]
    with serving(model) as (program, address):
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address, timeout=60) as page:
            assert page.read().startswith(b"<!doctype html>")
        with urlopen(f"{address}search?q={quote('wheat corn')}&model=0", timeout=60) as reply:
            served = json.load(reply)["hits"]
        program.send_signal(signal.SIGINT)
        assert program.wait(30) == 0
        first, *others = program.stderr.read().splitlines()
        assert first.startswith(f"Note: preparing the page of {model}, 60 documents. Its address is printed when")
        assert others[-1] == "Note: stopped."
    found = answer("search", model, "wheat", "corn")["hits"]
    for key in ("name", "label", "matched", "score", "distance"):
        assert [hit[key] for hit in served] == [hit[key] for hit in found]
    assert not list(tmp_path.iterdir())  # No page was written.


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("ends", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_it_ends_with_requests_on_their_way(ends, models):
    """Some connections wait, one has sent half a request, one does not read its answer."""
    with serving(models["replicated-softmax"], "--connections", "50") as (program, address):
        where = ("127.0.0.1", urlsplit(address).port)
        clients = [socket.create_connection(where, timeout=20) for _ in range(20)]
        for client in clients[:5]:
            client.sendall(b"GET / HTTP/1.1\r\nHo")
        for client in clients[5:15]:
            client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{where[1]}\r\n\r\n".encode())
        clients[5].recv(100)
        program.send_signal(ends)
        assert program.wait(30) == 0
        said = program.stderr.read()
        assert said.splitlines()[-1] == "Note: stopped."
        assert "Traceback" not in said
        for client in clients:
            client.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--serve", "-o", "page.html"), "--serve writes no file"),
        (("--port", "8000"), "Add --serve"),
        (("--method", "faiss"), "Add --serve"),
        (("--connections", "10"), "Add --serve"),
    ],
)
def test_options_that_do_not_go_together(options, message, models, run):
    code, out, err = run("explore", models["mlp"], *options)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("port", ["-1", "65536", "x", ""])
def test_what_is_no_port(port, models, run):
    with pytest.raises(SystemExit) as ended:
        run("explore", models["mlp"], "--serve", f"--port={port}")
    assert ended.value.code == 2


def test_a_port_that_is_taken(models, run):
    with PageServer(Page("", ""), []) as server:
        code, out, err = run("explore", models["replicated-softmax"], "--serve", "--port", server.server_port)
    assert (code, out) == (1, "")
    assert f"port {server.server_port} cannot be used (" in err
    assert "leave out --port" in err
    assert "preparing" not in err  # It is told at once.


def test_what_is_prepared_is_told_before_it_is_made(models, tmp_path):
    """The line comes, and the port is taken, while the packages that make the page are not even imported."""
    script = """
import sys
from wideangle import cli
from wideangle.commands.shell.output import Output

def note(self, text):
    heavy = [name for name in ("torch", "scipy") if name in sys.modules]
    print(text, heavy)
    raise KeyboardInterrupt

Output.note = note
sys.exit(cli.main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", script, "explore", str(models["replicated-softmax"]), "--serve"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 130, done.stderr
    assert "60 documents" in done.stdout
    assert done.stdout.rstrip().endswith("[]")
