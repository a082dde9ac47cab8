"""Sparse matrices that SciPy makes or lets users make, and whose arrays do not fit together."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp


def _filled(array: Any) -> Any:
    """At least one entry in the last row, so that there is an index to break."""
    dense = np.array(array, dtype=np.float64)
    dense[-1, -1] = 1.0
    return sp.csr_array(dense)


def _index(value: int) -> Callable[[Any], Any]:
    def broken(array: Any) -> Any:
        rows = _filled(array)
        rows.indices[-1] = value
        return rows

    return broken


def _column_index(array: Any) -> Any:
    columns = _filled(array).tocsc()
    columns.indices[-1] = 10**6
    return columns


def _coordinates(value: int) -> Callable[[Any], Any]:
    def broken(array: Any) -> Any:
        entries = _filled(array).tocoo()
        entries.coords[0][-1] = value
        return entries

    return broken


def _last_pointer(array: Any) -> Any:
    rows = _filled(array)
    rows.indptr[-1] = 10**6
    return rows


def _falling_pointers(array: Any) -> Any:
    rows = _filled(array)
    rows.indptr[1:-1] = rows.indptr[1:-1][::-1].copy() + 1
    rows.indptr[1] = rows.indptr[-1] + 5
    return rows


def _negative_pointer(array: Any) -> Any:
    rows = _filled(array)
    rows.indptr[0] = -4
    return rows


def _few_pointers(array: Any) -> Any:
    rows = _filled(array)
    rows.indptr = rows.indptr[:-1]
    return rows


def _short_data(array: Any) -> Any:
    rows = _filled(array)
    rows.data = rows.data[:-1]
    return rows


def _float_indices(array: Any) -> Any:
    rows = _filled(array)
    rows.indices = rows.indices.astype(np.float64)
    return rows


def _objects(array: Any) -> Any:
    rows = _filled(array)
    rows.data = rows.data.astype(object)
    return rows


BROKEN: dict[str, Callable[[Any], Any]] = {
    "sparse, index too large": _index(10**6),
    "sparse, index a little too large": lambda array: _index(np.shape(array)[1])(array),
    "sparse, negative index": _index(-1),
    "sparse, very negative index": _index(-(10**6)),
    "csc, index too large": _column_index,
    "coo, row too large": _coordinates(10**6),
    "coo, negative row": _coordinates(-7),
    "sparse, last pointer too large": _last_pointer,
    "sparse, falling pointers": _falling_pointers,
    "sparse, negative pointer": _negative_pointer,
    "sparse, too few pointers": _few_pointers,
    "sparse, too few values": _short_data,
    "sparse, indices of fractions": _float_indices,
    "sparse, values of objects": _objects,
    "sparse, 64-bit indices": lambda array: sp.csr_array(
        (_filled(array).data, _filled(array).indices.astype(np.int64), _filled(array).indptr.astype(np.int64)),
        shape=np.shape(array),
    ),
    "sparse, a billion columns": lambda array: sp.csr_array(
        (np.ones(1), np.array([10**9 - 1]), np.r_[np.zeros(len(array), int), 1]), shape=(len(array), 10**9)
    ),
}
