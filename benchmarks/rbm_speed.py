"""How fast do the Boltzmann machines train, against scikit-learn, LDA, and the matrix products they cannot do without?

    python benchmarks/rbm_speed.py               everything this machine and its data allow
    python benchmarks/rbm_speed.py --only NAME   update, words, epoch, metric, topics, memory or gpu
    python benchmarks/rbm_speed.py --quick       small sizes on made data, for tests

Needs the data sets MNIST and 20-News (WIDEANGLE_DATA), and tomotopy for "topics"; says so where one is missing. Peers
and floors are timed in turn in the same run, and the shortest time of each counts.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _lda import HAS_TOMOTOPY, named, tokens, untrained_lda
from _timing import fastest_seconds, median_seconds, per_update, seconds_per_call
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


def told(title: str, seconds: dict[str, float], floor: str, turns: int) -> None:
    """Print the times of one update, as multiples of the floor."""
    print(f"{title}, {torch.get_num_threads()} threads, shortest of {turns} by turns:")
    for name, took in seconds.items():
        print(f"  {name:24} {1000 * took:6.3f} ms   {took / seconds[floor]:5.2f} of its {floor}")
    plain, regularised = seconds["wideangle, λ = 0"], seconds["wideangle"]
    print(f"  the regulariser takes {regularised / plain:.3f} times as long as λ = 0")


def update(X: NDArray[np.float32], sizes: tuple[int, ...], updates: int, turns: int) -> None:
    """One update of the Bernoulli machine with defaults, against its four products and scikit-learn."""
    fits: dict[str, Any] = {"batch_size": BATCH, "max_updates": updates, "random_state": 0, "device": "cpu"}
    for K in sizes:
        theirs = SklearnRBM(K, batch_size=BATCH, random_state=0)
        ways = {
            "products": seconds_per_call(four_products(K, X.shape[1], BATCH), 200),
            "wideangle, λ = 0": per_update(BernoulliRBM(K, diversity=0, **fits), X),
            "wideangle": per_update(BernoulliRBM(K, **fits), X),
            "scikit-learn": seconds_per_call(partial(theirs.partial_fit, X[:BATCH]), 50),
        }
        title = f"update: Bernoulli machine, {X.shape[1]} units, K={K}, batch {BATCH}"
        told(title, fastest_seconds(ways, turns), "products", turns)


def words_floor(X: sp.csr_array, K: int, tokens: int) -> Callable[[], None]:
    """What an update of the Replicated Softmax cannot do without.

    It is the sparse products of documents, of imagined documents and of the gradient of both; the logits of all words
    with their exponentials; and as many words, found in cumulative sums that are there already.
    """
    D = X.shape[1]
    made = np.random.default_rng(0)
    documents = sp.csr_array(X[:BATCH]).astype(np.float32)
    starts = np.arange(0, BATCH * tokens + 1, tokens)
    imagined = sp.csr_array((np.ones(starts[-1], np.float32), made.integers(0, D, starts[-1]), starts), (BATCH, D))
    both = sp.csr_array(sp.vstack([documents, imagined])).T
    words, hidden = torch.rand(D, K), torch.rand(BATCH, K)
    units, bias, logits = made.random((2 * BATCH, K), dtype=np.float32), torch.rand(D), torch.empty(BATCH, D)
    below = torch.rand(BATCH, D).cumsum_(-1)

    def one() -> None:
        documents @ words.numpy()
        torch.addmm(bias, hidden, words.mT, out=logits).exp_()
        torch.searchsorted(below, torch.rand(BATCH, tokens) * below[:, -1:])
        imagined @ words.numpy()
        both @ units

    return one


def words(X: sp.csr_array, name: str, K: int, updates: int, turns: int) -> None:
    """One update of the Replicated Softmax with defaults, against what it cannot do without."""
    fits: dict[str, Any] = {"batch_size": BATCH, "max_updates": updates, "random_state": 0, "device": "cpu"}
    ways = {
        "floor": seconds_per_call(words_floor(X, K, 50), 100),
        "wideangle, λ = 0": per_update(ReplicatedSoftmax(K, diversity=0.0, **fits), X),
        "wideangle": per_update(ReplicatedSoftmax(K, **fits), X),
    }
    title = f"words: Replicated Softmax, {name}, {X.shape[1]} words, K={K}, batch {BATCH}"
    told(title, fastest_seconds(ways, turns), "floor", turns)


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
    seconds = fastest_seconds({name: seconds_per_call(way, 1) for name, way in ways.items()}, repeats)
    print(f"one epoch, {len(X)}×{X.shape[1]}, K={K}, batch {BATCH}, persistent CD-1, shortest of {repeats}:")
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
    parser.add_argument("--only", choices=("update", "words", "epoch", "metric", "topics", "memory", "gpu"))
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        X = made_digits(500)
        counts = sp.csr_array(np.random.default_rng(0).poisson(0.05, (500, 200)).astype(np.float32))
        update(X, (16,), 60, 1)
        words(counts, "made counts", 10, 60, 1)
        epoch(X, 16, 1)
        metric(counts, "made counts", 10, 40, 1, "cpu")
        memory(2000)
        return
    parts: dict[str, Callable[[], None]] = {
        "update": lambda: update(digits(30_000), (256, 500), 1000, 10),
        "words": lambda: words(corpus("docstrings").train.counts, "docstrings", 50, 1000, 10),
        "epoch": lambda: epoch(digits(30_000), 256, 5),
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
