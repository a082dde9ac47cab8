"""Where angles of distances are measured: the jobs of `distance_quality.py --metric` and their table."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from _records import Record
from numpy.typing import NDArray

DIVERSITIES = (0.1, 0.5, 2.0)
METRICS = ("identity", "covariance")
SETTING = {"data": "15scenes", "n_components": 50, "init": "random", "hinge_weight": 1.0, "max_updates": 500}
SETTING |= {"near_similar": 0.0, "near_dissimilar": 0.0}


def metric_jobs() -> list[Record]:
    """Every λ with either metric on three folds of the training part; λ = 0 knows no metric."""
    chosen = [("identity", 0.0), *product(METRICS, DIVERSITIES)]
    return [
        SETTING | {"fold": fold, "seed": fold, "metric": metric, "diversity": diversity}
        for fold, (metric, diversity) in product(range(3), chosen)
    ]


def metric_test_jobs(records: Iterable[Record]) -> list[Record]:
    """The test part for λ = 0 and for the best λ of either metric by AP + 3-NN on the folds."""
    found = _by_metric(records, test=False)
    chosen = [("identity", 0.0)]
    for metric in METRICS:
        best = max(DIVERSITIES, key=lambda d: sum(values.mean() for values in found[metric, d].values()))
        chosen.append((metric, best))
    return [
        SETTING | {"regime": "test", "seed": seed, "metric": metric, "diversity": diversity}
        for seed, (metric, diversity) in product(range(3), chosen)
    ]


def print_metrics(records: list[Record]) -> None:
    """Means and standard deviations over folds or seeds, and of the differences to λ = 0."""
    for test in (False, True):
        print("test" if test else "folds of the training part")
        found = _by_metric(records, test)
        for (metric, diversity), columns in sorted(found.items(), key=lambda item: (item[0][1] > 0, item[0])):
            print(f"{metric if diversity else 'plain':>10} λ = {diversity:<4}", end="")
            for name, values in columns.items():
                gain = values - found["identity", 0.0][name]
                print(f"  {name} {values.mean():.4f} ±{values.std():.4f}, {gain.mean():+.4f} ±{gain.std():.4f}", end="")
            print()


def _by_metric(records: Iterable[Record], test: bool) -> dict[tuple[str, float], dict[str, NDArray[Any]]]:
    """AP and 3-NN by metric and λ, in the order of the seeds."""
    mine = sorted((r for r in records if ("fold" not in r) == test), key=lambda r: r["seed"])
    keys = dict.fromkeys((r["metric"], r["diversity"]) for r in mine)
    return {
        key: {n: np.array([r[n] for r in mine if (r["metric"], r["diversity"]) == key]) for n in ("AP", "3-NN")}
        for key in keys
    }
