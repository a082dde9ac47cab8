"""How well clusters match classes."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning

from wideangle._arguments import checked, one_of, whole
from wideangle._quiet import silenced
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


@checked(average=one_of("max", "min", "arithmetic", "geometric"))
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
    # As whole numbers, because scikit-learn warns of labels that are floats.
    codes = [np.unique(vector, return_inverse=True)[1] for vector in (truth, found)]
    return float(normalized_mutual_info_score(*codes, average_method=average))


@checked(restarts=whole(least=1))
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
    # k-means squares the rows, and its clusters do not depend on their unit. A power of two changes no digit.
    largest = float(np.abs(rows.data if sparse.issparse(rows) else rows).max(initial=0.0))
    unit = 1.0 if largest == 0 or 1e-15 < largest < 1e15 else 2.0 ** float(np.frexp(largest)[1] - 1)
    rows = rows / rows.dtype.type(unit) if unit != 1 else rows
    if sparse.issparse(rows):  # Before 1.8 scikit-learn's k-means takes no wider indices.
        narrow = (rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        rows = sparse.csr_array((rows.data, *narrow), shape=rows.shape)
    truth = checked_labels(labels, "labels", rows.shape[0])
    kmeans = KMeans(len(np.unique(truth)), n_init=restarts, random_state=random_state)
    # Fewer distinct points than classes: a collapsed representation, which the scores themselves show.
    with silenced(ConvergenceWarning):
        clusters = kmeans.fit_predict(rows)
    nmi = normalized_mutual_information(truth, clusters)
    return ClusteringScores(clustering_accuracy(truth, clusters), nmi, float(kmeans.inertia_) * unit * unit)
