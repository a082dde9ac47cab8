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


def cosines(A) -> list[list[float]]:
    """The cosine of each pair of rows."""
    rows = [[float(x) for x in row] for row in A]
    lengths = [math.sqrt(math.fsum(x * x for x in row)) for row in rows]
    return [
        [math.fsum(x * y for x, y in zip(u, v, strict=True)) / (a * b) for v, b in zip(rows, lengths, strict=True)]
        for u, a in zip(rows, lengths, strict=True)
    ]


def pair_cosines(A) -> list[float]:
    return [c for i, row in enumerate(cosines(A)) for c in row[i + 1 :]]


def _mean(values) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def nearest(A) -> float:
    """The mean angle of a row to the one that is nearest to it."""
    if len(A) == 1:
        return 0.0
    table = cosines(A)
    found = [max(abs(c) for j, c in enumerate(row) if j != i) for i, row in enumerate(table)]
    return _mean([math.acos(min(1.0, c)) for c in found])


def energy(A, power) -> float:
    """Less the mean energy of both distances of a pair, each softened."""
    total = []
    for u, v in itertools.combinations([np.asarray(row, dtype=np.float64) for row in A], 2):
        u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
        for difference in (u - v, u + v):
            distance = math.sqrt(math.fsum(difference**2) + 1e-3)
            total.append(-math.log(distance) if power == 0 else distance**-power)
    return -_mean(total)


def orthogonal(A) -> float:
    return -_mean([c * c for c in pair_cosines(A)])


def coherence(A) -> float:
    return -max((abs(c) for c in pair_cosines(A)), default=0.0)


def spectral(A) -> float:
    """Less the largest stretch or shrinkage of a length by the unit rows, by their singular values."""
    W = np.array([np.asarray(row, dtype=np.float64) / np.linalg.norm(np.asarray(row, dtype=np.float64)) for row in A])
    squares = np.zeros(len(W))
    found = np.linalg.svd(W, compute_uv=False) ** 2
    squares[: len(found)] = found
    return -float(np.abs(squares - 1).max())


def evenness(A) -> float:
    W = np.array([np.asarray(row, dtype=np.float64) / np.linalg.norm(np.asarray(row, dtype=np.float64)) for row in A])
    shares = np.linalg.svd(W, compute_uv=False) ** 2 / len(W)
    return -math.fsum(p * math.log(p) for p in shares if p > 1e-15) - math.log(len(W))


def determinantal(A) -> float:
    """The volume of the rows' tensor squares, whose cosines are the squared ones."""
    return volume([np.outer(row, row).ravel() for row in np.asarray(A, dtype=np.float64)])


def incoherence(A) -> float:
    """The volume of rows that have a dimension of their own each, as long as they are: det ½(I + G)."""
    A = np.asarray(A, dtype=np.float64)
    return volume(np.hstack([A, np.diag(np.linalg.norm(A, axis=1))]))


# The definition of each regulariser, by its name in wideangle.functional.REGULARIZERS.
BY_NAME = {
    "angle": score,
    "bound": bound,
    "volume": volume,
    "min-angle": nearest,
    "energy-0": lambda A: energy(A, 0),
    "energy-1": lambda A: energy(A, 1),
    "energy-2": lambda A: energy(A, 2),
    "orthogonal": orthogonal,
    "coherence": coherence,
    "spectral": spectral,
    "evenness": evenness,
    "determinantal": determinantal,
    "incoherence": incoherence,
}
