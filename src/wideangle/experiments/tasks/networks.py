"""Networks with one hidden layer: accuracy. TIMIT is licensed, so phonemes cut from it and MNIST stand in."""

from functools import lru_cache
from typing import Any

import numpy as np

from wideangle.data import load
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.tasks import Answers, Measure, Outcome
from wideangle.experiments.tasks._answers import packed, unpacked
from wideangle.experiments.tasks._fitting import angles_of, device_of, fitted

__all__ = ["DATA", "MEASURES", "SCORE", "answers_of", "columns", "measured", "split"]

DATA = ("phoneme", "mnist")
SCORE = "accuracy"
MEASURES = {
    "accuracy": Measure("test accuracy (%)", 100),
    "training accuracy": Measure("training accuracy (%)", 100),
    "mean angle": Measure("mean angle of hidden units (°)", 1, 1, has_best=False),
    "smallest angle": Measure("smallest angle of hidden units (°)", 1, 1, has_best=False),
    "seconds": Measure("seconds of fit", 1, 1, True, has_best=False),
}
MNIST_ROWS = 10_000

Split = tuple[Any, Any, Any, Any, str | None]


@lru_cache(2)
def split(data: str, fold: int | None = None) -> Split:
    """Rows and labels to train on and to ask with; of MNIST 10,000 training images.

    A fold is a random fifth of the training part, drawn by its number; speakers of "phoneme" are on one side. Pixels
    are shares of 255, features of phonemes have mean 0 and deviation 1 in training.
    """
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit
    from sklearn.preprocessing import StandardScaler

    whole = load(data, fetch=False)  # type: ignore[call-overload]
    train, test = whole.train, whole.test
    if data == "mnist":
        train = train.subset(np.random.default_rng(0).permutation(len(train))[:MNIST_ROWS])
    if fold is not None:
        kind = ShuffleSplit if train.groups is None else GroupShuffleSplit
        splitter = kind(n_splits=1, test_size=0.2, random_state=fold)
        kept, asked = next(splitter.split(train.X, train.labels, train.groups))
        train, test = train.subset(kept), train.subset(asked)
    if data == "mnist":
        rows = [(part.X / 255).astype(np.float32) for part in (train, test)]
    else:
        scaler = StandardScaler().fit(train.X)
        rows = [scaler.transform(part.X).astype(np.float32) for part in (train, test)]
    return rows[0], train.labels, rows[1], test.labels, whole.checksum


def columns(data: str) -> int:
    return int(split(data)[0].shape[1])


def measured(job: Job) -> Outcome:
    """Fit and score."""
    X, y, X_test, y_test, checksum = split(job.data, job.fold)
    model, seconds = fitted(job.estimator, job.settings, job.seed, X, y)
    right = np.asarray(model.predict(X_test) == y_test)
    found = {"accuracy": float(right.mean()), "training accuracy": model.score(X, y)}
    found |= angles_of(model.coefs_[0].T) | {"seconds": seconds}
    details = {"right": packed(right)} if job.fold is None else {}
    return Outcome(found, seconds, checksum, details, device_of(model))


def answers_of(record: Record, measure: str) -> Answers | None:
    """Which test rows were given their class."""
    kept = record["details"].get("right") if measure == "accuracy" else None
    return None if kept is None else Answers(unpacked(kept))
