"""Checks of what a checkpoint holds, before a fit goes on from it.

A right SHA-256 says that a file is whole, and not who wrote it. Kernels that move parameters, and those of sparse
matrices, trust the shapes and places that they are given, and would write beyond the ends of arrays.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

# What optimisers keep of a parameter, by name: torch's Adam and momentum, and our own two on directions. Before the
# first step they keep nothing.
STATES: tuple[set[str], ...] = (
    set(),
    {"step", "exp_avg", "exp_avg_sq"},
    {"momentum_buffer"},
    {"step", "mean", "square"},
    {"momentum"},
)


def tensor_like(values: Any, like: Tensor, what: str, finite: bool = False) -> Tensor:
    """The values as a tensor on the CPU. They must be floats, and have the shape of another tensor.

    Only parameters must be `finite`: squares of large gradients may overflow in a fit that goes well.
    """
    array = _floats(values, what)
    if array.shape != tuple(like.shape):
        raise ValueError(f"{what} has shape {array.shape}, and must have {tuple(like.shape)}")
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{what} holds NaN or infinities")
    return torch.from_numpy(np.array(array)).to(like.dtype)


def rows_like(values: Any, n_columns: int, what: str) -> Any:
    """Values that must be floats, in rows of so many columns."""
    array = _floats(values, what)
    if array.ndim != 2 or array.shape[1] != n_columns:
        raise ValueError(f"{what} has shape {array.shape}, and must have {n_columns} columns")
    return array


def whole_number(value: Any, what: str) -> int:
    """A value that must be a whole number and not negative."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{what} must be a whole number and not negative; got {value!r}")
    return value


def reason_to_end(value: Any) -> str | None:
    """Why a training has ended, in words; None where it has not."""
    if value is not None and not isinstance(value, str):
        raise ValueError(f"the reason to end must be a text; got {value!r}")
    return value


def check_optimizer_state(kept: Any, parameter: Tensor) -> None:
    """Raise ValueError where no optimiser keeps this of a parameter."""
    if not isinstance(kept, Mapping) or set(kept) not in STATES:
        raise ValueError("the state of the optimiser is none that it has")
    for name, values in kept.items():
        what = f"{name} of the optimiser"
        if name == "step" and not isinstance(values, np.ndarray):
            whole_number(values, what)
        elif values is not None or name != "momentum_buffer":  # Without momentum there is none.
            tensor_like(values, _like(name, parameter), what)


def _like(name: str, parameter: Tensor) -> Tensor:
    """A tensor of the shape that an optimiser keeps under a name."""
    if name == "step":
        return torch.zeros(())
    return parameter[:, :1] if name == "square" else parameter  # one number per direction


def _floats(values: Any, what: str) -> Any:
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        raise ValueError(f"{what} must be an array of floats; got {type(values).__name__}")
    return values
