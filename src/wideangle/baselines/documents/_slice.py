"""Slice sampling of hyperparameters, one at a time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

SMALLEST, LARGEST = 1e-6, 1e6  # Positive hyperparameters lie between these.
MOST_SHRINKS = 200  # Halving an interval so often leaves one number.


def slice_sample(
    log_density: Callable[[float], float], x: float, lower: float, upper: float, rng: np.random.Generator
) -> float:
    """Draw from a density on an interval, given the present value (R. Neal, Slice sampling, 2003).

    The first slice is the whole interval, and it shrinks towards x where a draw is rejected. No width is to be chosen.
    """
    level = log_density(x) - rng.exponential()
    for _ in range(MOST_SHRINKS):
        drawn = float(rng.uniform(lower, upper))
        if log_density(drawn) >= level:
            return drawn
        if drawn < x:
            lower = drawn
        else:
            upper = drawn
    return x


def slice_positive(
    log_likelihood: Callable[[float], float], x: float, prior_mean: float, rng: np.random.Generator
) -> float:
    """The same for a positive number with an exponential prior. The interval is one of logarithms."""

    def log_density(log_x: float) -> float:
        value = float(np.exp(log_x))
        return log_likelihood(value) - value / prior_mean + log_x  # + log x: the density is that of the logarithm.

    drawn = slice_sample(log_density, float(np.log(x)), float(np.log(SMALLEST)), float(np.log(LARGEST)), rng)
    return float(np.exp(drawn))


def dirichlet_log_likelihood(
    prior: float, allowed: NDArray[np.int64], totals: NDArray[np.int64], histogram: NDArray[np.int64]
) -> float:
    """Log-probability of draws from categorical distributions with Dirichlet priors, which are integrated out.

    Row r has `totals[r]` draws from `allowed[r]` categories, each with the weight `prior` in the Dirichlet; rows
    without draws are left out by the caller. `histogram[n]` is the number of (row, category) with n draws; n = 0 does
    not matter.
    """
    n = np.flatnonzero(histogram[1:]) + 1
    mass = prior * allowed
    rows = gammaln(mass) - gammaln(mass + totals)
    return float(rows.sum() + (histogram[n] * (gammaln(n + prior) - gammaln(prior))).sum())
