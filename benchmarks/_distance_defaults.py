"""Is `DistanceLearner()` anywhere worse than no learning? Runs and table of `distance_quality.py --defaults`.

Small data sets have ten runs; MNIST has three draws and the other sets three seeds. Euclid takes the features as they
are, PCA the leading principal components, as many as the default number of components, unlearned. The defaults of
validation, budget and learning rate were chosen without a look at phoneme and 20news.
"""

from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from _distance_parts import FOLDS, MNIST, SMALL_SETS, TIMES
from _quality_tables import verdict_of
from _records import Record

from wideangle.evaluation import compare_runs, holm

MODELS = ("Euclid", "PCA", "defaults")
OWN_TEST_PART = ("6activities", "15scenes", MNIST, "phoneme", "20news")
DRAWS = 3  # of MNIST, and seeds of the sets with a test part of their own


def default_jobs() -> list[Record]:
    """Default settings, and none, on data where a learned distance may do harm."""
    runs = [(name, seed) for name, seed in product(SMALL_SETS, range(FOLDS * TIMES))]
    runs += [(name, seed) for name, seed in product(OWN_TEST_PART, range(DRAWS))]
    return [{"data": d, "seed": s, "model": model} for (d, s), model in product(runs, MODELS)]


def print_defaults(records: Iterable[Record]) -> None:
    """Means over runs with their standard errors, and those of the differences, run by run.

    "Better" and "worse" than Euclid and PCA are by paired t-tests of the runs, corrected for all sets of a column.
    """
    values: dict[tuple[str, str], dict[int, Record]] = {}
    for record in records:
        values.setdefault((record["data"], record["model"]), {})[record["seed"]] = record
    print(
        f"{'':>27} {'runs':>4} {'Euclid':>15} {'PCA':>15} {'default':>15} {'less Euclid':>16} {'less PCA':>16} seconds"
    )
    for measure in ("3-NN", "AP"):
        found: dict[str, list[Any]] = {}
        for name in dict.fromkeys(name for name, _ in values):
            seeds = sorted(set.intersection(*(set(values.get((name, model), {})) for model in MODELS)))
            if seeds:
                found[name] = [np.array([values[name, m][seed][measure] for seed in seeds]) for m in MODELS]
        columns_of_p = [
            holm([compare_runs(runs[2], runs[other], paired=True).p_value for runs in found.values()])
            for other in (0, 1)
        ]
        for (name, (euclid, pca, learned)), *of_set in zip(found.items(), *columns_of_p, strict=True):
            gains = learned - euclid, learned - pca
            columns = [f"{v.mean():7.4f} ±{standard_error(v):.4f}" for v in (euclid, pca, learned)]
            columns += [f"{v.mean():+8.4f} ±{standard_error(v):.4f}" for v in gains]
            seconds = np.mean([record["seconds"] for record in values[name, "defaults"].values()])
            told = ", ".join(verdict_of(v.mean(), p_value) for v, p_value in zip(gains, of_set, strict=True))
            print(f"{measure:>4} {name:>22} {len(learned):>4}", *columns, f"{seconds:7.1f} {told}")


def standard_error(values: Any) -> float:
    """Of the mean; folds that share training rows make it a little too small."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
