"""What do large vocabularies and very many components cost, and what helps?

    python benchmarks/large.py                          everything, on a GPU if there is one
    python benchmarks/large.py --only softmax           an update of the Replicated Softmax, V = 100,000, K = 1,000
    python benchmarks/large.py --only precision         is what half precision learns as good? P@k over seeds
    python benchmarks/large.py --only regularizer       Ω of 100,000 components: exact, and estimated from some rows
    python benchmarks/large.py --quick                  small sizes, for tests

"softmax" tells the time of an update with λ = 0 and with the default λ, with float32 products and with those that torch
may make in lower precision (torch.set_float32_matmul_precision: "medium" on a CPU, "high" on a GPU), the parts of which
an update is made, and the peak of memory in multiples of the components' own size. Each fit is a process of its own. On
a CPU components start at random, because singular vectors take longer than all updates that are timed.
"regularizer" compares the mean and the deviation of the row estimate (`MutualAngularRegularizer(rows=...)`) with the
exact score, which is found in blocks.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from _large_corpus import large_corpus
from _timing import median_seconds
from torch.optim.adamw import adamw

from wideangle import MutualAngularRegularizer
from wideangle.evaluation import compare_runs, precision_per_query
from wideangle.exceptions import DataError
from wideangle.experiments.tasks.documents import corpus, nearest
from wideangle.functional import value_and_gradient
from wideangle.functional.boltzmann import Machine, draw_words, visible_logits
from wideangle.models import ReplicatedSoftmax

BATCH, TOKENS = 100, 50
LOWER = {"cpu": "medium", "cuda": "high"}  # the precision of products that is lower than float32, by device


def name_of(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"


def softmax(V: int, K: int, n_documents: int, updates: int, device: str) -> None:
    """Updates and memory of the Replicated Softmax, and the parts of an update."""
    print(f"softmax: {name_of(device)}, {V} words, K={K}, batch {BATCH}, {updates} updates of each fit")
    for precision, diversities in {"highest": (0.0, None), LOWER[device]: (None,)}.items():
        for diversity in diversities:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                fit = pool.apply(one_fit, (V, K, n_documents, updates, device, precision, diversity))
            name = "λ = 0" if diversity == 0 else "default λ"
            print(
                f"  products {precision:8} {name:10} {1000 * fit['update']:8.1f} ms an update, start "
                f"{fit['start']:6.1f} s, peak {fit['bytes'] / 1e9:5.2f} GB, {fit['bytes'] / (4 * V * K):5.1f} times "
                "the components"
            )
        torch.set_float32_matmul_precision(precision)
        for part, seconds in parts_of_an_update(V, K, device).items():
            print(f"    of it {part:24} {1000 * seconds:8.1f} ms")
    torch.set_float32_matmul_precision("highest")


def one_fit(
    V: int, K: int, n_documents: int, updates: int, device: str, precision: str, diversity: float | None
) -> dict[str, float]:
    """Seconds of an update and of what comes before the first, and the bytes that the fit adds at its peak."""
    torch.set_float32_matmul_precision(precision)
    X = large_corpus(n_documents, V)
    settings: dict[str, Any] = {"diversity": diversity, "finish": None, "learning_rate": 0.01, "random_state": 0}
    settings["init"] = "svd" if device == "cuda" else "random"
    ReplicatedSoftmax(2, max_updates=2, device=device, **settings).fit(X[:1000, :500])  # torch's own memory
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    model = ReplicatedSoftmax(K, max_updates=updates, device=device, **settings).fit(X)
    took = time.perf_counter() - began
    first, *_, last = model.history_
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    return {
        "update": (last.seconds - first.seconds) / (last.update - first.update),
        "start": took - last.seconds,
        "bytes": torch.cuda.max_memory_allocated() if device == "cuda" else peak,
    }


def parts_of_an_update(V: int, K: int, device: str) -> dict[str, float]:
    """The three largest parts, each by itself. Components are words × components in memory on a CPU, as in a fit."""
    generator = torch.Generator(device).manual_seed(0)
    words = torch.randn(V, K, generator=generator, device=device)
    kept = torch.rand(BATCH, K, generator=generator, device=device) < 0.04  # as many units as dropout leaves on
    machine = Machine(words.mT if device == "cpu" else words.mT.contiguous(), words[:, 0].clone(), words[0])
    logits, lengths = torch.empty(2, BATCH, V, device=device), torch.full((BATCH,), float(TOKENS), device=device)
    moments = [torch.zeros_like(words) for _ in range(3)]
    step = torch.zeros((), device=device)
    options: dict[str, Any] = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.3}
    options |= {"amsgrad": False, "maximize": True, "fused": True}
    ways: dict[str, Callable[[], object]] = {
        "logits of all words": lambda: visible_logits(machine, kept.float(), out=logits[0]),
        "draws of words": lambda: draw_words(logits[0], lengths, generator, TOKENS, out=logits[1]),
        "Adam": lambda: adamw([words], [moments[0]], [moments[1]], [moments[2]], [], [step], **options),
    }
    return median_seconds(ways, 5, device, warm_up=1)


def precision(sets: tuple[str, ...], seeds: int, updates: int, device: str) -> None:
    """P@k with float32 products and with lower precision, over seeds."""
    print(f"precision: {name_of(device)}, K=50 and defaults, {updates} updates, {seeds} seeds")
    for data in sets:
        try:
            whole = corpus(data)
        except DataError as error:
            print(f"  {data}: not run: {error}")
            continue
        found: dict[str, list[float]] = {}
        for how in ("highest", LOWER[device]):
            torch.set_float32_matmul_precision(how)
            found[how] = [retrieval(whole, nearest(data), updates, device, seed) for seed in range(seeds)]
        torch.set_float32_matmul_precision("highest")
        compared = compare_runs(np.array(found[LOWER[device]]), np.array(found["highest"]))
        told = " → ".join(f"{how} {np.mean(each):.4f} ± {np.std(each, ddof=1):.4f}" for how, each in found.items())
        print(f"  {data}, P@{nearest(data)}: {told}, {compared.difference:+.4f}, p = {compared.p_value:.3f}")


def retrieval(whole: Any, k: int, updates: int, device: str, seed: int) -> float:
    train, test = whole.train, whole.test
    model = ReplicatedSoftmax(50, max_updates=updates, random_state=seed, device=device).fit(train.counts)
    asked, searched = model.transform(test.counts), model.transform(train.counts)
    return float(precision_per_query(asked, test.labels, searched, train.labels, k).mean())


def regularizer(K: int, D: int, rows: tuple[int, ...], repeats: int, device: str) -> None:
    """The exact score in blocks, and the row estimate: time, memory, bias and deviation."""
    torch.manual_seed(0)
    # A common direction, and groups of components that resemble each other, so that angles differ.
    A = torch.randn(K, D, device=device) + 0.3 * torch.randn(D, device=device)
    A += 0.7 * torch.randn(max(2, K // 50), D, device=device)[torch.randint(max(2, K // 50), (K,), device=device)]
    exact, gradient = value_and_gradient(A)
    taken = median_seconds({"exact": partial(value_and_gradient, A)}, 2, device, warm_up=0)["exact"]
    print(f"regularizer: {name_of(device)}, K={K}, D={D}, float32")
    print(f"  exact: Ω = {float(exact):.6f}, value and gradient in {taken:.3f} s{peak_of(A)}")
    for n in rows:
        estimate = MutualAngularRegularizer(rows=n)
        leaf = A.clone().requires_grad_()
        values, slopes, total = [], [], torch.zeros_like(A)
        for _ in range(repeats):
            value = estimate(leaf)
            (slope,) = torch.autograd.grad(value, leaf)
            values.append(float(value.detach()))
            total += slope
            slopes.append(float(torch.nn.functional.cosine_similarity(slope.ravel(), gradient.ravel(), dim=0)))
        ways = {"rows": lambda leaf=leaf, estimate=estimate: torch.autograd.grad(estimate(leaf), leaf)}
        seconds = median_seconds(ways, 5, device, warm_up=1)["rows"]
        bias, deviation = np.mean(values) - float(exact), np.std(values, ddof=1)
        aligned = float(torch.nn.functional.cosine_similarity(total.ravel(), gradient.ravel(), dim=0))
        print(
            f"  {n} rows: {1000 * seconds:.2f} ms, {taken / seconds:.0f} times as fast; over {repeats} draws bias "
            f"{bias:+.6f} ± {deviation / repeats**0.5:.6f}, deviation {deviation:.6f}; cosine with the exact gradient "
            f"{np.mean(slopes):.3f}, of the mean gradient {aligned:.3f}"
        )


def peak_of(A: torch.Tensor) -> str:
    """The peak of GPU memory beyond the components, in words; nothing on a CPU."""
    if not A.is_cuda:
        return ""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    value_and_gradient(A)
    extra = torch.cuda.max_memory_allocated() - before
    return f", {extra / 1e9:.2f} GB beyond the components; a K×K matrix has {4 * len(A) ** 2 / 1e9:.1f} GB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("softmax", "precision", "regularizer"))
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--rows", type=int, default=100_000, help="components of the regulariser")
    parser.add_argument("--repeats", type=int, default=100, help="draws of the row estimate")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    device = arguments.device
    if arguments.quick:
        softmax(2000, 10, 1000, 40, device)
        precision(("docstrings",), 2, 20, device)
        regularizer(500, 20, (50,), 5, device)
        return
    parts: dict[str, Callable[[], None]] = {
        "softmax": lambda: softmax(100_000, 1000, 20_000, 60 if device == "cpu" else 300, device),
        "precision": lambda: precision(("docstrings", "20news"), arguments.seeds, 2000, device),
        "regularizer": lambda: regularizer(arguments.rows, 1024, (256, 1024, 4096), arguments.repeats, device),
    }
    for name, part in parts.items():
        if arguments.only in (None, name):
            part()


if __name__ == "__main__":
    main()
