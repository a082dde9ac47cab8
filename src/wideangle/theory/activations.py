"""What the bounds need to know of an activation function: its Lipschitz constant and its value at 0."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Activation:
    """An activation function h as the bounds see it."""

    name: str
    lipschitz: float
    """L, with |h(s) − h(t)| ≤ L |s − t|"""
    at_zero: float
    """h(0)"""
    function: Callable[[Array], Array] = field(repr=False, compare=False)


def _relu(t: Array) -> Array:
    return np.maximum(t, 0)


def _identity(t: Array) -> Array:
    return t


_SIGMOID = Activation("sigmoid", 0.25, 0.5, expit)
# Section 5.1 gives L for the first three; scikit-learn calls the sigmoid "logistic".
ACTIVATIONS = {
    "relu": Activation("relu", 1.0, 0.0, _relu),
    "tanh": Activation("tanh", 1.0, 0.0, np.tanh),
    "sigmoid": _SIGMOID,
    "logistic": _SIGMOID,
    "identity": Activation("identity", 1.0, 0.0, _identity),
}


def checked_activation(activation: str | Activation) -> Activation:
    """The activation of that name; an error where there is none."""
    if isinstance(activation, Activation):
        return activation
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise ValueError(
            f"activation must be one of {', '.join(map(repr, ACTIVATIONS))}, or an Activation with its Lipschitz "
            f"constant and its value at 0; got {activation!r}."
        )
    return ACTIVATIONS[activation]
