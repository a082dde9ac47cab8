"""Estimators with scikit-learn's interface."""

from wideangle.models.distance import DistanceLearner
from wideangle.models.rbm import BernoulliRBM
from wideangle.models.replicated_softmax import ReplicatedSoftmax

__all__ = ["BernoulliRBM", "DistanceLearner", "ReplicatedSoftmax"]
