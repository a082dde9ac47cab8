"""Large arrays a part at a time, so that what is made of them does not fill the memory."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._mapped import let_go

__all__ = ["BLOCK", "all_equal", "bytes_of", "is_finite", "parts"]

BLOCK = 2**24  # bytes that are looked at together


def parts(length: int, *arrays: Any, each: int | None = None) -> Iterator[slice]:
    """Slices that cover `length` rows, `each` rows or about `BLOCK` bytes at a time.

    After each of them the memory of the arrays is given back, where they are in a file.

    Examples
    --------
    >>> from wideangle._blocks import parts
    >>> list(parts(5, each=2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    if each is None:
        widest = max((row_bytes(array) for array in arrays if array is not None), default=1)
        each = max(1, BLOCK // widest)
    for start in range(0, length, each):
        yield slice(start, min(start + each, length))
        let_go(*arrays)


def row_bytes(array: Any) -> int:
    """How many bytes a row of an array has."""
    return max(1, int(np.prod(array.shape[1:], dtype=np.int64)) * array.dtype.itemsize)


def bytes_of(array: NDArray[Any]) -> Iterator[NDArray[np.uint8]]:
    """The bytes of an array in the order of C, the lowest first in each number, a part at a time."""
    stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(-1)
    for part in parts(len(stored), stored):
        yield stored[part].view(np.uint8)


def is_finite(array: NDArray[Any]) -> bool:
    """Whether an array holds neither NaN nor infinities."""
    if array.dtype.kind not in "fc":
        return True
    if not array.ndim:
        return bool(np.isfinite(array))
    return all(bool(np.isfinite(array[part]).all()) for part in parts(len(array), array))


def all_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays hold the same numbers in the same shape."""
    if one.shape != other.shape:
        return False
    return all(bool((one[part] == other[part]).all()) for part in parts(len(one), one, other))
