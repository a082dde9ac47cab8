"""scikit-learn's own checks, for every baseline of distances."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from small_metrics import SMALL

QUICK = 2  # so many of them are checked by the quick tests


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(list(SMALL[:QUICK]))
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(list(SMALL[QUICK:]))
def test_scikit_learn_check_of_the_others(estimator, check):
    check(estimator)
