"""scikit-learn's own checks, for every baseline of distances."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from small_metrics import SMALL


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(list(SMALL))
def test_scikit_learn_check(estimator, check):
    check(estimator)
