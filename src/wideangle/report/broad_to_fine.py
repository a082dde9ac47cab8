"""What the slider from broad to fine needs of a model: the page finishes what the model said of documents by itself."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from wideangle.finishing.distances import distance_of
from wideangle.finishing.granularity import hardness
from wideangle.report.map_documents import Shown
from wideangle.report.packing import packed_array
from wideangle.report.views import PageView
from wideangle.view import QUERY_SHARE, ModelView

# The page has the distance at these granularities and mixes it between them. Near to broad groups it changes fastest.
KNOTS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
MOST_COMPONENTS = 200  # With more of them the page would become large and each move of the slider slow.
STEPS = 255  # A number of a document is one of so many steps from the least to the largest of its column.


def slider_content(view: PageView, shown: Shown | None) -> dict[str, Any]:
    """What the page finds under "slider" and "no_slider" of a model.

    "slider" is None where there is nothing to move. "no_slider" says why in a sentence, where the model has a
    granularity and its documents are on the map.
    """
    documents, said = view.documents, view.said
    if view.seen is None or not view.seen.is_finished or documents is None or shown is None or not shown.holds(view):
        return {"slider": None, "no_slider": ""}
    left_out = f"There is no slider from broad to fine for {view.name}"
    if said is None:
        why = f"{left_out}: its documents were brought as transform gave them, at one granularity."
        return {"slider": None, "no_slider": why}
    K = said.shape[1]
    if K > MOST_COMPONENTS:
        why = f"{left_out}: with {K:,} components, more than {MOST_COMPONENTS}, the page would be large and slow."
        return {"slider": None, "no_slider": why}
    empty = ~np.any(documents.vectors[shown.rows], axis=1)
    return {"slider": _content(view.seen, said[shown.rows], empty), "no_slider": ""}


def _content(seen: ModelView, said: NDArray[np.float32], empty: NDArray[np.bool_]) -> dict[str, Any]:
    """The model's granularity, what it said of the documents shown, and what finishes that."""
    own, model = seen.granularity or 0.0, seen.model
    centre = model._centre_of_logits()
    knots = sorted({*KNOTS, own})
    distances = [distance_of(model._known_halves(), model._used_finish(), knot) for knot in knots]
    roots = np.stack([root for _, root in distances])
    steps, low, step = in_steps(_softened(said, centre is not None))
    return {
        "own": own,
        "query_share": QUERY_SHARE,
        "components": said.shape[1],
        "steps": packed_array(steps, "u1"),
        "low": packed_array(low, "f4"),
        "step": packed_array(step, "f4"),
        "empty": np.flatnonzero(empty).tolist(),
        "centre": None if centre is None else packed_array(centre, "f4"),
        "knots": knots,
        "middles": packed_array(np.stack([middle for middle, _ in distances]), "f4"),
        "roots": packed_array(_upper_triangles(roots), "f4"),
    }


def _softened(said: NDArray[np.float32], are_logits: bool) -> NDArray[np.float64]:
    """σ(t z) of logits z, t being that of details; other vectors stay as they are.

    Every granularity softens logits at least as hard, so that small differences between large logits do not matter. In
    equal steps of σ(t z) the page keeps more neighbours than in equal steps of z.
    """
    rows = np.asarray(said, dtype=np.float64)
    return expit(hardness(0.0) * rows) if are_logits else rows


def in_steps(rows: NDArray[np.float64]) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]]:
    """Each column in equal steps: the numbers of steps, the least value, and how large a step is.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.broad_to_fine import in_steps
    >>> steps, low, step = in_steps(np.array([[0.0, 7.0], [0.5, 7.0], [1.0, 7.0]]))
    >>> steps.tolist(), low.tolist()
    ([[0, 0], [128, 0], [255, 0]], [0.0, 7.0])
    """
    low = rows.min(axis=0)
    step = (rows.max(axis=0) - low) / STEPS
    steps = np.divide(rows - low, step, out=np.zeros_like(rows), where=step > 0)
    return np.rint(steps).astype(np.uint8), low, step


def _upper_triangles(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each symmetric matrix the half that says it all, row by row."""
    rows, columns = np.triu_indices(matrices.shape[-1])
    return np.asarray(matrices[:, rows, columns])
