"""What every public function does to its input: tensors or arrays in, the same kind out, clear errors."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import numpy as np
import torch
from torch import Tensor

from wideangle._arrays import array_of
from wideangle.exceptions import ComponentsError

P = ParamSpec("P")
MOST_GAMMA = 1e12  # The squares of larger ones would leave the finite numbers.


def accepts_arrays(function: Callable[Concatenate[Tensor, P], Tensor]) -> Callable[..., Any]:
    """Let a function of a tensor take NumPy arrays (or anything `numpy.asarray` takes) and answer in kind."""

    @wraps(function)
    def wrapper(A: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        if isinstance(A, Tensor):
            return function(checked_components(A), *args, **kwargs)
        components = checked_components(from_array(A))
        with torch.no_grad():
            # [()] turns an array without dimensions into the NumPy scalar people expect.
            return function(components, *args, **kwargs).numpy()[()]

    return wrapper


def checked_components(A: Tensor) -> Tensor:
    """The matrix of components in a precision we compute in; an error where it is no such matrix.

    Integers and booleans become torch's default float, half precision becomes float32.
    """
    if A.layout != torch.strided:
        raise ComponentsError(f"components must be a dense matrix; got layout {A.layout}. Call .to_dense() first.")
    if A.is_complex():
        raise TypeError(f"components must be real; got {A.dtype}. Angles of complex vectors are not defined here.")
    if A.ndim != 2:
        hint = "Pass A[None, :] for one component." if A.ndim == 1 else "Flatten each component to a row first."
        raise ComponentsError(
            f"components must be a matrix with one component per row; got {A.ndim} dimensions, "
            f"shape {tuple(A.shape)}. {hint}"
        )
    if 0 in A.shape:
        raise ComponentsError(f"components must have at least one row and one column; got shape {tuple(A.shape)}.")
    if not A.is_floating_point():
        return A.to(torch.get_default_dtype())
    return A.float() if A.dtype in (torch.float16, torch.bfloat16) else A


def checked_gamma(gamma: Any) -> Any:
    """γ ≥ 0, the weight of the angles' variance."""
    if not isinstance(gamma, int | float | np.floating | np.integer | Tensor) or isinstance(gamma, bool):
        raise TypeError(f"gamma weighs the variance of the angles and must be a number; got {type(gamma).__name__}.")
    # "not >=" rather than "<", so that NaN is refused too.
    if isinstance(gamma, np.floating):
        gamma = float(gamma)  # Half precision cannot hold the limit.
    if not 0 <= gamma <= MOST_GAMMA:
        raise ValueError(
            f"gamma weighs the variance of the angles and must be finite and at least 0, at most {MOST_GAMMA:g}; "
            f"got {gamma}."
        )
    return gamma if isinstance(gamma, Tensor) else float(gamma)  # torch takes no whole number of more than 64 bits


def checked_tensor(A: Any, name: str) -> Tensor:
    """A dense floating-point matrix, as a tensor. For functions that are called at every step of an optimiser."""
    if not isinstance(A, Tensor) or A.layout != torch.strided or not A.is_floating_point():
        what = f"{A.dtype}, {A.layout}" if isinstance(A, Tensor) else type(A).__name__
        raise TypeError(f"{name} must be a dense torch.Tensor of floating-point numbers; got {what}.")
    if A.ndim != 2 or 0 in A.shape:
        raise ComponentsError(f"{name} must have at least one row and one column; got shape {tuple(A.shape)}.")
    return A


def checked_generator(generator: Any) -> torch.Generator:
    """A generator of torch."""
    if not isinstance(generator, torch.Generator):
        raise TypeError(f"generator must be a torch.Generator; got {type(generator).__name__}.")
    return generator


def may_inspect(A: Tensor) -> bool:
    """Whether values can be looked at now: a compiled or captured graph must not wait for them."""
    return not torch.compiler.is_compiling() and not (A.is_cuda and torch.cuda.is_current_stream_capturing())


def from_array(A: Any) -> Tensor:
    """A NumPy array, or what makes one, as a tensor. Integers become float64, half precision float32."""
    array = array_of(A, "components", kinds=None)
    if array.dtype.kind not in "biuf":
        kind = "complex" if array.dtype.kind == "c" else "not numeric"
        raise TypeError(f"components must be real numbers; got dtype {array.dtype}, which is {kind}.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    # torch takes neither negative strides nor foreign byte order, and warns of read-only memory.
    return torch.from_numpy(np.require(array, array.dtype.newbyteorder("="), ["C", "W"]))
