"""Estimators with scikit-learn's interface."""

from wideangle.models.distance import DistanceLearner
from wideangle.models.mlp import MLPClassifier, MLPRegressor
from wideangle.models.rbm import BernoulliRBM
from wideangle.models.replicated_softmax import ReplicatedSoftmax

__all__ = ["BernoulliRBM", "DistanceLearner", "MLPClassifier", "MLPRegressor", "ReplicatedSoftmax"]
