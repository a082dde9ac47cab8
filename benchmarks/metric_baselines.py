"""How good are the distances of other methods, what do they cost, and are they above doing nothing?

    python benchmarks/metric_baselines.py --test  OUT.jsonl [TUNED.jsonl]   defaults first, then the chosen settings
    python benchmarks/metric_baselines.py --tune  TUNED.jsonl               folds of the training part alone
    python benchmarks/metric_baselines.py --table OUT.jsonl                 tables of what is in a file
    python benchmarks/metric_baselines.py --peer PYTHON OUT.jsonl           beside metric-learn, which PYTHON has

Splits, pairs and measures are those of `distance_quality.py`, whose records of `DistanceLearner` the tables show too:
average precision (AP) of pairs, 3-nearest-neighbour accuracy, and accuracy and NMI of k-means. Every run has a process
of its own, one thread, and tells the seconds of `fit` and the peak memory of the process, with the data in it.

20-News, 15-Scenes and MNIST have principal components in front, 100 by default. `--tune` tries 50, 100 and 200 of them
(on 6-Activities also all features) with a few values of one parameter of each method, and `--test` takes the settings
of best AP + 3-NN. MNIST is three draws of 10,000 training images; "mnist, all rows" has all 60,000 once. The small sets
are five folds; there a run with stage "tuned" chooses the parameter by a fold of its own training part. NCA costs rows²
and is fitted on 3,000 rows drawn at random wherever there are more. Needs the data sets (WIDEANGLE_DATA).
"""

import argparse
import time
from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _distance_defaults import SMALL_SETS, small_split
from _metric_peer import peer_jobs, run_peer
from _metric_tables import print_tables
from _records import Record, made_with, peak_gigabytes, read_records, run_missing
from distance_quality import TEST_PAIRS, Split, measured, split
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from wideangle.baselines import metrics
from wideangle.data import load
from wideangle.evaluation import kmeans_scores

# Parameters tried besides the number of principal components; the first is the default. Methods from cheap to dear.
TRIED: dict[str, list[Record]] = {
    "Euclidean": [{}],
    "XingMetric": [{"ridge": ridge} for ridge in (1e-4, 1e-2, 1.0)],
    "DMLEig": [{"ridge": ridge} for ridge in (1e-4, 1e-2, 1.0)],
    "Seraph": [{"trace_weight": weight} for weight in (0.01, 0.001, 0.1)],
    "ITML": [{"slack": slack} for slack in (1.0, 0.1, 10.0)],
    "LMNN": [{"push_weight": weight} for weight in (0.5, 0.2, 0.8)],
    "NCA": [{"n_components": size} for size in (None, 10, 30)],
}
PAPER_SETS = ("6activities", "15scenes", "20news")
ALL_ROWS = "mnist, all rows"
SETS = (*SMALL_SETS, *PAPER_SETS, "mnist", ALL_ROWS)  # from cheap to dear
PRINCIPAL = {"6activities": None} | dict.fromkeys(("15scenes", "20news", "mnist", ALL_ROWS), 100)  # by default
TRIED_PRINCIPAL: dict[str, tuple[int | None, ...]] = {"6activities": (50, 100, 200, None)} | dict.fromkeys(
    ("15scenes", "20news", "mnist"), (50, 100, 200)
)
MOST_ROWS = {"NCA": 3000}
SMALL_RUNS, SEEDS, FOLDS = 5, 3, 5
STAGES = ("defaults", "tuned")
NOT_SETTINGS = ("data", "model", "seed", "stage", "fold")


def parts_of(job: Record) -> Split:
    """Rows and labels to train on and to ask with."""
    name, fold = job["data"], job.get("fold")
    if name == ALL_ROWS:
        data = load("mnist", fetch=False)
        X_train, X_test = (part.X.astype(np.float32) / 255 for part in (data.train, data.test))
        return X_train, data.train.labels, X_test, data.test.labels
    if name not in (*SMALL_SETS, "mnist"):
        return split(name, fold)
    parts = small_split(name, job["seed"])
    return parts if fold is None else fold_of(parts[0], parts[1], fold)


def fold_of(X: Any, y: Any, fold: int) -> Split:
    """A fold of training rows, and the rest of them to train on."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    rest, asked = list(folds.split(X, y))[fold]
    return X[rest], y[rest], X[asked], y[asked]


def n_pairs_of(name: str) -> int:
    """How many test pairs of either kind the AP is of."""
    return TEST_PAIRS.get(name, 50_000)


def fitted(model: str, settings: Record, X: Any, y: Any, seed: int) -> Any:
    """The fitted method; of so many rows drawn at random where all are too dear."""
    most = MOST_ROWS.get(model, len(y))
    if len(y) > most:
        chosen = np.random.default_rng(seed).permutation(len(y))[:most]
        X, y = X[chosen], y[chosen]
    return getattr(metrics, model)(**settings, random_state=seed).fit(X, y)


def images(model: str, settings: Record, parts: Split, seed: int) -> tuple[Any, Any, Any]:
    """The fitted method, and training and test rows as it sees them."""
    X_train, y_train, X_test, _ = parts
    if model == "Euclidean" and settings.get("n_principal") is None:
        return None, X_train, X_test  # The identity has columns², and would make sparse rows dense.
    made = fitted(model, settings, X_train, y_train, seed)
    return made, made.transform(X_train), made.transform(X_test)


def possible(settings: Record, X: Any) -> bool:
    """Whether there are so many components."""
    return (settings.get("n_components") or 0) <= min(settings.get("n_principal") or X.shape[1], X.shape[1])


def chosen_inside(job: Record, parts: Split) -> Record:
    """The settings of best AP + 3-NN on a fold of the training rows."""
    inner, scores = fold_of(parts[0], parts[1], 0), {}
    tried = [settings for settings in TRIED[job["model"]] if possible(settings, parts[0])]
    for number, settings in enumerate(tried if len(tried) > 1 else ()):
        _, train, test = images(job["model"], settings, inner, job["seed"])
        values = measured(train, inner[1], test, inner[3], n_pairs_of(job["data"]), job["seed"])
        scores[number] = values["AP"] + values["3-NN"]
    return tried[max(scores, key=scores.__getitem__, default=0)]


def run(job: Record) -> Record:
    """Fit one method and measure it; the job comes back with its results."""
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            return measured_run(job)
    except (RuntimeError, ValueError, ArithmeticError, MemoryError) as error:
        # The tables name it. The other runs go on; to try this one again, take its line out of the records.
        return job | {"failed": f"{type(error).__name__}: {error}"[:300]}


def measured_run(job: Record) -> Record:
    """The job with its results."""
    parts = parts_of(job)
    _, y_train, _, y_test = parts
    settings = {name: value for name, value in job.items() if name not in NOT_SETTINGS}
    if job["stage"] == "tuned" and job["data"] in SMALL_SETS:
        settings = chosen_inside(job, parts)
    before = peak_gigabytes()
    began = time.perf_counter()
    model, train, test = images(job["model"], settings, parts, job["seed"])
    results: Record = {"seconds": time.perf_counter() - began, "GB before": before}
    results |= made_with(checksum_of(job["data"]))
    results["rows"] = min(len(y_train), MOST_ROWS.get(job["model"], len(y_train)))
    if model is not None:
        results |= {"components": len(model.components_), "updates": getattr(model, "n_updates_", None)}
        results |= {"stopped": getattr(model, "stopped_", None)}
    results |= measured(train, y_train, test, y_test, n_pairs_of(job["data"]), job["seed"])
    if job["data"] in PAPER_SETS and job["stage"] in STAGES:
        clusters = kmeans_scores(test, y_test, random_state=job["seed"])
        results |= {"k-means": clusters.accuracy, "NMI": clusters.nmi}
    return job | settings | results


def checksum_of(name: str) -> str | None:
    """Of the file the rows came from; the small sets are scikit-learn's."""
    return None if name in SMALL_SETS and name != "mnist" else load(name.partition(",")[0], fetch=False).checksum  # type: ignore[call-overload]


def tuning_jobs(folds: int) -> list[Record]:
    """Every setting of every method on the first fold, then on further ones."""
    jobs = []
    for fold, name, model in product(range(folds), TRIED_PRINCIPAL, TRIED):
        for n_principal, tried in product(TRIED_PRINCIPAL[name], TRIED[model]):
            job = {"data": name, "model": model, "stage": "fold", "fold": fold, "seed": 0, "n_principal": n_principal}
            jobs.append(job | tried)
    return sorted(jobs, key=lambda job: (job["fold"], cost(job)))


def best_settings(tuned: Iterable[Record]) -> dict[tuple[str, str], Record]:
    """For each data set and method the settings of best mean AP + 3-NN, of those run on the most folds."""
    scores: dict[tuple[str, str], dict[tuple[Any, ...], list[float]]] = {}
    for record in tuned:
        if "failed" in record:
            continue
        names = ["n_principal", *TRIED[record["model"]][0]]
        settings = tuple((name, record[name]) for name in names)
        of_method = scores.setdefault((record["data"], record["model"]), {})
        of_method.setdefault(settings, []).append(record["AP"] + record["3-NN"])
    best = {}
    for key, of_method in scores.items():
        ranks = {settings: (len(values), float(np.mean(values))) for settings, values in of_method.items()}
        winner: tuple[Any, ...] = max(ranks, key=ranks.__getitem__)
        best[key] = dict(winner)
    return best


def test_jobs(tuned: Iterable[Record]) -> list[Record]:
    """Defaults of every method on every data set, then the chosen settings; the first seed before the others."""
    best, jobs = best_settings(tuned), []
    for stage, name, model in product(STAGES, SETS, TRIED):
        if name == ALL_ROWS and (stage == "tuned" or model in MOST_ROWS):
            continue
        settings = {"n_principal": None if model == "Euclidean" else PRINCIPAL[name]} if name in PRINCIPAL else {}
        if stage == "tuned" and name not in SMALL_SETS:
            if (name, model) not in best:
                continue
            settings = best[name, model]
        if stage == "tuned" and name in SMALL_SETS and len(TRIED[model]) == 1:
            continue
        seeds = SMALL_RUNS if name in SMALL_SETS else 1 if name == ALL_ROWS else SEEDS
        jobs += [{"data": name, "model": model, "stage": stage, "seed": seed} | settings for seed in range(seeds)]
    return sorted(jobs, key=lambda job: (STAGES.index(job["stage"]), job["seed"] > 0, cost(job)))


def cost(job: Record) -> tuple[int, int, int]:
    """Small sets before large ones, cheap methods before dear ones, few principal components before many."""
    small = job["data"] in SMALL_SETS
    n_principal = job.get("n_principal") or 10_000
    return 0 if small else 1 + (job["data"] == ALL_ROWS), list(TRIED).index(job["model"]), n_principal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "test", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("tuned", type=Path, nargs="?", help="records of --tune, for --test")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter whose environment has metric-learn")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=TRIED, help="only these methods")
    parser.add_argument("--sets", nargs="*", choices=SETS, help="only these data sets")
    parser.add_argument("--folds", type=int, default=1, help="how many folds --tune takes")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        for model in TRIED:
            settings = {"max_updates": 3} if model != "Euclidean" else {}
            print(run({"data": "wine, raw", "model": model, "stage": "defaults", "seed": 0} | settings))
        return
    if arguments.out is None or not (arguments.tune or arguments.test or arguments.table or arguments.peer):
        parser.error("pass one of --tune, --test, --table and --peer, and a file of records.")
    if not arguments.table:
        tuned = read_records(arguments.tuned) if arguments.tuned else []
        jobs = peer_jobs() if arguments.peer else tuning_jobs(arguments.folds) if arguments.tune else test_jobs(tuned)
        jobs = [
            job
            for job in jobs
            if (not arguments.only or job["model"] in arguments.only)
            and (not arguments.sets or job["data"] in arguments.sets)
        ]
        function = partial(run_peer, arguments.peer) if arguments.peer else run
        run_missing(function, jobs, arguments.out, arguments.workers, arguments.minutes, jobs_per_process=1)
    print_tables(read_records(arguments.out))


if __name__ == "__main__":
    main()
