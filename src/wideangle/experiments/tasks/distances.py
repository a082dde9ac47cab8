"""Learned distances: average precision of pairs, 3-nearest-neighbour accuracy and clustering, as the paper measures."""

from functools import lru_cache
from typing import Any

import numpy as np

from wideangle.catalogue import entry_of
from wideangle.data import load, make_pairs
from wideangle.evaluation import kmeans_scores, knn_correct, pair_average_precision
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.tasks import Answers, Measure, Outcome
from wideangle.experiments.tasks._answers import packed, unpacked
from wideangle.experiments.tasks._fitting import angles_of, device_of, fitted

__all__ = ["DATA", "MEASURES", "SCORE", "answers_of", "columns", "measured", "split"]

DATA = ("20news", "15scenes", "6activities")
SCORE = "AP + 3-NN"
MEASURES = {
    "AP": Measure("average precision of pairs (%)", 100),
    "3-NN": Measure("3-NN accuracy (%)", 100),
    "AP + 3-NN": Measure("average precision + 3-NN accuracy (%)", 100),
    "clustering": Measure("clustering accuracy (%)", 100),
    "NMI": Measure("normalised mutual information (%)", 100),
    "mean angle": Measure("mean angle of components (°)", 1, 1, has_best=False),
    "smallest angle": Measure("smallest angle of components (°)", 1, 1, has_best=False),
    "seconds": Measure("seconds of fit", 1, 1, True, has_best=False),
}
FOLDS = 5
MOST_ROWS = 3000  # of methods whose cost grows with their square

Split = tuple[Any, Any, Any, Any, str | None]


@lru_cache(2)
def split(data: str, fold: int | None = None) -> Split:
    """Rows and labels to train on and to ask with, and the checksum of their file.

    20-News is tf-idf of logarithmic counts, 15-Scenes the square roots of histograms, 6-Activities as it is. Folds of
    6-Activities have other people than the rest.
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.model_selection import GroupKFold, KFold

    whole = load(data, fetch=False)  # type: ignore[call-overload]
    train, test = whole.train, whole.test
    if fold is not None:
        groups = getattr(train, "groups", None)
        folds = KFold(FOLDS, shuffle=True, random_state=0) if groups is None else GroupKFold(FOLDS)
        rest, asked = list(folds.split(train.labels, groups=groups))[fold]
        train, test = train.subset(rest), train.subset(asked)
    if data == "20news":
        weights = TfidfTransformer(sublinear_tf=True).fit(train.counts)
        rows = [weights.transform(part.counts).astype(np.float32) for part in (train, test)]
    elif data == "15scenes":
        rows = [np.sqrt(part.X).astype(np.float32) for part in (train, test)]
    else:
        rows = [part.X.astype(np.float32) for part in (train, test)]
    return rows[0], train.labels, rows[1], test.labels, whole.checksum


def n_test_pairs(data: str) -> int:
    """How many pairs of either kind average precision is of, as in the paper."""
    return 50_000 if data == "15scenes" else 100_000


def columns(data: str) -> int:
    return int(split(data)[0].shape[1])


def measured(job: Job) -> Outcome:
    """Fit on labels; clusters on the test part alone."""
    X, y, X_test, y_test, checksum = split(job.data, job.fold)
    entry = entry_of(job.estimator)
    chosen = np.random.default_rng(job.seed).permutation(len(y))[: MOST_ROWS if entry.squares_rows else None]
    some = slice(None) if len(chosen) == len(y) else chosen
    if entry.target is None and job.settings.get(str(entry.size)) is None:
        # Nothing is learned. A matrix that does nothing has columns² entries and would make sparse rows dense.
        model, seconds, train, test = None, 0.0, X, X_test
    else:
        model, seconds = fitted(job.estimator, job.settings, job.seed, X[some], y[some])
        train, test = model.transform(X), model.transform(X_test)
    found = pair_scores(test, y_test, n_test_pairs(job.data), job.seed)
    right = knn_correct(train, y, test, y_test)
    found["3-NN"] = float(right.mean())
    found["AP + 3-NN"] = found["AP"] + found["3-NN"]
    found |= angles_of(getattr(model, "components_", None))
    details: dict[str, Any] = {"rows": len(chosen)}
    if job.fold is None:
        details["3-NN right"] = packed(right)
        clusters = kmeans_scores(test, y_test, random_state=job.seed)
        found |= {"clustering": clusters.accuracy, "NMI": clusters.nmi}
    return Outcome(found | {"seconds": seconds}, seconds, checksum, details, device_of(model))


def answers_of(record: Record, measure: str) -> Answers | None:
    """Which test rows have a class like their neighbours'. Pairs are drawn anew by each seed, and have none."""
    kept = record["details"].get("3-NN right") if measure == "3-NN" else None
    return None if kept is None else Answers(unpacked(kept))


def pair_scores(test: Any, y_test: Any, n_pairs: int, seed: int) -> dict[str, float]:
    """The average precision of pairs of test rows, by their distance."""
    pairs = make_pairs(y_test, n_pairs, n_pairs, seed=seed)
    squared = []
    for block in np.array_split(pairs.indices, -(-len(pairs) // 10_000)):
        difference = test[block[:, 0]] - test[block[:, 1]]
        squares = difference.multiply(difference) if hasattr(difference, "multiply") else difference**2
        squared.append(np.asarray(squares.sum(axis=1)).ravel())
    return {"AP": pair_average_precision(np.concatenate(squared), pairs.similar > 0)}
