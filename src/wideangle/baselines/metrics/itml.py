"""Information-theoretic metric learning, by Davis, Kulis, Jain, Sra and Dhillon."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from wideangle.baselines.metrics._base import Floats, MetricBaseline, TakesPairs, factor
from wideangle.exceptions import DataError
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._parameters import check_parameters

Prior = Literal["identity", "covariance"]

MOST_DISTANCES = 100_000  # Percentiles are those of the distances of this many random pairs of rows.
PAIRS_PER_CLASSES = 20  # `fit` draws this times c(c − 1) pairs of either kind for c classes, as the authors do.
NO_VARIANCE = 1e-10  # A direction with less than this share of the largest variance has none but rounding.


class ITML(TakesPairs, MetricBaseline):
    """The matrix nearest to a prior for which similar pairs are near and dissimilar pairs far.

    It minimises the LogDet divergence of M from the prior, plus slack · that of the bounds ξ from the wanted bounds,
    subject to (x−y)ᵀM(x−y) ≤ ξ for each similar and ≥ ξ for each dissimilar pair.

    Parameters
    ----------
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    slack : float, default=1.0
        γ; larger values hold the bounds more strictly.
    similar_percentile, dissimilar_percentile : float, default=5.0 and 95.0
        The wanted bounds, as percentiles of the squared distances of random pairs of rows under the prior.
    prior : {"identity", "covariance"}, default="identity"
        The prior matrix: the identity, or the inverse of the covariance.
    n_similar, n_dissimilar : int or None, default=None
        How many pairs `fit` draws. None is 20 c (c − 1) for c classes.
    max_updates : int, default=500
        The most passes over all pairs.
    tol : float, default=1e-4
        The passes end where what is minimised exceeds its smallest possible value by at most this share.
    random_state : int, RandomState or None, default=None
        Seed of the pairs, their order, the percentiles, and the search for principal components.

    Attributes
    ----------
    components_ : array of shape (rank of M, n_features)
        A, with M = AᵀA.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1, the best one for the training pairs.
    bounds_ : array of shape (2,)
        The wanted squared distances of similar and of dissimilar pairs.
    objective_ : float
        What is minimised: the divergence from the prior, plus slack · that of the bounds.
    lower_bound_ : float
        A number below which no matrix can bring it: the value of the dual problem.
    n_updates_ : int
        Passes over all pairs.
    stopped_ : str
        Why they ended.

    Notes
    -----
    A pass projects onto one constraint after the other, which cannot be done for many at a time; each projection costs
    d². The step of a projection is γ/(γ + 1)·(1/p − 1/ξ), which solves the problem above for every γ; the paper prints
    one that agrees for γ = 1. Pairs of equal points are left out, because no matrix changes their distance.

    References
    ----------
    J. Davis, B. Kulis, P. Jain, S. Sra and I. Dhillon, Information-theoretic metric learning, ICML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.baselines.metrics import ITML
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> ITML(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_principal: int | None = None,
        *,
        slack: float = 1.0,
        similar_percentile: float = 5.0,
        dissimilar_percentile: float = 95.0,
        prior: Prior = "identity",
        n_similar: int | None = None,
        n_dissimilar: int | None = None,
        max_updates: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_principal = n_principal
        self.slack = slack
        self.similar_percentile = similar_percentile
        self.dissimilar_percentile = dissimilar_percentile
        self.prior = prior
        self.n_similar = n_similar
        self.n_dissimilar = n_dissimilar
        self.max_updates = max_updates
        self.tol = tol
        self.random_state = random_state

    def _numbers_of_pairs(self, labels: NDArray[Any]) -> tuple[int, int]:
        n_classes = len(np.unique(labels))
        usual = PAIRS_PER_CLASSES * n_classes * max(1, n_classes - 1)
        return self.n_similar or usual, self.n_dissimilar or usual

    def _learn(self, Z: Floats, pairs: IndexPairs, generator: np.random.Generator) -> Floats:
        rows = Z.astype(np.float64)
        # The divergence does not change under linear maps, so that a prior is the identity in its own coordinates.
        T = whitening(rows) if self.prior == "covariance" else np.eye(rows.shape[1])
        if self.prior == "covariance":
            rows = rows @ T
        percentiles = (self.similar_percentile, self.dissimilar_percentile)
        self.bounds_ = distance_percentiles(rows, percentiles, generator)
        order = generator.permutation(len(pairs))
        M = self._project(rows, pairs.subset(order))
        return factor(T @ M @ T.T)

    def _project(self, rows: Floats, pairs: IndexPairs) -> NDArray[np.float64]:
        """Bregman projections onto one constraint after the other, until the dual gap is closed."""
        apart = (rows[pairs.left] != rows[pairs.right]).any(axis=1)
        pairs = pairs.subset(apart)
        differences = rows[pairs.left] - rows[pairs.right]
        signs = np.where(pairs.similar, 1.0, -1.0)
        wanted = np.where(pairs.similar, self.bounds_[0], self.bounds_[1])
        inverse_bounds = 1 / wanted
        multipliers = np.zeros(len(pairs))
        M = np.eye(rows.shape[1], order="F")  # Only the upper triangle is kept up to date.
        share = self.slack / (self.slack + 1)
        self.stopped_, self.n_updates_ = f"max_updates={self.max_updates} reached", self.max_updates
        for sweep in range(self.max_updates):
            for pair, difference in enumerate(differences):
                image = blas.dsymv(1.0, M, difference)
                squared = float(difference @ image)
                if not squared > 0:
                    raise _lost_precision(differences)
                sign = signs[pair]
                step = min(multipliers[pair], sign * share * (1 / squared - inverse_bounds[pair]))
                if step == 0:
                    continue
                multipliers[pair] -= step
                # M⁻¹ changes by −sign·step·(x−y)(x−y)ᵀ, and 1/ξ by sign·step/γ (Algorithm 1).
                inverse_bounds[pair] += sign * step / self.slack
                M = blas.dsyr(sign * step / (1 - sign * step * squared), image, a=M, overwrite_a=True)
            whole = np.triu(M) + np.triu(M, 1).T
            squared_distances = np.einsum("ij,ij->i", differences @ whole, differences)
            if not (inverse_bounds > 0).all() or not (squared_distances > 0).all():
                raise _lost_precision(differences)
            # The best bounds for M itself are the wanted ones, or the distances where these are beyond.
            kept = np.where(signs * (squared_distances - wanted) > 0, squared_distances, wanted)
            divergence_of_M = np.trace(whole) - np.linalg.slogdet(whole)[1] - len(whole)
            self.objective_ = divergence_of_M + self.slack * divergence(kept, wanted)
            bounds = 1 / inverse_bounds
            lagrangian = divergence_of_M + self.slack * divergence(bounds, wanted)
            self.lower_bound_ = lagrangian + float(multipliers @ (signs * (squared_distances - bounds)))
            if self.objective_ - self.lower_bound_ <= self.tol * self.objective_:
                self.stopped_, self.n_updates_ = "converged", sweep + 1
                break
        return whole

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_principal", "n_similar", "n_dissimilar", "max_updates"),
            not_negative=("similar_percentile", "tol"),
            above_zero=("slack", "dissimilar_percentile"),
            may_be_none=("n_principal", "n_similar", "n_dissimilar"),
            choices={"prior": ("identity", "covariance")},
        )
        if not self.similar_percentile < self.dissimilar_percentile <= 100:
            raise ValueError(
                "similar_percentile must be below dissimilar_percentile, and both at most 100; got "
                f"{self.similar_percentile} and {self.dissimilar_percentile}."
            )


def _lost_precision(differences: NDArray[np.float64]) -> DataError:
    """The error where rounding has made M no metric."""
    lengths = np.linalg.norm(differences, axis=1)
    return DataError(
        f"the distances of pairs lie between {lengths.min():.1g} and {lengths.max():.1g}, too far apart for float64 to "
        "learn from them together. Scale the columns (StandardScaler), or leave out rows that are far from all others."
    )


def divergence(bounds: NDArray[np.float64], wanted: NDArray[np.float64]) -> float:
    """The LogDet divergence of diagonal matrices, Σ ξ/ξ₀ − log(ξ/ξ₀) − 1."""
    ratios = bounds / wanted
    return float((ratios - np.log(ratios) - 1).sum())


def distance_percentiles(
    rows: Floats, percentiles: tuple[float, float], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Percentiles of the squared distances of random pairs of rows that are not equal."""
    left, right = generator.integers(0, len(rows), (2, MOST_DISTANCES if len(rows) > 500 else 100 * len(rows)))
    squared = np.concatenate(
        [
            ((rows[a] - rows[b]) ** 2).sum(axis=1)
            for a, b in zip(np.array_split(left, 50), np.array_split(right, 50), strict=True)
        ]
    )
    squared = squared[squared > 0]  # A bound of 0 cannot be met, and a row paired with itself says nothing.
    if not len(squared):
        raise DataError("all rows are equal: there is nothing to tell apart.")
    return np.percentile(squared, percentiles)


def whitening(rows: Floats) -> NDArray[np.float64]:
    """T such that the rows times T have the identity as their covariance, in the directions in which they vary."""
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    varying = values > NO_VARIANCE * values[-1]
    if not varying.any():
        raise DataError("all rows are equal: there is nothing to tell apart.")
    return vectors[:, varying] / np.sqrt(values[varying])
