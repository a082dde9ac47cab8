"""Small whole numbers of many test rows, as short text in a record."""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["packed", "unpacked"]


def packed(numbers: ArrayLike) -> dict[str, Any]:
    """Whole numbers from 0 on, compressed; JSON can hold what is returned."""
    values = np.asarray(numbers)
    if len(values) and (values.min() < 0 or values.max() > 65535 or not np.array_equal(values, np.round(values))):
        raise ValueError("only whole numbers from 0 to 65535 can be packed.")
    small = not len(values) or values.max() < 256
    content = values.astype("u1" if small else "<u2").tobytes()
    return {"rows": len(values), "packed": base64.b64encode(zlib.compress(content, 9)).decode("ascii")}


def unpacked(kept: dict[str, Any]) -> NDArray[np.float64]:
    """The numbers again."""
    content = zlib.decompress(base64.b64decode(kept["packed"]))
    return np.frombuffer(content, "u1" if len(content) == kept["rows"] else "<u2").astype(np.float64)
