"""Which library lays documents out on a plane best for its time?

    python benchmarks/layout.py [--quick]

A topic model with K = 50 is fitted to a corpus. The hidden logits of all documents, measured from the average document
and put at unit length, are laid out by each library, twice with one seed. Each layout is made by a new interpreter, and
the libraries take turns, so that a noisy machine is unfair to none. The seconds count the library's import. They are
the smaller of two runs: "wall" by the clock, "CPU" of all threads. What numba compiles for umap-learn and PaCMAP counts
only where it is not yet in a cache on disk. Trustworthiness is scikit-learn's, with 15 neighbours, of a random sample
of documents in larger corpora. scikit-learn and openTSNE use as many threads as torch; numba's threads are not limited.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _corpora import split
from numpy.typing import NDArray

from wideangle.models import ReplicatedSoftmax

NEIGHBOURS = 15
SAMPLE = 6_600  # documents whose trustworthiness is measured: all docstrings, some of 20-News


def by_sklearn(X: NDArray[np.float32], threads: int) -> Any:
    from sklearn.manifold import TSNE

    return TSNE(init="pca", max_iter=500, n_jobs=threads, random_state=0).fit_transform(X)


def by_opentsne(X: NDArray[np.float32], threads: int) -> Any:
    from openTSNE import TSNE

    # 250 iterations with exaggeration come before these; gradients are by FFT above 10,000 documents
    return TSNE(n_iter=250, neighbors="exact", n_jobs=threads, random_state=0).fit(X)


def by_umap(X: NDArray[np.float32], threads: int) -> Any:
    from umap import UMAP

    return UMAP(init="pca", random_state=0, n_jobs=1).fit_transform(X)  # a seed allows it one thread alone


def by_pacmap(X: NDArray[np.float32], threads: int) -> Any:
    from pacmap import PaCMAP

    return PaCMAP(random_state=0).fit_transform(X)


WAYS: dict[str, tuple[str, Callable[[NDArray[np.float32], int], Any]]] = {
    "scikit-learn": ("sklearn", by_sklearn),
    "openTSNE": ("openTSNE", by_opentsne),
    "umap-learn": ("umap", by_umap),
    "PaCMAP": ("pacmap", by_pacmap),
}
"""by the name of the library: its module, and how it is called"""


def one_layout(name: str, stored: str, out: str) -> None:
    """What a new interpreter does: lay out, save the points, print the seconds."""
    X, threads = np.load(stored), torch.get_num_threads()
    wall, cpu = time.perf_counter(), time.process_time()
    points = np.asarray(WAYS[name][1](X, threads), dtype=np.float64)
    seconds = time.perf_counter() - wall, time.process_time() - cpu
    np.save(out, points)
    print(json.dumps(seconds))


def in_new_interpreter(name: str, stored: Path, out: Path) -> tuple[float, float]:
    command = [sys.executable, __file__, "--one", name, str(stored), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    wall, cpu = json.loads(done.stdout.splitlines()[-1])
    return wall, cpu


def representation(name: str, updates: int) -> NDArray[np.float32]:
    """All documents as `transform` gives them."""
    parts = split(name)
    model = ReplicatedSoftmax(50, max_updates=updates, random_state=0).fit(parts.train)
    return np.asarray(model.transform(sp.vstack([parts.train, parts.test], format="csr")), dtype=np.float32)


def compare(X: NDArray[np.float32], folder: Path) -> None:
    from sklearn.manifold import trustworthiness

    np.save(folder / "X.npy", X)
    there = [name for name, (module, _) in WAYS.items() if find_spec(module)]
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in there}
    for turn in range(2):
        for name in there:
            seconds[name].append(in_new_interpreter(name, folder / "X.npy", folder / f"{name}{turn}.npy"))
    sample = np.sort(np.random.default_rng(0).permutation(len(X))[:SAMPLE])
    print(f"{'':>14} trustworthiness   wall s    CPU s   per CPU s   same bits")
    for name in WAYS:
        if name not in there:
            print(f"{name:>14} not installed")
            continue
        first, second = (np.load(folder / f"{name}{turn}.npy") for turn in range(2))
        kept = trustworthiness(X[sample], first[sample], n_neighbors=min(NEIGHBOURS, len(sample) // 2 - 1))
        wall, cpu = (min(turn[i] for turn in seconds[name]) for i in range(2))
        same = "yes" if hashlib.sha256(first.tobytes()).digest() == hashlib.sha256(second.tobytes()).digest() else "no"
        print(f"{name:>14} {kept:15.4f} {wall:8.1f} {cpu:8.1f} {kept / cpu:11.4f} {same:>11}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="500 docstrings, few updates")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one_layout(*arguments.one)
        return
    for corpus in ("docstrings",) if arguments.quick else ("docstrings", "20news"):
        X = representation(corpus, 20 if arguments.quick else 300)
        X = X[:500] if arguments.quick else X
        print(f"{corpus}, {len(X)} documents, K = 50, {torch.get_num_threads()} threads")
        with tempfile.TemporaryDirectory() as folder:
            compare(X, Path(folder))


if __name__ == "__main__":
    main()
