"""How much faster is a GPU than a few cores, and what does the regulariser cost on it?

    python benchmarks/gpu.py [--threads N]               the default fit, and an update of each trainer, on both
    python benchmarks/gpu.py --only fit|updates          one of the two
    python benchmarks/gpu.py --quick                     small sizes, for tests

"fit" is `ReplicatedSoftmax().fit` of 20-News (WIDEANGLE_DATA), or of the docstrings without it, start and distance
included; the shortest of three. "updates" are the times from the first record of a fit to the last, with λ = 0 and with
the default λ, so that the share of the regulariser shows. DocNADE has no regulariser. Where torch sees no CUDA device,
its lines say so.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from _timing import fastest_seconds, per_update
from threadpoolctl import threadpool_limits

from wideangle.baselines.documents import DocNADE
from wideangle.data import Corpus
from wideangle.exceptions import DataError
from wideangle.experiments.tasks.documents import corpus
from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, ReplicatedSoftmax

Fit = Callable[[dict[str, Any]], Any]
FEW = 300  # documents of the quick mode


def documents(most: int | None = None) -> tuple[str, Corpus]:
    """20-News, or the docstrings where it is not here; `most` documents of it, or all."""
    try:
        name, train = "20-News", corpus("20news").train
    except DataError:
        name, train = "docstrings", corpus("docstrings").train
    return name, train if most is None else train.subset(np.arange(most))


def seconds_of_fit(X: Any, settings: dict[str, Any]) -> Callable[[], float]:
    def seconds() -> float:
        began = time.perf_counter()
        ReplicatedSoftmax(random_state=0, **settings).fit(X)  # The learned components are on the CPU when it ends.
        return time.perf_counter() - began

    return seconds


def fit(devices: list[str], turns: int, most: int | None = None, **settings: Any) -> None:
    """The default fit on each device."""
    name, train = documents(most)
    ways = {device: seconds_of_fit(train.counts, settings | {"device": device}) for device in devices}
    found = fastest_seconds(ways, turns)
    n, V = train.counts.shape
    for device, seconds in found.items():
        ratio = f", {found['cpu'] / seconds:.2f} times as fast" if device == "cuda" and "cpu" in found else ""
        print(f"fit: {name}, {n} documents, {V} words, {name_of(device)}: {seconds:.2f} s{ratio}")


def trainers(train: Corpus, updates: int) -> dict[str, tuple[Fit, Any, Any]]:
    """By name: an estimator from its settings, its rows and their labels."""
    generator = np.random.default_rng(0)
    images = generator.random((10_000, 784), dtype=np.float32)
    dense, labels = generator.normal(size=(5000, 256)).astype(np.float32), generator.integers(0, 10, 5000)
    common: dict[str, Any] = {"max_updates": updates, "random_state": 0}
    return {
        "Replicated Softmax, K=50": (lambda s: ReplicatedSoftmax(50, finish=None, **common, **s), train.counts, None),
        "Replicated Softmax, K=500": (lambda s: ReplicatedSoftmax(500, finish=None, **common, **s), train.counts, None),
        "Bernoulli RBM, K=256": (lambda s: BernoulliRBM(256, **common, **s), images, None),
        "distances, K=100": (
            lambda s: DistanceLearner(
                100, n_similar=20_000, n_dissimilar=20_000, validation_fraction=0.0, **common, **s
            ),
            dense,
            labels,
        ),
        "network, 500 units": (lambda s: MLPClassifier((500,), **common, **s), dense, labels),
        "DocNADE, K=50": (lambda s: DocNADE(50, **common, **s), train.counts, None),
    }


def updates_of(devices: list[str], updates: int, turns: int, most: int | None = None) -> None:
    """Milliseconds of an update by trainer and device, with λ = 0 and with the default λ."""
    train = documents(most)[1]
    for device in devices:
        for name, (make, X, y) in trainers(train, updates).items():
            plain: dict[str, Any] = {"device": device}
            settings = {"λ = 0": plain | {"diversity": 0.0}, "default λ": plain}
            if name.startswith("DocNADE"):
                settings = {"no regulariser": plain}
            ways = {which: per_update(make(chosen), X, y) for which, chosen in settings.items()}
            found = fastest_seconds(ways, turns)
            told = ", ".join(f"{which} {1000 * seconds:.3f} ms" for which, seconds in found.items())
            if len(found) == 2:
                told += f": the regulariser adds {100 * (found['default λ'] / found['λ = 0'] - 1):.1f} %"
            print(f"updates: {name_of(device)}, {name}: {told}")


def name_of(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} CPU threads"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("fit", "updates"))
    parser.add_argument("--threads", type=int, default=2, help="threads of the CPU")
    parser.add_argument("--devices", nargs="+", choices=("cpu", "cuda"), default=["cpu", "cuda"])
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    devices = list(arguments.devices)
    if "cuda" in devices and not torch.cuda.is_available():
        print("cuda: not run, torch sees no CUDA device")
        devices.remove("cuda")
    torch.set_num_threads(arguments.threads)
    with threadpool_limits(arguments.threads):
        if arguments.only != "updates":
            if arguments.quick:
                fit(devices, 1, FEW, max_updates=40)
            else:
                fit(devices, 3)
        if arguments.only != "fit":
            if arguments.quick:
                updates_of(devices, 40, 1, FEW)
            else:
                updates_of(devices, 500, 3)


if __name__ == "__main__":
    main()
