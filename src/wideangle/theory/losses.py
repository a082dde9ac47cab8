"""Lipschitz constants and largest values of the losses, for outputs in [−s, s]."""

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from wideangle._arguments import text
from wideangle.theory._checks import FloatOrArray, check_not_negative, check_sizes, is_number, numbers_of

LossName = Literal["squared", "logistic", "hinge", "cross_entropy"]


@dataclass(frozen=True)
class LossConstants:
    """What a loss adds to the estimation error bound."""

    lipschitz: FloatOrArray
    """of the loss in one output"""
    largest: FloatOrArray
    """B, the loss's largest value, summed over outputs where it is a sum"""
    complexity_factor: FloatOrArray
    """c in R_n(loss∘F) ≤ c R_n(F), F being the class of one output"""


def loss_constants(loss: LossName, reach: Any, *, C2: float | None = None, outputs: int = 1) -> LossConstants:
    """Constants of a loss where every output lies in [−reach, reach] (Theorem 5, Lemmas 12 to 14).

    Parameters
    ----------
    loss : {"squared", "logistic", "hinge", "cross_entropy"}
        (f − y)²; log(1 + exp(−y f)) and max(0, 1 − y f) with y = ±1; −log softmax(f)_y. The first three are
        summed over several outputs.
    reach : float or array
        s ≥ |f(x)|, as √𝒥 of Lemma 9.
    C2 : float or None, default=None
        Bound of |y|, which the squared loss needs.
    outputs : int, default=1
        K; the number of classes for "cross_entropy".

    Examples
    --------
    >>> from wideangle.theory import loss_constants
    >>> float(loss_constants("squared", 2.0, C2=1.0).largest)
    9.0
    """
    text(loss, "loss")
    s = numbers_of(reach, "reach")
    check_sizes(outputs=outputs)
    if loss == "squared":
        if C2 is None:
            raise ValueError("the squared loss needs C2, the bound of |y|; give C2, or y where there is data.")
        check_not_negative(C2=C2)
        return _summed(2 * (s + C2), (s + C2) ** 2, outputs)  # proof of Theorem 5
    if loss == "logistic":
        return _summed(1 / (1 + np.exp(-s)), np.logaddexp(0, s), outputs)  # Lemma 12
    if loss == "hinge":
        return _summed(np.ones_like(s), 1 + s, outputs)  # Lemma 13
    if loss == "cross_entropy":
        lipschitz, largest = cross_entropy_lipschitz(s, outputs), cross_entropy_largest(s, outputs)
        # Lemma 14 bounds each partial derivative, but the composition property is a scalar one. For two classes
        # the loss is a function of the one number f₁ − f₂. For more, ‖∇ℓ‖₂ ≤ √2 lipschitz, and Maurer's vector
        # contraction has a factor √2 of its own; the paper has no factor.
        vector_factor = 1 if outputs == 2 else 2
        return LossConstants(lipschitz[()], largest[()], (vector_factor * outputs * lipschitz)[()])
    raise ValueError(f"loss must be one of {', '.join(map(repr, get_args(LossName)))}; got {loss!r}.")


def cross_entropy_lipschitz(reach: Any, classes: int) -> Any:
    """(K − 1)/(K − 1 + e^(−2s)), the Lipschitz constant of the cross-entropy in each output (Lemma 14)."""
    _check_classes(classes)
    return (classes - 1) / (classes - 1 + np.exp(-2 * numbers_of(reach, "reach")))


def cross_entropy_largest(reach: Any, classes: int) -> Any:
    """log(1 + (K − 1) e^(2s)), the largest cross-entropy (after Lemma 14)."""
    _check_classes(classes)
    return np.logaddexp(0, np.log(classes - 1) + 2 * numbers_of(reach, "reach"))


def _summed(lipschitz: Any, largest: Any, outputs: int) -> LossConstants:
    # Section 5.2.2, Multiple Outputs: R_n and B of a sum are at most the sums of those of its terms.
    return LossConstants(lipschitz[()], (outputs * largest)[()], (outputs * lipschitz)[()])


def _check_classes(classes: int) -> None:
    if not is_number(classes) or not 2 <= classes < math.inf or classes != int(classes):
        raise ValueError(
            f"the cross-entropy needs at least two classes, with one output each; got {classes}. For one output and "
            "labels ±1 use the logistic loss."
        )
