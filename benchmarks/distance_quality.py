"""How good are learned distances, with the regulariser and without, and against doing nothing?

    python benchmarks/distance_quality.py --tune     OUT.jsonl               cross-validation on the training part alone
    python benchmarks/distance_quality.py --test     OUT.jsonl TUNED.jsonl   the test part, 3 seeds, every K
    python benchmarks/distance_quality.py --defaults OUT.jsonl               default settings against plain Euclid
    python benchmarks/distance_quality.py --table    OUT.jsonl               a table of what is in a file

Average precision (AP) of pairs, 3-nearest-neighbour accuracy and, on the test part, accuracy and NMI of k-means.
20-News as tf-idf with logarithmic counts, 15-Scenes as square roots of histograms, 6-Activities as it is. `--test`
takes, for λ = 0 and for λ > 0 alike, the settings of best AP + 3-NN in the tuning records at the nearest K; with
`--init random` (the paper's start) among those alone. Needs the data sets (WIDEANGLE_DATA). Runs go to several
processes, which is worth it on a GPU as well.
"""

import argparse
import platform
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _records import Record, read_records, run_missing
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GroupKFold, KFold, train_test_split
from sklearn.preprocessing import StandardScaler

from wideangle import __version__
from wideangle.data import load, make_pairs
from wideangle.evaluation import angle_summary, kmeans_scores, knn_accuracy, pair_average_precision
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner

Split = tuple[Any, Any, Any, Any]

COMPONENTS = {"20news": (10, 100, 300, 500, 700, 900)} | dict.fromkeys(
    ("15scenes", "6activities"), (10, 50, 100, 150, 200)
)
TUNED = {"20news": (10, 100, 500), "15scenes": (10, 50, 200), "6activities": (10, 50, 200)}
TEST_PAIRS = {"20news": 100_000, "15scenes": 50_000, "6activities": 100_000}
PLAIN = {"near_similar": 0.0, "near_dissimilar": 0.0, "max_updates": 3000}  # the paper's pairs, for 15 epochs
SETTINGS = ("init", "hinge_weight", "surrogate", "diversity")
SMALL = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}
FOLDS = 5


def split(name: str, fold: int | None) -> Split:
    """Rows and labels to train on and to ask with: the official parts, or a fold of the training part."""
    data = load(name, fetch=False)  # type: ignore[call-overload]
    train, test = data.train, data.test
    if fold is not None:
        folds = KFold(FOLDS, shuffle=True, random_state=0) if train_groups(train) is None else GroupKFold(FOLDS)
        rest, asked = list(folds.split(train.labels, groups=train_groups(train)))[fold]
        train, test = train.subset(rest), train.subset(asked)
    if name == "20news":
        weights = TfidfTransformer(sublinear_tf=True).fit(train.counts)
        parts = [weights.transform(part.counts).astype(np.float32) for part in (train, test)]
    elif name == "15scenes":
        parts = [np.sqrt(part.X).astype(np.float32) for part in (train, test)]
    else:
        parts = [part.X.astype(np.float32) for part in (train, test)]
    return parts[0], train.labels, parts[1], test.labels


def train_groups(data: Any) -> Any:
    """Who each row is of, where a fold must not share people with the rest."""
    return getattr(data, "groups", None)


def small_split(name: str, seed: int) -> Split:
    """A random part of a small data set, standardised; or 10,000 of MNIST's training images and its test images."""
    if name == "mnist":
        data = load("mnist", fetch=False)
        train, test = data.train, data.test
        chosen = np.random.default_rng(seed).permutation(len(train))[:10_000]
        X, y = (part.X.astype(np.float32) / 255 for part in (train.subset(chosen), test))
        return X, train.subset(chosen).labels, y, test.labels
    X, y = SMALL[name](return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=y)
    scaler = StandardScaler().fit(X_train)
    return scaler.transform(X_train), y_train, scaler.transform(X_test), y_test


def measured(train: Any, y_train: Any, test: Any, y_test: Any, n_pairs: int, seed: int) -> dict[str, float]:
    """AP of pairs of test rows, and 3-NN accuracy, by Euclidean distance."""
    pairs = make_pairs(y_test, n_pairs, n_pairs, seed=seed)
    squared = []
    for block in np.array_split(pairs.indices, -(-len(pairs) // 10_000)):
        difference = test[block[:, 0]] - test[block[:, 1]]
        squares = difference.multiply(difference) if hasattr(difference, "multiply") else difference**2
        squared.append(np.asarray(squares.sum(axis=1)).ravel())
    precision = pair_average_precision(np.concatenate(squared), pairs.similar > 0)
    return {"AP": precision, "3-NN": knn_accuracy(train, y_train, test, y_test)}


def run(job: Record) -> Record:
    """Fit one model, or none, and measure it; the job comes back with its results."""
    torch.set_num_threads(job.pop("threads", 1))
    name, seed, small = job["data"], job["seed"], job["data"] in (*SMALL, "mnist")
    parts = small_split(name, seed) if small else split(name, job.get("fold"))
    X_train, y_train, X_test, y_test = parts
    n_pairs = 50_000 if small else TEST_PAIRS[name]
    results: Record = {}
    began = time.perf_counter()
    if job.get("model") == "Euclid":
        latent = X_train, X_test
    else:
        settings = {k: v for k, v in job.items() if k not in ("data", "fold", "seed", "model")}
        model = DistanceLearner(**settings, random_state=seed).fit(X_train, y_train)
        results["seconds"] = time.perf_counter() - began
        latent = model.transform(X_train), model.transform(X_test)
        if model.components_.shape[0] > 1:
            angles = angle_summary(model.components_)
            results |= {"mean angle": angles.mean, "smallest angle": angles.smallest}
        results["violations"] = model.violations_
    results |= measured(latent[0], y_train, latent[1], y_test, n_pairs, seed)
    if not small and "fold" not in job:
        clusters = kmeans_scores(latent[1], y_test, random_state=seed)
        results |= {"k-means": clusters.accuracy, "NMI": clusters.nmi}
    machine = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or platform.machine()
    versions = {"wideangle": __version__, "torch": torch.__version__, "machine": machine}
    checksum = {} if name in SMALL else {"checksum": load(name, fetch=False).checksum}
    return job | results | versions | checksum


def tuning_jobs(folds: int) -> list[Record]:
    """Settings tried on folds of the training part, the same for λ = 0 and the regularised."""
    weights = [("angle", 0.0), ("angle", 0.1), ("angle", 0.5), ("angle", 2.0), ("volume", 0.003), ("volume", 0.03)]
    return [
        {"data": d, "fold": f, "seed": f, "n_components": TUNED[d][size], "surrogate": surrogate, "diversity": weight}
        | {"init": init, "hinge_weight": hinge}
        | PLAIN
        for f, size, hinge, init, (surrogate, weight), d in product(
            range(folds), (1, 0, 2), (2.0, 4.0, 1.0), ("pca", "random"), weights, COMPONENTS
        )
    ]


def test_jobs(tuned: Iterable[Record]) -> list[Record]:
    """Every K with the settings that tuning found best at the nearest K, for λ = 0 and the regularised; and Euclid."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for record in tuned:
        key = (record["data"], record["n_components"], *(record[name] for name in SETTINGS))
        groups.setdefault(key, []).append(record["AP"] + record["3-NN"])
    jobs = []
    for s, d in product(range(3), COMPONENTS):
        jobs.append({"data": d, "seed": s, "model": "Euclid"})
        for K, regularised in product(COMPONENTS[d], (False, True)):
            known = [key for key in groups if key[0] == d and (key[-1] > 0) == regularised]
            if not known:
                raise SystemExit(
                    f"no tuning records of {d} with λ {'> 0' if regularised else '= 0'}: run --tune first."
                )
            nearest = min({key[1] for key in known}, key=lambda size: abs(np.log(size / K)))
            best = max((key for key in known if key[1] == nearest), key=lambda key: float(np.mean(groups[key])))
            jobs.append({"data": d, "seed": s, "n_components": K} | dict(zip(SETTINGS, best[2:], strict=True)) | PLAIN)
    return jobs


def default_jobs() -> list[Record]:
    """Default settings, and none, on data where a learned distance may do harm."""
    return [
        {"data": d, "seed": s, "model": model}
        for s, d, model in product(range(5), (*SMALL, "mnist"), ("Euclid", "defaults"))
        if d != "mnist" or s < 3
    ]


def print_table(path: Path) -> None:
    """Mean and standard deviation over seeds and folds, and from which K on λ > 0 is as good as λ = 0 ever is."""
    keys = ("data", "model", "n_components", "init", "hinge_weight", "surrogate", "diversity")
    columns = ("AP", "3-NN", "k-means", "NMI", "mean angle", "smallest angle", "violations", "seconds")
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in read_records(path):
        groups.setdefault(tuple(record.get(key) for key in keys), []).append(record)
    print(*(f"{key:>12}" for key in (*keys, "runs")), *(f"{column:>16}" for column in columns))
    order = sorted(
        groups, key=lambda g: (g[0], g[1] or "", g[2] or 0, -np.mean([r["AP"] + r["3-NN"] for r in groups[g]]))
    )
    for group in order:
        print(*(f"{'' if value is None else value:>12}" for value in (*group, len(groups[group]))), end=" ")
        for column in columns:
            values = [record[column] for record in groups[group] if column in record]
            print(f"{np.mean(values):9.4f} ±{np.std(values):.4f}" if values else " " * 16, end=" ")
        print()
    for d in sorted({group[0] for group in groups}):
        print_compactness(d, {g: r for g, r in groups.items() if g[0] == d and g[2] and "fold" not in r[0]})


def print_compactness(name: str, groups: dict[tuple[Any, ...], list[Record]]) -> None:
    """The smallest K at which λ > 0 is as good as λ = 0 at its best K."""
    for column in ("AP", "3-NN"):
        means = {
            (g[2], g[-1] > 0): float(np.mean([r[column] for r in rs])) for g, rs in groups.items() if g[-1] is not None
        }
        plain = {K: value for (K, regularised), value in means.items() if not regularised}
        if not plain or len(plain) == len(means):
            continue
        best = max(plain, key=lambda K: plain[K])
        enough = [K for (K, regularised), value in sorted(means.items()) if regularised and value >= plain[best]]
        reached = f"λ > 0 reaches it at K = {enough[0]}" if enough else "λ > 0 does not reach it"
        print(f"{name}, {column}: λ = 0 is best at K = {best} ({plain[best]:.4f}); {reached}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "test", "defaults", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object a line; added to")
    parser.add_argument("tuned", type=Path, nargs="?", help="records of --tune, for --test")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folds", type=int, default=1, help="of five, for --tune")
    parser.add_argument("--data", nargs="*", help="only these data sets")
    parser.add_argument("--init", nargs="*", default=["pca", "random"], help="only these, in --tune and --test")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        print(run({"data": "wine", "seed": 0, "max_updates": 50}))
        try:
            print(
                run(
                    {"data": "15scenes", "fold": 0, "seed": 0, "n_components": 5, "batch_size": 9}
                    | PLAIN
                    | {"max_updates": 5}
                )
            )
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.table:
        print_table(arguments.out)
        return
    if arguments.tune:
        jobs = [job for job in tuning_jobs(arguments.folds) if job["init"] in arguments.init]
    elif arguments.defaults:
        jobs = default_jobs()
    else:
        jobs = test_jobs(record for record in read_records(arguments.tuned) if record["init"] in arguments.init)
    jobs = [j for j in jobs if not arguments.data or j["data"] in arguments.data]
    run_missing(run, jobs, arguments.out, arguments.workers, arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
