"""What do more documents, words, components and longer texts cost? Slopes, with a floor beside each.

    python benchmarks/scaling.py                                   all of it
    python benchmarks/scaling.py --only documents --sizes 100000 300000 1000000
    python benchmarks/scaling.py --only counting|components|words  one of the others
    python benchmarks/scaling.py --cluster results/scaling/documents.txt    10⁹ documents, worked out
    python benchmarks/scaling.py --quick                           small sizes, for tests

"documents" runs `wideangle fit --stream` and then `search`, `topics` and `assign` on texts of 100 words, made of pieces
of real ones (20 Newsgroups in the folder WIDEANGLE_DATA, or docstrings). Memory is the most at any time, pages of
mapped files included, of the command itself and, in brackets, with the processes that it starts. The floor is a program
that only reads the bytes of the file. "counting" counts the words of one file by one process and by one per processor;
its floor is the same. "components" and "words" are updates of the Replicated Softmax in memory; the floor is one
product of a mini-batch's hidden units with all words. A slope is the power of the size by which a cost grows, by the
two largest sizes.
"""

import argparse
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
from _made_texts import write_texts
from _memory import Used, run_measured
from _timing import fastest_seconds, per_update

from wideangle._engines import LocalProcesses
from wideangle._parallel import n_cores
from wideangle.models import ReplicatedSoftmax
from wideangle.reading.to_disk import Counting, read_to_disk

PROGRAM = (sys.executable, "-m", "wideangle")
BATCH, TOKENS = 100, 60


def documents(sizes: Sequence[int], updates: int | None) -> None:
    """Fit, search, list and assign."""
    found: dict[str, list[tuple[int, Used]]] = {}
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        for n in sizes:
            path, model = folder / "texts.jsonl", folder / "model.wideangle"
            made_of = write_texts(path, n)
            size = path.stat().st_size
            print(
                f"documents: {n:,} of 100 words, {size / 1e6:,.0f} MB, pieces of {made_of}; floor {floor(path):.1f} s"
            )
            new = folder / "new.jsonl"
            write_texts(new, min(n, 2000), seed=1)
            quick = () if updates is None else ("--updates", str(updates))
            commands = {
                "fit": ("fit", str(path), "-o", str(model), "--stream", "--json", "-q", "--force", *quick),
                "search": ("search", str(model), "space shuttle orbit", "--json", "-q"),
                "topics": ("topics", str(model), "--json", "-q"),
                "assign 2,000": ("assign", str(model), str(new), "-o", str(folder / "out.csv"), "-q", "--force"),
            }
            for what, command in commands.items():
                used = run_measured((*PROGRAM, *command))
                found.setdefault(what, []).append((n, used))
                print(f"  {what:13} {used.seconds:8.1f} s  {in_mb(used.alone)} ({in_mb(used.with_others)})", end="")
                if what == "fit":
                    told = json.loads(used.output)
                    stages = ", ".join(f"{stage} {seconds:.0f} s" for stage, seconds in told["stages"].items())
                    print(f"  {told['topics']} topics; {stages}", end="")
                print()
            print(f"  model file    {model.stat().st_size / 1e6:,.0f} MB", flush=True)
    for what, rows in found.items():
        if len(rows) > 1:
            (small, before), (large, after) = rows[-2:]
            more = large - small
            print(
                f"slope of {what}: {slope(small, before.seconds, large, after.seconds):.2f} of the time, "
                f"{1e6 * (after.seconds - before.seconds) / more:.1f} µs and {(after.alone - before.alone) / more:.0f} "
                f"bytes ({(after.with_others - before.with_others) / more:.0f}) per document"
            )


def floor(path: Path) -> float:
    """The seconds in which the bytes of a file are read."""
    began = time.perf_counter()
    with path.open("rb", buffering=0) as file:
        while file.read(2**22):
            pass
    return time.perf_counter() - began


def in_mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def slope(small: float, before: float, large: float, after: float) -> float:
    """By which power of the size a cost grows."""
    return math.log(after / before) / math.log(large / small)


def counting(n: int, lengths: Sequence[int]) -> None:
    """Seconds in which words are counted to disk, by processes and by the length of documents."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        gains = []
        for words in lengths:
            path = folder / "texts.jsonl"
            write_texts(path, n, words=words // 4)
            size, seconds = path.stat().st_size, {}
            for processes in sorted({1, n_cores()}):
                seconds[processes], joining = min(timed(path, folder / "store", processes) for _ in range(2))
                print(
                    f"counting: {n:,} documents of {words} words, {size / 1e6:.0f} MB, {processes} processes: "
                    f"{seconds[processes]:.1f} s, {size / seconds[processes] / 1e6:.1f} MB/s, joining {joining:.1f} s; "
                    f"floor {floor(path):.2f} s"
                )
            gains.append(seconds[1] / seconds[n_cores()])
        print(f"  {n_cores()} processes count {min(gains):.2f} to {max(gains):.2f} times as fast as one")


def timed(path: Path, store: Path, processes: int) -> tuple[float, float]:
    """Seconds of counting, and those of what is done before and after it by one process.

    A second call finds all parts counted. There are so many parts that all processes have some.
    """
    part = max(2**16, path.stat().st_size // 12)
    took = []
    for _ in range(2):
        began = time.perf_counter()
        read_to_disk(path, store, counting=Counting(LocalProcesses(processes), part))
        took.append(time.perf_counter() - began)
    shutil.rmtree(store)
    return took[0] - took[1], took[1]


def cluster(record: Path, n: int, cores: int) -> None:
    """What n documents would take, by the two largest sizes of a record. Only counting is divided among cores.

    Joining is measured apart, in the record of counting beside it; its first look at the columns does not grow, so that
    it is taken for more than it is.
    """
    counted = record.with_name("updates.txt").read_text()
    joined = re.findall(r"^counting: ([\d,]+) documents of 100 words.*joining ([\d.]+) s", counted, re.M)[-1]
    joining = float(joined[1]) / int(joined[0].replace(",", ""))
    sizes = [int(found.replace(",", "")) for found in re.findall(r"^documents: ([\d,]+)", record.read_text(), re.M)]
    stages = [dict(re.findall(r"([a-z ]+) ([\d]+) s", line.partition("topics; ")[2])) for line in _fits(record)]
    memory = [float(re.findall(r"([\d,]+) MB", line)[0].replace(",", "")) for line in _fits(record)]
    more = sizes[-1] - sizes[-2]
    each = {
        stage.strip(): max(0.0, (float(seconds) - float(stages[-2][stage])) / more)
        for stage, seconds in stages[-1].items()
    }
    each = {"counting": max(0.0, each.pop("reading") - joining), "joining": joining, **each}
    print(f"cluster: {n:.0e} documents by the slopes of {record.name}; {cores} cores count, one machine does the rest")
    hours = {stage: n * cost / 3600 / (cores / n_cores() if stage == "counting" else 1) for stage, cost in each.items()}
    for stage, cost in each.items():
        print(f"  {stage:20} {1e6 * cost:6.1f} µs per document on {n_cores()} cores, {hours[stage]:8.1f} h")
    print(f"  together {sum(hours.values()):.1f} h, memory {(memory[-1] - memory[-2]) / more * n / 1000:.0f} GB")


def _fits(record: Path) -> list[str]:
    return [line for line in record.read_text().splitlines() if line.strip().startswith("fit ")]


def updates_by(what: str, sizes: Sequence[int], other: int, updates: int) -> None:
    """Milliseconds of an update by the number of components or of words, and of one product of such sizes."""
    found: list[tuple[int, float]] = []
    for size in sizes:
        K, V = (size, other) if what == "components" else (other, size)
        X = random_counts(2000, V)
        model = ReplicatedSoftmax(
            K, max_updates=updates, learning_rate=0.01, init="random", finish=None, random_state=0, device="cpu"
        )
        hidden, components = torch.rand(BATCH, K), torch.rand(K, V)
        ways: dict[str, Callable[[], float]] = {
            "update": per_update(model, X),
            "floor": partial(product, hidden, components),
        }
        seconds = fastest_seconds(ways, 2)
        found.append((size, seconds["update"]))
        print(
            f"{what}: K = {K:,}, V = {V:,}: {1000 * seconds['update']:.2f} ms an update, "
            f"{seconds['update'] / seconds['floor']:.1f} times the floor of {1000 * seconds['floor']:.2f} ms"
        )
    if len(found) > 1:
        (small, before), (large, after) = found[-2:]
        print(f"slope of {what}: {slope(small, before, large, after):.2f}")


def product(hidden: torch.Tensor, components: torch.Tensor) -> float:
    """Seconds of hidden units × components, the shortest of a few."""
    times = []
    for _ in range(5):
        began = time.perf_counter()
        hidden @ components
        times.append(time.perf_counter() - began)
    return min(times)


def random_counts(n: int, V: int) -> sp.csr_array:
    """Documents of random words, whose frequencies fall as those of language do."""
    generator = np.random.default_rng(0)
    words = (V ** generator.random((n, TOKENS))).astype(np.intp) - 1
    starts = np.arange(0, words.size + 1, TOKENS)
    rows = sp.csr_array((np.ones(words.size, dtype=np.float32), words.ravel(), starts), shape=(n, V))
    rows.sum_duplicates()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("documents", "counting", "components", "words"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 300_000, 1_000_000], help="documents")
    parser.add_argument("--cluster", type=Path, metavar="RECORD", help="work out what 10⁹ documents would take")
    parser.add_argument("--cores", type=int, default=200, help="of the cluster")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    quick = options.quick
    if options.cluster is not None:
        cluster(options.cluster, 10**9, options.cores)
        return
    if options.only in (None, "documents"):
        documents((300,) if quick else options.sizes, 20 if quick else None)
    if options.only in (None, "counting"):
        counting(400 if quick else 100_000, (40,) if quick else (40, 100, 400))
    if options.only in (None, "components"):
        updates_by("components", (10, 20) if quick else (50, 100, 200, 400, 800), 5000, 40 if quick else 200)
    if options.only in (None, "words"):
        updates_by("words", (500, 1000) if quick else (5000, 20_000, 80_000), 50, 40 if quick else 200)


if __name__ == "__main__":
    main()
