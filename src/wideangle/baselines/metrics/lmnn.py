"""Large margin nearest neighbours, by Weinberger, Blitzer and Saul."""

from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from wideangle.baselines.metrics._base import Floats, MetricBaseline, judged_pairs
from wideangle.baselines.metrics._pairs import scale_to
from wideangle.baselines.metrics._triplets import Targets, impostors, margin_loss, target_neighbours
from wideangle.models._base import resolve_device
from wideangle.models._distance.pairs import Indices
from wideangle.models._distance.principal import principal_directions
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result

Self = TypeVar("Self", bound="LMNN")

NEW_IMPOSTORS = "new impostors cost more than any update gains; with a larger n_impostors fewer of them would be new"


class LMNN(MetricBaseline):
    """Learns A such that the nearest rows of the same class are nearer than rows of other classes, by a margin of 1.

    It minimises (1 − push_weight) Σ ‖A(x_i − x_j)‖² + push_weight Σ max(0, 1 + ‖A(x_i − x_j)‖² − ‖A(x_i − x_l)‖²) over
    the target neighbours j of each row i, which are its nearest rows of the same class before training, and over its
    impostors l, rows of other classes.

    Parameters
    ----------
    n_components : int or None, default=None
        The rows of A. None is as many as there are features or principal components.
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    n_neighbors : int, default=3
        Target neighbours per row. A class with fewer rows has fewer.
    push_weight : float, default=0.5
        The share of the loss that impostors have.
    n_impostors : int, default=50
        Candidates per row: the so many nearest rows of other classes can be impostors until the next search.
    refresh_every : int, default=20
        Updates from one search for candidates to the next. Where new impostors cost more than these updates gained,
        they are undone, and from then on half as many are made at a time.
    max_updates : int, default=100
        The most steps of L-BFGS.
    tol : float, default=1e-3
        Training ends where the updates from one search to the next lower the loss by at most this share.
    device : str, default="auto"
        "auto", "cpu" or "cuda". On a GPU sums are taken in no fixed order, and the last bits may differ.
    random_state : int, RandomState or None, default=None
        Seed of the search for principal components and of the pairs of the threshold.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1, the best one for pairs of training rows.
    objective_ : float
        The loss per target neighbour, with the candidates of the last search.
    n_active_ : int
        How many triplets violate the margin.
    n_updates_ : int
        Steps of L-BFGS.
    stopped_ : str
        Why training ended.

    Notes
    -----
    The inputs are scaled by one number, so that target neighbours start at a mean squared distance of 1; `components_`
    undoes the scaling. Every step takes all rows, in blocks. A search compares all rows with those of other classes, in
    blocks too, so that memory grows with rows × (n_impostors + features).

    References
    ----------
    K. Weinberger, J. Blitzer and L. Saul, Distance metric learning for large margin nearest neighbor classification,
    NIPS 2005. K. Weinberger and L. Saul, the same title, JMLR 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.baselines.metrics import LMNN
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> LMNN(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_principal: int | None = None,
        n_neighbors: int = 3,
        push_weight: float = 0.5,
        n_impostors: int = 50,
        refresh_every: int = 20,
        max_updates: int = 100,
        tol: float = 1e-3,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_principal = n_principal
        self.n_neighbors = n_neighbors
        self.push_weight = push_weight
        self.n_impostors = n_impostors
        self.refresh_every = refresh_every
        self.max_updates = max_updates
        self.tol = tol
        self.device = device
        self.random_state = random_state

    @keeps_result
    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from rows and their class labels."""
        X, labels = self._labelled(X, y, reset=True)
        self._check_parameters()
        self._forget()
        generator = self._generator()
        judged = judged_pairs(labels, generator)  # an error where there is one class, or none with two rows
        Z, directions = self._reduced(X, generator)
        self._check_size(Z.shape[1])
        codes = np.unique(labels, return_inverse=True)[1].ravel()
        start = np.eye(Z.shape[1])
        if self.n_components is not None and self.n_components < Z.shape[1]:
            start = principal_directions(Z, self.n_components, generator)
        A = self._train(torch.from_numpy(Z).to(resolve_device(self.device)), codes, start)
        self._set_components(A, directions, X, judged)
        return self

    def _train(self, Z: Tensor, codes: Indices, start: Floats) -> Floats:
        """Search for candidates and descend, in turn. The best state is kept."""
        targets = target_neighbours(Z, codes, self.n_neighbors)
        total = sum(
            float(((Z - Z[near]).square().sum(1) * there).sum(dtype=torch.float64))
            for near, there in zip(targets.numbers.T, targets.valid.T, strict=True)
        )
        scale = scale_to(total / int(targets.valid.sum()), 1.0)
        Z, A = Z * scale, start.astype(np.float64)
        best, steps = np.inf, self.refresh_every
        self.n_updates_ = 0
        while True:
            projected = _projected(Z, A)
            others = impostors(projected, codes, self.n_impostors)
            loss, _, n_active = margin_loss(projected, targets, others, self.push_weight)
            gain = best - loss
            if gain > 0:
                best, kept, kept_others, self.n_active_ = loss, A, others, n_active
            if 0 <= gain <= self.tol * loss * steps / self.refresh_every:
                self.stopped_ = "converged"
                break
            if self.n_updates_ >= self.max_updates:
                self.stopped_ = f"max_updates={self.max_updates} reached"
                break
            if gain < 0:  # New impostors cost more than the updates gained, so that fewer are made at a time.
                if steps == 1:
                    self.stopped_ = NEW_IMPOSTORS
                    break
                steps //= 2
            A, updates = self._descend(Z, kept, targets, kept_others, steps)
            self.n_updates_ += updates
        self.objective_ = best
        return scale * kept

    def _descend(
        self, Z: Tensor, A: Floats, targets: Targets, others: Tensor, steps: int
    ) -> tuple[NDArray[np.float64], int]:
        """L-BFGS on the loss of fixed candidates."""
        from scipy.optimize import minimize

        def value_and_slope(flat: Floats) -> tuple[float, Floats]:
            loss, slopes, _ = margin_loss(_projected(Z, flat.reshape(A.shape)), targets, others, self.push_weight)
            return loss, (slopes.mT @ Z).double().cpu().numpy().ravel()

        options = {"maxiter": min(steps, self.max_updates - self.n_updates_), "maxcor": 10}
        found = minimize(value_and_slope, A.ravel(), jac=True, method="L-BFGS-B", options=options)
        return found.x.reshape(A.shape), max(1, int(found.nit))

    def _check_parameters(self) -> None:
        numbers = ("n_components", "n_principal", "n_neighbors", "n_impostors", "refresh_every", "max_updates")
        check_parameters(
            self,
            counts=numbers,
            not_negative=("tol",),
            shares=("push_weight",),
            may_be_none=("n_components", "n_principal"),
            choices={},
        )


def _projected(Z: Tensor, A: Floats) -> Tensor:
    return Z @ torch.from_numpy(A).to(Z).mT
