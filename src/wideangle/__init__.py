"""wideangle: latent variable models whose components spread out."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wideangle.functional import log_volume, mutual_angular_bound, mutual_angular_score, pairwise_angles
    from wideangle.models import BernoulliRBM, DistanceLearner, MLPClassifier, MLPRegressor, ReplicatedSoftmax
    from wideangle.optim import ObliqueAdam, ObliqueSGD, fit_components
    from wideangle.persistence import load
    from wideangle.regularizer import MutualAngularRegularizer

# Loaded on first use, so that `wideangle --help` answers without importing torch.
_HOME = {
    "BernoulliRBM": "wideangle.models",
    "DistanceLearner": "wideangle.models",
    "MLPClassifier": "wideangle.models",
    "MLPRegressor": "wideangle.models",
    "MutualAngularRegularizer": "wideangle.regularizer",
    "ObliqueAdam": "wideangle.optim",
    "ObliqueSGD": "wideangle.optim",
    "ReplicatedSoftmax": "wideangle.models",
    "fit_components": "wideangle.optim",
    "load": "wideangle.persistence",
    "log_volume": "wideangle.functional",
    "mutual_angular_bound": "wideangle.functional",
    "mutual_angular_score": "wideangle.functional",
    "pairwise_angles": "wideangle.functional",
}

__all__ = [
    "BernoulliRBM",
    "DistanceLearner",
    "MLPClassifier",
    "MLPRegressor",
    "MutualAngularRegularizer",
    "ObliqueAdam",
    "ObliqueSGD",
    "ReplicatedSoftmax",
    "__version__",
    "fit_components",
    "load",
    "log_volume",
    "mutual_angular_bound",
    "mutual_angular_score",
    "pairwise_angles",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wideangle' has no attribute {name!r}; it has {', '.join(sorted(_HOME))}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
