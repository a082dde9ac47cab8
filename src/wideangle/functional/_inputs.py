"""What every public function does to its input: tensors or arrays in, the same kind out, clear errors."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import numpy as np
import torch
from torch import Tensor

from wideangle.exceptions import ComponentsError

P = ParamSpec("P")


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


def checked_gamma(gamma: float) -> float:
    """γ ≥ 0, the weight of the angles' variance."""
    # "not >=" rather than "<", so that NaN is refused too.
    if not gamma >= 0 or gamma == float("inf"):
        raise ValueError(f"gamma weighs the variance of the angles and must be finite and at least 0; got {gamma}.")
    return gamma


def may_inspect(A: Tensor) -> bool:
    """Whether values can be looked at now: a compiled or captured graph must not wait for them."""
    return not torch.compiler.is_compiling() and not (A.is_cuda and torch.cuda.is_current_stream_capturing())


def from_array(A: Any) -> Tensor:
    """A NumPy array, or what makes one, as a tensor. Integers become float64, half precision float32."""
    array = np.asarray(A)
    if array.dtype.kind not in "biuf":
        kind = "complex" if array.dtype.kind == "c" else "not numeric"
        raise TypeError(f"components must be real numbers; got dtype {array.dtype}, which is {kind}.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    # torch takes neither negative strides nor foreign byte order, and warns of read-only memory.
    return torch.from_numpy(np.require(array, array.dtype.newbyteorder("="), ["C", "W"]))
