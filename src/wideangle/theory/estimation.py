"""Estimation error: how far the training loss can mislead (Theorems 5 and 6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideangle._arguments import a, checked, flag, real, whole
from wideangle.theory._checks import (
    FloatOrArray,
    check_not_negative,
    check_sizes,
    checked_angle,
    numbers_of,
)
from wideangle.theory.activations import Activation, checked_activation
from wideangle.theory.losses import LossConstants, LossName, loss_constants


@dataclass(frozen=True)
class HiddenLayer:
    """One hidden layer of a deep network, as Theorem 6 sees it."""

    m: int
    """units"""
    C3: float
    """bound of the length of a unit's weights"""
    theta: FloatOrArray
    """angle of the units, in radians"""


def squared_output_bound(
    theta: Any, *, m: int, C1: float, C3: float, C4: float, activation: str | Activation = "sigmoid"
) -> Any:
    """𝒥 of Theorem 5: |f(x)| ≤ √𝒥 for f(x) = Σ_j α_j h(w_j·x) (Lemma 9). Falls as θ grows.

    Parameters
    ----------
    theta : float or array
        Angle of the units in radians: the smallest of all pairs, or their `effective_angle`.
    m : int
        Hidden units.
    C1, C3, C4 : float
        Bounds of ‖x‖, of ‖w_j‖ for each unit, and of ‖α‖.
    activation : str or Activation, default="sigmoid"
        h: "sigmoid", "tanh", "relu" or "identity".

    Notes
    -----
    √𝒥 = C₄ (√m |h(0)| + L C₁ C₃ √((m − 1) cos θ + 1)). For the rectifier and equiangular units it is attained. For
    tanh and the sigmoid |f| ≤ C₄ √m is smaller wherever C₁C₃ is large, and does not depend on the angle.

    Examples
    --------
    >>> import math
    >>> from wideangle.theory import squared_output_bound
    >>> round(math.sqrt(squared_output_bound(math.pi / 2, m=9, C1=2.0, C3=1.0, C4=1.0, activation="relu")), 6)
    2.0
    """
    h = checked_activation(activation)
    check_sizes(m=m)
    check_not_negative(C1=C1, C3=C3, C4=C4)
    L, h0 = h.lipschitz, abs(h.at_zero)
    spread = _spread(m, theta)
    return (
        m * C4**2 * h0**2
        + L**2 * C1**2 * C3**2 * C4**2 * spread
        + 2 * math.sqrt(m) * C1 * C3 * C4**2 * L * h0 * np.sqrt(spread)
    )[()]


def rademacher_bound(
    *, m: int, n: int, C1: float, C3: float, C4: float, activation: str | Activation = "sigmoid"
) -> float:
    """(2 L C₁C₃C₄ + C₄|h(0)|) √m/√n ≥ R_n(F), the Rademacher complexity of one output (Lemma 8).

    It does not depend on θ: in Theorem 5 the angle enters through 𝒥 alone.
    """
    h = checked_activation(activation)
    check_sizes(m=m, n=n)
    check_not_negative(C1=C1, C3=C3, C4=C4)
    return (2 * h.lipschitz * C1 * C3 * C4 + C4 * abs(h.at_zero)) * math.sqrt(m) / math.sqrt(n)


def estimation_error_bound(
    theta: Any,
    *,
    m: int,
    n: int,
    C1: float,
    C3: float,
    C4: float,
    C2: float | None = None,
    loss: LossName = "squared",
    outputs: int = 1,
    activation: str | Activation = "sigmoid",
    delta: float = 0.05,
) -> Any:
    """Bound of L(f̂) − L(f*), with probability 1 − δ, for one hidden layer (Theorem 5, Lemmas 12 to 14).

    Parameters
    ----------
    theta : float or array
        Angle of the units, in radians.
    m, n : int
        Hidden units; training samples.
    C1, C3, C4 : float
        Bounds of ‖x‖, ‖w_j‖ and ‖α‖ (of each output's weights, where there are several).
    C2 : float or None, default=None
        Bound of |y|, for the squared loss.
    loss : {"squared", "logistic", "hinge", "cross_entropy"}, default="squared"
        See `loss_constants`.
    outputs : int, default=1
        Outputs, or classes for "cross_entropy".
    activation : str or Activation, default="sigmoid"
        h.
    delta : float, default=0.05
        δ, the probability that the bound fails.

    Notes
    -----
    The paper's probability is (1 − δ)τ, τ being that of all angles being at least θ. For the class of networks of
    an `effective_angle` of at least θ it is 1 − δ.

    Half of this bounds L(f) − L̂(f), the gap of test and training loss, for every network of the class at once.

    Examples
    --------
    >>> from wideangle.theory import estimation_error_bound
    >>> wide, narrow = (estimation_error_bound(t, m=20, n=10000, C1=1, C2=1, C3=1, C4=1) for t in (1.5, 0.1))
    >>> bool(wide < narrow)
    True
    """
    reach = np.sqrt(squared_output_bound(theta, m=m, C1=C1, C3=C3, C4=C4, activation=activation))
    complexity = rademacher_bound(m=m, n=n, C1=C1, C3=C3, C4=C4, activation=activation)
    return deviation_bound(loss_constants(loss, reach, C2=C2, outputs=outputs), complexity, n=n, delta=delta)


@checked(biases=flag)
def deep_squared_output_bound(
    layers: Sequence[HiddenLayer],
    *,
    C1: float,
    C4: float,
    activation: str | Activation = "sigmoid",
    biases: bool = False,
) -> Any:
    """𝒥^P of Theorem 6: |f(x)| ≤ √𝒥^P for P hidden layers (Lemma 11). Falls as any layer's θ grows.

    Parameters
    ----------
    layers : sequence of HiddenLayer
        The hidden layers in order, starting at the input. C₃^P, the bound of the output's weights, is `C4`, as in
        Theorem 5.
    C1, C4 : float
        Bounds of ‖x‖ and of the output's weights.
    activation : str or Activation, default="sigmoid"
        h, the same in all layers.
    biases : bool, default=False
        Whether units beyond the first hidden layer, and the output, have biases. The paper has none. A bias is
        then a weight on a constant unit of value 1 beside each hidden layer, and counts in C₃, C₄ and θ. For the
        first layer append the constant to x, and count it in C₁.

    Examples
    --------
    >>> import math
    >>> from wideangle.theory import HiddenLayer, deep_squared_output_bound
    >>> layers = [HiddenLayer(9, 1.0, math.pi / 2), HiddenLayer(4, 3.0, math.pi / 2)]
    >>> round(math.sqrt(deep_squared_output_bound(layers, C1=2.0, C4=1.0, activation="relu")), 6)
    6.0
    """
    h = checked_activation(activation)
    _check_layers(layers)
    check_not_negative(C1=C1, C4=C4)
    L, h0 = h.lipschitz, abs(h.at_zero)
    norms = [layer.C3 for layer in layers[1:]] + [C4]
    J: Any = np.asarray(C1**2 * layers[0].C3 ** 2)  # 𝒥⁰
    for layer, next_C3 in zip(layers, norms, strict=True):
        spread = _spread(layer.m, layer.theta)
        hidden = layer.m * h0**2 + L**2 * spread * J + 2 * math.sqrt(layer.m) * L * h0 * np.sqrt(spread * J)
        J = next_C3**2 * (hidden + biases)  # Theorem 6; the constant unit adds 1 to ‖h^p‖²
    return J[()]


@checked(biases=flag)
def deep_rademacher_bound(
    layers: Sequence[HiddenLayer],
    *,
    n: int,
    C1: float,
    C4: float,
    activation: str | Activation = "sigmoid",
    biases: bool = False,
) -> float:
    """Bound of R_n(F^P), the Rademacher complexity of one output of P hidden layers (Lemma 10).

    The parameters are those of `deep_squared_output_bound`, and n, the training samples.
    """
    h = checked_activation(activation)
    _check_layers(layers)
    check_sizes(n=n)
    check_not_negative(C1=C1, C4=C4)
    norms = [layer.C3 for layer in layers[1:]] + [C4]
    complexity = C1 * layers[0].C3 / math.sqrt(n)  # R(F⁰)
    for layer, next_C3 in zip(layers, norms, strict=True):
        # proof of Lemma 10; the constant unit is one more unit, of complexity at most 1/√n
        inside = 2 * h.lipschitz * complexity + (abs(h.at_zero) + biases) / math.sqrt(n)
        complexity = math.sqrt(layer.m + biases) * next_C3 * inside
    return complexity


@checked(biases=flag)
def deep_estimation_error_bound(
    layers: Sequence[HiddenLayer],
    *,
    n: int,
    C1: float,
    C4: float,
    C2: float | None = None,
    loss: LossName = "squared",
    outputs: int = 1,
    activation: str | Activation = "sigmoid",
    biases: bool = False,
    delta: float = 0.05,
) -> Any:
    """Bound of L(f̂) − L(f*), with probability 1 − δ, for P hidden layers (Theorem 6).

    The parameters are those of `deep_squared_output_bound` and `estimation_error_bound`.
    """
    reach = np.sqrt(deep_squared_output_bound(layers, C1=C1, C4=C4, activation=activation, biases=biases))
    complexity = deep_rademacher_bound(layers, n=n, C1=C1, C4=C4, activation=activation, biases=biases)
    return deviation_bound(loss_constants(loss, reach, C2=C2, outputs=outputs), complexity, n=n, delta=delta)


@checked(loss=a(LossConstants), n=whole(least=1), delta=real(above=0, below=1))
def deviation_bound(loss: LossConstants, complexity: float, *, n: int, delta: float) -> Any:
    """4 R_n(loss∘F) + B √(2 log(2/δ)/n), from R_n(F) and the constants of a loss that is nowhere negative (Lemma 7)."""
    complexities = numbers_of(complexity, "complexity")[()]
    return 4 * loss.complexity_factor * complexities + loss.largest * math.sqrt(2 * math.log(2 / delta) / n)


def _spread(m: int, theta: Any) -> Any:
    """λ₁(Q) = (m − 1) cos θ + 1: ‖W‖² is at most C₃² times this (proof of Lemma 9)."""
    return (m - 1) * np.cos(checked_angle(theta)) + 1


def _check_layers(layers: Sequence[HiddenLayer]) -> None:
    if not isinstance(layers, list | tuple) or not all(isinstance(layer, HiddenLayer) for layer in layers):
        raise TypeError(f"layers must be a list of HiddenLayer; got {type(layers).__name__}.")
    if not layers:
        raise ValueError("there must be at least one hidden layer; got none.")
    for p, layer in enumerate(layers):
        check_sizes(**{f"m of layer {p}": layer.m})
        check_not_negative(**{f"C3 of layer {p}": layer.C3})
