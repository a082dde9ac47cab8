"""How fast do the Boltzmann machines train, against scikit-learn, LDA, and the matrix products they cannot do without?

    python benchmarks/rbm_speed.py               everything this machine and its data allow
    python benchmarks/rbm_speed.py --only NAME   epoch, regulariser, metric, topics, memory or gpu
    python benchmarks/rbm_speed.py --quick       small sizes on made data, for tests

Needs the data sets MNIST and 20-News (WIDEANGLE_DATA), and tomotopy for "topics"; says so where one is missing. Peers
and floors are timed in turn in the same run.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from itertools import product

import numpy as np
import scipy.sparse as sp
import torch
from _lda import HAS_TOMOTOPY, named, tokens, untrained_lda
from _timing import median_seconds
from numpy.typing import NDArray
from sklearn.neural_network import BernoulliRBM as SklearnRBM

from wideangle.data import load
from wideangle.evaluation import precision_per_query
from wideangle.exceptions import DataError
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import BernoulliRBM, ReplicatedSoftmax

BATCH = 100


def digits(n: int) -> NDArray[np.float32]:
    """MNIST's first training images, values between 0 and 1."""
    return np.asarray(load("mnist").train.X[:n], dtype=np.float32) / np.float32(255)


def made_digits(n: int) -> NDArray[np.float32]:
    """Random rows, where there is no MNIST or no time."""
    return np.random.default_rng(0).random((n, 784), dtype=np.float32)


def four_products(K: int, D: int, n: int, device: str = "cpu") -> Callable[[], None]:
    """The matrix products of an epoch of contrastive divergence: h|v, v|h, h|v, and the gradient of both phases."""
    A, v = torch.rand(K, D, device=device), torch.rand(BATCH, D, device=device)
    h, both_h, both_v = (torch.rand(shape, device=device) for shape in ((BATCH, K), (2 * BATCH, K), (2 * BATCH, D)))

    def epoch() -> None:
        for _ in range(n // BATCH):
            v @ A.mT
            h @ A
            v @ A.mT
            both_h.mT @ both_v

    return epoch


def epoch(X: NDArray[np.float32], K: int, repeats: int) -> None:
    """Persistent CD-1 against scikit-learn: seconds an epoch, and pseudo-likelihood after as many epochs."""
    updates = len(X) // BATCH
    # The same algorithm; our data term is a mean per visible unit.
    like_theirs = {"optimizer": "sgd", "schedule": "constant", "learning_rate": 0.1 * X.shape[1], "persistent": True}
    like_theirs["metric"] = "identity"  # Angles in the metric of rows would cost time at each record.
    ours = BernoulliRBM(K, diversity=0, batch_size=BATCH, random_state=0, device="cpu", **like_theirs)
    theirs = SklearnRBM(K, batch_size=BATCH, n_iter=1, learning_rate=0.1, random_state=0)
    ways = {
        "wideangle": lambda: ours.set_params(max_updates=updates).fit(X),
        "scikit-learn": lambda: theirs.fit(X),
        "four products": four_products(K, X.shape[1], len(X)),
    }
    seconds = median_seconds(ways, repeats, warm_up=1)
    print(f"one epoch, {len(X)}×{X.shape[1]}, K={K}, batch {BATCH}, persistent CD-1, median of {repeats}:")
    for name, took in seconds.items():
        print(f"  {name:15} {took:7.3f} s   {took / seconds['wideangle']:5.2f} of ours")
    print(f"  ours / its four products: {seconds['wideangle'] / seconds['four products']:.2f}")
    n_epochs = 5
    for rate in (0.003, 0.01, 0.03, 0.1):
        fitted = SklearnRBM(K, batch_size=BATCH, n_iter=n_epochs, learning_rate=rate, random_state=0).fit(X)
        reached = pseudo_likelihood(fitted, X)
        print(f"  pseudo-likelihood after {n_epochs} epochs: scikit-learn, rate {rate}: {reached:.2f}")
    for name, settings in {
        "wideangle, rate 0.1": like_theirs,
        "wideangle, persistent and Adam": {"learning_rate": 3e-3, "persistent": True},
        "wideangle, persistent and momentum": {"learning_rate": 8, "optimizer": "momentum", "persistent": True},
        "wideangle, CD-1 and Adam": {"learning_rate": 3e-3},
    }.items():
        mine = BernoulliRBM(
            K, diversity=0, max_updates=n_epochs * updates, random_state=0, device="cpu", **settings
        ).fit(X)
        fitted.components_, fitted.intercept_visible_ = mine.components_, mine.intercept_visible_
        fitted.intercept_hidden_ = mine.intercept_hidden_
        reached = pseudo_likelihood(fitted, X)
        print(f"  pseudo-likelihood after {n_epochs} epochs: {name}: {reached:.2f}")


def pseudo_likelihood(machine: SklearnRBM, X: NDArray[np.float32]) -> float:
    """scikit-learn's own estimate, of rows rounded to 0 and 1 as it flips a bit of each."""
    return float(np.mean([machine.set_params(random_state=s).score_samples(np.round(X)).mean() for s in range(5)]))


def regulariser(X: NDArray[np.float32], sizes: tuple[int, ...], repeats: int) -> None:
    """What diversity adds to an epoch."""
    updates = len(X) // BATCH
    for K in sizes:
        ways = {
            lam: (
                lambda lam=lam, K=K: BernoulliRBM(
                    K, diversity=lam, max_updates=updates, random_state=0, device="cpu"
                ).fit(X)
            )
            for lam in (0.0, 0.1)
        }
        seconds = median_seconds(ways, repeats, warm_up=1)
        added = seconds[0.1] / seconds[0.0] - 1
        took = f"{seconds[0.0]:.3f} s without it, {seconds[0.1]:.3f} s with"
        print(f"regulariser, K={K}: an epoch takes {took}: {added:+.1%}")


def metric(X: sp.csr_array, name: str, K: int, updates: int, repeats: int, device: str) -> None:
    """What diversity adds to a fit of documents, with angles of the weights and as the data sees them."""
    settings = {
        "none": {"diversity": 0.0, "metric": "identity"},
        "weights": {"diversity": 0.3, "metric": "identity"},
        "data": {"diversity": 0.3, "metric": "covariance"},
    }
    ways = {
        kind: (
            lambda chosen=chosen: ReplicatedSoftmax(
                K, init="random", max_updates=updates, random_state=0, device=device, **chosen
            ).fit(X)
        )
        for kind, chosen in settings.items()
    }
    seconds = median_seconds(ways, repeats, device, warm_up=1)
    added = {kind: f"{seconds[kind] / seconds['none'] - 1:+.1%}" for kind in ("weights", "data")}
    each = 1000 * seconds["none"] / updates
    print(
        f"metric, {name}, K={K}, {device}: {each:.2f} ms an update without diversity; angles of the weights add "
        f"{added['weights']}, as the data sees them {added['data']}"
    )


def topics(K: int, iterations: int) -> None:
    """Seconds to the P@100 of tomotopy's LDA on 20-News."""
    if not HAS_TOMOTOPY:
        print("topics: not run, tomotopy is not installed")
        return
    corpus = load("20news")
    train, test = corpus.train, corpus.test
    assert train.labels is not None  # 20-News has labels
    assert test.labels is not None
    lda, kept = untrained_lda(train.counts, K, seed=0)
    began = time.perf_counter()
    lda.train(iterations, workers=2)
    lda_seconds = time.perf_counter() - began
    asked = np.flatnonzero(np.asarray(test.counts.sum(axis=1)).ravel() > 0)
    documents = [lda.make_doc(named(tokens(test.counts, row))) for row in asked.tolist()]
    lda.infer(documents, iterations=100, workers=2)
    searched, asking = (np.array([document.get_topic_dist() for document in part]) for part in (lda.docs, documents))
    level = precision_per_query(asking, test.labels[asked], searched, train.labels[kept], 100).mean()
    print(f"topics: tomotopy LDA, K={K}, {iterations} iterations, 2 workers: P@100 {level:.4f} in {lda_seconds:.1f} s")
    for size, updates in ((K, 100), (K, 250), (K, 500), (K, 2000), (50, 100), (50, 250), (50, 500), (50, 2000)):
        model = ReplicatedSoftmax(size, max_updates=updates, random_state=0, device="cpu")
        began = time.perf_counter()
        model.fit(train.counts)
        took = time.perf_counter() - began
        asking, searched = model.transform(test.counts), model.transform(train.counts)
        mine = precision_per_query(asking, test.labels, searched, train.labels, 100).mean()
        share = took / lda_seconds
        print(f"topics: K={size}, {updates} updates: P@100 {mine:.4f} in {took:.1f} s, {share:.3f} of LDA's time")


def memory(n_documents: int) -> None:
    """Memory that fitting adds to a corpus already there, in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        size, added = pool.apply(added_by_fit, (n_documents,))
    print(f"memory: {n_documents} documents, CSR of {size / 1e9:.2f} GB; fitting adds {added / 1e9:.2f} GB at its peak")


def added_by_fit(n_documents: int, nnz: int = 60, vocabulary: int = 5000) -> tuple[int, int]:
    """Bytes of the corpus, and how far the process's peak rises above what stood before the fit."""
    generator = np.random.default_rng(0)
    indices = np.empty(n_documents * nnz, dtype=np.int32)
    for first in range(0, len(indices), 2**20):  # in pieces, so that making the corpus is not the peak
        part = indices[first : first + 2**20]
        part[:] = generator.integers(0, vocabulary, len(part))
    counts = np.ones(len(indices), dtype=np.float32)
    X = sp.csr_array((counts, indices, np.arange(0, len(indices) + 1, nnz)), shape=(n_documents, vocabulary))
    small = X[:1000]
    ReplicatedSoftmax(25, max_updates=2, random_state=0).fit(small)  # torch's own memory is there before
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ReplicatedSoftmax(25, max_updates=200, random_state=0).fit(X)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return counts.nbytes + indices.nbytes + X.indptr.nbytes, (after - before) * 1024


def gpu(K: int, repeats: int) -> None:
    """An epoch of 20-News on a GPU, against its products."""
    if not torch.cuda.is_available():
        print("gpu: not run, torch sees no CUDA device")
        return
    X = load("20news").train.counts
    n = X.shape[0] // BATCH * BATCH
    ways: dict[str, Callable[[], object]] = {
        "products": four_products(K, X.shape[1], n, "cuda"),
        "short": lambda: ReplicatedSoftmax(K, max_updates=n // BATCH, random_state=0, device="cuda").fit(X),
        "long": lambda: ReplicatedSoftmax(K, max_updates=6 * (n // BATCH), random_state=0, device="cuda").fit(X),
    }
    seconds = median_seconds(ways, repeats, "cuda", warm_up=1)
    an_epoch = (seconds["long"] - seconds["short"]) / 5  # without what a fit does once
    floor = seconds["products"]
    print(f"gpu: {torch.cuda.get_device_name()}, 20-News, K={K}, batch {BATCH}")
    print(f"gpu: an epoch takes {an_epoch * 1e3:.1f} ms, its products {floor * 1e3:.1f} ms: {an_epoch / floor:.2f}")


def metrics() -> None:
    """The cost of the metric on two corpora, at two sizes, on each device that is there."""
    sets = {"docstrings": corpus("docstrings").train.counts, "20-News": load("20news").train.counts}
    for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        for (name, X), K in product(sets.items(), (50, 200)):
            metric(X, name, K, 300 if device == "cpu" else 2000, 5, device)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("epoch", "regulariser", "metric", "topics", "memory", "gpu"))
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        X = made_digits(500)
        epoch(X, 16, 1)
        regulariser(X, (16,), 1)
        metric(sp.csr_array(np.random.default_rng(0).poisson(0.1, (500, 200))), "made counts", 10, 40, 1, "cpu")
        memory(2000)
        return
    parts: dict[str, Callable[[], None]] = {
        "epoch": lambda: epoch(digits(30_000), 256, 5),
        "regulariser": lambda: regulariser(digits(30_000), (256, 500), 5),
        "metric": metrics,
        "topics": lambda: topics(100, 500),
        "memory": lambda: memory(1_000_000),
        "gpu": lambda: gpu(500, 3),
    }
    for name, part in parts.items():
        if arguments.only in (None, name):
            try:
                part()
            except DataError as error:
                print(f"{name}: not run: {error}")


if __name__ == "__main__":
    main()
