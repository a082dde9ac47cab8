"""The first method of distance metric learning, by Xing, Ng, Jordan and Russell."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle.baselines.metrics._ascent import ascend
from wideangle.baselines.metrics._base import Floats, MetricBaseline, TakesPairs, factor
from wideangle.baselines.metrics._pairs import PairMoments, onto_spectrahedron, whitened
from wideangle.models._base import resolve_device
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._parameters import check_parameters

NEARLY_ZERO = 1e-12  # This share of the mean squared distance is added under the root, whose slope at 0 is infinite.


class XingMetric(TakesPairs, MetricBaseline):
    """Maximises the mean distance of dissimilar pairs while similar pairs have a mean squared distance of at most 1.

    It maximises mean over dissimilar √((x−y)ᵀM(x−y)), subject to mean over similar (x−y)ᵀM(x−y) ≤ 1 and M ≽ 0.

    Parameters
    ----------
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    ridge : float, default=1e-4
        What is added to the moment of similar pairs in every direction, as a share of its mean eigenvalue. Without it,
        a direction in which similar pairs do not differ would get an infinite weight.
    n_similar, n_dissimilar : int, default=20_000
        How many pairs `fit` draws.
    max_updates : int, default=200
        The most steps of the ascent.
    tol : float, default=1e-3
        The ascent ends where the mean distance can rise by at most this share, which a bound of the optimum tells.
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
        The mean distance of dissimilar pairs.
    n_updates_ : int
        Steps of the ascent.
    stopped_ : str
        Why it ended.

    Notes
    -----
    The paper bounds the sum over similar pairs; the mean changes M by one factor only. The paper projects onto the
    half-space and onto the cone in turn. In coordinates where the moment of similar pairs is the identity both sets
    together are the positive semi-definite matrices of trace at most 1, and one projection is exact.

    References
    ----------
    E. Xing, A. Ng, M. Jordan and S. Russell, Distance metric learning, with application to clustering with
    side-information, NIPS 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from wideangle.baselines.metrics import XingMetric
    >>> X, y = load_wine(return_X_y=True)
    >>> model = XingMetric(n_similar=500, n_dissimilar=500, random_state=0).fit(X, y)
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
        max_updates: int = 200,
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
        start = torch.eye(len(T), dtype=T.dtype, device=T.device) / len(T)
        offset = NEARLY_ZERO * float(dissimilar.squared(start).mean())

        def converged(B: Tensor, value: float, gradient: Tensor) -> bool:
            # The mean distance is concave, so that no B of trace 1 can be higher than the tangent plane at this one.
            rise = torch.linalg.eigvalsh(gradient)[-1] - (gradient * B).sum()
            return float(rise) <= self.tol * value

        found = ascend(
            lambda B: mean_distance(B, dissimilar, offset), onto_spectrahedron, start, self.max_updates, converged
        )
        self.objective_, self.n_updates_, self.stopped_ = found.value, found.updates, found.stopped
        return factor((T @ found.point @ T.mT).cpu().numpy())

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_principal", "n_similar", "n_dissimilar", "max_updates"),
            not_negative=("ridge", "tol"),
            may_be_none=("n_principal",),
            choices={},
        )


def mean_distance(B: Tensor, pairs: PairMoments, offset: float) -> tuple[float, Tensor]:
    """The mean of √((x−y)ᵀB(x−y) + offset), and its gradient in B."""
    distances = (pairs.squared(B).clamp(min=0) + offset).sqrt()
    return float(distances.mean()), pairs.moment(1 / (2 * len(pairs) * distances))
