"""The regularisers by name: the score "angle" (Ω), the "bound" (Γ) and the "volume" (log det G)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wideangle.functional._inputs import checked_components, checked_gamma, from_array
from wideangle.functional.angles import score_of_gram
from wideangle.functional.blocked import blocked_score, blocked_value_and_gradient, is_blocked
from wideangle.functional.gram import ByRows, Evaluate, all_rows, gram_value, gram_value_and_gradient
from wideangle.functional.metrics import Metric, as_metric, mapped
from wideangle.functional.surrogate import bound_of_gram, require_independent, volume_of_gram

Surrogate = str  # a name in REGULARIZERS


@dataclass(frozen=True)
class Regularizer:
    """A function of the Gram matrix of unit rows, and what trainers must know of it."""

    evaluate: Callable[[float], Evaluate]
    """from γ to the function of the cosines that gives value and slope"""
    independent: str = ""
    """its name in the error for more components than dimensions, where it needs independent rows"""
    double: bool = False
    """whether it is found in double precision whatever comes in"""
    scale: float = 1.0
    """by how much good weights λ differ from those of the angle"""

    @property
    def products(self) -> int:
        """Matrix products of K×K×D that value and gradient cost; those in double precision count twice."""
        return 4 if self.double else 2


# A regulariser of the Gram matrix joins by one entry here, and by one in the laws of tests/functional/test_laws.py.
REGULARIZERS: dict[str, Regularizer] = {
    "angle": Regularizer(lambda gamma: partial(score_of_gram, gamma)),
    "bound": Regularizer(lambda gamma: partial(bound_of_gram, gamma), "the bound Γ", double=True),
    "volume": Regularizer(lambda gamma: volume_of_gram, "the volume", double=True, scale=0.01),
}


def checked_surrogate(surrogate: str) -> Surrogate:
    """The name of a regulariser, or an error that lists them."""
    if not isinstance(surrogate, str) or surrogate not in REGULARIZERS:
        raise ValueError(f"surrogate must be one of {', '.join(map(repr, REGULARIZERS))}; got {surrogate!r}.")
    return surrogate


def regularizer_value(
    A: Tensor, surrogate: Surrogate, gamma: float, inspect: bool = True, metric: Metric | None = None
) -> Tensor:
    """The regulariser of a tensor, differentiable in it; `inspect` as in `gram_value`."""
    components = checked_components(A)
    prepared, evaluate = _prepared(components, surrogate, gamma, metric)
    prepared = mapped(prepared, metric)
    if surrogate == "angle" and is_blocked(prepared):
        return blocked_score(prepared, gamma, inspect)
    return gram_value(prepared, evaluate, inspect).to(components.dtype)


@overload
def value_and_gradient(
    A: Tensor, surrogate: Surrogate = ..., gamma: float = ..., *, metric: Any = ..., by_rows: ByRows = ...
) -> tuple[Tensor, Tensor]: ...
@overload
def value_and_gradient(
    A: ArrayLike, surrogate: Surrogate = ..., gamma: float = ..., *, metric: Any = ..., by_rows: ByRows = ...
) -> tuple[np.floating[Any], NDArray[np.floating[Any]]]: ...
def value_and_gradient(
    A: Any, surrogate: Surrogate = "angle", gamma: float = 1.0, *, metric: Any = None, by_rows: ByRows = all_rows
) -> tuple[Any, Any]:
    """A regulariser and its gradient in A by the closed form, without autograd.

    For trainers that add up their gradients by hand, such as contrastive divergence, and for NumPy. `metric` says where
    angles are measured, as in `mutual_angular_score`. Processes may divide the rows of the products among themselves,
    by their own `by_rows`.

    Examples
    --------
    >>> from wideangle.functional import value_and_gradient
    >>> value, gradient = value_and_gradient([[1.0, 0.0], [1.0, 1.0]])
    >>> float(value.round(4)), gradient.round(2).tolist()
    (0.7854, [[0.0, -1.0], [-0.5, 0.5]])
    """
    surrogate, gamma = checked_surrogate(surrogate), checked_gamma(gamma)
    components = checked_components(A if isinstance(A, Tensor) else from_array(A)).detach()
    chosen = as_metric(metric)
    if by_rows is all_rows:
        value, gradient = in_metric(components, surrogate, gamma, chosen)
        gradient = gradient if chosen is None else chosen.back(gradient)  # ∂/∂A = (∂/∂(A L)) Lᵀ
    else:
        value, gradient = _divided(components, surrogate, gamma, chosen, by_rows)
    value, gradient = value.to(components.dtype), gradient.to(components.dtype)
    return (value, gradient) if isinstance(A, Tensor) else (value.numpy()[()], gradient.numpy())


def in_metric(A: Tensor, surrogate: Surrogate, gamma: float, metric: Metric | None) -> tuple[Tensor, Tensor]:
    """A regulariser and its gradient in A L, which `Metric.back` makes one in A."""
    prepared, evaluate = _prepared(A, surrogate, gamma, metric)
    prepared = mapped(prepared, metric)
    if surrogate == "angle" and is_blocked(prepared):
        value, gradient = blocked_value_and_gradient(prepared, gamma)
        assert gradient is not None  # asked for
        return value, gradient
    return gram_value_and_gradient(prepared, evaluate)


def _divided(
    A: Tensor, surrogate: Surrogate, gamma: float, metric: Metric | None, by_rows: ByRows
) -> tuple[Tensor, Tensor]:
    """A regulariser and its gradient in A, by processes that share the rows of the products."""
    prepared, evaluate = _prepared(A, surrogate, gamma, metric)
    if metric is None:
        return gram_value_and_gradient(prepared, evaluate, by_rows=by_rows)
    seen = by_rows(len(prepared), lambda some: mapped(prepared[some], metric))
    return gram_value_and_gradient(seen, evaluate, by_rows=by_rows, back=metric.back)


def _prepared(A: Tensor, surrogate: Surrogate, gamma: float, metric: Metric | None) -> tuple[Tensor, Evaluate]:
    regularizer = REGULARIZERS[surrogate]
    if regularizer.independent:
        require_independent(A, regularizer.independent, metric)
    return A.double() if regularizer.double else A, regularizer.evaluate(gamma)
