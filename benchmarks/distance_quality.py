"""Are learned distances better than doing nothing, and does it matter where their angles are measured?

    python benchmarks/distance_quality.py --defaults OUT.jsonl   default settings against Euclid and PCA
    python benchmarks/distance_quality.py --metric   OUT.jsonl   angles as the data sees them, 15-Scenes
    python benchmarks/distance_quality.py --table    OUT.jsonl   a table of what is in a file

Average precision (AP) of pairs and 3-nearest-neighbour accuracy. `--metric` compares angles of the components with
angles as the data sees them, at K = 50 with 500 updates and otherwise in the paper's setting: every λ on three folds,
and the test part for λ = 0 and the best λ of each metric by AP + 3-NN. The paper's tables are specs of
`wideangle reproduce`. Needs the data sets (WIDEANGLE_DATA).
"""

import argparse
import time
from pathlib import Path

import scipy.sparse as sp
import torch
from _distance_defaults import default_jobs, print_defaults
from _distance_metrics import SETTING, metric_jobs, metric_test_jobs, print_metrics
from _distance_parts import parts_of, scores
from _records import Record, made_with, read_records, run_missing
from sklearn.decomposition import PCA

from wideangle.catalogue import MOST_COMPONENTS
from wideangle.evaluation import angle_summary
from wideangle.exceptions import DataError
from wideangle.models import DistanceLearner

FIXED = {"learning_rate": 0.01, "validation_fraction": 0.0}  # wherever settings are compared
NOT_SETTINGS = ("data", "fold", "seed", "model", "regime")


def run(job: Record) -> Record:
    """Fit one model, or none, and measure it; the job comes back with its results."""
    torch.set_num_threads(1)
    name, seed = job["data"], job["seed"]
    X_train, y_train, X_test, y_test, checksum = parts_of(name, seed, job.get("fold"))
    results: Record = {}
    began = time.perf_counter()
    if job.get("model") == "Euclid":
        latent = X_train, X_test
    elif job.get("model") == "PCA":
        solver = "arpack" if sp.issparse(X_train) else "auto"
        start = PCA(min(X_train.shape[1], MOST_COMPONENTS), svd_solver=solver, random_state=seed).fit(X_train)
        latent = start.transform(X_train), start.transform(X_test)
    else:
        settings = {key: value for key, value in job.items() if key not in NOT_SETTINGS}
        if job.get("model") != "defaults":
            settings = FIXED | settings
        model = DistanceLearner(**settings, random_state=seed).fit(X_train, y_train)
        results["seconds"] = time.perf_counter() - began
        latent = model.transform(X_train), model.transform(X_test)
        if model.components_.shape[0] > 1:
            angles = angle_summary(model.components_)
            results |= {"mean angle": angles.mean, "smallest angle": angles.smallest}
        results |= {"violations": model.violations_, "updates": model.n_updates_}
    results |= scores(name, seed, latent[0], y_train, latent[1], y_test)
    return job | results | made_with(checksum)


def print_table(path: Path) -> None:
    """Of the records of --defaults, or of --metric."""
    records = read_records(path)
    if any("metric" in record for record in records):
        print_metrics(records)
    else:
        print_defaults(records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("defaults", "metric", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--data", nargs="*", help="only these data sets")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        print(run({"data": "wine, raw", "seed": 0, "max_updates": 50}))
        try:
            few = {"fold": 0, "seed": 0, "n_components": 5, "batch_size": 9, "max_updates": 5}
            print(run(SETTING | few))
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.out is None or not (arguments.defaults or arguments.metric or arguments.table):
        parser.error("pass one of --defaults, --metric and --table, and a file of records.")
    if not arguments.table:
        jobs = default_jobs()
        if arguments.metric:
            run_missing(run, metric_jobs(), arguments.out, arguments.workers, arguments.minutes)
            jobs = metric_test_jobs(read_records(arguments.out))
        jobs = [j for j in jobs if not arguments.data or j["data"] in arguments.data]
        run_missing(run, jobs, arguments.out, arguments.workers, arguments.minutes)
    print_table(arguments.out)


if __name__ == "__main__":
    main()
