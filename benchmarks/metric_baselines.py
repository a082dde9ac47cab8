"""What do the distances of other methods cost, and are they above doing nothing?

    python benchmarks/metric_baselines.py --test  OUT.jsonl          defaults first, then settings chosen inside
    python benchmarks/metric_baselines.py --table OUT.jsonl          tables of what is in a file
    python benchmarks/metric_baselines.py --peer PYTHON OUT.jsonl    beside metric-learn, which PYTHON has

Average precision (AP) of pairs and 3-nearest-neighbour accuracy, beside the records of `DistanceLearner()` that
`distance_quality.py` made on the same parts. Every run has a process of its own, one thread, and tells the seconds of
`fit` and the peak memory of the process, with the data in it.

The small sets are five folds; there a run with stage "tuned" chooses one parameter by a fold of its own training part.
MNIST is three draws of 10,000 training images with 100 principal components in front; "mnist, all rows" has all 60,000
once. 6-Activities is there for time and memory with all its features: one seed, default settings. How good the methods
are on the paper's data, settings chosen, is for the specs distance_*_compared of `wideangle reproduce`. NCA costs rows²
and is fitted on 3,000 rows drawn at random wherever there are more. Needs the data sets (WIDEANGLE_DATA).
"""

import argparse
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _distance_parts import ALL_ROWS, MNIST, SMALL_SETS, parts_of, scores
from _metric_peer import peer_jobs, run_peer
from _metric_tables import print_tables
from _records import Record, made_with, read_records, run_missing
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from wideangle.baselines import metrics
from wideangle.catalogue import entry_of
from wideangle.experiments.provenance import peak_gigabytes
from wideangle.experiments.tasks.distances import MOST_ROWS, Split

# Parameters tried on the small sets; the first is the default. Methods from cheap to dear.
TRIED: dict[str, list[Record]] = {
    "Euclidean": [{}],
    "XingMetric": [{"ridge": ridge} for ridge in (1e-4, 1e-2, 1.0)],
    "DMLEig": [{"ridge": ridge} for ridge in (1e-4, 1e-2, 1.0)],
    "Seraph": [{"trace_weight": weight} for weight in (0.01, 0.001, 0.1)],
    "ITML": [{"slack": slack} for slack in (1.0, 0.1, 10.0)],
    "LMNN": [{"push_weight": weight} for weight in (0.5, 0.2, 0.8)],
    "NCA": [{"n_components": size} for size in (None, 10, 30)],
}
SETS = (*SMALL_SETS, "6activities", MNIST, ALL_ROWS)  # from cheap to dear
SEEDS = dict.fromkeys(SMALL_SETS, 5) | {"6activities": 1, MNIST: 3, ALL_ROWS: 1}
PRINCIPAL = {"6activities": None, MNIST: 100, ALL_ROWS: 100}
STAGES = ("defaults", "tuned")
NOT_SETTINGS = ("data", "model", "seed", "stage")
FOLDS = 5  # of training rows, one of which chooses


def fold_of(X: Any, y: Any) -> Split:
    """A fold of training rows, and the rest of them to train on."""
    rest, asked = next(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    return X[rest], y[rest], X[asked], y[asked], None


def most_rows(model: str, n_rows: int) -> int:
    """Of so many rows, how many a method is fitted on."""
    return min(n_rows, MOST_ROWS) if entry_of(model).squares_rows else n_rows


def fitted(model: str, settings: Record, X: Any, y: Any, seed: int) -> Any:
    """The fitted method; of so many rows drawn at random where all are too dear."""
    most = most_rows(model, len(y))
    if len(y) > most:
        chosen = np.random.default_rng(seed).permutation(len(y))[:most]
        X, y = X[chosen], y[chosen]
    return getattr(metrics, model)(**settings, random_state=seed).fit(X, y)


def images(model: str, settings: Record, parts: Split, seed: int) -> tuple[Any, Any, Any]:
    """The fitted method, and training and test rows as it sees them."""
    X_train, y_train, X_test = parts[:3]
    if model == "Euclidean" and settings.get("n_principal") is None:
        return None, X_train, X_test  # The identity has columns², and would make sparse rows dense.
    made = fitted(model, settings, X_train, y_train, seed)
    return made, made.transform(X_train), made.transform(X_test)


def chosen_inside(job: Record, parts: Split) -> Record:
    """The settings of best AP + 3-NN on a fold of the training rows."""
    inner, found = fold_of(parts[0], parts[1]), {}
    # A method cannot have more components than there are columns.
    tried = [each for each in TRIED[job["model"]] if (each.get("n_components") or 0) <= parts[0].shape[1]]
    for number, settings in enumerate(tried if len(tried) > 1 else ()):
        _, train, test = images(job["model"], settings, inner, job["seed"])
        values = scores(job["data"], job["seed"], train, inner[1], test, inner[3])
        found[number] = values["AP"] + values["3-NN"]
    return tried[max(found, key=found.__getitem__, default=0)]


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
    parts = parts_of(job["data"], job["seed"])
    _, y_train, _, y_test, checksum = parts
    settings = {name: value for name, value in job.items() if name not in NOT_SETTINGS}
    if job["stage"] == "tuned":
        settings = chosen_inside(job, parts)
    before = peak_gigabytes()
    began = time.perf_counter()
    model, train, test = images(job["model"], settings, parts, job["seed"])
    results: Record = {"seconds": time.perf_counter() - began, "GB before": before}
    results |= made_with(checksum)
    results["rows"] = most_rows(job["model"], len(y_train))
    if model is not None:
        results |= {"components": len(model.components_), "updates": getattr(model, "n_updates_", None)}
        results |= {"stopped": getattr(model, "stopped_", None)}
    results |= scores(job["data"], job["seed"], train, y_train, test, y_test)
    return job | settings | results


def test_jobs() -> list[Record]:
    """Defaults of every method on every data set, then settings chosen inside; the first seed before the others."""
    jobs = []
    for stage, name, model in product(STAGES, SETS, TRIED):
        if name == ALL_ROWS and entry_of(model).squares_rows:
            continue
        if stage == "tuned" and (name not in SMALL_SETS or len(TRIED[model]) == 1):
            continue
        settings = {"n_principal": None if model == "Euclidean" else PRINCIPAL[name]} if name in PRINCIPAL else {}
        jobs += [{"data": name, "model": model, "stage": stage, "seed": seed} | settings for seed in range(SEEDS[name])]
    return sorted(jobs, key=lambda job: (STAGES.index(job["stage"]), job["seed"] > 0, cost(job)))


def cost(job: Record) -> tuple[int, int]:
    """Small sets before large ones, cheap methods before dear ones."""
    small = job["data"] in SMALL_SETS
    return 0 if small else 1 + (job["data"] == ALL_ROWS), list(TRIED).index(job["model"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("test", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter whose environment has metric-learn")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=TRIED, help="only these methods")
    parser.add_argument("--sets", nargs="*", choices=SETS, help="only these data sets")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        for model in TRIED:
            settings = {"max_updates": 3} if model != "Euclidean" else {}
            print(run({"data": "wine, raw", "model": model, "stage": "defaults", "seed": 0} | settings))
        return
    if arguments.out is None or not (arguments.test or arguments.table or arguments.peer):
        parser.error("pass one of --test, --table and --peer, and a file of records.")
    if not arguments.table:
        jobs = [
            job
            for job in (peer_jobs() if arguments.peer else test_jobs())
            if (not arguments.only or job["model"] in arguments.only)
            and (not arguments.sets or job["data"] in arguments.sets)
        ]
        function = partial(run_peer, arguments.peer) if arguments.peer else run
        run_missing(function, jobs, arguments.out, arguments.workers, arguments.minutes, jobs_per_process=1)
    print_tables(read_records(arguments.out))


if __name__ == "__main__":
    main()
