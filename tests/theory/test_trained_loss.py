"""bounds_for has the constants of the loss that a classifier was trained with."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from wideangle.models import MLPClassifier
from wideangle.theory import bounds_for, loss_constants
from wideangle.theory.estimation import deviation_bound
from wideangle.theory.networks import read_network


@pytest.mark.parametrize(
    ("loss", "classes", "expected"),
    [
        ("cross_entropy", 3, "cross_entropy"),
        ("cross_entropy", 2, "logistic"),
        ("logistic", 3, "logistic"),
        ("logistic", 2, "logistic"),
        ("hinge", 2, "hinge"),
        ("squared", 3, "squared"),
        ("squared", 2, "squared"),
    ],
)
def test_the_bounds_are_those_of_the_loss_it_was_trained_with(loss, classes, expected):
    X, y = load_digits(n_class=classes, return_X_y=True)
    names = np.array(["nought", "one", "two"])[y]  # which are no targets: these are ±1
    fitted = MLPClassifier(8, loss=loss, max_updates=30, random_state=0).fit(X / 16, names)
    bounds = bounds_for(fitted, X / 16, names)
    assert bounds.loss == expected
    assert (1.0 if loss == "squared" else None) == bounds.C2
    constants = loss_constants(expected, bounds.output_bound, C2=1.0, outputs=1 if classes == 2 else classes)
    assert bounds.estimation == pytest.approx(deviation_bound(constants, bounds.complexity, n=len(X), delta=0.05))
    codes = np.where(y[:, None] == np.arange(classes), 1.0, -1.0)[:, -bounds.outputs :]  # of two classes the last
    outputs = read_network(fitted).outputs(X / 16)
    each = {
        "squared": (codes - outputs) ** 2,
        "logistic": np.logaddexp(0, -codes * outputs),
        "hinge": np.maximum(0, 1 - codes * outputs),
        "cross_entropy": np.logaddexp.reduce(outputs, axis=1, keepdims=True) - (outputs * (codes > 0)).sum(1)[:, None],
    }[expected]
    assert each.sum(1).max() <= constants.largest


def test_a_loss_without_constants_is_refused():
    X, y = load_digits(n_class=3, return_X_y=True)
    fitted = MLPClassifier(8, loss="hinge", max_updates=5, random_state=0).fit(X / 16, y)
    with pytest.raises(ValueError, match="3 classes.*loss='hinge'"):
        bounds_for(fitted, X / 16)
    assert bounds_for(fitted, X / 16, loss="hinge").outputs == 3
    fitted.loss = "focal"
    with pytest.raises(ValueError, match="loss='focal'"):
        bounds_for(fitted, X / 16)
