"""From the angles of components to the one θ that the bounds are functions of."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wideangle.theory._checks import check_sizes, is_number, numbers_of


def angle_lower_bound(mean: Any, variance: Any, tau: float, *, pairs: int = 1) -> Any:
    """θ = μ − √(σ²/(1 − τ)): an angle of this mean and variance is at least θ with probability τ (Lemma 6).

    Grows with the mean and falls with the variance, as the regulariser Ω does. The paper writes σ for the
    variance. Where the formula is negative the bound is 0, for no angle is less.

    Parameters
    ----------
    mean, variance : float or array
        The mean and the variance of the angles, in radians.
    tau : float
        Probability, at least 0 and under 1.
    pairs : int, default=1
        How many angles are to be at least θ **together** with probability τ. Lemma 6 speaks of one; Theorem 5
        supposes all m(m − 1)/2 of m units. The union bound, which needs no independence, divides 1 − τ by them.

    Returns
    -------
    float or array
        In radians.

    Examples
    --------
    >>> from wideangle.theory import angle_lower_bound
    >>> round(float(angle_lower_bound(1.4, 0.01, 0.9)), 4)
    1.0838
    """
    if not is_number(tau) or not 0 <= tau < 1:
        raise ValueError(f"tau is a probability under 1 (at 1 nothing is left of the bound); got {tau}.")
    check_sizes(pairs=pairs)
    sigma_squared = numbers_of(variance, "variance")
    if not np.all(sigma_squared >= 0):
        raise ValueError(f"variance must be at least 0; got {variance}.")
    theta = numbers_of(mean, "mean") - np.sqrt(pairs * sigma_squared / (1 - tau))  # Lemma 6
    return np.maximum(theta, 0)[()]


def effective_angle(angles: ArrayLike) -> float:
    """θ with cos θ the root mean square of the pairs' cosines: for it Lemma 9 and Theorem 5 hold surely.

    The paper asks that **all** pairs be at least θ apart, and has that with probability τ. What its proof uses is
    only ‖W‖² ≤ C₃² ((m − 1) cos θ + 1), and this holds for the effective angle of any matrix. It is at least the
    smallest angle, and at least μ − √σ², hence at least the bound of Lemma 6 for every τ: see docs/theory.md.

    Parameters
    ----------
    angles : array
        Angles of all pairs, each once, in radians. An empty array, which a single unit gives, has the angle π/2.

    Examples
    --------
    >>> import math
    >>> from wideangle.theory import effective_angle
    >>> round(math.degrees(effective_angle([math.pi / 2, math.pi / 2, math.pi / 3])))
    73
    """
    cosines = np.cos(numbers_of(angles, "angles"))
    if cosines.size == 0:
        return math.pi / 2
    # A zero-diagonal symmetric matrix S of order m has λ₁(S)² ≤ (m − 1)/m ‖S‖², so λ₁(|G|) ≤ 1 + (m − 1) rms.
    return float(np.arccos(min(1.0, math.sqrt(np.mean(cosines**2)))))


def largest_angle(m: int, d: int) -> float:
    """The widest θ that m units of d inputs can have, every pair at least θ apart (Welch's bound).

    Theorem 5 falls with θ up to π/2, but more units than inputs cannot get there. It bounds the effective angle
    too. Not every pair (m, d) attains it.

    References
    ----------
    L. Welch, Lower bounds on the maximum cross correlation of signals, 1974.

    Examples
    --------
    >>> import math
    >>> from wideangle.theory import largest_angle
    >>> round(math.degrees(largest_angle(3, 2)))
    60
    """
    check_sizes(m=m, d=d)
    return math.acos(math.sqrt((m - d) / (d * (m - 1)))) if m > d else math.pi / 2
