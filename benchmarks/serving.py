"""What do slow clients, many searches at once and a day of requests do to the served page?

    python benchmarks/serving.py [--quick] [--requests N]

The embedded docstrings are fitted, and `wideangle explore --serve` serves their page in a process of its own. One
client asks for the page, for a text and for searches, alone at first. All other times are ratios to that.

slow clients    1,500 of them send one byte every two seconds. Who is refused connects again at once. The one client
                asks again meanwhile; then once more where the server may open fewer connections than that.
at once         100 different searches are sent at the same moment. The floor is what a server would need that answers
                them one after another without a pause: 100 times the time of one alone.
a day           86,400 requests of all kinds, right and wrong ones, as fast as they are answered: one per second of a
                day. Memory, threads and open files of the server are read meanwhile from /proc.
"""

import argparse
import asyncio
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np

from wideangle.data import python_docs
from wideangle.documents import Reading
from wideangle.models import ReplicatedSoftmax
from wideangle.view import ModelView

WORDS = r"\b[a-z]{3,}\b"
PAUSE = 2.0  # seconds from one byte of a slow client to its next
CONNECTIONS = 20  # that send the requests of a day
LOOKS = 12  # at the memory of the server during a day
BUSY, TRIES = 503, 10  # A request that is answered by this status is made again, so many times in all.
FEW = 300  # connections of a server that has fewer of them than there are slow clients


@dataclass(frozen=True)
class Size:
    """How much is tried."""

    updates: int
    topics: int
    documents: int | None
    repeats: int
    slow: int
    slow_for: float
    searches: int
    requests: int


WHOLE = Size(500, 30, None, 60, 1500, 30.0, 100, 86_400)
QUICK = Size(20, 5, 300, 5, 50, 3.0, 10, 300)


def saved_model(folder: Path, size: Size) -> tuple[Path, Path, list[str]]:
    """The file of a model with its documents, that of the points of its map, and queries of two words of a document."""
    corpus = python_docs()
    if size.documents is not None:
        corpus = corpus.subset(np.arange(size.documents))
    model = ReplicatedSoftmax(50, max_updates=size.updates, random_state=0).fit(corpus.counts)
    assert corpus.vocabulary is not None
    model.vocabulary_, model.reading_ = corpus.vocabulary.tolist(), Reading("counts", WORDS)
    assert corpus.labels is not None
    assert corpus.label_names is not None
    model.documents_ = ModelView.of(model).documents(
        corpus.counts,
        texts=corpus.texts,
        labels=corpus.labels,
        label_names=corpus.label_names.tolist(),
        counts=corpus.counts,
    )
    model.topics(n_topics=size.topics)
    path, layout = folder / "docstrings.wideangle", folder / "layout.npy"
    model.save(path)
    np.save(layout, np.random.default_rng(0).standard_normal((len(corpus), 2)))
    generator, counts = np.random.default_rng(1), corpus.counts.tocsr()
    rows = (counts.indices[counts.indptr[row] : counts.indptr[row + 1]] for row in range(len(corpus)))
    queries = [" ".join(corpus.vocabulary[generator.choice(row, 2, replace=False)]) for row in rows if len(row) > 1]
    return path, layout, queries


@contextmanager
def served(model: Path, layout: Path, *more: str) -> Iterator[tuple[int, int]]:
    """The process of the server, and its port. The server must end by an interrupt, and say of no mistake."""
    command = [sys.executable, "-m", "wideangle", "explore", str(model), "--layout", str(layout), "--serve", "--json"]
    with subprocess.Popen([*command, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        try:
            lines = [program.stdout.readline() for _ in range(3)]
            if not lines[-1]:
                raise SystemExit(f"the server did not start: {program.stderr.read()}")
            port = urlsplit(json.loads("".join(lines))["address"]).port
            assert port is not None
            yield program.pid, port
            program.send_signal(signal.SIGINT)
            code = program.wait(60)
            said = program.stderr.read()
            if code or "Traceback" in said:
                raise SystemExit(f"the server ended with {code}: {said[-2000:]}")
        finally:
            program.kill()


def request(port: int, path: str, method: str = "GET", more: str = "") -> bytes:
    """The bytes of a request."""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}\r\n".encode()


def search(query: str, more: str = "") -> str:
    """The address of a search."""
    return f"/search?q={quote(query)}&model=0{more}"


class Client:
    """One connection, which is opened again where the server has closed it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, sent: bytes) -> int:
        """Send a request, and take the whole answer. Returns its status."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(sent)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status, headers = int(head.split()[1]), head.lower()
        length = int(headers.split("content-length:")[1].split("\r\n")[0])
        if not sent.startswith(b"HEAD"):
            await reader.readexactly(length)
        if "connection: close" in headers:
            self.close()
        return status

    async def leave(self, sent: bytes) -> None:
        """Send a request, and close the connection without waiting for the answer."""
        self.close()
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        await writer.drain()
        writer.close()

    def close(self) -> None:
        """End the connection."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


async def seconds_of(port: int, sent: Sequence[bytes], expected: int = 200) -> list[float]:
    """The time of each request, one after another over one connection.

    A server that is busy says so, and its client asks again. The time is that of all tries, which are told.
    """
    client, found, again = Client(port), [], 0
    for each in sent:
        began = time.perf_counter()
        for tried in range(TRIES):
            status = await client.ask(each)
            if status != BUSY or status == expected:
                break
            again += tried < TRIES - 1
        found.append(time.perf_counter() - began)
        if status != expected:
            raise SystemExit(f"{each!r} was answered by {status}")
    client.close()
    if again:
        print(f"the server was busy: {again} requests were made again", flush=True)
    return found


def asked_one_by_one(port: int, queries: Sequence[str], repeats: int) -> dict[str, list[float]]:
    """The times of the requests of one client."""
    kinds = {
        "page": [request(port, "/")] * repeats,
        "text": [request(port, f"/text?document={number}") for number in range(repeats)],
        "search": [request(port, search(query)) for query in queries[:repeats]],
        "search of 200": [request(port, search(query, "&count=200")) for query in queries[:repeats]],
    }
    return {name: asyncio.run(seconds_of(port, sent)) for name, sent in kinds.items()}


def told(name: str, times: dict[str, list[float]], alone: dict[str, list[float]] | None = None) -> None:
    """Print the middle and the slowest of the times, and what they are to those alone."""
    for kind, found in times.items():
        middle = statistics.median(found)
        ratio = "" if alone is None else f", {middle / statistics.median(alone[kind]):.2f} × alone"
        said = f"median {1000 * middle:.1f} ms{ratio}, slowest {1000 * max(found):.1f} ms"
        print(f"{name}: {kind}: {said}", flush=True)


@contextmanager
def slow_clients(port: int, number: int) -> Iterator[None]:
    """Slow clients in a process of their own. They have all connected when this begins."""
    command = [sys.executable, __file__, "--slow-clients", f"{port},{number}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            assert program.stdout.readline().strip() == "connected"
            yield
            print(f"slow clients: {program.communicate('end', timeout=60)[0].strip()}", flush=True)
        finally:
            program.kill()


async def be_slow(port: int, number: int) -> None:
    """So many connections, each of which sends a byte now and then, until standard input has a line."""
    counted: Counter[str] = Counter()
    connected = asyncio.Semaphore(0)

    async def one(delay: float) -> None:
        is_first = True
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                counted["connections"] += 1
                if is_first:
                    connected.release()
                is_first = False
                answer = asyncio.ensure_future(reader.read())
                for letter in itertools.cycle(b"GET /searching"):
                    await asyncio.wait([answer], timeout=PAUSE + delay)
                    if answer.done():
                        break
                    writer.write(bytes([letter]))
                    counted["bytes"] += 1
                counted[answer.result()[9:12].decode() or "closed"] += 1
                writer.close()
            except OSError:
                counted["cut off"] += 1
                await asyncio.sleep(0.1)

    everyone = [asyncio.ensure_future(one(each / number)) for each in range(number)]
    for _ in range(number):
        await connected.acquire()
    print("connected", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(", ".join(f"{what} {times}" for what, times in sorted(counted.items())), flush=True)
    for each in everyone:
        each.cancel()


def at_once(port: int, queries: Sequence[str], more: str = "") -> list[float]:
    """The time of each of the searches, all of which are sent at the same moment."""

    async def all_of_them() -> list[float]:
        streams = [await asyncio.open_connection("127.0.0.1", port, limit=2**22) for _ in queries]
        began = time.perf_counter()
        for (_, writer), query in zip(streams, queries, strict=True):
            writer.write(request(port, search(query, more), more="Connection: close\r\n"))

        async def one(reader: asyncio.StreamReader) -> float:
            answer = await reader.read()
            if not answer.startswith(b"HTTP/1.1 200 "):
                raise SystemExit(f"a search was answered by {answer[:300]!r}")
            return time.perf_counter() - began

        found = await asyncio.gather(*(one(reader) for reader, _ in streams))
        for _, writer in streams:
            writer.close()
        return found

    return asyncio.run(all_of_them())


def told_at_once(port: int, queries: Sequence[str], repeats: int, more: str, rounds: int) -> None:
    """Print the slowest and the middle of many searches at once, beside the floor, which is measured before each."""
    rows, floors = [], []
    for _ in range(rounds):
        alone = asyncio.run(seconds_of(port, [request(port, search(query, more)) for query in queries[:repeats]]))
        floors.append(len(queries) * statistics.median(alone))
        rows.append(at_once(port, queries, more))
    slowest, middle = statistics.median(map(max, rows)), statistics.median(map(statistics.median, rows))
    floor = statistics.median(floors)
    ratio = statistics.median(max(row) / each for row, each in zip(rows, floors, strict=True))
    print(
        f"at once: {len(queries)} searches{' of 200' if more else ''}: slowest {slowest:.2f} s, median {middle:.2f} s; "
        f"one alone {1000 * floor / len(queries):.1f} ms, floor of one after another {floor:.2f} s; slowest "
        f"{ratio:.2f} × the floor",
        flush=True,
    )


@dataclass(frozen=True)
class Look:
    """What the server holds at a moment."""

    requests: int
    megabytes: float
    threads: int
    files: int

    @classmethod
    def at(cls, pid: int, requests: int) -> "Look":
        """Read it from /proc."""
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        files = len(os.listdir(f"/proc/{pid}/fd"))
        return cls(requests, int(status["VmRSS"].split()[0]) / 1024, int(status["Threads"]), files)


def day(pid: int, port: int, queries: Sequence[str], number: int) -> list[Look]:
    """So many requests of all kinds. Returns what the server held before, in between and at the end."""
    answered: Counter[str] = Counter()
    looks, wrong = [Look.at(pid, 0)], []
    numbers = iter(range(number))

    def kind(n: int) -> tuple[bytes, int]:
        query = queries[n % len(queries)]
        level = f"&granularity={n * 7 % 101 / 100}"
        kinds: tuple[Callable[[], tuple[bytes, int]], ...] = (
            *[lambda: (request(port, search(query)), 200)] * 6,
            lambda: (request(port, search(query, "&count=200")), 200),
            lambda: (request(port, search(query, level)), 200),
            lambda: (request(port, search("zzzz" + query[:5])), 200),
            *[lambda: (request(port, f"/text?document={n % 200}"), 200)] * 5,
            lambda: (request(port, "/" if n % 5 == 0 else "/nothing"), 200 if n % 5 == 0 else 404),
            lambda: (request(port, "/", "HEAD"), 200),
            lambda: (request(port, "/search?q=" + "a" * 20_000), 414),
            lambda: (request(port, "/", "POST", "Content-Length: 3\r\n") + b"abc", 405),
            lambda: (request(port, search(query), more="Sec-Fetch-Site: cross-site\r\n"), 403),
            lambda: (b"nonsense\r\n\r\n", 400),
        )
        return kinds[n % len(kinds)]()

    async def one() -> None:
        client = Client(port)
        for n in numbers:
            sent, expected = kind(n)
            if n % 97 == 0:
                await client.leave(sent[: len(sent) // (1 + n % 2)])
                answered["left"] += 1
                continue
            status = await client.ask(sent)
            answered[str(status)] += 1
            if status != expected:
                wrong.append((sent[:100], status))
            if n and n % (number // LOOKS) == 0:
                looks.append(Look.at(pid, n))
        client.close()

    async def everyone() -> None:
        await asyncio.gather(*(one() for _ in range(CONNECTIONS)))

    began = time.perf_counter()
    asyncio.run(everyone())
    took = time.perf_counter() - began
    if wrong:
        raise SystemExit(f"{len(wrong)} answers were wrong, as {wrong[:3]}")
    said = ", ".join(f"{what} {times}" for what, times in sorted(answered.items()))
    print(f"a day: {number} requests in {took / 60:.1f} minutes, {number / took:.0f} per second: {said}", flush=True)
    deadline = time.monotonic() + 5
    while Look.at(pid, number).files > looks[0].files and time.monotonic() < deadline:
        time.sleep(0.1)  # Clients that have left are noticed soon.
    return [*looks, Look.at(pid, number)]


def told_day(looks: Sequence[Look]) -> None:
    """Print what the server held, and by how much it grew after the first quarter."""
    for look in looks:
        held = f"{look.megabytes:7.1f} MB, {look.threads} threads, {look.files} files"
        print(f"a day: after {look.requests:6} requests {held}")
    warm = looks[1 + len(looks) // 4]
    grown = looks[-1].megabytes - warm.megabytes
    print(
        f"a day: from {warm.requests} requests on memory grew by {grown:+.1f} MB "
        f"({100 * grown / warm.megabytes:+.1f} %), threads by {looks[-1].threads - warm.threads:+d}, open files since "
        f"the start by {looks[-1].files - looks[0].files:+d}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small model, few clients and requests")
    parser.add_argument("--requests", type=int, help="of the day (default 86,400)")
    parser.add_argument("--slow-clients", help=argparse.SUPPRESS)  # the port and how many, in a process of its own
    asked = parser.parse_args()
    if asked.slow_clients:
        port, number = map(int, asked.slow_clients.split(","))
        asyncio.run(be_slow(port, number))
        return
    size = QUICK if asked.quick else WHOLE
    with tempfile.TemporaryDirectory() as folder:
        model, layout, queries = saved_model(Path(folder), size)
        with served(model, layout) as (pid, port):
            asked_one_by_one(port, queries[-5:], 2)  # What is made for the first requests is made.
            alone = asked_one_by_one(port, queries, size.repeats)
            told("alone", alone)
            with slow_clients(port, size.slow):
                under(port, queries, alone, size, f"beside {size.slow} slow clients")
            for more in ("", "&count=200"):
                told_at_once(port, queries[: size.searches], size.repeats, more, 1 if asked.quick else 5)
            told_day(day(pid, port, queries, asked.requests or size.requests))
        few = min(FEW, size.slow // 5)
        with served(model, layout, "--connections", str(few)) as (_, port), slow_clients(port, size.slow):
            under(port, queries, alone, size, f"beside {size.slow} slow clients, {few} connections")


def under(port: int, queries: Sequence[str], alone: dict[str, list[float]], size: Size, name: str) -> None:
    """What one client waits while others are slow, for some time."""
    rows: dict[str, list[float]] = {kind: [] for kind in alone}
    end = time.monotonic() + size.slow_for
    while time.monotonic() < end:
        for kind, found in asked_one_by_one(port, queries, size.repeats // 5).items():
            rows[kind] += found
    told(name, rows, alone)


if __name__ == "__main__":
    main()
