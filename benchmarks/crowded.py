"""How much slower is a fit beside busy processes, and does it help if threads that wait leave the processor to others?

    python benchmarks/crowded.py            beside as many busy processes as there are processors
    python benchmarks/crowded.py --busy 1   beside one
    python benchmarks/crowded.py --quick    a short fit

A ReplicatedSoftmax is fitted to made documents, in a new process per fit: with one thread, with one thread per
processor, and with these where OMP_WAIT_POLICY=PASSIVE, as the command line sets it. Times are those of the fit alone,
the shortest of some turns; ratios are to one thread without busy processes.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wideangle._parallel import n_cores

SIZES = {"small": (1_000, 2_000, 20, 200), "large": (2_000, 10_000, 200, 100)}
"""documents, words, components and updates"""
QUICK = {"small": (200, 200, 8, 20)}
BUSY = """
import os, sys
while os.getppid() == int(sys.argv[1]):  # until the benchmark ends, however it ends
    sum(range(100_000))
"""
TIMED = """
import sys, time
import torch
from wideangle import ReplicatedSoftmax
from wideangle.data import synthetic_corpus
documents, words, components, updates = map(int, sys.argv[1:])
X = synthetic_corpus(documents, 8, words).corpus.counts
ReplicatedSoftmax(components, max_updates=5, random_state=0, device="cpu").fit(X)
began = time.perf_counter()
model = ReplicatedSoftmax(components, max_updates=updates, random_state=0, device="cpu").fit(X)
print(time.perf_counter() - began)
"""


@contextmanager
def busy_processes(n: int) -> Iterator[None]:
    """So many processes that compute without end beside the block."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY, str(os.getpid())]) for _ in range(n)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def seconds_of_fit(size: tuple[int, ...], setting: dict[str, str]) -> float:
    """The time of a fit in a new process with this environment."""
    here = os.pathsep.join([str(Path(__file__).parents[1] / "src"), *sys.path])
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
    done = subprocess.run(
        [sys.executable, "-c", TIMED, *map(str, size)],
        env=environment | setting | {"PYTHONPATH": here},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout)


def main() -> None:
    """Print a table per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a short fit")
    parser.add_argument("--turns", type=int, default=3, help="fits per setting; the shortest time counts")
    parser.add_argument("--busy", type=int, default=n_cores(), help="how many busy processes")
    asked = parser.parse_args()
    cores, turns = n_cores(), 1 if asked.quick else asked.turns
    ways: dict[str, dict[str, str]] = {
        "one thread": {"OMP_NUM_THREADS": "1"},
        f"{cores} threads": {"OMP_NUM_THREADS": str(cores)},
        f"{cores} threads, passive": {"OMP_NUM_THREADS": str(cores), "OMP_WAIT_POLICY": "PASSIVE"},
    }
    for title, size in (QUICK if asked.quick else SIZES).items():
        documents, words, components, updates = size
        print(f"{title}: {documents} documents, {words} words, K = {components}, {updates} updates")
        floor = 0.0
        for busy in (0, asked.busy):
            with busy_processes(busy):
                # In turns, so that a noisy machine is unfair to none.
                asked_for = [{name: seconds_of_fit(size, way) for name, way in ways.items()} for _ in range(turns)]
            for name in ways:
                seconds = min(turn[name] for turn in asked_for)
                floor = floor or seconds
                print(f"{busy:3} busy processes  {name:22} {seconds:8.2f} s {seconds / floor:8.2f}")


if __name__ == "__main__":
    main()
