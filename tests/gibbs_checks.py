"""What tests of Gibbs samplers share: errors of averages of a chain, and LDA by enumeration."""

from itertools import product

import numpy as np

FAR = 4.5  # standard errors; the errors are themselves estimated from 40 batches, and there are up to 200 statistics


def standard_error(series, n_batches=40):
    """The standard error of a chain's mean, by means of batches."""
    series = np.asarray(series, dtype=float)
    batches = series[: len(series) // n_batches * n_batches].reshape(n_batches, -1, *series.shape[1:])
    return batches.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(n_batches)


def assert_means_agree(series, exact, names):
    """The mean of each column of a chain is the exact one, up to its own standard error."""
    z = (np.mean(series, axis=0) - exact) / (standard_error(series) + 1e-4)
    assert np.abs(z).max() < FAR, dict(zip(names, np.round(z, 1), strict=True))


def assert_chains_agree(one, other, names):
    """The means of two simulators agree: the first draws independently, the second is a chain."""
    error = np.hypot(np.std(one, axis=0) / np.sqrt(len(one)), standard_error(other))
    z = (np.mean(one, axis=0) - np.mean(other, axis=0)) / (error + 1e-4)
    assert np.abs(z).max() < FAR, dict(zip(names, np.round(z, 1), strict=True))


def urn(choices, weights, prior, rng):
    """Draw one of `choices` with the weight count + prior, and count it."""
    p = np.array([weights[choice] + prior for choice in choices], dtype=float)
    drawn = choices[rng.choice(len(choices), p=p / p.sum())]
    weights[drawn] += 1
    return drawn


def lda_cells(counts, K, alpha, beta):
    """E[tokens of topic 0 in each cell], and E of all their products, under the exact posterior of LDA."""
    D, V = counts.shape
    tokens = [(d, w) for d in range(D) for w in range(V) for _ in range(counts[d, w])]
    cells = sorted(set(tokens))
    total, mean = 0.0, 0.0
    for z in product(range(K), repeat=len(tokens)):
        n_dk, n_kw = np.zeros((D, K)), np.zeros((K, V))
        p = 1.0
        for (d, w), k in zip(tokens, z, strict=True):
            p *= (n_dk[d, k] + alpha) / (n_dk[d].sum() + K * alpha)
            p *= (n_kw[k, w] + beta) / (n_kw[k].sum() + V * beta)
            n_dk[d, k] += 1
            n_kw[k, w] += 1
        in_first = np.array([sum(t == cell and k == 0 for t, k in zip(tokens, z, strict=True)) for cell in cells])
        mean = mean + p * with_products(in_first)
        total += p
    return mean / total


def with_products(values):
    values = np.asarray(values, dtype=float)
    upper = np.triu_indices(len(values), 1)
    return np.concatenate([values, np.outer(values, values)[upper]])


def matched_cosines(found, true):
    """The cosine of each true topic and the topic that an assignment gives it."""
    from scipy.optimize import linear_sum_assignment

    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (true, found)]
    cosines = unit[0] @ unit[1].T
    rows, columns = linear_sum_assignment(-cosines)
    return cosines[rows, columns]
