"""Accuracy of networks with one hidden layer against λ: is there an inner optimum, as the paper reports?

    python benchmarks/network_quality.py --run OUT.jsonl [--data phoneme mnist] [--regimes tuned] [--minutes M]
    python benchmarks/network_quality.py --metric OUT.jsonl
    python benchmarks/network_quality.py --table OUT.jsonl ...
    python benchmarks/network_quality.py --figure PNG OUT.jsonl ...

50 to 300 sigmoid units and cross-entropy as in the paper, 5 seeds, on "phoneme" (split by speaker) and on the first
10,000 images of a shuffled MNIST; the official test parts. Three kinds of runs, one record each:

* tune: λ = 0 on four fifths of the training part, scored on the rest: how many updates and how much weight decay.
* validation: every λ with what was best there for the plain network, on another four fifths for each seed.
* test: every λ, trained on the whole training part; the test part is scored once a record.

Regimes: "tuned" has that many updates and that weight decay; "no decay" that many updates without any; "brief" is plain
gradient descent for 300 updates, networks that have not got far. Settings are chosen for λ = 0, so the comparison
favours it if anything. Confidence intervals are Student's over the seeds; they hold for new seeds, not for another
test part. `--metric` compares angles of the weights with angles as the data sees them, on phoneme, 100 units, 1000
updates without decay: every λ on validation rows, and the test part for λ = 0 and the best λ of either metric.
Needs the data sets (WIDEANGLE_DATA). Runs go to several processes, on a GPU as well.
"""

import argparse
import platform
import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _records import read_records, run_missing
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
from sklearn.preprocessing import StandardScaler

from wideangle import __version__
from wideangle.data import Dataset, load
from wideangle.data.registry import DatasetName
from wideangle.evaluation import angle_summary
from wideangle.exceptions import DataError
from wideangle.models import MLPClassifier

DATA: tuple[DatasetName, ...] = ("phoneme", "mnist")
UNITS = (50, 100, 200, 300)
DIVERSITIES = (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
METRIC_DIVERSITIES = (0.1, 1.0, 10.0)
UPDATES = {"phoneme": (300, 1000), "mnist": (1000, 3000)}
DECAYS = (0.1, 1.0, 3.0, 10.0)
SEEDS, TUNING_SEEDS = 5, 3
TUNED = {"optimizer": "adam", "learning_rate": 3e-3}
BRIEF = {"optimizer": "sgd", "learning_rate": 0.01, "max_updates": 300, "weight_decay": 0.0}
REGIMES = ("tuned", "no decay", "brief")
KEYS = ("data", "part", "regime", "units", "diversity", "seed")


@cache
def loaded(name: DatasetName) -> tuple[Dataset, Dataset]:
    """The training part, of MNIST 10,000 images of it, and the test part."""
    data = load(name)
    train = data.train
    if name == "mnist":
        train = train.subset(np.random.default_rng(0).permutation(len(train))[:10_000])
    return train, data.test


def split(name: DatasetName, part: str, seed: int) -> tuple[Dataset, Dataset]:
    """Rows to train on and rows to score: the parts of the data, or a random fifth of the training part held out."""
    train, test = loaded(name)
    if part == "test":
        return train, test
    # Tuning never sees the splits that λ is judged by.
    options = {"n_splits": 1, "test_size": 0.2, "random_state": seed + (100 if part == "tune" else 0)}
    splitter = ShuffleSplit(**options) if train.groups is None else GroupShuffleSplit(**options)
    kept, held_out = next(splitter.split(train.X, train.labels, train.groups))
    return train.subset(kept), train.subset(held_out)


def scaled(name: DatasetName, train: Dataset, test: Dataset) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Pixels as shares of 255; phonemes' features with mean 0 and deviation 1 in training."""
    if name == "mnist":
        return (train.X / 255).astype(np.float32), (test.X / 255).astype(np.float32)
    scaler = StandardScaler().fit(train.X)
    return scaler.transform(train.X).astype(np.float32), scaler.transform(test.X).astype(np.float32)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one network and measure it; the job comes back with its results."""
    torch.set_num_threads(1)
    train, test = split(job["data"], job["part"], job["seed"])
    X, X_test = scaled(job["data"], train, test)
    assert train.labels is not None  # both sets have labels
    assert test.labels is not None
    settings = {k: v for k, v in job.items() if k not in KEYS}
    network = MLPClassifier(
        job["units"], activation="sigmoid", diversity=job["diversity"], random_state=job["seed"], **settings
    )
    began = time.perf_counter()
    network.fit(X, train.labels)
    results = {"accuracy": network.score(X_test, test.labels), "training accuracy": network.score(X, train.labels)}
    angles = angle_summary(network.coefs_[0].T)
    results |= {"mean angle": angles.mean, "smallest angle": angles.smallest, "seconds": time.perf_counter() - began}
    machine = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or platform.machine()
    versions = {"wideangle": __version__, "torch": torch.__version__, "machine": machine, "checksum": train.checksum}
    return job | results | versions


def tuning_jobs(data: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for name, seed, units, decay in product(data, range(TUNING_SEEDS), UNITS, DECAYS):
        for updates in UPDATES[name]:
            job = dict(zip(KEYS, (name, "tune", "tuned", units, 0.0, seed), strict=True))
            yield job | TUNED | {"max_updates": updates, "weight_decay": decay}


def best_settings(records: list[dict[str, Any]], name: str, units: int) -> dict[str, Any]:
    """Updates and weight decay of the best mean accuracy of the plain network on held-out training rows."""
    found = {}
    for updates, decay in product(UPDATES[name], DECAYS):
        setting = {"data": name, "part": "tune", "units": units, "max_updates": updates, "weight_decay": decay}
        found[updates, decay] = accuracies(records, setting).mean()
    updates, decay = max(found, key=lambda setting: found[setting])
    return {"max_updates": updates, "weight_decay": decay}


def grid_jobs(records: list[dict[str, Any]], data: tuple[str, ...], regimes: list[str]) -> Iterator[dict[str, Any]]:
    """In an order in which an early stop leaves every size with something."""
    for name, regime, seed, part in product(data, regimes, range(SEEDS), ("validation", "test")):
        for units, diversity in product(UNITS, DIVERSITIES):
            job = dict(zip(KEYS, (name, part, regime, units, diversity, seed), strict=True))
            best = best_settings(records, name, units)
            if regime == "no decay":
                best |= {"weight_decay": 0.0}
            yield job | (BRIEF if regime == "brief" else TUNED | best)


def metric_jobs(part: str, diversities: dict[str, tuple[float, ...]]) -> Iterator[dict[str, Any]]:
    """The plain network, which knows no metric, and others by metric."""
    settings = TUNED | {"max_updates": 1000, "weight_decay": 0.0}
    for seed, (metric, chosen) in product(range(SEEDS), diversities.items()):
        for diversity in chosen:
            job = dict(zip(KEYS, ("phoneme", part, "no decay", 100, diversity, seed), strict=True))
            yield job | settings | {"metric": metric}


def by_metric(records: list[dict[str, Any]], part: str) -> dict[tuple[str, float], NDArray[np.float64]]:
    """Accuracies by metric and λ."""
    keys = dict.fromkeys((r["metric"], r["diversity"]) for r in records if r["part"] == part)
    return {k: accuracies(records, {"part": part, "metric": k[0], "diversity": k[1]}) for k in keys}


def compare_metrics(out: Path, workers: int, minutes: float) -> None:
    grid: dict[str, tuple[float, ...]] = {"identity": (0.0, *METRIC_DIVERSITIES), "covariance": METRIC_DIVERSITIES}
    if run_missing(run, metric_jobs("validation", grid), out, workers, minutes):
        found = by_metric(read_records(out), "validation")
        run_missing(run, metric_jobs("test", {"identity": (0.0,)}), out, workers, minutes)
        for metric in grid:
            best = max(METRIC_DIVERSITIES, key=lambda diversity: found[metric, diversity].mean())
            run_missing(run, metric_jobs("test", {metric: (best,)}), out, workers, minutes)
    print_metrics(read_records(out))


def print_metrics(records: list[dict[str, Any]]) -> None:
    for part in ("validation", "test"):
        found = by_metric(records, part)
        if ("identity", 0.0) not in found:
            continue  # The runs have not come so far.
        print(f"{part}, accuracy and its difference to λ = 0 over the same seeds (95 % intervals)")
        for (metric, diversity), values in sorted(found.items(), key=lambda item: (item[0][1] > 0, item[0])):
            gain = values - found["identity", 0.0]
            print(
                f"{metric if diversity else 'plain':>10} λ = {diversity:<5} {values.mean():.4f} ± "
                f"{interval(values):.4f}  {gain.mean():+.4f} ± {interval(gain):.4f}"
            )


def accuracies(records: list[dict[str, Any]], setting: dict[str, Any], what: str = "accuracy") -> NDArray[np.float64]:
    """Of the records with a setting, in the order of their seeds."""
    chosen = [r for r in records if all(r.get(k) == v for k, v in setting.items())]
    return np.array([r[what] for r in sorted(chosen, key=lambda r: r["seed"])])


def interval(values: NDArray[np.float64]) -> float:
    """Half of the 95 % confidence interval of the mean."""
    n = len(values)
    return float(student.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")


def curves(records: list[dict[str, Any]]) -> Iterator[tuple[str, str, int, dict[str, dict[float, NDArray[Any]]]]]:
    """Each data set, regime and size with its validation and test accuracies by λ, where all seeds are there."""
    for name, regime, units in product(DATA, REGIMES, UNITS):
        mine = [r for r in records if (r["data"], r["regime"], r["units"]) == (name, regime, units)]
        parts: dict[str, dict[float, NDArray[Any]]] = {}
        for part, diversity in product(("validation", "test"), DIVERSITIES):
            found = accuracies(mine, {"part": part, "diversity": diversity})
            if len(found) == SEEDS:
                parts.setdefault(part, {})[diversity] = found
        if len(parts) == 2 and all(len(part) == len(DIVERSITIES) for part in parts.values()):
            yield name, regime, units, parts


def print_table(records: list[dict[str, Any]]) -> None:
    found = list(curves(records))
    for name, regime, units, parts in found:
        of_setting = {"data": name, "regime": regime, "units": units, "part": "test"}
        tests = [r for r in records if all(r[k] == v for k, v in of_setting.items())]
        some = tests[0]
        print(f"\n{name}, {regime}, {units} units, {some['max_updates']} updates, weight decay {some['weight_decay']}")
        print(f"{'λ':>7} {'validation':>17} {'test':>17} {'training':>9} {'mean angle':>11} {'smallest':>9}")
        for diversity in DIVERSITIES:
            columns = ("training accuracy", "mean angle", "smallest angle")
            means = [accuracies(tests, {"diversity": diversity}, column).mean() for column in columns]
            cells = [f"{p[diversity].mean():.4f} ± {interval(p[diversity]):.4f}" for p in parts.values()]
            print(f"{diversity:7} {cells[0]:>17} {cells[1]:>17} {means[0]:9.4f} {means[1]:10.1f}° {means[2]:8.1f}°")
    print("\nλ chosen by validation against λ = 0, difference in test accuracy over the same seeds (95 % interval)")
    gains: dict[tuple[str, str], list[NDArray[Any]]] = {}
    for name, regime, units, parts in found:
        chosen = max(DIVERSITIES, key=lambda d: parts["validation"][d].mean())
        on_validation = parts["validation"][chosen] - parts["validation"][0.0]
        gain = parts["test"][chosen] - parts["test"][0.0]
        gains.setdefault((name, regime), []).append(gain)
        print(
            f"{name:8} {regime:9} {units:4} units: test {gain.mean():+.4f} ± {interval(gain):.4f} (λ = {chosen}), "
            f"validation {on_validation.mean():+.4f} ± {interval(on_validation):.4f}"
        )
    print("\nTest accuracy less that of λ = 0: where it is largest, its range for λ up to 3, and for λ from 1 on")
    for name, regime, units, parts in found:
        gained = {d: float((parts["test"][d] - parts["test"][0.0]).mean()) for d in DIVERSITIES}
        best = max(gained, key=lambda d: gained[d])
        small, large = (
            [gained[d] for d in DIVERSITIES if lowest <= d <= most] for lowest, most in ((1e-9, 3), (1, 1e9))
        )
        print(
            f"{name:8} {regime:9} {units:4} units: largest at λ = {best:<5} {gained[best]:+.4f}; up to 3 from "
            f"{min(small):+.4f} to {max(small):+.4f}; from 1 on from {min(large):+.4f} to {max(large):+.4f}"
        )
    print()
    for (name, regime), parts_of in gains.items():
        mean = np.mean(parts_of, axis=0)  # the sizes share a seed's split, so that they count as one
        print(f"{name:8} {regime:9} all sizes: test {mean.mean():+.4f} ± {interval(mean):.4f}")


def draw(records: list[dict[str, Any]], path: Path) -> None:
    import matplotlib.pyplot as plt

    found = list(curves(records))
    names = list(dict.fromkeys(name for name, *_ in found))
    regimes = [regime for regime in REGIMES if any(regime == r for _, r, *_ in found)]
    panels = list(product(names, regimes))
    shape = (len(names), len(regimes))
    figure, axes = plt.subplots(
        *shape, figsize=(4.2 * shape[1], 3.2 * shape[0]), squeeze=False, sharex=True, layout="constrained"
    )
    places = np.arange(len(DIVERSITIES))
    for axis, panel in zip(axes.flat, panels, strict=True):
        for number, units in enumerate(UNITS):
            parts = next((p for name, regime, u, p in found if (name, regime) == panel and u == units), None)
            if parts is None:
                continue
            values = [parts["test"][diversity] for diversity in DIVERSITIES]
            means, half = [v.mean() for v in values], [interval(v) for v in values]
            axis.errorbar(
                places + 0.08 * (number - 1.5), means, half, marker="o", ms=3.5, lw=1.2, capsize=2, label=units
            )
        axis.set_xticks(places, [f"{d:g}" for d in DIVERSITIES], rotation=45)
        axis.set_title(f"{panel[0]}, {panel[1]}")
    for axis in axes[-1]:
        axis.set_xlabel("λ")
    for axis in axes[:, 0]:
        axis.set_ylabel("test accuracy (5 seeds, 95 %)")
    axes[0, 0].legend(title="units", frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, metavar="OUT", help="file of records, one JSON object per line; added to")
    parser.add_argument("--metric", type=Path, metavar="OUT", help="compare metrics; a file of records, added to")
    parser.add_argument("--table", type=Path, nargs="+", metavar="OUT")
    parser.add_argument("--figure", type=Path, nargs="+", metavar="PNG OUT", help="a picture of files of records")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", nargs="+", choices=DATA, default=list(DATA))
    parser.add_argument("--regimes", nargs="+", choices=REGIMES, default=list(REGIMES))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        try:
            values = ("phoneme", "validation", "brief", 10, 0.01, 0)
            print(run(dict(zip(KEYS, values, strict=True)) | BRIEF | {"max_updates": 20}))
        except DataError as error:
            print(f"not run: {error}")
    elif arguments.table:
        records = read_records(*arguments.table)
        (print_metrics if "metric" in records[0] else print_table)(records)
    elif arguments.metric:
        compare_metrics(arguments.metric, arguments.workers, arguments.minutes)
    elif arguments.figure:
        draw(read_records(*arguments.figure[1:]), arguments.figure[0])
    elif arguments.run:
        run_all(arguments.run, tuple(arguments.data), arguments.regimes, arguments.workers, arguments.minutes)
    else:
        parser.error("say what to do: --run, --metric, --table, --figure or --quick")


def run_all(out: Path, data: tuple[str, ...], regimes: list[str], workers: int, minutes: float) -> None:
    """Tuning first, for the grid asks for its result."""
    began = time.perf_counter()
    if run_missing(run, tuning_jobs(data), out, workers, minutes):
        left = minutes - (time.perf_counter() - began) / 60
        run_missing(run, grid_jobs(read_records(out), data, regimes), out, workers, left)
        print_table(read_records(out))


if __name__ == "__main__":
    main()
