"""How fast are distances learned?

    python benchmarks/distance_speed.py [--quick] [--device cuda] [--only nca|pairs|rows|validation ...]

1. nca: time to the 3-NN accuracy that scikit-learn's NeighborhoodComponentsAnalysis has when it has converged, on
   6-Activities: the first of our fits, with ever larger budgets of updates, that is as good. Aim: a third of its time.
2. pairs: pairs a second for 200,000 pairs of 20-News (sparse tf-idf), K = 100, 15 epochs, against the floor: the same
   mini-batches' two sparse products, X Aᵀ and Xᵀ G, alone. What the regulariser adds; aim: at most 15 %.
3. rows: seconds for as many pairs drawn from ten times as many rows, and for twice as many pairs.
4. validation: a default fit against one of its trainings, `validation_fraction=0`, on digits and 6-Activities.

Each part runs its ways in turn in one run; ratios are what to read. Parts whose data are absent are left out.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from _timing import median_seconds
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from wideangle.data import load, make_pairs
from wideangle.evaluation import knn_accuracy
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner
from wideangle.models._distance.rows import csr_tensor

PLAIN = {"near_similar": 0.0, "near_dissimilar": 0.0, "init": "random"}
TRAINING: dict[str, Any] = {"learning_rate": 0.01, "validation_fraction": 0.0}  # one training alone
BATCH = 1000
SOME = 20  # batches of which the floor is measured


def against_nca(device: str, quick: bool) -> None:
    data = load("6activities", fetch=False)
    train, test = data.train, data.test
    assert train.labels is not None  # both have labels
    assert test.labels is not None
    X, y = train.X.astype(np.float32), train.labels
    K, most = (10, 30) if quick else (50, 1000)
    if quick:
        X, y = X[::20], y[::20]

    asked, truth = test.X.astype(np.float32), test.labels

    def accuracy(model: Any) -> float:
        return knn_accuracy(model.transform(X), y, model.transform(asked), truth)

    began = time.perf_counter()
    peer = NeighborhoodComponentsAnalysis(K, init="pca", max_iter=most, random_state=0).fit(X, y)
    theirs = time.perf_counter() - began
    aim = accuracy(peer)
    plain = knn_accuracy(X, y, asked, truth)
    print(f"NCA, K={K}: {theirs:.1f} s, {peer.n_iter_} iterations, 3-NN {aim:.4f}; Euclid {plain:.4f}")
    for budget in (50, 100) if quick else (50, 100, 200, 400, 800, 1600, 3000):
        began = time.perf_counter()
        ours = DistanceLearner(K, max_updates=budget, device=device, random_state=0, **TRAINING).fit(X, y)
        seconds = time.perf_counter() - began
        reached = accuracy(ours)
        print(f"ours, {budget} updates: {seconds:.2f} s, 3-NN {reached:.4f}")
        if reached >= aim:
            print(f"ours / NCA to its accuracy: {seconds / theirs:.3f}   (aim 0.33)")
            return
    print("NCA's accuracy was not reached")


def pairs_per_second(device: str, quick: bool) -> None:
    corpus = load("20news", fetch=False).train
    X = TfidfTransformer(sublinear_tf=True).fit_transform(corpus.counts).astype(np.float32)
    n = 5000 if quick else 100_000
    assert corpus.labels is not None  # they have labels
    drawn = make_pairs(corpus.labels, n, n)
    updates = 2 * n // BATCH  # of an epoch
    ends = [np.concatenate([part[:, 0], part[:, 1]]) for part in np.array_split(drawn.indices, updates)[:SOME]]
    there = [csr_tensor(X[rows], torch.device(device)) for rows in ends]
    back = [csr_tensor(X[rows].T.tocsr(), torch.device(device)) for rows in ends]
    A, G = torch.randn(5000, 100, device=device), torch.randn(2 * BATCH, 100, device=device)

    def floor() -> None:
        for forward, backward in zip(there, back, strict=True):
            forward @ A
            backward @ G

    def fit(epochs: int, **settings: Any) -> None:
        model = DistanceLearner(100, max_updates=epochs * updates, batch_size=BATCH, device=device, random_state=0)
        model.set_params(**PLAIN, **settings).fit_pairs(drawn.indices, drawn.similar, X)

    epochs = 1 if quick else 3
    ways: dict[str, Callable[[], object]] = {
        "floor": floor,
        "plain": lambda: fit(epochs, diversity=0.0),
        "angle": lambda: fit(epochs, diversity=0.1),
        "volume": lambda: fit(epochs, diversity=0.01, surrogate="volume"),
    }
    seconds = median_seconds(ways, 1 if quick else 3, device)
    base = seconds["floor"] / len(ends) * epochs * updates
    for name in ("plain", "angle", "volume"):
        extra = seconds[name] / seconds["plain"] - 1
        rate = epochs * 2 * n / seconds[name]
        print(
            f"{name:>6}: {rate:10,.0f} pairs/s   {seconds[name] / base:.2f} of the sparse products   "
            f"{extra:+.1%} to plain" + ("   (aim at most +15 %)" if name != "plain" else "")
        )
    if not quick:
        began = time.perf_counter()
        fit(15, diversity=0.1)
        print(f" angle: {time.perf_counter() - began:.1f} s for 15 epochs of {2 * n:,} pairs, K=100")


def growth(device: str, quick: bool) -> None:
    few, many = (2000, 20_000) if quick else (100_000, 1_000_000)
    generator = np.random.default_rng(0)
    y = generator.integers(20, size=many)
    X = generator.standard_normal((many, 50), dtype=np.float32)
    X[:, :20] += np.eye(20, dtype=np.float32)[y]
    n = 2000 if quick else 100_000

    def fit(rows: int, pairs: int) -> None:
        model = DistanceLearner(20, n_similar=pairs, n_dissimilar=pairs, device=device, random_state=0, **TRAINING)
        model.set_params(max_updates=10 * 2 * pairs // BATCH, batch_size=BATCH).fit(X[:rows], y[:rows])

    for rows, pairs in ((few, n), (many, n), (few, 2 * n), (many, 2 * n)):
        began = time.perf_counter()
        fit(rows, pairs)
        print(f"{rows:>9,} rows, {2 * pairs:>8,} pairs, 10 epochs: {time.perf_counter() - began:6.1f} s")


def validation(device: str, quick: bool) -> None:
    sets = {"digits": load_digits(return_X_y=True)}
    if not quick:
        train = load("6activities", fetch=False).train
        sets["6-Activities"] = train.X.astype(np.float32), train.labels
    for name, (X, y) in sets.items():
        default = DistanceLearner(device=device, random_state=0)
        one = DistanceLearner(device=device, random_state=0, validation_fraction=0.0)
        ways = {"default": partial(default.fit, X, y), "one training": partial(one.fit, X, y)}
        seconds = median_seconds(ways, 1 if quick else 3, device, warm_up=0 if quick else 1)
        ratio = seconds["default"] / seconds["one training"]
        print(f"{name}: {seconds['default']:.1f} s, {ratio:.1f} times one training of 500 updates")


def main() -> None:
    parts = {"nca": against_nca, "pairs": pairs_per_second, "rows": growth, "validation": validation}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small parts of the data, few updates")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="*", choices=list(parts), default=list(parts))
    arguments = parser.parse_args()
    print(f"{arguments.device}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    for name in arguments.only:
        try:
            parts[name](arguments.device, arguments.quick)
        except DataError as error:
            print(f"{name} not run: {error}")


if __name__ == "__main__":
    main()
