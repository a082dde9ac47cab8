"""Which models bounds_for reads, and what it says of those it cannot."""

import math

import numpy as np
import pytest
import torch
from theory_networks import network
from torch import nn

from wideangle.theory import Activation, bounds_for


class Estimator:
    """What any library may offer: scikit-learn's attributes, or a fitted module."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def test_any_estimator_with_the_attributes_will_do():
    model, X = network(4, 6, 3, activation=nn.ReLU), torch.randn(30, 4)
    linear = [model[0], model[2]]
    arrays = {
        "coefs_": [layer.weight.detach().numpy().T for layer in linear],
        "intercepts_": [layer.bias.detach().numpy() for layer in linear],
        "activation": "relu",
        "classes_": [0, 1, 2],
    }
    expected = bounds_for(model, X, loss="cross_entropy")
    assert bounds_for(Estimator(**arrays), X) == expected
    assert bounds_for(Estimator(**arrays, module_=model), X) == expected
    assert bounds_for(Estimator(module_=model), X, loss="cross_entropy") == expected
    assert bounds_for(nn.Sequential(model[0], nn.Sequential(model[1], nn.Dropout()), model[2]), X, loss="cross_entropy")


def test_other_activations_can_be_given():
    model, X = network(4, 6, 1, activation=nn.SiLU), np.random.default_rng(0).normal(size=(30, 4))
    silu = Activation("silu", 1.1, 0.0, lambda t: t / (1 + np.exp(-t)))
    bounds = bounds_for(model, X, loss="hinge", activation=silu)
    assert bounds.largest_output == pytest.approx(float(model(torch.tensor(X)).abs().max()))
    assert bounds.largest_output <= bounds.output_bound


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (object(), TypeError, "torch.nn.Sequential of linear layers.*got object"),
        (Branches(), TypeError, "Branches does not say in which order"),
        (nn.Sequential(nn.Linear(3, 2)), ValueError, "an output layer; got 1 layers"),
        (nn.Sequential(nn.Linear(3, 2), nn.Linear(2, 1)), ValueError, "must take turns.*got Linear after Linear"),
        (nn.Sequential(nn.Tanh(), nn.Linear(3, 1)), ValueError, "must take turns, beginning with a linear layer"),
        (nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Tanh(), nn.Linear(2, 1)), ValueError, "must take turns"),
        (
            nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1), nn.Sigmoid()),
            ValueError,
            "must end in its linear",
        ),
        (nn.Sequential(nn.Linear(3, 2), nn.GELU(), nn.Linear(2, 1)), TypeError, "GELU is neither.*Activation"),
        (
            nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)),
            ValueError,
            "one activation for all layers; got tanh, relu",
        ),
    ],
    ids=range(9),
)
def test_models_that_cannot_be_read(model, error, message):
    with pytest.raises(error, match=message):
        bounds_for(model, np.ones((4, 3)), loss="hinge")


def test_bad_input():
    model, X = network(3, 2, 1), np.ones((4, 3))
    with pytest.raises(ValueError, match="give loss='squared'"):
        bounds_for(model, X)
    with pytest.raises(ValueError, match="give C2, or y"):
        bounds_for(model, X, loss="squared")
    for wrong in (np.ones((4, 2)), np.ones(3), np.ones((0, 3))):
        with pytest.raises(ValueError, match="3 columns.*got shape"):
            bounds_for(model, wrong, loss="hinge")
    with pytest.raises(ValueError, match="X holds NaN"):
        bounds_for(model, X * np.nan, loss="hinge")
    with pytest.raises(ValueError, match="tau is a probability"):
        bounds_for(model, X, loss="hinge", tau=1.0)
    with pytest.raises(ValueError, match="delta is the probability"):
        bounds_for(model, X, loss="hinge", delta=0.0)
    with pytest.raises(ValueError, match="n is a count"):
        bounds_for(model, X, loss="hinge", n=0)
    with torch.no_grad():
        model[0].weight.fill_(math.inf)
    with pytest.raises(ValueError, match="diverged"):
        bounds_for(model, X, loss="hinge")
