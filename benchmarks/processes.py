"""How long does an update take in one process and in two, and how much of it is the exchange?

    python benchmarks/processes.py            the Replicated Softmax at several sizes
    python benchmarks/processes.py --quick    one small size

All processes together have the cores of this machine, so that a second process can gain only what threads of the first
one leave unused; several machines gain more. The floor of an update is the exchange alone: one sum over all processes
of as many bytes as the gradient has.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch

from wideangle.distributed.starting import threads_each
from wideangle.models import ReplicatedSoftmax
from wideangle.process_group.group import Group

SIZES = {"small": (25, 2000, 100), "medium": (100, 5000, 500), "large": (400, 10_000, 2000)}  # K, words, batch
WORDS_PER_DOCUMENT = 60


def documents(n_words: int, n: int) -> sp.csr_array:
    """Random documents. What they say does not change the time."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, n_words, (n, WORDS_PER_DOCUMENT))
    starts = np.arange(0, words.size + 1, WORDS_PER_DOCUMENT)
    rows = sp.csr_array((np.ones(words.size, dtype=np.float32), words.ravel(), starts), shape=(n, n_words))
    rows.sum_duplicates()
    return rows


def measure(size: str, updates: int) -> dict[str, float]:
    """Seconds of an update in this group, and of the exchange alone."""
    K, n_words, batch = SIZES[size]
    model = ReplicatedSoftmax(
        K, batch_size=batch, max_updates=updates, learning_rate=0.01, init="random", finish=None, random_state=0
    )
    model.set_params(device="cpu").fit(documents(n_words, 4 * batch))
    first, last = model.history_[0], model.history_[-1]
    group, gradient = Group.current(), torch.zeros(K * n_words + n_words + K)
    began = time.perf_counter()
    for _ in range(10):
        group.average([gradient], 0.5)
    return {
        "update": (last.seconds - first.seconds) / max(1, last.update - first.update),
        "exchange": 0.0 if group.alone else (time.perf_counter() - began) / 10,
        "bytes": 4.0 * gradient.numel(),
    }


def measured_in(processes: int, size: str, updates: int) -> dict[str, float]:
    """The same in so many processes, which are started for it."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    shared = {"WORLD_SIZE": str(processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    shared |= {"OMP_NUM_THREADS": str(threads_each(processes))}
    command = [sys.executable, str(Path(__file__)), "--worker", size, "--updates", str(updates)]
    started = [
        subprocess.Popen(command, env=os.environ | shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(processes)
    ]
    printed = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        raise RuntimeError(f"{processes} processes failed at size {size}.")
    found_by_first: dict[str, float] = json.loads(printed[0])
    return found_by_first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one small size, few updates")
    parser.add_argument("--processes", type=int, default=2, help="how many are compared with one (default 2)")
    parser.add_argument("--updates", type=int, help="of each fit")
    parser.add_argument("--worker", choices=list(SIZES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    updates = arguments.updates or (40 if arguments.quick else 200)
    if arguments.worker is not None:
        print(json.dumps(measure(arguments.worker, updates)))
        return
    several = f"{arguments.processes} processes"
    print(f"{'size':8}{'K':>5}{'words':>8}{'batch':>7}{'1 process':>12}{several:>14}{'ratio':>7}{'exchange':>11}  MB")
    for size in ["small"] if arguments.quick else list(SIZES):
        one, many = (measured_in(n, size, updates) for n in (1, arguments.processes))
        K, n_words, batch = SIZES[size]
        print(
            f"{size:8}{K:5}{n_words:8}{batch:7}{1000 * one['update']:9.1f} ms{1000 * many['update']:11.1f} ms"
            f"{many['update'] / one['update']:7.2f}{1000 * many['exchange']:8.1f} ms  {many['bytes'] / 1e6:.1f}"
        )


if __name__ == "__main__":
    main()
