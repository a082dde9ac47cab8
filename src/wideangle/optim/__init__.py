"""Optimisation on spheres: torch optimisers for rows of unit length, and Algorithm 1."""

from wideangle.optim.alternating import FitResult, fit_components
from wideangle.optim.oblique import ObliqueAdam, ObliqueSGD
from wideangle.optim.problem import Progress

__all__ = ["FitResult", "ObliqueAdam", "ObliqueSGD", "Progress", "fit_components"]
