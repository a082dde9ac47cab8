"""Is `DistanceLearner()` anywhere worse than no learning? Runs and table of `distance_quality.py --defaults`.

Small data sets are split into five folds twice, each fold being the test part once; "raw" is as scikit-learn has the
features, "standardised" means to mean 0 and deviation 1 on the training part. MNIST has three draws of 10,000 training
images and its own test images; other sets have their own test parts and three seeds. Euclid takes the features as they
are, PCA the leading principal components, as many as the default number of components, unlearned. The defaults
of validation, budget and learning rate were chosen without a look at phoneme and 20news.
"""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from _records import Record, read_records
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler

from wideangle.data import load

SMALL = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
SCALES = ("raw", "standardised")
SMALL_SETS = tuple(f"{name}, {scale}" for name, scale in product(SMALL, SCALES))
MODELS = ("Euclid", "PCA", "defaults")
OWN_TEST_PART = ("6activities", "15scenes", "mnist", "phoneme", "20news")
DRAWS = 3  # of MNIST, and seeds of the sets with a test part of their own
FOLDS, TIMES = 5, 2


def default_jobs() -> list[Record]:
    """Default settings, and none, on data where a learned distance may do harm."""
    runs = [(name, seed) for name, seed in product(SMALL_SETS, range(FOLDS * TIMES))]
    runs += [(name, seed) for name, seed in product(OWN_TEST_PART, range(DRAWS))]
    return [{"data": d, "seed": s, "model": model} for (d, s), model in product(runs, MODELS)]


def small_split(name: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Rows and labels to train on and to ask with: a fold of a small data set, or a draw of MNIST."""
    if name == "mnist":
        data = load("mnist", fetch=False)
        chosen = np.random.default_rng(seed).permutation(len(data.train))[:10_000]
        train, test = data.train.subset(chosen), data.test
        X_train, X_test = (part.X.astype(np.float32) / 255 for part in (train, test))
        return X_train, train.labels, X_test, test.labels
    set_name, scale = name.split(", ")
    X, y = SMALL[set_name](return_X_y=True)
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=TIMES, random_state=0)
    rest, asked = list(folds.split(X, y))[seed]
    X_train, X_test = X[rest], X[asked]
    if scale == "standardised":
        scaler = StandardScaler().fit(X_train)
        X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    return X_train, y[rest], X_test, y[asked]


def print_defaults(path: Path) -> None:
    """Means over runs with their standard errors, and those of the differences, run by run."""
    values: dict[tuple[str, str], dict[int, Record]] = {}
    for record in read_records(path):
        values.setdefault((record["data"], record["model"]), {})[record["seed"]] = record
    print(
        f"{'':>27} {'runs':>4} {'Euclid':>15} {'PCA':>15} {'default':>15} {'less Euclid':>16} {'less PCA':>16} seconds"
    )
    for measure, name in product(("3-NN", "AP"), dict.fromkeys(name for name, _ in values)):
        seeds = sorted(set.intersection(*(set(values.get((name, model), {})) for model in MODELS)))
        if not seeds:
            continue
        euclid, pca, learned = (np.array([values[name, model][seed][measure] for seed in seeds]) for model in MODELS)
        seconds = np.mean([values[name, "defaults"][seed]["seconds"] for seed in seeds])
        columns = [f"{v.mean():7.4f} ±{standard_error(v):.4f}" for v in (euclid, pca, learned)]
        columns += [f"{v.mean():+8.4f} ±{standard_error(v):.4f}" for v in (learned - euclid, learned - pca)]
        print(f"{measure:>4} {name:>22} {len(seeds):>4}", *columns, f"{seconds:7.1f}")


def standard_error(values: Any) -> float:
    """Of the mean; folds that share training rows make it a little too small."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
