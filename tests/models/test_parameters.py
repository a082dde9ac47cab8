"""Checks of parameters that estimators of any kind can use."""

import pytest

from wideangle.models._parameters import check_parameters, term_of


class WithOneMetric:
    """An estimator of a user: its regulariser always measures angles of the weights."""

    def __init__(self, surrogate="volume", diversity=0.5, gamma=2.0):
        self.surrogate, self.diversity, self.gamma = surrogate, diversity, gamma


class WithMetric(WithOneMetric):
    def __init__(self, metric="covariance"):
        super().__init__()
        self.metric = metric


def test_a_surrogate_needs_no_metric():
    estimator = WithOneMetric()
    check_parameters(estimator, not_negative=("diversity", "gamma"), choices={})
    term = term_of(estimator)
    assert (term.weight, term.surrogate, term.gamma, term.metric) == (0.5, "volume", 2.0, "identity")


def test_a_metric_that_is_there_is_used_and_checked():
    assert term_of(WithMetric()).metric == "covariance"
    with pytest.raises(ValueError, match="'covarianz'"):
        check_parameters(WithMetric("covarianz"), choices={})


def test_a_wrong_surrogate_is_named():
    with pytest.raises(ValueError, match="got 'volum'"):
        check_parameters(WithOneMetric("volum"), choices={})
