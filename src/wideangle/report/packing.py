"""Arrays of numbers as short strings inside JSON."""

import base64

import numpy as np
from numpy.typing import NDArray

NONE = 65535  # stands for "no document" and "no topic" among numbers of 16 bits


def packed_array(values: NDArray[np.generic], dtype: str) -> str:
    """Base64 of the values as little-endian numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.packing import packed_array
    >>> packed_array(np.array([1, 258]), "u2")
    'AQACAQ=='
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype=f"<{dtype}").tobytes()).decode()
