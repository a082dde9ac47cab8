"""The weights of a network, from torch or from an estimator with scikit-learn's attributes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from wideangle.functional.activations import ACTIVATION_MODULES
from wideangle.theory.activations import Activation, checked_activation

Array = NDArray[np.float64]

_NAMES = {module: name for name, module in ACTIVATION_MODULES.items()}
_NO_OPERATION = (nn.Dropout, nn.Identity, nn.Flatten)  # at test time, for inputs that are rows


@dataclass(frozen=True)
class Network:
    """A network as the theorems see it: affine maps with one activation between them."""

    weights: tuple[Array, ...]
    """one matrix per layer with one row per unit; where there are biases, they are the last column of each matrix"""
    biases: bool
    activation: Activation

    def outputs(self, X: Array) -> Array:
        """f(x) for each row of X, before any softmax."""
        values = X
        for number, W in enumerate(self.weights):
            incoming = self.activation.function(values) if number else values
            values = (np.column_stack([incoming, np.ones(len(X))]) if self.biases else incoming) @ W.T
        return values


def read_network(model: Any, activation: str | Activation | None = None) -> Network:
    """The network of a torch Sequential, or of an estimator with `coefs_`, `intercepts_` and `activation`."""
    if isinstance(model, nn.Module):
        weights, biases, name = _from_module(model, known=activation is not None)
    elif hasattr(model, "coefs_"):
        weights = [np.asarray(W, np.float64).T for W in model.coefs_]
        biases = [np.asarray(b, np.float64) for b in getattr(model, "intercepts_", [])]
        name = model.activation
    elif hasattr(model, "module_"):
        return read_network(model.module_, activation)
    else:
        raise TypeError(
            f"the model must be a torch.nn.Sequential of linear layers and activations, or a fitted estimator with "
            f"coefs_ and activation as scikit-learn's MLPClassifier; got {type(model).__name__}."
        )
    if len(weights) < 2:
        raise ValueError(f"the model needs at least one hidden layer and an output layer; got {len(weights)} layers.")
    has_biases = any(b.any() for b in biases)
    if has_biases:
        weights = [np.column_stack([W, b]) for W, b in zip(weights, biases, strict=True)]
    if not all(np.isfinite(W).all() for W in weights):
        raise ValueError("the model's weights are not all finite; it has diverged. Train it with a smaller step.")
    return Network(tuple(weights), has_biases, checked_activation(name if activation is None else activation))


def _from_module(model: nn.Module, known: bool) -> tuple[list[Array], list[Array], str]:
    weights: list[Array] = []
    biases: list[Array] = []
    names: list[str] = []
    for module in _steps(model):
        if isinstance(module, nn.Linear):
            weights.append(module.weight.detach().cpu().double().numpy())
            zeros = np.zeros(module.out_features)
            biases.append(zeros if module.bias is None else module.bias.detach().cpu().double().numpy())
        elif not isinstance(module, _NO_OPERATION):
            names.append(_activation_name(module, known))
        if not len(weights) - 1 <= len(names) <= len(weights):
            raise ValueError(
                "linear layers and activations must take turns, beginning with a linear layer; "
                f"got {' after '.join(type(step).__name__ for step in reversed(list(_steps(model))))}."
            )
    if weights and len(names) == len(weights):
        raise ValueError(
            "the model must end in its linear output layer, for the bounds speak of the scores before any softmax or "
            "sigmoid; pass the model without what follows."
        )
    if len(set(names)) > 1:
        raise ValueError(f"the theorems know one activation for all layers; got {', '.join(names)}.")
    return weights, biases, names[0] if names else "identity"


def _steps(model: nn.Module) -> Iterator[nn.Module]:
    """The modules in the order they are applied, which only a Sequential tells."""
    if isinstance(model, nn.Sequential):
        for child in model:
            yield from _steps(child)
    elif next(model.children(), None) is None:
        yield model
    else:
        raise TypeError(
            f"{type(model).__name__} does not say in which order its layers are applied; pass a torch.nn.Sequential."
        )


def _activation_name(module: nn.Module, known: bool) -> str:
    if known:
        return type(module).__name__
    if type(module) not in _NAMES:
        raise TypeError(
            f"{type(module).__name__} is neither a linear layer nor an activation known here "
            f"({', '.join(kind.__name__ for kind in _NAMES)}). Give activation=Activation(name, lipschitz, at_zero, "
            "function) for another."
        )
    return _NAMES[type(module)]
