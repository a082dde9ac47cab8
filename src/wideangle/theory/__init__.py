"""The generalisation bounds of the paper, as functions."""

from wideangle.theory.activations import ACTIVATIONS, Activation
from wideangle.theory.angle import angle_lower_bound, effective_angle, largest_angle
from wideangle.theory.approximation import (
    ConditionError,
    TradeOff,
    approximation_error_bound,
    barron_constant,
    barron_slope,
    trade_off,
    widest_theta,
)
from wideangle.theory.estimation import (
    HiddenLayer,
    deep_estimation_error_bound,
    deep_rademacher_bound,
    deep_squared_output_bound,
    deviation_bound,
    estimation_error_bound,
    rademacher_bound,
    squared_output_bound,
)
from wideangle.theory.losses import (
    LossConstants,
    LossName,
    cross_entropy_largest,
    cross_entropy_lipschitz,
    loss_constants,
)
from wideangle.theory.measure import Bounds, LayerMeasure, bounds_for

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "Bounds",
    "ConditionError",
    "HiddenLayer",
    "LayerMeasure",
    "LossConstants",
    "LossName",
    "TradeOff",
    "angle_lower_bound",
    "approximation_error_bound",
    "barron_constant",
    "barron_slope",
    "bounds_for",
    "cross_entropy_largest",
    "cross_entropy_lipschitz",
    "deep_estimation_error_bound",
    "deep_rademacher_bound",
    "deep_squared_output_bound",
    "deviation_bound",
    "effective_angle",
    "estimation_error_bound",
    "largest_angle",
    "loss_constants",
    "rademacher_bound",
    "squared_output_bound",
    "trade_off",
    "widest_theta",
]
