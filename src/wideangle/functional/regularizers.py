"""The regularisers by name: the score "angle" (Ω), the "bound" (Γ) and the "volume" (log det G)."""

from functools import partial
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from wideangle.functional._inputs import checked_components, checked_gamma, from_array
from wideangle.functional.angles import score_of_gram
from wideangle.functional.gram import Evaluate, gram_value, gram_value_and_gradient
from wideangle.functional.surrogate import bound_of_gram, require_independent, volume_of_gram

Surrogate = Literal["angle", "bound", "volume"]


def checked_surrogate(surrogate: str) -> Surrogate:
    """The name of a regulariser, or an error that lists them."""
    for name in get_args(Surrogate):
        if surrogate == name:
            return name
    raise ValueError(f"surrogate must be one of {', '.join(map(repr, get_args(Surrogate)))}; got {surrogate!r}.")


def regularizer_value(A: Tensor, surrogate: Surrogate, gamma: float, inspect: bool = True) -> Tensor:
    """The regulariser of a tensor, differentiable in it; `inspect` as in `gram_value`."""
    components = checked_components(A)
    prepared, evaluate = _prepared(components, surrogate, gamma)
    return gram_value(prepared, evaluate, inspect).to(components.dtype)


@overload
def value_and_gradient(A: Tensor, surrogate: Surrogate = ..., gamma: float = ...) -> tuple[Tensor, Tensor]: ...
@overload
def value_and_gradient(
    A: ArrayLike, surrogate: Surrogate = ..., gamma: float = ...
) -> tuple[np.floating[Any], NDArray[np.floating[Any]]]: ...
def value_and_gradient(A: Any, surrogate: Surrogate = "angle", gamma: float = 1.0) -> tuple[Any, Any]:
    """A regulariser and its gradient in A by the closed form, without autograd.

    For trainers that add up their gradients by hand, such as contrastive divergence, and for NumPy.

    Examples
    --------
    >>> from wideangle.functional import value_and_gradient
    >>> value, gradient = value_and_gradient([[1.0, 0.0], [1.0, 1.0]])
    >>> float(value.round(4)), gradient.round(2).tolist()
    (0.7854, [[0.0, -1.0], [-0.5, 0.5]])
    """
    surrogate, gamma = checked_surrogate(surrogate), checked_gamma(gamma)
    components = checked_components(A if isinstance(A, Tensor) else from_array(A)).detach()
    prepared, evaluate = _prepared(components, surrogate, gamma)
    value, gradient = (part.to(components.dtype) for part in gram_value_and_gradient(prepared, evaluate))
    return (value, gradient) if isinstance(A, Tensor) else (value.numpy()[()], gradient.numpy())


def _prepared(A: Tensor, surrogate: Surrogate, gamma: float) -> tuple[Tensor, Evaluate]:
    if surrogate == "angle":
        return A, partial(score_of_gram, gamma)
    require_independent(A, "the bound Γ" if surrogate == "bound" else "the volume")
    return A.double(), partial(bound_of_gram, gamma) if surrogate == "bound" else volume_of_gram
