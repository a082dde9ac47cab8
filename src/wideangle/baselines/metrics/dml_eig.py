"""Distance metric learning as an eigenvalue problem, by Ying and Li."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle._arguments import real
from wideangle.baselines.metrics._ascent import ascend
from wideangle.baselines.metrics._base import Floats, MetricBaseline, TakesPairs, factor
from wideangle.baselines.metrics._pairs import PairMoments, onto_spectrahedron, whitened
from wideangle.models._base import resolve_device
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._parameters import check_parameters

ROUNDING = 1e-12  # Smoothing that changes the minimum by less than this share of it is none.
SOLVED = 0.25  # A smoothed problem is solved when what it lacks is at most this share of what smoothing can change.


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
        The most steps, each of which needs the eigenvectors of one matrix or two.
    tol : float, default=1e-3
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
    The minimum is smoothed, −μ log Σ exp(−distance/μ). The paper fixes μ and takes Frank-Wolfe steps of 2/(t+1), which
    creep where several pairs are equally near at the optimum. Here steps are projected gradients, and μ is halved
    whenever the smoothed problem is solved as well as its smoothing allows. A dissimilar pair of equal points is left
    out.

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
        tol: float = 1e-3,
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
        B = self._maximise(dissimilar, torch.eye(len(T), dtype=T.dtype, device=T.device) / len(T))
        return factor((T @ B @ T.mT).cpu().numpy())

    def _maximise(self, pairs: PairMoments, B: Tensor) -> Tensor:
        """The matrix of trace 1 with the largest smallest squared distance."""
        smoothing, most = float(pairs.squared(B).mean()), math.log(len(pairs))
        best, self.objective_, self.bound_ = B, -math.inf, math.inf
        self.stopped_, self.n_updates_ = f"max_updates={self.max_updates} reached", 0

        def smoothed(B: Tensor) -> tuple[float, Tensor]:
            nonlocal best
            squared = pairs.squared(B)
            if float(squared.min()) > self.objective_:
                best, self.objective_ = B, float(squared.min())
            value = -smoothing * torch.logsumexp(-squared / smoothing, 0)
            return float(value), pairs.moment(torch.softmax(-squared / smoothing, 0))

        def is_known() -> bool:
            return self.objective_ >= (1 - self.tol) * self.bound_

        def solved(B: Tensor, value: float, moment: Tensor) -> bool:
            # Any weights of the pairs bound the smallest distance that is possible by their largest eigenvalue.
            largest = float(torch.linalg.eigvalsh(moment)[-1])
            self.bound_ = min(self.bound_, largest)
            return is_known() or largest - float((moment * B).sum()) <= SOLVED * smoothing * most

        while not is_known() and self.n_updates_ < self.max_updates:
            found = ascend(smoothed, onto_spectrahedron, B, self.max_updates - self.n_updates_, solved)
            B, self.n_updates_ = found.point, self.n_updates_ + found.updates
            if found.updates == 0 and smoothing * most < ROUNDING * self.bound_:
                self.stopped_ = "converged: no step leads higher, by rounding"
                break
            smoothing /= 2
        if is_known():
            self.stopped_ = "converged"
        return best

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_principal", "n_similar", "n_dissimilar", "max_updates"),
            not_negative=("ridge",),
            above_zero=("tol",),
            may_be_none=("n_principal",),
            choices={},
        )
        real(above=0, below=1)(self.tol, "tol")  # From 1 on any matrix would do.
