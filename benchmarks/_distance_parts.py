"""What the benchmarks of distances learn from and measure: parts of data sets, average precision of pairs and 3-NN.

Small data sets are split into five folds twice, each fold being the test part once; "raw" is as scikit-learn has the
features, "standardised" means to mean 0 and deviation 1 on the training part. MNIST is a draw of 10,000 training images
and its own test images; "mnist, all rows" has all 60,000. The other sets are as `wideangle reproduce` has them.
"""

from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import StandardScaler

from wideangle.data import load
from wideangle.evaluation import knn_accuracy
from wideangle.experiments.tasks.distances import DATA, Split, n_test_pairs, pair_scores, split

SMALL = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
SCALES = ("raw", "standardised")
SMALL_SETS = tuple(f"{name}, {scale}" for name, scale in product(SMALL, SCALES))
MNIST, ALL_ROWS = "mnist", "mnist, all rows"
IMAGES = 10_000  # of MNIST that are drawn
FOLDS, TIMES = 5, 2


def parts_of(name: str, seed: int, fold: int | None = None) -> Split:
    """Rows and labels to train on and to ask with, and the checksum of their file.

    The seed chooses the fold of a small set and the draw of MNIST; `fold` is one of the training part of other sets.
    """
    if name in SMALL_SETS:
        return small_parts(name, seed)
    if name not in (MNIST, ALL_ROWS):
        return split(name, fold)
    images = load("mnist", fetch=False)
    chosen = np.random.default_rng(seed).permutation(len(images.train))[:IMAGES]
    train, test = images.train if name == ALL_ROWS else images.train.subset(chosen), images.test
    X_train, X_test = (part.X.astype(np.float32) / 255 for part in (train, test))
    return X_train, train.labels, X_test, test.labels, images.checksum


def small_parts(name: str, seed: int) -> Split:
    """A fold of a small set, and the rest of it; scikit-learn brings these sets, so that there is no checksum."""
    set_name, scale = name.split(", ")
    X, y = SMALL[set_name](return_X_y=True)
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=TIMES, random_state=0)
    rest, asked = list(folds.split(X, y))[seed]
    X_train, X_test = X[rest], X[asked]
    if scale == "standardised":
        scaler = StandardScaler().fit(X_train)
        X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    return X_train, y[rest], X_test, y[asked], None


def scores(name: str, seed: int, train: Any, y_train: Any, test: Any, y_test: Any) -> dict[str, float]:
    """AP of pairs of test rows, and 3-NN accuracy, by Euclidean distance."""
    n_pairs = n_test_pairs(name) if name in DATA else 50_000
    return pair_scores(test, y_test, n_pairs, seed) | {"3-NN": knn_accuracy(train, y_train, test, y_test)}
