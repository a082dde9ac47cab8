"""Estimators with scikit-learn's interface. Each is imported on first use, from the module that the catalogue names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wideangle.catalogue import homes_in

if TYPE_CHECKING:  # Type checkers cannot read the catalogue. A test compares the two lists.
    from wideangle.models.dictionary import DictionaryLearner as DictionaryLearner
    from wideangle.models.distance import DistanceLearner as DistanceLearner
    from wideangle.models.gaussian_rbm import GaussianRBM as GaussianRBM
    from wideangle.models.mlp_classifier import MLPClassifier as MLPClassifier
    from wideangle.models.mlp_regressor import MLPRegressor as MLPRegressor
    from wideangle.models.rbm import BernoulliRBM as BernoulliRBM
    from wideangle.models.replicated_softmax import ReplicatedSoftmax as ReplicatedSoftmax
    from wideangle.models.vector_space import VectorSpace as VectorSpace

_HOME = homes_in("wideangle.models")

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wideangle.models' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
