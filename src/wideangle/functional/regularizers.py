"""The regularisers by name: what trainers, tuning, the command line and the laws of the tests must know of each."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wideangle.functional._inputs import accepts_arrays, checked_components, checked_gamma, from_array
from wideangle.functional.angles import nearest_of_gram, score_of_gram
from wideangle.functional.blocked import blocked_score, blocked_value_and_gradient, is_blocked
from wideangle.functional.determinants import determinantal_of_gram, incoherence_of_gram, most_of_squares
from wideangle.functional.energy import energy_of_gram, energy_of_orthogonal
from wideangle.functional.evenness import evenness_of_gram
from wideangle.functional.gram import ROOM, ByRows, Evaluate, all_rows, gram_value, gram_value_and_gradient
from wideangle.functional.metrics import Metric, as_metric, mapped
from wideangle.functional.orthogonality import coherence_of_gram, orthogonality_of_gram, spectral_of_gram
from wideangle.functional.surrogate import bound_of_gram, require_independent, volume_of_gram

Surrogate = str  # a name in REGULARIZERS


@dataclass(frozen=True)
class Regularizer:
    """A function of the Gram matrix of unit rows, to be maximised, and what others must know of it.

    As such it does not depend on the order, the lengths and a common rotation of the rows. None of those here depends
    on their signs either.
    """

    evaluate: Callable[[float], Evaluate]
    """from γ to the function of the cosines that gives value and slope; most do not depend on γ"""
    optimum: float
    """its value for orthogonal rows, which is the largest that it has"""
    summary: str
    """what it measures, in a few words"""
    independent: str = ""
    """its name in the error for too many components, where it needs some kind of independent rows"""
    most: Callable[[int], int] = lambda rank: rank
    """how many components can be independent for so many columns, or for so large a rank of the metric"""
    double: bool = False
    """whether it is found in double precision whatever comes in"""
    smooth: bool = True
    """whether it has a gradient wherever no two rows are parallel"""
    scale: float = 1.0
    """by how much good weights λ differ from those of the angle"""

    @property
    def products(self) -> int:
        """Matrix products of K×K×D that value and gradient cost; those in double precision count twice."""
        return 4 if self.double else 2

    def allows(self, K: int, rank: int) -> bool:
        """Whether it is defined for so many components of so many columns."""
        return not self.independent or self.most(rank) >= K


def _any_gamma(evaluate: Evaluate) -> Callable[[float], Evaluate]:
    return lambda gamma: evaluate


def _energy(power: int, scale: float) -> Regularizer:
    return Regularizer(
        _any_gamma(partial(energy_of_gram, power)),
        energy_of_orthogonal(power),
        f"hyperspherical energy, s = {power}",
        double=True,
        scale=scale,
    )


# A regulariser of the Gram matrix joins by one entry here, and by its definition in plain loops in tests/reference.py.
REGULARIZERS: dict[str, Regularizer] = {
    "angle": Regularizer(
        lambda gamma: partial(score_of_gram, gamma),
        math.pi / 2,
        "the paper's score Ω: mean angle − γ variance",
        smooth=False,
    ),
    "bound": Regularizer(
        lambda gamma: partial(bound_of_gram, gamma),
        math.pi / 2,
        "the paper's bound Γ, as published",
        "the bound Γ",
        double=True,
        smooth=False,
    ),
    "volume": Regularizer(
        _any_gamma(volume_of_gram),
        0.0,
        "log det of the cosines: Γ's working form",
        "the volume",
        double=True,
        scale=0.01,
    ),
    "min-angle": Regularizer(
        _any_gamma(nearest_of_gram), math.pi / 2, "mean angle to the nearest component", smooth=False, scale=0.5
    ),
    "energy-0": _energy(0, 10.0),
    "energy-1": _energy(1, 10.0),
    "energy-2": _energy(2, 5.0),
    "orthogonal": Regularizer(_any_gamma(orthogonality_of_gram), 0.0, "soft orthogonality: −mean cos²", scale=2.5),
    "coherence": Regularizer(
        _any_gamma(coherence_of_gram), 0.0, "mutual coherence: −largest cosine", smooth=False, scale=0.1
    ),
    "spectral": Regularizer(
        _any_gamma(spectral_of_gram),
        0.0,
        "−largest eigenvalue of the cosines less 1",
        double=True,
        smooth=False,
        scale=0.02,
    ),
    "evenness": Regularizer(
        _any_gamma(evenness_of_gram), 0.0, "entropy of the eigenvalues of the cosines", double=True, scale=0.4
    ),
    "determinantal": Regularizer(
        _any_gamma(determinantal_of_gram),
        0.0,
        "log det of the squared cosines",
        "the determinantal prior",
        most_of_squares,
        double=True,
        scale=0.1,
    ),
    "incoherence": Regularizer(
        _any_gamma(incoherence_of_gram), 0.0, "log det of the identity plus the cosines", scale=0.05
    ),
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
def diversity_of(A: Tensor, surrogate: Surrogate = ..., gamma: float = ..., *, metric: Any = ...) -> Tensor: ...
@overload
def diversity_of(
    A: ArrayLike, surrogate: Surrogate = ..., gamma: float = ..., *, metric: Any = ...
) -> np.floating[Any]: ...
def diversity_of(A: Any, surrogate: Surrogate = "angle", gamma: float = 1.0, *, metric: Any = None) -> Any:
    """A regulariser by its name, to be maximised; differentiable for tensors.

    `REGULARIZERS` has the names: "angle" is `mutual_angular_score`, "bound" `mutual_angular_bound` and "volume"
    `log_volume`. docs/which_regularizer.md compares them.

    Examples
    --------
    >>> from wideangle.functional import REGULARIZERS, diversity_of
    >>> A = [[1.0, 0.0], [1.0, 1.0]]
    >>> {name: round(float(diversity_of(A, name)), 2) for name in ("angle", "orthogonal", "coherence")}
    {'angle': 0.79, 'orthogonal': -0.5, 'coherence': -0.71}
    >>> REGULARIZERS["orthogonal"].summary
    'soft orthogonality: −mean cos²'
    """
    return _diversity_of(A, checked_surrogate(surrogate), checked_gamma(gamma), as_metric(metric))


@accepts_arrays
def _diversity_of(A: Tensor, surrogate: Surrogate, gamma: float, metric: Metric | None) -> Tensor:
    return regularizer_value(A, surrogate, gamma, metric=metric)


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
    value, gradient = value.to(components.dtype), narrowed(gradient, components.dtype)
    return (value, gradient) if isinstance(A, Tensor) else (value.numpy()[()], gradient.numpy())


def narrowed(gradient: Tensor, dtype: torch.dtype) -> Tensor:
    """The gradient in a narrower type. A row that is too long for it keeps its direction."""
    if gradient.dtype == dtype or not len(gradient):
        return gradient.to(dtype)
    longest = torch.finfo(dtype).max / ROOM
    share = longest / torch.linalg.vector_norm(gradient, torch.inf, dim=1, keepdim=True)
    return (gradient * share.clamp(max=1.0)).to(dtype)


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
        require_independent(A, regularizer.independent, metric, regularizer.most)
    return A.double() if regularizer.double else A, regularizer.evaluate(gamma)
