"""The determinantal prior of topics: the log-determinant of their kernel, its gradient, and the M-step with it."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

Array = NDArray[np.float64]

LEAST_SHRINKING = 0.1  # A step makes no probability smaller than this share of it on account of the prior alone.
ENOUGH_RISE = 1e-4  # A step must bring this share of what the slope promises.
SHORTEST_STEP = 2.0**-20


def unit_powers(topics: Array, power: float) -> Array:
    """β^ρ with rows of unit length, whose products are the normalised kernel."""
    powers = topics**power
    return np.asarray(powers / np.linalg.norm(powers, axis=1, keepdims=True))


def log_det(topics: Array, power: float) -> float:
    """log det K with K_ij = Σ_v (β_iv β_jv)^ρ, normalised to a diagonal of ones; −∞ where topics are dependent.

    It is the probability product kernel of Jebara, Kondor and Howard (2004), as Zou and Adams (2012) use it.
    """
    rows = unit_powers(topics, power)
    try:
        root = np.linalg.cholesky(rows @ rows.T)
    except np.linalg.LinAlgError:
        return -np.inf
    return float(2 * np.log(np.diag(root)).sum())


def log_det_gradient(topics: Array, power: float) -> Array:
    """∂ log det K / ∂ log β = 2ρ ((K⁻¹ − 1) U) ∘ U with U the unit rows of β^ρ. Every row sums to 0.

    It is the gradient in the logits of a softmax too, because K does not change with the scale of a topic.
    """
    rows = unit_powers(topics, power)
    root = np.linalg.cholesky(rows @ rows.T)
    return np.asarray(2 * power * (cho_solve((root, True), rows) - rows) * rows)


def penalised(expected: Array, topics: Array, weight: float, power: float) -> float:
    """What the M-step maximises: Σ_kv C_kv log β_kv + weight · log det K(β)."""
    prior = weight * log_det(topics, power) if weight else 0.0
    return float((expected * np.log(topics)).sum()) + prior


def improved_topics(
    expected: Array, topics: Array, weight: float, power: float, steps: int = 20, tol: float = 1e-6
) -> Array:
    """The M-step: topics of a larger objective, by gradient ascent in the logits of a softmax per topic.

    In the logits the gradient is C + weight · Q − n ∘ β, with Q from `log_det_gradient` and n the row sums of C. It is
    0 where β = (C + weight · Q) / n. A step goes to the logarithm of the right-hand side, shortened until the objective
    rises enough. That is uphill, because each entry of this direction has the sign of the gradient's. Without a weight
    the first step ends at β = C / n, the topics of plain LDA. Steps end when one brings less than `tol` per word.
    """
    totals = expected.sum(axis=1, keepdims=True)
    value = penalised(expected, topics, weight, power)
    for _ in range(steps):
        pulled = expected + weight * log_det_gradient(topics, power) if weight else expected
        least = LEAST_SHRINKING * np.minimum(expected, totals * topics)
        direction = np.log(np.maximum(pulled, least)) - np.log(totals * topics)
        slope = float(((pulled - totals * topics) * direction).sum())
        length, before = 1.0, value
        while length > SHORTEST_STEP:
            tried = _softmax(np.log(topics) + length * direction)
            value = penalised(expected, tried, weight, power)
            if value >= before + ENOUGH_RISE * length * slope:
                topics = tried
                break
            length /= 2
        else:
            return topics
        if value - before < tol * totals.sum():
            break
    return topics


def _softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
