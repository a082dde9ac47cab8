"""The rows that dictionary_quality.py codes: of classes alike, or thinned so that each has fewer rows than the last."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideangle.data import load
from wideangle.experiments.tasks.documents import rows_of_fold

Array = np.ndarray[Any, Any]

DATA = ("digits", "mnist", "15scenes", "6activities")
IMAGES = ("digits", "mnist")  # whose noise is measured as PSNR
TAIL = "/tail"
RAREST = 0.05  # of its rows the last class of a long tail keeps this share, the first all
FEWEST = 5  # rows of a class
TRAIN, TEST = 2000, 1500  # rows at most


@dataclass(frozen=True)
class Rows:
    train: Array
    labels: Array
    test: Array
    test_labels: Array
    peak: float
    """the largest entry: white"""


def rows(name: str, fold: int | None = None) -> Rows:
    """Training and test rows whose mean squared length in training is 1. With a fold, both are of the training part."""
    base = name.removesuffix(TAIL)
    X, y, Z, z = _read(base)
    if name.endswith(TAIL):
        kept = thinned(y)
        X, y = X[kept], y[kept]
    if fold is not None:
        rest, asked = rows_of_fold(len(X), fold)
        X, y, Z, z = X[rest], y[rest], X[asked], y[asked]
    scale = float(np.sqrt(np.square(X).sum(1).mean()))
    return Rows(X / scale, y, Z / scale, z, float(X.max()) / scale)


def thinned(y: Array) -> Array:
    """Numbers of the rows that stay where the classes' sizes fall geometrically."""
    classes = np.unique(y)
    kept = []
    for place, each in enumerate(classes):
        mine = np.flatnonzero(y == each)
        kept.append(mine[: max(FEWEST, round(len(mine) * RAREST ** (place / (len(classes) - 1))))])
    return np.sort(np.concatenate(kept))


def _read(name: str) -> tuple[Array, Array, Array, Array]:
    order = np.random.default_rng(0)
    if name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
        chosen = order.permutation(len(X))
        train, test = chosen[:1078], chosen[1078:]  # as in examples/sparse_coding.py, 60 %
        return X[train], y[train], X[test], y[test]
    data = load(name, fetch=False)  # type: ignore[call-overload]
    some, asked = (order.permutation(len(part.labels)) for part in (data.train, data.test))
    X, y = (np.asarray(part, float)[some[:TRAIN]] for part in (data.train.X, data.train.labels))
    Z, z = (np.asarray(part, float)[asked[:TEST]] for part in (data.test.X, data.test.labels))
    if name == "15scenes":  # Square roots of histograms; their Euclidean distance is Hellinger's.
        X, Z = np.sqrt(X), np.sqrt(Z)
    return X, y.astype(int), Z, z.astype(int)
