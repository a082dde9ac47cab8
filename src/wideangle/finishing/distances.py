"""Distances between documents: a symmetric matrix by which rows are multiplied before they are compared."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from wideangle.finishing.granularity import signal_power
from wideangle.finishing.halves import Halves, Moments

Finish = Literal["halves", "spectrum"]

LEAST_SHRINKAGE = 0.1  # Even with many documents so much of the noise is taken to be the same in all directions.
SMALLEST = 1e-4  # Directions with a smaller share of the largest spread count as if they had this one.
NO_SIGNAL = 1e-12  # A direction without signal counts as if it had this share of the largest, so that g = 0 is no jump.

Matrix = NDArray[np.float64]


def by_halves(moments: Moments, granularity: float) -> Matrix:
    """W^½, where W = G diag(g^b) Gᵀ whitens the noise of halves and weighs each direction by its signal.

    G and g solve S_b v = g M v, where M is the shrunk noise, and GᵀMG = I. It is linear discriminant analysis with each
    document as a class of its own. Of few documents little is believed: M becomes a multiple of the identity and b
    becomes 0, so that rows stay as they are. The symmetric root keeps each column near to the component it came from.
    """
    K = len(moments.noise)
    trust = min(1 - max(LEAST_SHRINKAGE, moments.shrinkage), moments.belief)
    level = float(np.trace(moments.noise)) / K
    if not level > 0:  # Both halves of each document are alike: no direction is noisier than another.
        return np.eye(K)
    M = trust * moments.noise + (1 - trust) * level * np.eye(K)
    signal, G = eigh(moments.signal, M)
    strongest = float(signal.max())
    # Where no direction has a signal, none is better than another.
    signal = np.maximum(signal / strongest, NO_SIGNAL) if strongest > 0 else np.ones(K)
    b = signal_power(granularity) * moments.belief
    return _root((G * signal**b) @ G.T)


def by_spectrum(moments: Moments, granularity: float) -> Matrix:
    """C^{(g − ½)/2}, C being the covariance of documents: small directions are stretched for details (g = 0)."""
    values, vectors = eigh(moments.spread)
    if not values.max() > 0:
        return np.eye(len(values))
    values = np.maximum(values / values.max(), SMALLEST)
    return np.asarray((vectors * values ** ((granularity - 0.5) / 2)) @ vectors.T)


FINISHES: dict[Finish, Callable[[Moments, float], Matrix]] = {"halves": by_halves, "spectrum": by_spectrum}
"""how documents are compared: by what their halves teach, or by the power of the spectrum alone"""


def checked_finish(finish: Any) -> Finish | None:
    """The name of a finish or None; an error lists them."""
    if finish is not None and (not isinstance(finish, str) or finish not in FINISHES):
        raise ValueError(f"finish must be one of {tuple(FINISHES)}, or None; got {finish!r}.")
    return finish


@lru_cache(maxsize=16)
def distance_of(halves: Halves, finish: Finish, granularity: float) -> tuple[Matrix, Matrix]:
    """What is subtracted from rows of unit length, and the matrix that they are multiplied by."""
    moments = halves.at(granularity)
    return np.asarray(moments.middle), FINISHES[finish](moments, granularity)


def _root(W: Matrix) -> Matrix:
    values, vectors = eigh(W)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
