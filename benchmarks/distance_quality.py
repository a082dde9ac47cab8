"""How good are learned distances, with the regulariser and without, and against doing nothing?

    python benchmarks/distance_quality.py --tune     OUT.jsonl               a fold of the training part alone
    python benchmarks/distance_quality.py --refine   OUT.jsonl               the best of these on two more folds
    python benchmarks/distance_quality.py --test     OUT.jsonl TUNED.jsonl   the test part, 3 seeds, every K
    python benchmarks/distance_quality.py --defaults OUT.jsonl               default settings against Euclid and PCA
    python benchmarks/distance_quality.py --metric   OUT.jsonl               angles as the data sees them, 15-Scenes
    python benchmarks/distance_quality.py --table    OUT.jsonl               a table of what is in a file

Average precision (AP) of pairs, 3-nearest-neighbour accuracy and, on the test part, accuracy and NMI of k-means.
20-News as tf-idf with logarithmic counts, 15-Scenes as square roots of histograms, 6-Activities as it is. For λ = 0 and
for λ > 0 alike, `--refine` goes on with the three settings of best AP + 3-NN on the first fold, and `--test` takes the
best mean of the three folds at the nearest K. Three regimes: "paper" has random first components, pairs from anywhere
and the hinge with weight 1; "weighted" tunes that weight too; "free" may also start from principal components and draw
near pairs. `--metric` compares angles of the components with angles as the data sees them, at K = 50 with 500 updates
and otherwise in the paper's setting: every λ on three folds, and the test part for λ = 0 and the best λ of each metric
by AP + 3-NN. Needs the data sets (WIDEANGLE_DATA). Runs go to several processes, which is worth it on a GPU as well.
"""

import argparse
import platform
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from _distance_defaults import SMALL_SETS, default_jobs, print_defaults, small_split
from _distance_metrics import metric_jobs, metric_test_jobs, print_metrics
from _records import Record, read_records, run_missing
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GroupKFold, KFold

from wideangle import __version__
from wideangle.catalogue import MOST_COMPONENTS
from wideangle.data import load, make_pairs
from wideangle.evaluation import angle_summary, kmeans_scores, knn_accuracy, pair_average_precision
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner

Split = tuple[Any, Any, Any, Any]

COMPONENTS = {"20news": (10, 100, 300, 500, 700, 900)} | dict.fromkeys(
    ("15scenes", "6activities"), (10, 50, 100, 150, 200)
)
TUNED = {"20news": (10, 100, 500), "15scenes": (10, 50, 200), "6activities": (10, 50, 200)}
TEST_PAIRS = {"20news": 100_000, "15scenes": 50_000, "6activities": 100_000, "phoneme": 50_000}
HINGES = {"20news": (2.0, 4.0, 1.0)} | dict.fromkeys(("15scenes", "6activities"), (2.0, 4.0, 1.0, 8.0, 16.0))
WEIGHTS = [("angle", weight) for weight in (0.0, 0.1, 0.5, 2.0, 5.0)]
WEIGHTS += [("volume", weight) for weight in (0.003, 0.01, 0.03, 0.1)]
PLAIN = {"near_similar": 0.0, "near_dissimilar": 0.0}  # the paper's pairs
NEAR = {"near_similar": 0.5, "near_dissimilar": 0.5}
FIXED = {"learning_rate": 0.01, "validation_fraction": 0.0}  # wherever settings are compared
EPOCHS = {"max_updates": 3000}  # 15 of 200,000 pairs
SETTINGS = ("init", "hinge_weight", "near_similar", "near_dissimilar", "surrogate", "diversity")
REGIMES = ("paper", "weighted", "free")
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
    name, seed, small = job["data"], job["seed"], job["data"] in (*SMALL_SETS, "mnist")
    parts = small_split(name, seed) if small else split(name, job.get("fold"))
    X_train, y_train, X_test, y_test = parts
    n_pairs = 50_000 if small else TEST_PAIRS[name]
    results: Record = {}
    began = time.perf_counter()
    if job.get("model") == "Euclid":
        latent = X_train, X_test
    elif job.get("model") == "PCA":
        solver = "arpack" if sp.issparse(X_train) else "auto"
        start = PCA(min(X_train.shape[1], MOST_COMPONENTS), svd_solver=solver, random_state=seed).fit(X_train)
        latent = start.transform(X_train), start.transform(X_test)
    else:
        settings = {k: v for k, v in job.items() if k not in ("data", "fold", "seed", "model", "regime")}
        if job.get("model") != "defaults":
            settings = FIXED | settings
        model = DistanceLearner(**settings, random_state=seed).fit(X_train, y_train)
        results["seconds"] = time.perf_counter() - began
        latent = model.transform(X_train), model.transform(X_test)
        if model.components_.shape[0] > 1:
            angles = angle_summary(model.components_)
            results |= {"mean angle": angles.mean, "smallest angle": angles.smallest}
        results |= {"violations": model.violations_, "updates": model.n_updates_}
    results |= measured(latent[0], y_train, latent[1], y_test, n_pairs, seed)
    if not small and "fold" not in job and job.get("model") not in ("PCA", "defaults"):
        clusters = kmeans_scores(latent[1], y_test, random_state=seed)
        results |= {"k-means": clusters.accuracy, "NMI": clusters.nmi}
    machine = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.processor() or platform.machine()
    versions = {"wideangle": __version__, "torch": torch.__version__, "machine": machine}
    checksum = {} if name in SMALL_SETS else {"checksum": load(name, fetch=False).checksum}
    return job | results | versions | checksum


def tuning_jobs() -> list[Record]:
    """Settings tried on a fold of the training part, the same for λ = 0 and the regularised."""
    jobs = []
    for d, size, init, (surrogate, weight) in product(COMPONENTS, (1, 0, 2), ("pca", "random"), WEIGHTS):
        start = {"data": d, "fold": 0, "seed": 0, "n_components": TUNED[d][size], "surrogate": surrogate}
        start |= {"diversity": weight, "init": init} | EPOCHS
        jobs += [start | {"hinge_weight": hinge} | PLAIN for hinge in HINGES[d]]
        if d != "20news":
            jobs += [start | {"hinge_weight": hinge} | NEAR for hinge in (4.0, 8.0)]
    return jobs


def ranked(tuned: Iterable[Record], folds: int) -> dict[tuple[str, int, str, bool], list[Record]]:
    """Settings by data set, K, regime and whether λ > 0, best mean AP + 3-NN first, of those run on so many folds."""
    scores: dict[tuple[Any, ...], list[float]] = {}
    for record in tuned:
        key = (record["data"], record["n_components"], *(record[name] for name in SETTINGS))
        scores.setdefault(key, []).append(record["AP"] + record["3-NN"])
    found: dict[tuple[str, int, str, bool], list[Record]] = {}
    for key in sorted(scores, key=lambda key: -float(np.mean(scores[key]))):
        settings = dict(zip(SETTINGS, key[2:], strict=True))
        plain = settings["init"] == "random" and not settings["near_similar"]
        for regime in REGIMES[0 if plain and settings["hinge_weight"] == 1 else 1 if plain else 2 :]:
            if len(scores[key]) >= folds:
                found.setdefault((key[0], key[1], regime, settings["diversity"] > 0), []).append(settings)
    return found


def refining_jobs(tuned: Iterable[Record]) -> list[Record]:
    """The three best of each kind, on two more folds; again, of those whose turn it is when others have fallen."""
    jobs = [
        {"data": d, "fold": fold, "seed": fold, "n_components": K} | settings | EPOCHS
        for (d, K, _, _), best in ranked(tuned, 1).items()
        for settings, fold in product(best[:3], (1, 2))
    ]
    return [job for number, job in enumerate(jobs) if job not in jobs[:number]]  # regimes may share a setting


def test_jobs(tuned: Iterable[Record]) -> list[Record]:
    """Every K with the settings that tuning found best at the nearest K, for λ = 0 and the regularised; and Euclid."""
    best, jobs = ranked(tuned, 3), []
    for s, d in product(range(3), COMPONENTS):
        jobs.append({"data": d, "seed": s, "model": "Euclid"})
        for regime, K, regularised in product(REGIMES, COMPONENTS[d], (False, True)):
            sizes = [size for name, size, *kind in best if (name, *kind) == (d, regime, regularised)]
            if not sizes:
                raise SystemExit(
                    f"no records of {d} on three folds with λ {'> 0' if regularised else '= 0'}: run --tune, --refine."
                )
            nearest = min(sizes, key=lambda size: abs(np.log(size / K)))
            settings = best[d, nearest, regime, regularised][0]
            jobs.append({"data": d, "seed": s, "regime": regime, "n_components": K} | settings | EPOCHS)
    return jobs


def print_table(path: Path) -> None:
    """Mean and standard deviation over seeds and folds, and from which K on λ > 0 is as good as λ = 0 ever is."""
    if any(record.get("model") == "defaults" for record in read_records(path)):
        print_defaults(path)
        return
    if any("metric" in record for record in read_records(path)):
        print_metrics(read_records(path))
        return
    keys = ("data", "model", "regime", "n_components", *SETTINGS)
    columns = ("AP", "3-NN", "k-means", "NMI", "mean angle", "smallest angle", "violations", "seconds")
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in read_records(path):
        groups.setdefault(tuple(record.get(key) for key in keys), []).append(record)
    heads = ("data", "model", "regime", "K", "init", "hinge", "near sim", "near dis", "regulariser", "λ", "runs")
    print(*(f"{head:>11}" for head in heads), *(f"{column:>16}" for column in columns))
    order = sorted(
        groups,
        key=lambda g: (g[0], g[1] or "", g[2] or "", g[3] or 0, -np.mean([r["AP"] + r["3-NN"] for r in groups[g]])),
    )
    for group in order:
        print(*(f"{'' if value is None else value:>11}" for value in (*group, len(groups[group]))), end=" ")
        for column in columns:
            values = [record[column] for record in groups[group] if column in record]
            print(f"{np.mean(values):9.4f} ±{np.std(values):.4f}" if values else " " * 16, end=" ")
        print()
    for d in dict.fromkeys(group[0] for group in order):
        kinds = {group[1]: groups[group] for group in order if group[0] == d}
        if {"Euclid", "defaults"} <= kinds.keys():
            means = {c: [np.mean([r[c] for r in kinds[k]]) for k in ("Euclid", "defaults")] for c in ("3-NN", "AP")}
            print(f"{d}, Euclid → defaults:", *(f"{c} {a:.4f} → {b:.4f}" for c, (a, b) in means.items()))
    for d, regime in product(sorted({group[0] for group in groups}), REGIMES):
        compare(f"{d}, {regime}", [r for g, rs in groups.items() if (g[0], g[2]) == (d, regime) for r in rs])


def compare(name: str, records: list[Record]) -> None:
    """λ > 0 less λ = 0 at every K over the same seeds, and the smallest K at which it is as good as λ = 0 ever is."""
    for column in ("AP", "3-NN", "k-means", "NMI"):
        values: dict[tuple[int, bool], dict[int, float]] = {}
        for record in records:
            values.setdefault((record["n_components"], record["diversity"] > 0), {})[record["seed"]] = record[column]
        sizes = sorted({K for K, _ in values if (K, True) in values and (K, False) in values})
        if not sizes:
            return
        gains = {K: [values[K, True][s] - values[K, False][s] for s in values[K, True]] for K in sizes}
        print(f"{name}, {column}: gain", *(f"K={K} {np.mean(g):+.4f} ±{np.std(g):.4f}" for K, g in gains.items()))
        means = {key: float(np.mean(list(of_seed.values()))) for key, of_seed in values.items()}
        best = max(sizes, key=lambda K: means[K, False])
        enough = [K for K in sizes if means[K, True] >= means[best, False]]
        reached = f"λ > 0 reaches it at K = {enough[0]}" if enough else "λ > 0 does not reach it"
        print(f"    λ = 0 is best at K = {best} ({means[best, False]:.4f}); {reached}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "refine", "test", "defaults", "metric", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("tuned", type=Path, nargs="?", help="records of --tune, for --test")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--data", nargs="*", help="only these data sets")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        print(run({"data": "wine, raw", "seed": 0, "max_updates": 50}))
        try:
            print(
                run(
                    {"data": "15scenes", "fold": 0, "seed": 0, "n_components": 5, "batch_size": 9, "max_updates": 5}
                    | PLAIN
                )
            )
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.table:
        print_table(arguments.out)
        return
    if arguments.tune:
        jobs = tuning_jobs()
    elif arguments.refine:
        jobs = refining_jobs(read_records(arguments.out))
    elif arguments.defaults:
        jobs = default_jobs()
    elif arguments.metric:
        run_missing(run, metric_jobs(), arguments.out, arguments.workers, arguments.minutes)
        jobs = metric_test_jobs(read_records(arguments.out))
    else:
        jobs = test_jobs(read_records(arguments.tuned))
    jobs = [j for j in jobs if not arguments.data or j["data"] in arguments.data]
    run_missing(run, jobs, arguments.out, arguments.workers, arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
