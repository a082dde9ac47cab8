"""Principal directions of rows. Dense and sparse rows give the same ones."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

EXTRA_DIRECTIONS = 10  # More directions are followed than are asked for, so that the last ones are right as well.
PASSES = 4  # of subspace iteration
NO_VARIANCE = 1e-8  # A deviation smaller than this share of the largest is rounding.
EQUAL_DEVIATIONS = 1e-6  # Deviations that differ by a smaller share count as equal.


def principal_directions(X: Any, n_directions: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Orthonormal directions, those of largest variance first. Directions beyond the rank of the rows are random.

    They are found by subspace iteration (Halko, Martinsson and Tropp, Finding structure with randomness, 2011), which
    needs products with X only. The mean is subtracted from the products, not from X, so that a sparse matrix stays so.
    """
    n, D = X.shape
    size = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0))
    X = X / X.dtype.type(size or 1.0)  # Squares of very large numbers would overflow, and of very small ones vanish.
    mean = np.asarray(X.mean(axis=0)).ravel()
    followed = min(n_directions + EXTRA_DIRECTIONS, n, D)
    if followed == D:
        images = np.eye(D, dtype=X.dtype)
    else:
        images = generator.standard_normal((D, followed)).astype(X.dtype)
        for _ in range(PASSES):
            images = np.linalg.qr(X.T @ (X @ images - mean @ images))[0]
    triangle = np.linalg.qr((X @ images - mean @ images).astype(np.float64), mode="r")
    _, deviations, rotation = np.linalg.svd(triangle)
    directions = rotation @ images.T
    n_leading = int((deviations[:n_directions] > NO_VARIANCE * deviations[0]).sum())
    leading = _settled(directions[:n_leading], deviations[:n_leading], generator)
    return np.concatenate([leading, _orthogonal_to(leading, n_directions - n_leading, generator)])


def _settled(
    directions: NDArray[np.float64], deviations: NDArray[np.float64], generator: np.random.Generator
) -> NDArray[np.float64]:
    """The same directions, with their arbitrary part decided in a way that rounding does not change.

    A direction may have either sign, and directions of equal deviation may be turned within their space. They are
    turned to be as near as possible to random vectors.
    """
    aims = generator.standard_normal(directions.shape)
    ends = np.flatnonzero(deviations[1:] < (1 - EQUAL_DEVIATIONS) * deviations[:-1]) + 1
    for group in np.split(np.arange(len(directions)), ends):
        left, _, right = np.linalg.svd(aims[group] @ directions[group].T)
        directions[group] = left @ right @ directions[group]
    return directions


def _orthogonal_to(leading: NDArray[np.float64], n_more: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Random orthonormal directions in which rows do not vary."""
    more = generator.standard_normal((n_more, leading.shape[1]))
    for _ in range(2):  # The second time removes what rounding has left.
        more -= more @ leading.T @ leading
        basis, triangle = np.linalg.qr(more.T)
        more = (basis * np.sign(np.diag(triangle))).T  # LAPACK's own choice of signs depends on rounding
    return more
