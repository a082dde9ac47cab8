"""Approximation error: what a network of given angles cannot express (Theorem 7), and the trade-off in θ."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideangle._arguments import flag
from wideangle.theory._checks import check_positive, check_sizes, checked_angle, is_number
from wideangle.theory.estimation import estimation_error_bound


class ConditionError(ValueError):
    """A condition of a theorem does not hold."""


def barron_constant(moment: float, radius: float) -> float:
    """C = radius · ∫ ‖ω‖ |g̃(ω)| dω, the smoothness of a target g on the ball ‖x‖ ≤ radius.

    The paper prints the integral alone. Barron's is ∫ sup_{‖x‖≤radius} |ω·x| |g̃(ω)| dω, and without the radius
    Theorem 7 is false. For g(x) = sin(ω·x) the integral is ‖ω‖. |g(x) − g(0)| ≤ C.
    """
    check_positive(moment=moment, radius=radius)
    return moment * radius


def barron_slope(C1: float, C3: float, constant: float | None = None) -> float:
    """τ = C₃ s √(1 − s²/C₁²), the steepness of Barron's sigmoids for inputs (x, s) with a constant s.

    Printed as C₁C₃, with a dummy feature for the biases. But the constant takes its share of C₁ and the bias its
    share of C₃, and C₁C₃/2, for s = C₁/√2, is the most that is left.

    Parameters
    ----------
    C1, C3 : float
        Bounds of ‖(x, s)‖ and of the units' weights, bias included.
    constant : float or None, default=None
        s, under C₁. None takes the best, C₁/√2.
    """
    check_positive(C1=C1, C3=C3)
    if constant is None:
        return C1 * C3 / 2
    if not is_number(constant) or not 0 < constant < C1:
        raise ValueError(f"constant is one of the inputs and must lie between 0 and C1 = {C1}; got {constant}.")
    return C3 * constant * math.sqrt(1 - (constant / C1) ** 2)


def widest_theta(m: int) -> float:
    """π/(2⌈m/2⌉), the largest θ with m ≤ 2(⌊(π/2 − θ)/θ⌋ + 1), the third condition of Theorem 7."""
    check_sizes(m=m)
    return math.pi / (2 * math.ceil(m / 2))


def approximation_error_bound(
    theta: Any,
    *,
    m: int,
    C: float,
    C1: float,
    C3: float,
    C4: float,
    constant: float | None = None,
    sharp: bool = False,
) -> Any:
    """Bound of ‖g − f‖ for the best network f of m sigmoid units at least θ apart (Theorem 7, corrected).

    2C (1/√m + (1 + 2 ln τ)/τ) + 4mC C₁C₃ sin(θ'/2), θ' = min(3mθ, π), τ = `barron_slope`. Grows with θ up to
    θ = π/(3m) and is constant from there on. The norm is the root of the mean square, so the error adds to a
    squared loss as its square.

    Parameters
    ----------
    theta : float or array
        Angle that every pair of units keeps, in radians; 0 for no constraint.
    m : int
        Hidden units. They take the place of the n printed in the paper.
    C : float
        Smoothness of the target g, g(0) = 0: `barron_constant`.
    C1, C3, C4 : float
        Bounds of ‖x‖, where x ends in a constant, of ‖w_j‖ and of ‖α‖.
    constant : float or None, default=None
        The constant in x. None takes the best, C₁/√2. Without a constant the theorem is false: a sum of sigmoids
        of w_j·x is an odd function and a constant.
    sharp : bool, default=False
        A bound we prove in docs/theory.md with Barron's Σ|α_j| ≤ 2C, the sigmoid's Lipschitz constant 1/4 and a
        better parting of directions: the last term is C C₁C₃ sin(θ'/2), θ' = min((m − 1)θ, π/2), and C₄ ≥ 2C will do.

    Raises
    ------
    ConditionError
        Names the condition that fails: τ ≥ 1, C₄ ≥ 2√m C, or m ≤ 2(⌊(π/2 − θ)/θ⌋ + 1).

    References
    ----------
    A. Barron, Universal approximation bounds for superpositions of a sigmoidal function, 1993, Theorem 3.

    Examples
    --------
    >>> from wideangle.theory import approximation_error_bound
    >>> approximation_error_bound([0.0, 0.001, 0.01], m=4, C=1.0, C1=1.0, C3=50.0, C4=4.0).round(2)
    array([ 1.6 ,  6.39, 49.57])
    """
    angle = checked_angle(theta)
    sharp = flag(sharp, "sharp")
    check_sizes(m=m)
    check_positive(C=C, C4=C4)
    tau = barron_slope(C1, C3, constant)
    _check_conditions(angle, m, C, C4, tau, sharp)
    unconstrained = 2 * C * (1 / math.sqrt(m) + (1 + 2 * math.log(tau)) / tau)  # Lemma 16, with m for n
    if sharp:
        return (unconstrained + C * C1 * C3 * np.sin(np.minimum((m - 1) * angle, np.pi / 2) / 2))[()]
    turn = np.minimum(3 * m * angle, np.pi)  # θ' of Lemma 17
    return (unconstrained + 4 * m * C * C1 * C3 * np.sin(turn / 2))[()]  # Theorem 7


def _check_conditions(angle: NDArray[np.float64], m: int, C: float, C4: float, tau: float, sharp: bool) -> None:
    if tau < 1:
        raise ConditionError(
            f"Theorem 7 needs C1 C3 ≥ 1, in its corrected form τ ≥ 1; got τ = {tau:.4g}. With the best constant input "
            "τ = C1 C3/2: enlarge C3, or scale the inputs up."
        )
    needed = 2 * C if sharp else 2 * math.sqrt(m) * C
    if needed > C4:
        raise ConditionError(f"Theorem 7 needs C4 ≥ {'2 C' if sharp else '2 √m C'} = {needed:.4g}; got C4 = {C4:.4g}.")
    widest = float(np.max(angle))
    if widest > widest_theta(m) * (1 + 1e-12):
        raise ConditionError(
            f"Theorem 7 needs m ≤ 2(⌊(π/2 − θ)/θ⌋ + 1); got m = {m} units at θ = {widest:.4g}, and for so many units θ "
            f"is at most {widest_theta(m):.4g}, which widest_theta(m) gives."
        )


@dataclass(frozen=True)
class TradeOff:
    """The bounds as functions of θ."""

    theta: NDArray[np.float64]
    estimation: NDArray[np.float64]
    approximation: NDArray[np.float64]
    """of the root mean square"""
    total: NDArray[np.float64]
    """estimation + approximation²"""

    @property
    def best(self) -> float:
        """The θ of the smallest total."""
        return float(self.theta[np.argmin(self.total)])


def trade_off(
    theta: ArrayLike,
    *,
    m: int,
    n: int,
    C: float,
    C1: float,
    C2: float,
    C3: float,
    C4: float,
    constant: float | None = None,
    delta: float = 0.05,
    sharp: bool = False,
) -> TradeOff:
    """Estimation, approximation and total error bounds of squared loss and sigmoid units, against θ.

    With y = g(x) + noise of mean 0, the total bounds L(f̂) less the noise's variance, with probability 1 − δ. The
    paper adds the approximation error itself; but the loss of f* is its square. The parameters are those of
    `estimation_error_bound` and `approximation_error_bound`.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.theory import trade_off, widest_theta
    >>> angles = np.linspace(0, widest_theta(4), 50)
    >>> curve = trade_off(angles, m=4, n=10**6, C=1.0, C1=1.0, C2=1.0, C3=50.0, C4=4.0)
    >>> curve.best
    0.0
    """
    angles = np.atleast_1d(checked_angle(theta))
    estimation = estimation_error_bound(angles, m=m, n=n, C1=C1, C2=C2, C3=C3, C4=C4, delta=delta)
    approximation = approximation_error_bound(angles, m=m, C=C, C1=C1, C3=C3, C4=C4, constant=constant, sharp=sharp)
    return TradeOff(angles, estimation, approximation, estimation + approximation**2)
