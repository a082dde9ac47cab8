"""How well clusters match classes."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from wideangle.evaluation._inputs import checked_labels, checked_rows

Average = Literal["max", "min", "arithmetic", "geometric"]


@dataclass(frozen=True)
class ClusteringScores:
    """What k-means found."""

    accuracy: float
    nmi: float
    inertia: float
    """the loss of the best restart, Σ ‖x − centre‖²"""


def clustering_accuracy(labels: ArrayLike, clusters: ArrayLike) -> float:
    """max over one-to-one maps of clusters to classes of the share of samples whose cluster maps to their class.

    The map is found by the Hungarian algorithm. With more clusters than classes, or fewer, some stay unmatched and
    their samples count as wrong.

    Examples
    --------
    >>> from wideangle.evaluation import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    from sklearn.metrics.cluster import contingency_matrix

    truth = checked_labels(labels, "labels")
    table = contingency_matrix(truth, checked_labels(clusters, "clusters", len(truth)))
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / len(truth))


def normalized_mutual_information(labels: ArrayLike, clusters: ArrayLike, average: Average = "max") -> float:
    """NMI = I(labels; clusters) / max(H(labels), H(clusters)), Cai's normalisation, which the paper uses.

    One cluster against one class counts as 1, one cluster against several classes as 0.

    Parameters
    ----------
    labels, clusters : array of shape (n,)
    average : {"max", "min", "arithmetic", "geometric"}, default="max"
        Which mean of the two entropies to divide by. scikit-learn's default is the arithmetic mean, which gives larger
        values.

    Examples
    --------
    >>> from wideangle.evaluation import normalized_mutual_information
    >>> round(normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6667
    """
    from sklearn.metrics import normalized_mutual_info_score

    truth = checked_labels(labels, "labels")
    found = checked_labels(clusters, "clusters", len(truth))
    if average not in ("max", "min", "arithmetic", "geometric"):
        raise ValueError(f"average must be 'max', 'min', 'arithmetic' or 'geometric'; got {average!r}.")
    # As whole numbers, because scikit-learn warns of labels that are floats.
    codes = [np.unique(vector, return_inverse=True)[1] for vector in (truth, found)]
    return float(normalized_mutual_info_score(*codes, average_method=average))


def kmeans_scores(
    X: Any, labels: ArrayLike, *, restarts: int = 10, random_state: int | np.random.RandomState | None = 0
) -> ClusteringScores:
    """Accuracy and NMI of the k-means clustering of lowest loss among the restarts, k the number of classes.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, D)
        Representations.
    labels : array of shape (n,)
        Their classes.
    restarts : int, default=10
        The number of starts, of which the best is kept; the paper takes 10.
    random_state : int, RandomState or None, default=0
        Decides the starting centres.

    Examples
    --------
    >>> from wideangle.evaluation import kmeans_scores
    >>> kmeans_scores([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    ClusteringScores(accuracy=1.0, nmi=1.0, inertia=1.0)
    """
    from sklearn.cluster import KMeans

    rows = checked_rows(X, "X")
    if sparse.issparse(rows):  # Before 1.8 scikit-learn's k-means takes no wider indices.
        narrow = (rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        rows = sparse.csr_array((rows.data, *narrow), shape=rows.shape)
    truth = checked_labels(labels, "labels", rows.shape[0])
    if restarts < 1:
        raise ValueError(f"restarts must be at least 1; got {restarts}.")
    kmeans = KMeans(len(np.unique(truth)), n_init=restarts, random_state=random_state)
    with warnings.catch_warnings():
        # Fewer distinct points than classes: a collapsed representation, which the scores themselves show.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = kmeans.fit_predict(rows)
    nmi = normalized_mutual_information(truth, clusters)
    return ClusteringScores(clustering_accuracy(truth, clusters), nmi, float(kmeans.inertia_))
