"""Pure functions of torch tensors: no state, no scikit-learn, randomness passed in."""

from wideangle.functional.angles import mutual_angular_score, pair_angles, pairwise_angles
from wideangle.functional.metrics import ColumnScales, Covariance, LinearMap, Metric
from wideangle.functional.regularizers import REGULARIZERS, diversity_of, value_and_gradient
from wideangle.functional.sphere import part_duplicates, random_directions, retract, row_lengths, tangent
from wideangle.functional.surrogate import log_volume, mutual_angular_bound

__all__ = [
    "REGULARIZERS",
    "ColumnScales",
    "Covariance",
    "LinearMap",
    "Metric",
    "diversity_of",
    "log_volume",
    "mutual_angular_bound",
    "mutual_angular_score",
    "pair_angles",
    "pairwise_angles",
    "part_duplicates",
    "random_directions",
    "retract",
    "row_lengths",
    "tangent",
    "value_and_gradient",
]
