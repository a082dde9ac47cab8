"""The bounds of a fitted network: its constants measured, the theorems evaluated."""

import math
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from wideangle._arguments import checked, optional, text
from wideangle._arrays import array_of, check_sparse
from wideangle.functional import pair_angles
from wideangle.theory._checks import check_delta
from wideangle.theory.activations import Activation
from wideangle.theory.angle import angle_lower_bound, effective_angle
from wideangle.theory.approximation import ConditionError, approximation_error_bound
from wideangle.theory.estimation import (
    HiddenLayer,
    deep_rademacher_bound,
    deep_squared_output_bound,
    deviation_bound,
)
from wideangle.theory.losses import LossName, loss_constants
from wideangle.theory.networks import Network, read_network

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LayerMeasure:
    """One hidden layer, measured. Angles are in radians, weights include the biases."""

    m: int
    """units"""
    C3: float
    """the longest unit"""
    mean_angle: float
    angle_variance: float
    smallest_angle: float
    effective_angle: float
    theta: float
    """the angle the bounds were evaluated at"""


@dataclass(frozen=True)
class Bounds:
    """What `bounds_for` measured, and the theorems' values."""

    n: int
    C1: float
    """the longest input, the constant for the biases included"""
    C2: float | None
    """the largest |y|, where the loss is the squared one"""
    C4: float
    """the longest vector of an output's weights"""
    layers: tuple[LayerMeasure, ...]
    activation: Activation
    loss: LossName
    outputs: int
    biases: bool
    tau: float | None
    delta: float
    largest_output: float
    """the largest |f(x)| over X"""
    output_bound: float
    """√𝒥, which is at least that (Lemmas 9 and 11)"""
    complexity: float
    """bound of the Rademacher complexity of one output (Lemmas 8 and 10)"""
    estimation: float
    """bound of L(f̂) − L(f*) (Theorems 5 and 6)"""
    gap: float
    """bound of L(f) − L̂(f), test loss less training loss, for every network of the class: half of the former"""
    approximation: float | None
    """bound of ‖g − f‖ (Theorem 7), where C was given"""

    @property
    def total(self) -> float | None:
        """estimation + approximation²"""
        return None if self.approximation is None else self.estimation + self.approximation**2


@checked(loss=optional(text))
def bounds_for(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    tau: float | None = None,
    delta: float = 0.05,
    loss: LossName | None = None,
    n: int | None = None,
    C: float | None = None,
    activation: str | Activation | None = None,
) -> Bounds:
    """Measure C₁, C₃, C₄ and θ of a fitted network on data, and evaluate the bounds.

    Parameters
    ----------
    model : torch.nn.Sequential, or fitted estimator
        Linear layers with one kind of activation between them, ending in the linear output layer; or an estimator
        with `coefs_`, `intercepts_` and `activation` as scikit-learn's MLPClassifier and MLPRegressor.
    X : array, sparse matrix or tensor of shape (n, d)
        Inputs. C₁ is their largest length: give all inputs the bounds are to speak of, and `n` if some are not of the
        training set.
    y : array of shape (n,) or (n, outputs), default=None
        Targets, for C₂ of the squared loss of a regressor; a classifier's are ±1.
    tau : float or None, default=None
        None takes the effective angle of each layer, for which the bounds hold surely. A probability takes the θ of
        Lemma 6 from the mean and variance of the angles; the bounds are larger then.
    delta : float, default=0.05
        Probability that the bounds of the errors fail.
    loss : {"squared", "logistic", "hinge", "cross_entropy"} or None, default=None
        None takes the loss that the estimator was trained with; a torch module has to be told. The cross-entropy of
        one output is the logistic loss. The squared loss is Σ (f − y)², of a classifier with y = ±1: four times what
        `MLPClassifier` averages, which the same network minimises. The paper has no constants for the hinge of
        several classes (Crammer and Singer's), nor for the Poisson loss.
    n : int or None, default=None
        Training samples; as many as X has by default.
    C : float or None, default=None
        `barron_constant` of the target: evaluates Theorem 7 too, which is about one hidden layer of sigmoids with
        biases and one output.
    activation : str, Activation or None, default=None
        Read from the model by default; to be given where it is not known here.

    Returns
    -------
    Bounds

    Notes
    -----
    A bias is a weight on a constant input of value 1, or on a constant unit beside a hidden layer, and counts in C₁,
    C₃, C₄ and the angles.

    The theorems speak of a class of networks chosen before the data were seen. Constants measured on the fitted
    network choose it afterwards: they say how the bound compares between networks. For a guarantee fix C₁ to C₄ and
    θ beforehand and check that the network keeps them.

    Examples
    --------
    >>> import torch
    >>> from wideangle.theory import bounds_for
    >>> model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    >>> bounds = bounds_for(model, torch.randn(100, 5), loss="cross_entropy")
    >>> bounds.largest_output <= bounds.output_bound
    True
    """
    check_delta(delta)
    network = read_network(model, activation)
    inputs = _inputs(X, network.weights[0].shape[1] - network.biases)
    samples = len(inputs) if n is None else n
    layers = tuple(_measured(W, tau) for W in network.weights[:-1])
    C1 = float(np.linalg.norm(_with_constant(inputs, network.biases), axis=1).max())
    C4 = float(np.linalg.norm(network.weights[-1], axis=1).max())
    outputs = len(network.weights[-1])
    chosen = _loss_of(model, outputs) if loss is None else loss
    C2 = _largest_target(model, y) if chosen == "squared" else None

    hidden = [HiddenLayer(layer.m, layer.C3, layer.theta) for layer in layers]
    h, biases = network.activation, network.biases
    reach = math.sqrt(deep_squared_output_bound(hidden, C1=C1, C4=C4, activation=h, biases=biases))
    complexity = deep_rademacher_bound(hidden, n=samples, C1=C1, C4=C4, activation=h, biases=biases)
    constants = loss_constants(chosen, reach, C2=C2, outputs=outputs)
    estimation = float(deviation_bound(constants, complexity, n=samples, delta=delta))
    return Bounds(
        n=samples,
        C1=C1,
        C2=C2,
        C4=C4,
        layers=layers,
        activation=h,
        loss=chosen,
        outputs=outputs,
        biases=biases,
        tau=tau,
        delta=delta,
        largest_output=float(np.abs(network.outputs(inputs)).max()),
        output_bound=reach,
        complexity=complexity,
        estimation=estimation,
        gap=estimation / 2,
        approximation=None if C is None else _approximation(network, layers, C, C1, C4),
    )


def _measured(W: Array, tau: float | None) -> LayerMeasure:
    angles = pair_angles(W)
    mean, variance, smallest = (
        (float(angles.mean()), float(angles.var()), float(angles.min()))
        if angles.size
        else (math.pi / 2, 0.0, math.pi / 2)
    )
    effective = effective_angle(angles)
    theta = effective if tau is None else float(angle_lower_bound(mean, variance, tau))
    C3 = float(np.linalg.norm(W, axis=1).max())
    return LayerMeasure(len(W), C3, mean, variance, smallest, effective, theta)


def _approximation(network: Network, layers: tuple[LayerMeasure, ...], C: float, C1: float, C4: float) -> float:
    wrong = [
        name
        for name, holds in {
            "one hidden layer": len(layers) == 1,
            "one output": len(network.weights[-1]) == 1,
            "sigmoid units": network.activation.name == "sigmoid",
            "biases": network.biases,
        }.items()
        if not holds
    ]
    if wrong:
        raise ConditionError(
            f"Theorem 7 is about networks with {' and '.join(wrong)}, and this one is not; leave C out."
        )
    # The theorem's θ is kept by every pair.
    theta = layers[0].smallest_angle
    return float(approximation_error_bound(theta, m=layers[0].m, C=C, C1=C1, C3=layers[0].C3, C4=C4, constant=1.0))


def _loss_of(model: Any, outputs: int) -> LossName:
    final = getattr(model, "out_activation_", None)  # scikit-learn's word for what follows the scores
    if not hasattr(model, "coefs_") or final not in (None, "identity", "logistic", "softmax"):
        raise ValueError(
            f"{type(model).__name__} does not say that it was trained for a loss known here; give loss='squared', "
            "'logistic', 'hinge' or 'cross_entropy'."
        )
    if not hasattr(model, "classes_"):
        return "squared"
    trained = getattr(model, "loss", "log_loss")
    if trained in ("log_loss", "cross_entropy"):  # scikit-learn's word and ours
        return "logistic" if outputs == 1 or final == "logistic" else "cross_entropy"
    if trained == "hinge" and outputs > 1:
        raise ValueError(
            f"{type(model).__name__} was trained with Crammer and Singer's hinge of {outputs} classes, and the theory "
            "has constants only for the hinge of one output. Give loss='hinge' for the bound of the sum of one hinge "
            "per class against the rest, or train with another loss."
        )
    for known in get_args(LossName):
        if trained == known:
            return cast(LossName, known)
    raise ValueError(
        f"{type(model).__name__} was trained with loss={trained!r}, for which the theory has no constants; it has "
        f"them for {', '.join(map(repr, get_args(LossName)))}."
    )


def _largest_target(model: Any, y: Any) -> float | None:
    """C₂. Classes are coded as ±1, whatever their names are."""
    if hasattr(model, "classes_"):
        return 1.0
    return None if y is None else float(np.abs(_array(y)).max())


def _array(values: Any) -> Array:
    if isinstance(values, Tensor):
        values = values.detach().cpu().numpy()
    if hasattr(values, "tocsr"):
        check_sparse(values, "X")
        values = values.toarray()
    return array_of(values, "X and y").astype(np.float64)


def _inputs(X: Any, features: int) -> Array:
    inputs = _array(X)
    if inputs.ndim != 2 or len(inputs) == 0 or inputs.shape[1] != features:
        raise ValueError(
            f"X must be a matrix with at least one row and {features} columns, which the model's first layer takes; "
            f"got shape {inputs.shape}."
        )
    if not np.isfinite(inputs).all():
        raise ValueError("X holds NaN or infinite values; remove or impute them first.")
    return inputs


def _with_constant(values: Array, constant: bool) -> Array:
    return np.column_stack([values, np.ones(len(values))]) if constant else values
