"""Average precision of pairs against explicit loops and scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from wideangle.evaluation import pair_average_precision


def naive_average_precision(distances, similar):
    """Σ over distinct distances of precision there times the recall gained."""
    total, positives = 0.0, sum(similar)
    gained = 0
    for threshold in sorted(set(distances)):
        taken = [s for d, s in zip(distances, similar, strict=True) if d <= threshold]
        total += (sum(taken) - gained) / positives * sum(taken) / len(taken)
        gained = sum(taken)
    return total


@pytest.mark.parametrize("seed", range(5))
def test_pair_average_precision(seed):
    rng = np.random.default_rng(seed)
    similar = rng.integers(2, size=60)
    distances = (rng.random(60) + 0.3 * (1 - similar)).round(1 + seed % 2)  # with ties
    found = pair_average_precision(distances, similar)
    assert found == pytest.approx(naive_average_precision(distances.tolist(), similar.tolist()))
    assert found == pytest.approx(average_precision_score(similar, -distances))
    assert pair_average_precision(7 * distances**3, similar == 1) == pytest.approx(found)


def test_small_distance_means_similar():
    assert pair_average_precision([0, 1, 2, 3], [1, 1, 0, 0]) == 1
    assert pair_average_precision([0, 1, 2, np.inf], [0, 0, 1, 1]) == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert pair_average_precision([5, 5, 5, 5], [0, 0, 0, 1]) == 0.25


@pytest.mark.parametrize(
    ("distances", "similar", "message"),
    [
        ([1, 2], [0, 0], "all 2 are of one kind"),
        ([1, 2], [1, 1], "all 2 are of one kind"),
        ([1, 2], [0, 2], "0 or 1"),
        ([1, np.nan], [0, 1], "distances must not be NaN; 1 of 2"),
        ([1, 2, 3], [0, 1], "similar must have 3 entries.*got 2"),
        ([], [], "at least one entry"),
    ],
)
def test_bad_pairs(distances, similar, message):
    with pytest.raises(ValueError, match=message):
        pair_average_precision(distances, similar)
