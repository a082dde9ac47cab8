"""Neighbourhood components analysis: scikit-learn's, with what our distances offer."""

from typing import Any, Literal, TypeVar

import numpy as np

from wideangle._quiet import silenced
from wideangle.baselines.metrics._base import MetricBaseline, judged_pairs
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result

Self = TypeVar("Self", bound="NCA")
Init = Literal["auto", "pca", "lda", "identity", "random"]


class NCA(MetricBaseline):
    """Maximises how often a row would choose a neighbour of its own class, drawn by a softmax of distances.

    Parameters
    ----------
    n_components : int or None, default=None
        The rows of A. None is as many as there are features or principal components.
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    init : {"auto", "pca", "lda", "identity", "random"}, default="auto"
        The first A, as in scikit-learn.
    max_updates : int, default=50
        The most steps of L-BFGS.
    tol : float, default=1e-5
        L-BFGS ends where the gradient is this small.
    random_state : int, RandomState or None, default=None
        Seed of the start, of the search for principal components, and of the pairs of the threshold.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1, the best one for pairs of training rows.
    n_updates_ : int
        Steps of L-BFGS.
    stopped_ : str
        Why they ended.

    Notes
    -----
    `sklearn.neighbors.NeighborhoodComponentsAnalysis` does the work. It holds several matrices of rows × rows.

    References
    ----------
    J. Goldberger, G. Hinton, S. Roweis and R. Salakhutdinov, Neighbourhood components analysis, NIPS 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.baselines.metrics import NCA
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> NCA(2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_principal: int | None = None,
        init: Init = "auto",
        max_updates: int = 50,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_principal = n_principal
        self.init = init
        self.max_updates = max_updates
        self.tol = tol
        self.random_state = random_state

    @keeps_result
    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from rows and their class labels."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.neighbors import NeighborhoodComponentsAnalysis

        X, labels = self._labelled(X, y, reset=True)
        self._check_parameters()
        self._forget()
        generator = self._generator()
        judged = judged_pairs(labels, generator)
        Z, directions = self._reduced(X, generator)
        self._check_size(Z.shape[1])
        analysis = NeighborhoodComponentsAnalysis(
            self.n_components,
            init=self.init,
            max_iter=self.max_updates,
            tol=self.tol,
            random_state=int(generator.integers(2**31)),
        )
        with silenced(ConvergenceWarning):  # `stopped_` says it.
            analysis.fit(Z.astype(np.float64), labels)
        self.n_updates_ = int(analysis.n_iter_) - 1  # scikit-learn counts the start too.
        reached = self.n_updates_ >= self.max_updates
        self.stopped_ = f"max_updates={self.max_updates} reached" if reached else "converged"
        self._set_components(analysis.components_, directions, X, judged)
        return self

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "n_principal", "max_updates"),
            not_negative=("tol",),
            may_be_none=("n_components", "n_principal"),
            choices={"init": ("auto", "pca", "lda", "identity", "random")},
        )
