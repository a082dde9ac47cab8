"""Distance metric learning as an eigenvalue problem, by Ying and Li."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle.baselines.metrics._base import Floats, MetricBaseline, TakesPairs, factor
from wideangle.baselines.metrics._pairs import PairMoments, whitened
from wideangle.models._base import resolve_device
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._parameters import check_parameters

BISECTIONS = 40  # of a line search


class DMLEig(TakesPairs, MetricBaseline):
    """Maximises the smallest distance of dissimilar pairs while the mean squared distance of similar ones is at most 1.

    It maximises min over dissimilar (x−y)ᵀM(x−y), subject to mean over similar (x−y)ᵀM(x−y) ≤ 1 and M ≽ 0. This is the
    smallest possible largest eigenvalue of a weighted mean of the dissimilar pairs' moments.

    Parameters
    ----------
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    ridge : float, default=1e-4
        What is added to the moment of similar pairs in every direction, as a share of its mean eigenvalue.
    n_similar, n_dissimilar : int, default=20_000
        How many pairs `fit` draws.
    max_updates : int, default=500
        The most Frank-Wolfe steps, each of which needs one leading eigenvector.
    tol : float, default=1e-2
        The steps end where the smallest squared distance is below its largest possible value by at most this share.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        Seed of the pairs and of the search for principal components.

    Attributes
    ----------
    components_ : array of shape (rank of M, n_features)
        A, with M = AᵀA.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1, the best one for the training pairs.
    objective_ : float
        The smallest squared distance of dissimilar pairs.
    bound_ : float
        A number that no matrix can exceed in this: the largest eigenvalue for the last weights of the pairs.
    n_updates_ : int
        Steps.
    stopped_ : str
        Why they ended.

    Notes
    -----
    The minimum is smoothed, −μ log Σ exp(−distance/μ). The paper fixes μ and takes steps of 2/(t+1). Here steps have
    the best length, and μ is halved whenever the smoothed problem is solved as well as its smoothing allows. A
    dissimilar pair of equal points is left out.

    References
    ----------
    Y. Ying and P. Li, Distance metric learning with eigenvalue optimization, JMLR 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from wideangle.baselines.metrics import DMLEig
    >>> X, y = load_wine(return_X_y=True)
    >>> model = DMLEig(n_similar=500, n_dissimilar=500, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_principal: int | None = None,
        *,
        ridge: float = 1e-4,
        n_similar: int = 20_000,
        n_dissimilar: int = 20_000,
        max_updates: int = 500,
        tol: float = 1e-2,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_principal = n_principal
        self.ridge = ridge
        self.n_similar = n_similar
        self.n_dissimilar = n_dissimilar
        self.max_updates = max_updates
        self.tol = tol
        self.device = device
        self.random_state = random_state

    def _learn(self, Z: Floats, pairs: IndexPairs, generator: np.random.Generator) -> Floats:
        rows = torch.from_numpy(Z.astype(np.float64)).to(resolve_device(self.device))
        T, dissimilar = whitened(rows, pairs, self.ridge)
        B = self._frank_wolfe(dissimilar, torch.eye(len(T), dtype=T.dtype, device=T.device) / len(T))
        return factor((T @ B @ T.mT).cpu().numpy())

    def _frank_wolfe(self, pairs: PairMoments, B: Tensor) -> Tensor:
        """Matrices of trace 1 with an ever larger smallest squared distance."""
        squared = pairs.squared(B)
        smoothing, most = float(squared.mean()), math.log(len(pairs))
        self.stopped_, self.n_updates_, self.bound_ = f"max_updates={self.max_updates} reached", 0, math.inf
        for update in range(self.max_updates):
            self.n_updates_ = update
            while True:
                weights = torch.softmax(-squared / smoothing, 0)
                values, vectors = torch.linalg.eigh(pairs.moment(weights))
                # Any weights of the pairs bound the smallest distance that is possible by their largest eigenvalue.
                self.bound_ = min(self.bound_, float(values[-1]))
                gap = float(values[-1]) - float(weights @ squared)
                if self.bound_ - float(squared.min()) <= self.tol * self.bound_:
                    self.stopped_ = "converged"
                    break
                if gap > smoothing * most / 4 or smoothing * most < self.tol * self.bound_ / 4:
                    break
                smoothing /= 2
            if self.stopped_ == "converged":
                break
            direction = vectors[:, -1]
            along = pairs.along(direction)
            share = best_share(squared, along, smoothing)
            B = (1 - share) * B + share * torch.outer(direction, direction)
            squared = (1 - share) * squared + share * along
            self.n_updates_ = update + 1
        self.objective_ = float(squared.min())
        return B

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_principal", "n_similar", "n_dissimilar", "max_updates"),
            not_negative=("ridge",),
            above_zero=("tol",),
            may_be_none=("n_principal",),
            choices={},
        )


def best_share(squared: Tensor, along: Tensor, smoothing: float) -> float:
    """Where the smoothed minimum of (1 − share)·squared + share·along is largest, which is a concave function."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        weights = torch.softmax(-((1 - middle) * squared + middle * along) / smoothing, 0)
        if float(weights @ (along - squared)) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
