"""Components as points of a plane. The distances of the points are as near to the components' angles as possible."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

ITERATIONS = 200


def place(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Metric multidimensional scaling of a K×K matrix of angles. It starts from the classical solution, not at random.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.report.layout import place
    >>> points = place(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0.0]]))
    >>> [round(float(np.linalg.norm(points[i] - points[j])), 2) for i, j in ((0, 1), (0, 2), (1, 2))]
    [3.0, 4.0, 5.0]
    """
    from sklearn.manifold import smacof

    K = len(angles)
    if K < 2:
        return np.zeros((K, 2))
    if K == 2:
        half = angles[0, 1] / 2
        return np.array([[-half, 0.0], [half, 0.0]])
    start = _classical(angles)
    if not angles.any():
        return start
    points, _ = smacof(angles, n_components=2, init=start, n_init=1, max_iter=ITERATIONS, normalized_stress=False)
    return turned(points)


def _classical(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The two leading directions of the doubly centred squared angles."""
    squares = angles**2
    means = squares.mean(axis=0)
    centred = -0.5 * (squares - means - means[:, None] + means.mean())
    K = len(angles)
    values, vectors = eigh(centred, subset_by_index=[K - 2, K - 1])
    return vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0))


def turned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre the points and lay the widest spread along x. The outermost point fixes the signs, to prevent flips."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    outermost = turned[np.abs(turned).argmax(axis=0), [0, 1]]
    return turned * np.where(outermost < 0, -1.0, 1.0)
