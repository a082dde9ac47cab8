"""Slice sampling, against densities whose distribution is known."""

import numpy as np
import pytest
from scipy import stats

from wideangle.baselines.documents._slice import slice_positive, slice_sample

SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])


def chain(step, x, n=4000):
    drawn = []
    for _ in range(n):
        x = step(x)
        drawn.append(x)
    return np.array(drawn)


def assert_distributed(drawn, expected):
    """The share of draws below some quantiles. Even of 1000 independent draws it has a standard error below 0.016."""
    found = [(drawn < quantile).mean() for quantile in expected.ppf(SHARES)]
    np.testing.assert_allclose(found, SHARES, atol=0.05)


@pytest.mark.parametrize(("shape", "prior_mean"), [(1.5, 10.0), (3.0, 1.0), (40.0, 10.0)])
def test_a_positive_number_has_the_density_of_the_number_and_not_of_its_logarithm(shape, prior_mean):
    """x^(shape − 1) e^(−x) under an exponential prior is a gamma density. In log x, the shape would be less by 1."""
    rng = np.random.default_rng(0)
    expected = stats.gamma(shape, scale=1 / (1 + 1 / prior_mean))
    drawn = chain(lambda x: slice_positive(lambda v: (shape - 1) * np.log(v) - v, x, prior_mean, rng), 5.0)
    assert_distributed(drawn, expected)
    assert drawn.mean() == pytest.approx(expected.mean(), abs=0.2 * expected.std())


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (2.0, 5.0), (0.7, 0.7)])
def test_a_number_of_an_interval(a, b):
    """A beta distribution, stretched to [−2, 6]. The last of them is high at both ends."""
    rng = np.random.default_rng(1)

    def log_density(x):
        return (a - 1) * np.log(x + 2) + (b - 1) * np.log(6 - x)

    drawn = chain(lambda x: slice_sample(log_density, x, -2.0, 6.0, rng), 0.0)
    assert_distributed(drawn, stats.beta(a, b, loc=-2, scale=8))
