"""What does exact precision@100 cost, next to a search for the same neighbours by faiss?

    python benchmarks/retrieval.py [--quick]

As many queries and documents as 20 Newsgroups, 100 topics, 20 classes: a random representation in [0, 1] with a
cluster for each class. The peer is faiss's flat index (float32, ties broken by position), its building and the
comparison of labels included, as in ours. Both are timed in turn in one run; the ratio is what to read.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import torch
from _timing import median_seconds
from numpy.typing import NDArray

from wideangle.evaluation import precision_at_k

CLASSES = 20
AIM = 2.0  # the ratio aimed at


def clustered(centres: NDArray[np.float32], n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows in [0, 1] around the centre of their class, and the classes."""
    labels = rng.integers(len(centres), size=n)
    noise = rng.standard_normal((n, centres.shape[1]), dtype=np.float32)
    return np.clip(centres[labels] + 0.8 * noise, 0, 1), labels


def by_faiss(faiss: Any, X: NDArray[Any], asked: NDArray[Any], Y: NDArray[Any], stored: NDArray[Any], k: int) -> float:
    index = faiss.IndexFlatL2(Y.shape[1])
    index.add(Y)
    return float((stored[index.search(X, k)[1]] == asked[:, None]).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a quarter of the queries and documents, few repeats")
    quick = parser.parse_args().quick
    n_queries, n, K, k = (1883, 2828, 100, 100) if quick else (7532, 11314, 100, 100)
    rng = np.random.default_rng(0)
    centres = rng.random((CLASSES, K), dtype=np.float32)
    X, asked = clustered(centres, n_queries, rng)
    Y, stored = clustered(centres, n, rng)
    ways: dict[str, Callable[[], object]] = {"ours": lambda: precision_at_k(X, asked, Y, stored, k)}
    try:
        faiss = import_module("faiss")
    except ImportError:
        print("faiss is not installed (pip install 'wideangle[faiss]'): our time alone, without a ratio")
    else:
        ways["faiss"] = lambda: by_faiss(faiss, X, asked, Y, stored, k)
    seconds = median_seconds(ways, repeats=3 if quick else 9)
    print(f"precision@{k} of {n_queries} queries against {n} documents, K={K}, CPU, {torch.get_num_threads()} threads")
    for name, run in ways.items():
        print(f"{name:>6} {1e3 * seconds[name]:7.0f} ms   precision {run():.6f}")
    if "faiss" in ways:
        print(f"ours / faiss {seconds['ours'] / seconds['faiss']:.2f}   (aim {AIM:.1f})")


if __name__ == "__main__":
    main()
