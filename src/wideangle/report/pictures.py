"""Components of pixels and the rows themselves as small pictures."""

from typing import Any

import numpy as np

from wideangle.exceptions import DataError
from wideangle.report.map_documents import Shown
from wideangle.report.packing import packed_array, packed_bytes
from wideangle.report.views import PageView

ZERO, STEPS = 128, 127
BUDGET = 1_400_000  # So many characters of the file are for pictures of rows; larger ones lose every other pixel.
SMALLEST = 8  # pixels of a side


def row_pictures(shown: Shown | None, shape: tuple[int, int] | None) -> tuple[dict[str, int] | None, bytes]:
    """The size of the pictures of the rows that are shown, and their pixels in 16 steps, one byte each; else None."""
    pixels = None if shown is None else shown.documents.pixels
    if shown is None or pixels is None or shape is None or shape[0] * shape[1] != pixels.shape[1]:
        return None, b""
    small = pixels[shown.rows].reshape(-1, *shape) >> 4
    while len(packed_bytes(small.tobytes())) > BUDGET and min(small.shape[1:]) >= 2 * SMALLEST:
        small = small[:, ::2, ::2]
    return {"height": small.shape[1], "width": small.shape[2]}, small.tobytes()


def pictures(view: PageView, shape: tuple[int, int] | None) -> dict[str, Any] | None:
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
