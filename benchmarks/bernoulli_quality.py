"""Does a Bernoulli RBM gain from the regulariser, from angles in the data's metric, and from an SVD start?

    python benchmarks/bernoulli_quality.py --tune OUT.jsonl      two folds of the training rows
    python benchmarks/bernoulli_quality.py --test OUT.jsonl --chosen TUNE.jsonl
                                                                 the test rows, with what folds chose
    python benchmarks/bernoulli_quality.py --table OUT.jsonl     a table of what is in a file
    python benchmarks/bernoulli_quality.py --gains TEST.jsonl    what the regulariser gains on the test rows

MNIST (10,000 training images as values from 0 to 1) by the accuracy of 3 nearest neighbours; whether words are present
in docstrings and 20-News documents by P@10 and P@100, and the rarer half of the classes. Euclidean distance of each
representation.
"""

import argparse
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _corpora import NEAREST, Split, split
from _quality_tables import chosen_settings, print_gains, print_table
from _records import run_missing
from rbm_quality import NOT_SETTINGS, REPRESENTATIONS, precision

from wideangle.data import load
from wideangle.evaluation import knn_accuracy
from wideangle.exceptions import DataError
from wideangle.experiments.tasks.documents import rows_of_fold
from wideangle.models import BernoulliRBM
from wideangle.models._boltzmann.representation import represented

DATA = ("mnist", "docstrings", "20news")
IMAGES = 10_000  # training images
NEIGHBORS = 3


def rows(name: str, fold: int | None) -> Split:
    """Training and test rows of values from 0 to 1."""
    if name != "mnist":
        return split(name, fold)
    images = load("mnist")
    train, test = images.train, images.test
    assert train.labels is not None
    assert test.labels is not None
    X, y = np.asarray(train.X[:IMAGES], np.float32), np.asarray(train.labels[:IMAGES])
    Z, z = np.asarray(test.X, np.float32), np.asarray(test.labels)
    if fold is not None:
        rest, asked = rows_of_fold(len(X), fold)
        X, y, Z, z = X[rest], y[rest], X[asked], y[asked]
    largest = float(X.max())
    return Split(X / largest, Z / largest, {"own": y}, {"own": z}, images.checksum)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fit one machine and measure it."""
    torch.set_num_threads(1)
    parts = rows(job["data"], job.get("fold"))
    words = job["data"] != "mnist"
    settings = {key: value for key, value in job.items() if key not in NOT_SETTINGS}
    began = time.perf_counter()
    model = BernoulliRBM(random_state=job["seed"], binarize=0.0 if words else None, **settings).fit(parts.train)
    results: dict[str, Any] = {"seconds": time.perf_counter() - began, "mean angle": model.history_[-1].mean_angle}
    logits = [model.hidden_logits(X) for X in (parts.train, parts.test)]
    for how in (job["representation"],) if "representation" in job else REPRESENTATIONS:
        train, test = (represented(L, model._centre(None), how) for L in logits)  # type: ignore[arg-type]
        if words:
            results |= precision(parts, train, test, NEAREST[job["data"]], how)
            continue
        right = knn_accuracy(train, parts.train_labels["own"], test, parts.test_labels["own"], NEIGHBORS)
        results |= {f"own, {how}": right, f"own, rarer half, {how}": right}  # MNIST has no rare class
    return job | results


def jobs_of(mode: str, chosen: list[Path]) -> list[dict[str, Any]]:
    """What a mode runs."""
    if mode == "tune":
        terms: list[dict[str, Any]] = [{"diversity": 0.0}]
        terms += [{"diversity": w, "metric": m} for m in ("covariance", "identity") for w in (0.03, 0.1, 0.3, 1.0)]
        return [
            {"data": d, "fold": f, "seed": f, "init": i, "learning_rate": rate, "max_updates": n} | term
            for f, term, i, (rate, n), d in product(
                range(2), terms, ("svd", "random"), ((1e-3, 5000), (5e-3, 2000)), DATA
            )
        ]
    tuned = [{"data": d, "which": which} | s for d in DATA for which, s in chosen_settings(chosen, d).items()]
    return [{"seed": s} | job for s, job in product(range(5), tuned)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "test", "table", "gains", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="*", help="file of records, one JSON object per line; added to")
    parser.add_argument("--chosen", type=Path, nargs="*", default=[], help="the records of --tune, for --test")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        try:
            print(run({"data": "mnist", "fold": 0, "seed": 0, "n_components": 10, "max_updates": 20}))
        except DataError as error:
            print(f"not run: {error}")
        return
    if arguments.table or arguments.gains:
        (print_table if arguments.table else print_gains)(*arguments.out)
        return
    if not (arguments.tune or arguments.test) or len(arguments.out) != 1:
        parser.error("say what to run, --tune or --test, and the file of its records")
    jobs = jobs_of("tune" if arguments.tune else "test", arguments.chosen)
    run_missing(run, jobs, arguments.out[0], arguments.workers, arguments.minutes)
    print_table(*arguments.out)


if __name__ == "__main__":
    main()
