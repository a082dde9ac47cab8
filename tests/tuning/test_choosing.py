"""What wins, and the rule by which it is taken."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler
from tuning_cases import COUNTS, NOISE, TOPICS, trial

from wideangle.models import MLPClassifier, ReplicatedSoftmax
from wideangle.tuning import cross_validate
from wideangle.tuning.choosing import choose, within_noise


@pytest.mark.slow
def test_the_planted_number_of_topics_beats_one():
    model = ReplicatedSoftmax(max_updates=500, learning_rate=0.01)
    tuning = cross_validate(model, COUNTS, TOPICS, diversity=[0.3], n_components=[1, 8])
    assert tuning.best.n_components == 8
    assert "K = 8" in tuning.reason


def test_an_absurd_weight_loses():
    X, y = load_iris(return_X_y=True)
    model = MLPClassifier(8, max_updates=150, learning_rate=0.01, activation="sigmoid")
    tuning = cross_validate(model, StandardScaler().fit_transform(X), y, diversity=[0, 1e6])
    assert tuning.best.diversity == 0
    assert "No λ is better than 0 beyond noise" in tuning.reason


def test_a_gain_beyond_noise_is_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.55 + NOISE, 0.3), trial(0.6 + NOISE / 2, 1.0)
    taken, reason = choose([plain, own, best], "P@10", 0.3)
    assert taken is best
    assert reason.startswith("λ = 1 is better than λ = 0 beyond noise: P@10 0.6000 ± 0.0029, +0.1000 ± 0.0029")
    assert "it is the largest tried" in reason
    assert "largest" not in choose([plain, best, trial(0.5 + NOISE, 2.0)], "P@10", 0.3)[1]


def test_within_noise_the_estimators_own_weight_is_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.5 + NOISE[::-1], 0.3), trial(0.501 + NOISE[[1, 0, 2]], 1.0)
    taken, reason = choose([plain, own, best], "P@10", 0.3)
    assert taken is own
    assert "No λ is better than 0 beyond noise" in reason
    assert "took the estimator's own λ = 0.3, −0.0010 ±" in reason


def test_within_noise_a_worse_own_weight_is_not_taken():
    plain, own, best = trial(0.5 + NOISE), trial(0.4 + NOISE, 0.3), trial(0.501 + NOISE[::-1], 0.1)
    assert choose([plain, own, best], "P@10", 0.3)[0] is best
    assert choose([plain, own], "P@10", 0.3)[0] is plain
    assert "took the best mean, λ = 0.1" in choose([plain, own, best], "P@10", 0.3)[1]


def test_noise_is_that_of_paired_differences():
    # Folds differ by far more than the settings do, and each fold says the same of them.
    levels = np.array([0.2, 0.5, 0.8])
    plain, best = trial(levels), trial(levels + np.array([0.010, 0.011, 0.012]), 1.0)
    assert plain.error > 10 * (best.mean - plain.mean)
    assert not within_noise(plain, best)
    assert choose([plain, best], "P@10", 1.0)[0] is best


def test_a_smaller_number_of_components_within_noise_is_named():
    trials = [trial(0.5 + NOISE, 0.3, 5), trial(0.501 + NOISE[::-1], 0.3, 50), trial(0.1 + NOISE, 0.3, 2)]
    taken, reason = choose(trials, "P@10", 0.3)
    assert taken.n_components == 50
    assert "K = 5 with λ = 0.3 is no worse beyond noise" in reason
    assert "K = 2" not in reason


def test_without_zero_the_reason_says_so():
    assert "λ = 0 was not tried" in choose([trial(NOISE, 0.1), trial(NOISE, 0.3)], "P@10", 0.3)[1]
    assert choose([trial(NOISE, 0.1)], "P@10", 0.3)[1].startswith("Only λ = 0.1 was tried")


@pytest.mark.parametrize(("behind", "expected"), [(0.99, True), (1.01, False)])
def test_noise_is_one_standard_error(behind, expected):
    """Of differences 0.01, 0 and −0.01 about their mean the standard error is 0.01/√3."""
    level = behind * 0.01 / 3**0.5
    plain, own, best = trial([0.5] * 3), trial([0.5] * 3, 0.3), trial(0.5 + level + NOISE, 1.0)
    assert within_noise(plain, best) is expected
    assert choose([plain, own, best], "P@10", 0.3)[0] is (own if expected else best)
