"""Functions that numba compiles. numba is imported where the first of them is defined, not with the estimators."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from wideangle._optional import optional_import

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and keep the machine code for later processes.

    Sums may be taken in another order (`reassoc`), so that loops over topics use the processor's vectors.
    """
    numba = optional_import("numba", extra="baselines", purpose="Gibbs sampling")
    made: Callable[P, R] = numba.njit(cache=True, fastmath={"reassoc", "contract", "nsz"})(function)
    return made
