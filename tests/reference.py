"""The definitions as explicit loops in plain Python and float64, to test the package against."""

import itertools
import math

import numpy as np


def angles(A) -> list[float]:
    """Non-obtuse angle of each pair i < j."""
    rows = [[float(x) for x in row] for row in A]
    out = []
    for u, v in itertools.combinations(rows, 2):
        dot = math.fsum(x * y for x, y in zip(u, v, strict=True))
        lengths = math.sqrt(math.fsum(x * x for x in u)) * math.sqrt(math.fsum(y * y for y in v))
        out.append(math.acos(min(1.0, abs(dot) / lengths)))
    return out


def score(A, gamma=1.0) -> float:
    theta = angles(A)
    if not theta:
        return 0.0
    mean = math.fsum(theta) / len(theta)
    return mean - gamma * math.fsum((t - mean) ** 2 for t in theta) / len(theta)


def volume(A) -> float:
    """log det by the squared lengths left over in Gram–Schmidt, no determinant routine."""
    basis: list[np.ndarray] = []
    total = 0.0
    for row in np.asarray(A, dtype=np.float64):
        rest = row / math.sqrt(math.fsum(row**2))
        for _ in range(2):
            for q in basis:
                rest = rest - (rest @ q) * q
        length = math.sqrt(math.fsum(rest**2))
        total += 2 * math.log(length)
        basis.append(rest / length)
    return total


def bound(A, gamma=1.0) -> float:
    if len(A) == 1:
        return 0.0
    s = math.asin(min(1.0, math.exp(volume(A) / 2)))
    return s - gamma * (math.pi / 2 - s) ** 2
