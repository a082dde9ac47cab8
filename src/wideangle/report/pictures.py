"""Components of pixels as small pictures."""

from typing import Any

import numpy as np

from wideangle.exceptions import DataError
from wideangle.report.packing import packed_array
from wideangle.report.views import View

ZERO, STEPS = 128, 127


def pictures(view: View, shape: tuple[int, int] | None) -> dict[str, Any] | None:
    """Each component as height × width grey values, 128 for a weight of 0; None where no shape is given.

    The largest absolute weight of each component is as dark or as bright as can be.
    """
    if shape is None:
        return None
    height, width = (int(side) for side in shape)
    D = view.components.shape[1]
    if height < 1 or width < 1 or height * width != D:
        raise DataError(f"a picture of {height} × {width} has {height * width} pixels, but the model has {D} columns.")
    largest = np.abs(view.components).max(axis=1, keepdims=True)
    scaled = np.divide(view.components, largest, out=np.zeros_like(view.components), where=largest > 0)
    values = np.rint(ZERO + STEPS * scaled)
    return {"height": height, "width": width, "values": [packed_array(row, "u1") for row in values]}
