"""scikit-learn's own checks, for every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from wideangle.models import (
    BernoulliRBM,
    DictionaryLearner,
    DistanceLearner,
    GaussianRBM,
    MLPClassifier,
    MLPRegressor,
    ReplicatedSoftmax,
)

# scikit-learn's checks feed values beyond 0 and 1, and fractions.
ONE_OF_EACH_KIND = [
    ReplicatedSoftmax(5, max_updates=30, allow_fractions=True, device="cpu"),
    MLPClassifier(20, max_updates=30, learning_rate=5e-2, device="cpu"),
    DistanceLearner(max_updates=30, n_similar=500, n_dissimilar=500, device="cpu"),
]
OTHERS = [
    BernoulliRBM(5, max_updates=30, binarize=0.5, device="cpu"),
    BernoulliRBM(5, max_updates=30, binarize=0.5, device="cpu", algorithm="alternating", persistent=True),
    GaussianRBM(5, max_updates=30, device="cpu"),
    GaussianRBM(5, max_updates=30, device="cpu", init="svd", algorithm="alternating", persistent=True),
    ReplicatedSoftmax(5, max_updates=30, allow_fractions=True, device="cpu", algorithm="alternating"),
    ReplicatedSoftmax(5, max_updates=30, allow_fractions=True, device="cpu", finish="spectrum", granularity=0.0),
    ReplicatedSoftmax(5, max_updates=30, allow_fractions=True, device="cpu", finish=None),
    MLPClassifier(
        (10, 5),
        loss="hinge",
        max_updates=30,
        learning_rate=5e-2,
        class_weight="balanced",
        monitor="score",
        device="cpu",
    ),
    DictionaryLearner(5, max_updates=30, device="cpu"),
    DictionaryLearner(20, max_updates=30, positive_code=True, metric="covariance", device="cpu"),
    MLPRegressor(20, max_updates=30, learning_rate=5e-2, device="cpu"),
    DistanceLearner(5, init="random", near_similar=0, near_dissimilar=0, max_updates=30, device="cpu"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ONE_OF_EACH_KIND)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(OTHERS)
def test_scikit_learn_check_of_the_others(estimator, check):
    check(estimator)
