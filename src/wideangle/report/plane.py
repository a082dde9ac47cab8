"""Documents as points of a plane: documents that the model finds alike lie close together.

The layout is t-SNE by openTSNE. In results/layout/documents.txt (`benchmarks/layout.py`) it keeps neighbours as well as
scikit-learn's t-SNE does. It takes about as long for docstrings, and less than half the processor time for 20-News.
PaCMAP has the highest trustworthiness per second, but the lowest trustworthiness, and brings numba; umap-learn is
slower than openTSNE and keeps neighbours less well.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.exceptions import DataError

EXAGGERATED = 250  # iterations at the beginning, with exaggeration
ITERATIONS = 250  # iterations after them; the library's default is 500
TOLD_EVERY = 10  # iterations from one report of progress to the next
PERPLEXITY = 30.0
START = 1e-4  # the spread of the first places, as in the library's own start
NOISE = 0.01  # of the first places, relative to their spread
FEW = 8  # below so many different rows t-SNE has too few neighbours to keep; principal directions are shown
WITHOUT_WORDS = (-1.0, -1.0)  # the place of rows of zeros
MARGIN = 0.9  # where there are rows of zeros, all others stay within this half-width, so that the corner is free


def lay_out(
    vectors: Any, *, random_state: int = 0, progress: Callable[[float], None] | None = None
) -> NDArray[np.float32]:
    """Places in [-1, 1]² for the rows of a matrix, by their Euclidean distances.

    `progress` is called now and then with the share of the work that is done.

    The same rows and the same seed give the same places. Equal rows have one place. A row of zeros is a document
    without words: it resembles no other, and all of them lie in the corner at (-1, -1), apart from the rest. If there
    is no other document, they lie in the middle.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.plane import lay_out
    >>> lay_out(np.array([[3.0, 0.0], [1.0, 0.0], [3.0, 0.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]
    """
    rows = _finite(vectors, "The vectors of documents")
    written = rows.any(axis=1)
    points = np.zeros((len(rows), 2))
    if written.any():
        # t-SNE pushes equal rows apart and takes long over many of them, so that each different row is placed once.
        different, which = np.unique(rows[written], axis=0, return_inverse=True)
        points[written] = _filling(_places(different, random_state, progress))[which.reshape(-1)]
        if not written.all():
            points[written] *= MARGIN
            points[~written] = WITHOUT_WORDS
    return points.astype(np.float32)


def check_layout(points: Any, n: int) -> NDArray[np.float32]:
    """A layout that the user brings for n documents, centred and scaled to [-1, 1] by one factor for both axes.

    Examples
    --------
    >>> from wideangle.report.plane import check_layout
    >>> check_layout([[0, 0], [10, 5]], 2).tolist()
    [[-1.0, -0.5], [1.0, 0.5]]
    """
    given = _finite(points, "The points of a layout")
    if given.shape != (n, 2):
        raise DataError(
            f"A layout has one row of two coordinates per document, here {n} × 2, but its shape is "
            f"{given.shape[0]} × {given.shape[1]}. Give the points in the order of the documents."
        )
    return _filling(given).astype(np.float32)


def _finite(values: Any, what: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{what} must be an array of numbers ({error}). Give one row of numbers per document."
        ) from error
    if array.ndim != 2:
        raise DataError(f"{what} must be a matrix, but have {array.ndim} dimensions. Give one row per document.")
    wrong = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(wrong):
        raise DataError(
            f"{what} must be finite, but {len(wrong)} rows hold NaN or infinity, the first of them row {wrong[0]}. "
            "Leave these documents out, or mend their numbers."
        )
    return array


def _places(
    different: NDArray[np.float64], random_state: int, progress: Callable[[float], None] | None
) -> NDArray[np.float64]:
    """Places of rows of which no two are equal."""
    rows = different / np.abs(different).max()  # squares of very large or small numbers leave the range of floats
    n = len(rows)
    if n == 1:
        return np.zeros((1, 2))
    start = _principal(rows)
    if n < FEW:
        return start
    import torch
    from openTSNE import TSNE

    # The library's seed has no effect where a start and exact neighbours are given. Noise lets another seed give
    # another layout, and lets points leave the line where rows have only one direction.
    noise = np.random.default_rng(random_state).standard_normal((n, 2))
    tsne = TSNE(
        initialization=START * (start / start[:, 0].std() + NOISE * noise),
        perplexity=min(PERPLEXITY, (n - 1) / 3),  # t-SNE looks at three times as many neighbours
        early_exaggeration_iter=EXAGGERATED,
        n_iter=ITERATIONS,
        callbacks=None if progress is None else _reports_to(progress),
        callbacks_every_iters=TOLD_EVERY,
        neighbors="exact",  # the approximate ones need further packages
        n_jobs=torch.get_num_threads(),
    )
    return _turned(np.array(tsne.fit(rows), dtype=np.float64))


def _reports_to(progress: Callable[[float], None]) -> Callable[..., None]:
    """What t-SNE calls every few iterations. Its own count begins again after those with exaggeration."""
    done = 0

    def report(*_: Any) -> None:
        nonlocal done
        done += TOLD_EVERY
        progress(min(1.0, done / (EXAGGERATED + ITERATIONS)))

    return report


def _principal(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows along their two widest directions, the second being 0 if there is only one; see `_turned` for signs."""
    centred = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    points = np.zeros((len(rows), 2))
    found = centred @ directions[:, ::-1][:, :2]
    points[:, : found.shape[1]] = found
    return _turned(points)


def _filling(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points moved and scaled so that they just fit into [-1, 1]², by one factor for both axes."""
    if not len(points) or not points.any():
        return points
    points = points / np.abs(points).max()  # differences of very large numbers leave the range of floats
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    centred = points - middle
    widest = np.abs(centred).max()
    return np.clip(centred / widest, -1.0, 1.0) if widest > 0 else np.zeros_like(points)


def _turned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre the points and lay the widest spread along x. The outermost point fixes the signs, to prevent flips."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    laid = centred @ axes.T
    outermost = laid[np.abs(laid).argmax(axis=0), [0, 1]]
    return laid * np.where(outermost < 0, -1.0, 1.0)
