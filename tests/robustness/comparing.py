"""Whether two values of any kind are the same, bit by bit: by this a changed argument is told from an untouched one."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch

_PARTS = ("data", "indices", "indptr", "row", "col", "offsets", "rows")  # of the formats of SciPy's sparse matrices


def equal(one: Any, other: Any) -> bool:
    """Whether both are of one type and hold the same. Generators and plain objects are not looked into."""
    if type(one) is not type(other):
        return False
    if sp.issparse(one):
        return _equal_sparse(one, other)
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and equal(_array(one), _array(other))
    if isinstance(one, np.ma.MaskedArray):
        return equal(np.asarray(one), np.asarray(other)) and equal(np.ma.getmaskarray(one), np.ma.getmaskarray(other))
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.char in "gG":  # Such a number has bytes that mean nothing.
            return np.array_equal(one, other, equal_nan=True)
        return equal(one.tolist(), other.tolist()) if one.dtype.hasobject else one.tobytes() == other.tobytes()
    if isinstance(one, pd.DataFrame | pd.Series):
        return bool(one.equals(other))
    if isinstance(one, Mapping):
        return list(one) == list(other) and equal(list(one.values()), list(other.values()))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, float):
        return np.array(one).tobytes() == np.array(other).tobytes()  # NaN is NaN here
    return inspect.isgenerator(one) or type(one) is object or bool(pd.isna(one)) or one == other


def _equal_sparse(one: Any, other: Any) -> bool:
    if one.format == "dok":
        return one.shape == other.shape and dict(one.items()) == dict(other.items())
    parts = [part for part in _PARTS if hasattr(one, part)]
    return one.shape == other.shape and all(equal(getattr(one, part), getattr(other, part)) for part in parts)


def _array(tensor: torch.Tensor) -> Any:
    return tensor.detach().to_dense().numpy()
