"""Which angles of the components people are shown: as the documents see them, or those of the weights."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideangle._rows import RowMatrix, made_rows, row_blocks
from wideangle.documents import Documents
from wideangle.view.searchable import known_logits

if TYPE_CHECKING:
    from wideangle.view.model_view import ModelView

Seen = Literal["as the documents see them", "of the weights"]


@dataclass(frozen=True, eq=False)
class Directions:
    """One row per component. The angles between these rows are the angles that people are shown."""

    rows: NDArray[Any]
    kind: Seen
    """whose angles they are, in words that follow "angles" """


def directions_of(view: "ModelView", documents: Documents | None) -> Directions:
    """The components as angles are shown: as the documents see them, or else by their weights.

    With metric="covariance" training keeps apart what components say about the data, not their weights. Two
    components are then as far apart as the correlation of their responses to the documents says: of their hidden
    logits, or of a linear `transform`. Without documents, or if the responses are not known, the weights
    remain.
    """
    if documents is not None and getattr(view.model, "metric", None) == "covariance":
        responses = made_rows(documents.vectors) if view.entry.linear else known_logits(view, documents)
        # Documents without words have no logits.
        seen = None if responses is None else _in_few_columns(responses, or_empty=view.entry.linear)
        if seen is not None and len(seen) == len(view.components):
            return Directions(seen, "as the documents see them")
    return Directions(view.components, "of the weights")


def _in_few_columns(responses: RowMatrix, *, or_empty: bool) -> NDArray[np.float64] | None:
    """K rows whose cosines are the correlations of the K columns of `responses`; None where no column varies.

    With centred responses Xc = Q R, the columns of R have the lengths and angles of the columns of Xc, but are as short
    as there are components. The R of some rows stands for them beside the next rows, so that not all are needed at
    once. Rows of zeros count with `or_empty`.
    """

    def blocks() -> Iterator[NDArray[np.float64]]:
        for block in row_blocks(responses):
            rows = block.astype(np.float64)
            yield rows if or_empty else rows[rows.any(axis=1)]

    first: NDArray[np.float64] | None = None
    count, total, constant = 0, np.zeros(responses.shape[1]), np.ones(responses.shape[1], dtype=bool)
    for rows in blocks():
        first = rows[0] if first is None and len(rows) else first
        constant &= (rows == first).all(axis=0) if len(rows) else True
        count, total = count + len(rows), total + rows.sum(axis=0)
    if constant.all():
        return None
    R = np.zeros((0, len(total)))
    for rows in blocks():
        centred = rows - total / count
        centred[:, constant] = 0.0  # The mean of equal numbers is rounded.
        R = np.asarray(np.linalg.qr(np.concatenate([R, centred]), mode="r"))
    return np.ascontiguousarray(R.T)
