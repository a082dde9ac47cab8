"""What is a Gaussian RBM worth beside principal components, factor analysis and raw rows, and does it gain from angles?

    python benchmarks/gaussian_quality.py --tune TUNE.jsonl      folds of the training rows
    python benchmarks/gaussian_quality.py --test TEST.jsonl --chosen TUNE.jsonl
                                                                 the test rows, with what folds chose
    python benchmarks/gaussian_quality.py --table TEST.jsonl --chosen TUNE.jsonl
                                                                 means and standard errors over seeds

Handwritten digits (scikit-learn's), MNIST (3,000 training images), 15-Scenes (square roots of visual words) and human
activities (265 sensor features), as they are and with a long tail: class c keeps 20^(−c / (classes − 1)) of the rows of
the smallest class. Accuracy of 3 nearest neighbours by Euclidean distance, the mean recall of all classes and of the
rarer half, and log p per column of the test rows, a density. Folds choose init, metric, λ and the representation, for
λ = 0 as for λ > 0, by the mean of accuracy and the rarer half; the settings for log p they choose by log p. `--few`
tries angles as the data sees them and no weight decay alone. The records of both go into one file: jobs that have one
are not run again.
"""

import argparse
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from _gaussian_peers import PEERS, peer_results
from _gaussian_rows import DATA, rows, scores
from _records import Record, read_records, run_missing
from threadpoolctl import threadpool_limits

from wideangle.evaluation import compare_runs, holm
from wideangle.exceptions import DataError
from wideangle.models import GaussianRBM
from wideangle.models._boltzmann.representation import REPRESENTATIONS, represented

COMPONENTS = (20, 50)
WEIGHTS = (0.01, 0.1, 0.3, 1.0)
SETTINGS = ("n_components", "scaled", "diversity", "metric", "init", "weight_decay")
QUALITIES = ("accuracy", "balanced", "rarer half")
LIKELIHOOD = "log p"
GOALS = ("neighbours", LIKELIHOOD)
SEEDS = 3
MOST_TEMPERATURES = 1200


def run(job: Record) -> Record:
    """Fit one machine or one peer, and measure it."""
    torch.set_num_threads(1)
    parts = rows(job["data"], job.get("fold"))
    with threadpool_limits(1):
        if job.get("peer"):
            return job | peer_results(job, parts)
        settings = {key: job[key] for key in (*SETTINGS, "max_updates") if key in job and key != "scaled"}
        began = perf_counter()
        model = GaussianRBM(random_state=job["seed"], device="cpu", **settings).fit(parts.train)
        results: Record = {"seconds": perf_counter() - began, "angle": model.history_[-1].mean_angle}
        found = model.log_likelihood(parts.test, max_temperatures=MOST_TEMPERATURES)
        results |= {LIKELIHOOD: float(np.mean(found.log_p / found.lengths)), "doubt": found.doubt}
        logits = [model.hidden_logits(part) for part in (parts.train, parts.test)]
        for how in REPRESENTATIONS:
            train, test = (represented(part, model._centre(None), how) for part in logits)
            results |= {f"{name}, {how}": value for name, value in scores(parts, train, test).items()}
    return job | results


def candidates(peer: str | None, few: bool) -> list[Record]:
    """What folds choose among."""
    if peer is not None:
        return [{"n_components": K, "scaled": scaled} for K, scaled in product(COMPONENTS, (False, True))]
    metrics = ("covariance",) if few else ("covariance", "identity")
    terms: list[Record] = [{"diversity": 0.0, "metric": "covariance"}]
    terms += [{"diversity": weight, "metric": name} for weight, name in product(WEIGHTS, metrics)]
    decays = (0.0,) if few else (0.0, 0.3)
    return [
        {"n_components": K, "init": init, "weight_decay": decay} | term
        for K, init, decay, term in product(COMPONENTS, ("random", "svd"), decays, terms)
    ]


def tuning_jobs(data: Iterable[str], components: Iterable[int], few: bool) -> list[Record]:
    """The fits on folds."""
    return [
        {"data": name, "peer": peer, "fold": fold, "seed": fold} | settings
        for fold, name, peer in product(range(2), data, (None, *PEERS))
        for settings in candidates(peer, few)
        if settings["n_components"] in components
    ]


def sides_of(records: list[Record], data: str, K: int) -> dict[str, list[Record]]:
    """The records of one data set and number of components by what is compared."""
    mine = [r for r in records if r["data"] == data and r["n_components"] == K]
    sides = {peer: [r for r in mine if r["peer"] == peer] for peer in PEERS}
    own = [r for r in mine if r["peer"] is None]
    return sides | {"λ = 0": [r for r in own if not r["diversity"]], "λ > 0": [r for r in own if r["diversity"]]}


def test_jobs(data: Iterable[str], components: Iterable[int], tuned: list[Record]) -> list[Record]:
    """The fits whose test rows are read: what folds chose for either goal, each once."""
    found: list[Record] = []
    for name, K in product(data, components):
        for side, records in sides_of(tuned, name, K).items():
            for goal in GOALS:
                settings, _ = best_settings(records, goal)
                peer = side if side in PEERS else None
                for seed in range(1 if peer else SEEDS):
                    job = {"data": name, "peer": peer, "seed": seed} | settings
                    if settings and job not in found:
                        found.append(job)
    return found


def best_settings(records: list[Record], goal: str) -> tuple[Record, str]:
    """The settings and the representation with the best mean over folds; none where there are no records."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for record in records:
        settings = tuple((name, record[name]) for name in SETTINGS if name in record)
        for how in (key.removeprefix("accuracy, ") for key in record if key.startswith("accuracy, ")):
            both = (record[f"accuracy, {how}"] + record[f"rarer half, {how}"]) / 2
            value = both if goal == "neighbours" else record[LIKELIHOOD]
            if value is not None:
                groups.setdefault((settings, how), []).append(value)
    if not groups:
        return {}, ""
    most = max(map(len, groups.values()))  # Where tuning was stopped, some settings were tried on fewer folds.
    groups = {key: values for key, values in groups.items() if len(values) == most}
    settings, how = max(groups, key=lambda key: float(np.mean(groups[key])))
    return dict(settings), how


def print_table(path: Path, chosen: list[Path]) -> None:
    """One line per data set, number of components, method and goal; p-values of λ > 0 against λ = 0, corrected."""
    tested, tuned = read_records(path), read_records(*chosen)
    tests = []
    for data, K in product(DATA, COMPONENTS):
        values: dict[tuple[str, str], Any] = {}
        for (side, records), goal in product(sides_of(tested, data, K).items(), GOALS):
            settings, how = best_settings(sides_of(tuned, data, K)[side], goal)
            mine = [r for r in records if all(r.get(key) == value for key, value in settings.items())]
            if not settings or not mine:
                continue
            names = {name: f"{name}, {how}" for name in QUALITIES} if goal == "neighbours" else {LIKELIHOOD: LIKELIHOOD}
            found = {name: np.array([r[key] for r in mine]) for name, key in names.items()}
            values |= {(side, name): column for name, column in found.items()}
            cells = [f"{name} {column.mean():.4f}{_error(column)}" for name, column in found.items()]
            if side not in PEERS:
                cells.append(f"angle {np.mean([r['angle'] for r in mine]):.1f}°")
            said = [f"{key}={value}" for key, value in settings.items() if key != "n_components"]
            said += [how] if goal == "neighbours" else []
            said += [f"{sum(bool(r.get('doubt')) for r in mine)} of {len(mine)} doubted"] if "angle" in mine[0] else []
            print(f"{data}, K = {K}, {side}: {'; '.join(cells)} ({', '.join(said)})")
        for name in (*QUALITIES, LIKELIHOOD):
            if ("λ > 0", name) in values and ("λ = 0", name) in values:
                p = compare_runs(values["λ > 0", name], values["λ = 0", name]).p_value
                tests.append((f"{data}, K = {K}, {name}", p))
    for (what, _), p in zip(tests, holm([p for _, p in tests]), strict=True):
        print(f"λ > 0 and λ = 0 differ, {what}: p = {p:.3g}")


def _error(values: Any) -> str:
    """The standard error over seeds."""
    return f" ± {values.std(ddof=1) / len(values) ** 0.5:.4f}" if len(values) > 1 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in ("tune", "test", "table", "quick"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("out", type=Path, nargs="?", help="file of records, one JSON object per line; added to")
    parser.add_argument("--chosen", type=Path, nargs="*", default=[], help="the records of --tune")
    parser.add_argument("--sets", nargs="*", choices=DATA, default=DATA)
    parser.add_argument("--components", nargs="*", type=int, choices=COMPONENTS, default=COMPONENTS)
    parser.add_argument("--few", action="store_true", help="fewer settings, for --tune")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=1e9, help="start no run after this long")
    arguments = parser.parse_args()
    if arguments.quick:
        for job in ({"n_components": 10, "max_updates": 20}, {"peer": "PCA", "n_components": 10, "scaled": True}):
            try:
                print(run({"data": "digits", "fold": 0, "seed": 0} | job))
            except DataError as error:
                print(f"not run: {error}")
        return
    if arguments.out is None or not (arguments.tune or arguments.test or arguments.table):
        parser.error("say what to do, --tune, --test or --table, and the file of its records")
    if arguments.table:
        print_table(arguments.out, arguments.chosen)
        return
    if arguments.tune:
        jobs = tuning_jobs(arguments.sets, arguments.components, arguments.few)
    else:
        jobs = test_jobs(arguments.sets, arguments.components, read_records(*arguments.chosen))
    run_missing(run, jobs, arguments.out, arguments.jobs, arguments.minutes)


if __name__ == "__main__":
    main()
