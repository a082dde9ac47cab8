"""wideangle: latent variable models whose components spread out."""

from typing import TYPE_CHECKING

from wideangle._forking import expect_forks
from wideangle._lazy import lazy_names
from wideangle._version import __version__ as __version__
from wideangle.catalogue import homes_in

if TYPE_CHECKING:  # Type checkers cannot read the catalogue. A test compares the two lists.
    from wideangle.functional import log_volume as log_volume
    from wideangle.functional import mutual_angular_bound as mutual_angular_bound
    from wideangle.functional import mutual_angular_score as mutual_angular_score
    from wideangle.functional import pairwise_angles as pairwise_angles
    from wideangle.models import BernoulliRBM as BernoulliRBM
    from wideangle.models import DictionaryLearner as DictionaryLearner
    from wideangle.models import DistanceLearner as DistanceLearner
    from wideangle.models import GaussianRBM as GaussianRBM
    from wideangle.models import MLPClassifier as MLPClassifier
    from wideangle.models import MLPRegressor as MLPRegressor
    from wideangle.models import ReplicatedSoftmax as ReplicatedSoftmax
    from wideangle.models import VectorSpace as VectorSpace
    from wideangle.optim import ObliqueAdam as ObliqueAdam
    from wideangle.optim import ObliqueSGD as ObliqueSGD
    from wideangle.optim import fit_components as fit_components
    from wideangle.persistence import load as load
    from wideangle.regularizer import MutualAngularRegularizer as MutualAngularRegularizer

# Names are loaded on first use, so that `wideangle --help` answers without importing torch.
_HOME = {
    "MutualAngularRegularizer": "wideangle.regularizer",
    "ObliqueAdam": "wideangle.optim",
    "ObliqueSGD": "wideangle.optim",
    "fit_components": "wideangle.optim",
    "load": "wideangle.persistence",
    "log_volume": "wideangle.functional",
    "mutual_angular_bound": "wideangle.functional",
    "mutual_angular_score": "wideangle.functional",
    "pairwise_angles": "wideangle.functional",
    **homes_in("wideangle.models"),
}

__all__ = sorted([*_HOME, "__version__"])

expect_forks()
__getattr__ = lazy_names(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
