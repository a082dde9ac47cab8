"""Each row queries all others, against a plain loop."""

import numpy as np
import pytest

from wideangle.evaluation import precision_among


def naive(vectors, labels, k):
    """Ties at the k-th place share what is left of the places."""
    each = []
    for i, row in enumerate(vectors):
        others = [j for j in range(len(vectors)) if j != i]
        distance = np.array([np.sum((vectors[j] - row) ** 2) for j in others])
        alike = np.array([labels[j] == labels[i] for j in others])
        limit = np.sort(distance)[k - 1]
        sure, tied = distance < limit, distance == limit
        each.append((alike[sure].sum() + alike[tied].mean() * (k - sure.sum())) / k)
    return np.array(each)


@pytest.mark.parametrize("values", [1, 2, 3, 1000])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_as_a_loop_over_rows_with_ties_and_crowds_of_equals(values, k):
    generator = np.random.default_rng(k)
    vectors = generator.integers(values, size=(30, 2)).astype(float)
    labels = generator.integers(3, size=30)
    expected = naive(vectors, labels, k)
    assert np.allclose(precision_among(vectors, labels, k), expected)
    asking = generator.permutation(30)[:7]
    assert np.allclose(precision_among(vectors, labels, k, asking=asking), expected[asking])


def test_more_neighbours_than_others_are_refused():
    with pytest.raises(ValueError, match="k"):
        precision_among(np.eye(3), [0, 0, 1], 3)
