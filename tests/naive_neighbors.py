"""Nearest neighbours, precision and votes by explicit loops, which the fast search must equal."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

METRICS = ["euclidean", "cosine"]
every_metric = pytest.mark.parametrize("metric", METRICS)


def distance(x, y, metric):
    x, y = [float(v) for v in x], [float(v) for v in y]
    if metric == "euclidean":
        return math.fsum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    lengths = math.hypot(*x) * math.hypot(*y)
    return 1 - math.fsum(a * b for a, b in zip(x, y, strict=True)) / lengths if lengths else 1.0


def naive_weights(x, database, k, metric):
    """Each row's chance to be among the k nearest when ties are broken at random."""
    far = [distance(x, y, metric) for y in database]
    kth = sorted(far)[k - 1]
    tied = [math.isclose(d, kth, rel_tol=1e-10, abs_tol=1e-13) for d in far]
    closer = [d < kth and not t for d, t in zip(far, tied, strict=True)]
    share = Fraction(k - sum(closer), sum(tied))
    return [Fraction(1) if c else share if t else Fraction(0) for c, t in zip(closer, tied, strict=True)]


def naive_precision(queries, asked, database, stored, k, metric):
    return [
        float(sum(w for w, c in zip(naive_weights(x, database, k, metric), stored, strict=True) if c == label) / k)
        for x, label in zip(queries, asked, strict=True)
    ]


def naive_knn(train, stored, test, truth, k, metric):
    right = 0
    for x, label in zip(test, truth, strict=True):
        for places in range(k, 0, -1):
            votes: Counter[int] = Counter()
            for weight, c in zip(naive_weights(x, train, places, metric), stored, strict=True):
                votes[c] += weight
            leaders = sorted(c for c in votes if votes[c] == max(votes.values()))
            if len(leaders) == 1:
                break
        right += leaders[0] == label
    return right / len(truth)


def documents(seed, n_queries=40, n=150, D=12, classes=4, dtype=np.float32):
    """Probabilities in [0, 1] around one centre per class, as hidden units give them."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(classes, D))
    asked, stored = rng.integers(classes, size=n_queries), rng.integers(classes, size=n)

    def rows(labels):
        return (1 / (1 + np.exp(-(centres[labels] + rng.normal(size=(len(labels), D)))))).astype(dtype)

    return rows(asked), asked, rows(stored), stored
