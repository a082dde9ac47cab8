"""The finish of documents by loops and plain linear algebra, from the formula unit((z − m) G diag(g)^{b/2})."""

import math

import numpy as np


def unit(row):
    length = math.sqrt(sum(float(value) ** 2 for value in row))
    return np.array([value / length for value in row]) if length > 0 else np.zeros(len(row))


def softened(logits, centre, granularity):
    """Unit rows of (σ(t z) − σ(t c)) / t, where t goes from a quarter for details to 1 for groups."""
    t = (1 + 3 * granularity * granularity) / 4

    def of(value):
        return 1 / (1 + math.exp(-t * value))

    return np.array([unit([(of(z) - of(c)) / t for z, c in zip(row, centre, strict=True)]) for row in logits])


def half_moments(first, second):
    """The noise and the signal of pairs of halves, as sums of outer products."""
    n, K = first.shape
    noise, signal = np.zeros((K, K)), np.zeros((K, K))
    means = first.mean(axis=0), second.mean(axis=0)
    for one, other in zip(first, second, strict=True):
        noise += np.outer(one - other, one - other) / (2 * n)
        a, b = one - means[0], other - means[1]
        signal += (np.outer(a, b) + np.outer(b, a)) / (2 * n)
    return noise, signal


def projection(noise, signal, shrinkage, documents, granularity):
    """G diag(g)^{b/2}, where S_b v = g M v and GᵀMG = I; by Cholesky's factor of the shrunk noise M."""
    K = len(noise)
    believed = 1 / (1 + 10 * K / documents)
    share = max(0.1, shrinkage, 1 - believed)
    M = (1 - share) * noise + share * np.trace(noise) / K * np.eye(K)
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    values, vectors = np.linalg.eigh(inverse @ signal @ inverse.T)
    G = inverse.T @ vectors
    np.testing.assert_allclose(G.T @ M @ G, np.eye(K), atol=1e-8)
    b = granularity**2 * believed
    return G * np.maximum(values / values.max(), 1e-12) ** (b / 2)


def pairwise(rows):
    """Euclidean distances of all pairs."""
    return np.array([[math.dist(one, other) for other in rows] for one in rows])


def precision(rows, labels, k):
    """The share of a row's k nearest others that have its label, as a mean over rows."""
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return float((labels[nearest] == labels[:, None]).mean())
