"""The rows of benchmarks/gaussian_quality.py, and how nearest neighbours classify them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from wideangle.data import load
from wideangle.experiments.tasks.documents import rows_of_fold

SETS = ("digits", "6activities", "15scenes", "mnist")
TAIL = ", long tail"
DATA = (*SETS, *(name + TAIL for name in SETS))
IMAGES = 3000  # training images of MNIST; as many test rows are asked with at most
NEIGHBORS = 3
THINNED = 20  # The largest class of a long tail has so many times the rows of the smallest.
LEAST_SHARE = 0.01  # Columns that have one value in all but fewer of the rows are left out.


@dataclass(frozen=True)
class Parts:
    """Rows and classes to train on and to ask with."""

    train: NDArray[Any]
    train_labels: NDArray[Any]
    test: NDArray[Any]
    test_labels: NDArray[Any]


def rows(name: str, fold: int | None) -> Parts:
    """Those of a data set, or of a fold of its training rows."""
    base = name.removesuffix(TAIL)
    if base == "digits":
        images, labels = load_digits(return_X_y=True)
        X, Z, y, z = train_test_split(images, labels, test_size=0.4, random_state=0, stratify=labels)
    else:
        found = load(base)  # type: ignore[call-overload]
        X, Z = (np.asarray(part.X, dtype=np.float64) for part in (found.train, found.test))
        y, z = np.asarray(found.train.labels), np.asarray(found.test.labels)
    if base == "mnist":
        X, y = X[:IMAGES], y[:IMAGES]
    if base == "15scenes":
        X, Z = np.sqrt(X), np.sqrt(Z)
    Z, z = Z[:IMAGES], z[:IMAGES]
    if name != base:
        kept = long_tail(y)
        X, y = X[kept], y[kept]
    if fold is not None:
        rest, asked = rows_of_fold(len(X), fold)
        X, y, Z, z = X[rest], y[rest], X[asked], y[asked]
    varies = (np.median(X, axis=0) != X).mean(axis=0) >= LEAST_SHARE
    return Parts(X[:, varies].astype(np.float32), y, Z[:, varies].astype(np.float32), z)


def long_tail(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Rows of which class c has 20^(−c / (classes − 1)) of the smallest class's number, the first rows of each."""
    classes, sizes = np.unique(labels, return_counts=True)
    wanted = sizes.min() * THINNED ** -(np.arange(len(classes)) / (len(classes) - 1))
    kept = [np.flatnonzero(labels == c)[: max(3, round(n))] for c, n in zip(classes, wanted, strict=True)]
    return np.sort(np.concatenate(kept))


def scores(parts: Parts, train: NDArray[Any], test: NDArray[Any]) -> dict[str, float]:
    """Accuracy of the nearest neighbours, the mean recall of the classes, and of the half with fewer training rows."""
    found = KNeighborsClassifier(NEIGHBORS).fit(train, parts.train_labels).predict(test)
    classes, sizes = np.unique(parts.train_labels, return_counts=True)
    there = np.isin(classes, parts.test_labels)  # A fold may have no row of a rare class.
    classes, sizes = classes[there], sizes[there]
    recall = np.array([np.mean(found[parts.test_labels == c] == c) for c in classes])
    rarer = np.argsort(sizes, kind="stable")[: len(classes) // 2]
    return {
        "accuracy": float(np.mean(found == parts.test_labels)),
        "balanced": float(recall.mean()),
        "rarer half": float(recall[rarer].mean()),
    }
