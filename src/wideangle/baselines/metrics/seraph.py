"""Semi-supervised metric learning by entropy regularisation, by Niu, Dai, Yamada and Sugiyama."""

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import softplus

from wideangle.baselines.metrics._ascent import Ascent, ascend
from wideangle.baselines.metrics._base import Floats, MetricBaseline, TakesPairs, drawn_pairs, factor
from wideangle.baselines.metrics._pairs import PairMoments, onto_cone, scale_to
from wideangle.models._base import resolve_device
from wideangle.models._distance.pairs import IndexPairs, checked_signs
from wideangle.models._parameters import check_parameters
from wideangle.models._training.resuming import keeps_result

Self = TypeVar("Self", bound="Seraph")

BOUNDARY = 1.0  # η: the squared distance at which a pair is as likely similar as dissimilar. It sets the scale of M.


class Seraph(TakesPairs, MetricBaseline):
    """Learns a probability that a pair is similar: likely for labelled pairs, and certain for unlabelled ones.

    With p(similar) = 1 / (1 + exp((x−y)ᵀM(x−y) − 1)) it maximises mean over labelled pairs log p(label) −
    entropy_weight · mean over unlabelled pairs entropy(p) − trace_weight · tr M, subject to M ≽ 0.

    Parameters
    ----------
    n_principal : int or None, default=None
        How many principal components the method sees. None is all features; sparse rows are then made dense.
    entropy_weight : float, default=1.0
        μ, the weight of the entropy of unlabelled pairs. Both terms are means, so that 1 is the paper's setting. It has
        no effect unless `fit` gets unlabelled rows.
    trace_weight : float, default=0.01
        λ, the weight of the trace norm; larger values give fewer components. Training scales the inputs by one number,
        so that a feature differs by about 1 between labelled pairs, and `components_` undoes the scaling.
    n_similar, n_dissimilar : int, default=20_000
        How many labelled pairs `fit` draws.
    n_unlabelled : int, default=20_000
        How many pairs with at least one unlabelled row are drawn, if there are such rows.
    max_updates : int, default=200
        The most steps; with unlabelled rows there are two ascents.
    tol : float, default=1e-4
        An ascent ends where a step would move M by less than this share.
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
        What was maximised.
    n_updates_ : int
        Steps of all ascents.
    stopped_ : str
        Why the last ended.

    Notes
    -----
    The supervised problem is concave. The entropy of unlabelled pairs is not; its ascent starts from the supervised
    solution. Both are done by projected gradients, one of the two solvers of the paper.

    References
    ----------
    G. Niu, B. Dai, M. Yamada and M. Sugiyama, Information-theoretic semi-supervised metric learning via entropy
    regularization, ICML 2012; Neural Computation 26, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.baselines.metrics import Seraph
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = Seraph(n_similar=500, n_dissimilar=500, random_state=0).fit(X[::4], y[::4], unlabelled=X[1::4])
    >>> model.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        n_principal: int | None = None,
        *,
        entropy_weight: float = 1.0,
        trace_weight: float = 0.01,
        n_similar: int = 20_000,
        n_dissimilar: int = 20_000,
        n_unlabelled: int = 20_000,
        max_updates: int = 200,
        tol: float = 1e-4,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_principal = n_principal
        self.entropy_weight = entropy_weight
        self.trace_weight = trace_weight
        self.n_similar = n_similar
        self.n_dissimilar = n_dissimilar
        self.n_unlabelled = n_unlabelled
        self.max_updates = max_updates
        self.tol = tol
        self.device = device
        self.random_state = random_state

    @keeps_result
    def fit(self: Self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Learn from pairs drawn from the rows of X by their class labels y, and from further rows without labels."""
        X, labels = self._labelled(X, y, reset=True)
        self._check_parameters()
        generator = self._generator()
        pairs = drawn_pairs(labels, self.n_similar, self.n_dissimilar, generator)
        return self._fit_both(X, pairs, unlabelled, generator)

    @keeps_result
    def fit_pairs(self: Self, pairs: Any, y: Any, X: Any = None, unlabelled: Any = None) -> Self:
        """Learn from given pairs, and from further rows without labels.

        Parameters
        ----------
        pairs : array of shape (n, 2, d) or (n, 2)
            Pairs of points; or, with X, of row numbers of X.
        y : array of shape (n,)
            +1 for similar, −1 for dissimilar pairs.
        X : array or sparse matrix of shape (n_samples, d), optional
            The rows that the row numbers refer to.
        unlabelled : array or sparse matrix of shape (n_rows, d), optional
            Further rows.
        """
        X, left, right = self._pair_rows(pairs, X, reset=True)
        self._check_parameters()
        given = IndexPairs(left, right, checked_signs(y, len(left)))
        return self._fit_both(X, given, unlabelled, self._generator())

    def _fit_both(self: Self, X: Any, pairs: IndexPairs, unlabelled: Any, generator: np.random.Generator) -> Self:
        """Put the unlabelled rows below the others, where no labelled pair has them."""
        n_labelled = X.shape[0]
        if unlabelled is not None:
            further = self._rows(unlabelled, reset=False).astype(X.dtype, copy=False)
            sparse = sp.issparse(X) or sp.issparse(further)
            X = sp.vstack([X, further], format="csr") if sparse else np.concatenate([X, further])
        self._fit(X, pairs, generator, n_labelled)
        return self

    def _learn(self, Z: Floats, pairs: IndexPairs, generator: np.random.Generator, n_labelled: int) -> Floats:
        rows = torch.from_numpy(Z.astype(np.float64)).to(resolve_device(self.device))
        d = rows.shape[1]
        identity = torch.eye(d, dtype=rows.dtype, device=rows.device)
        scale = scale_to(float(PairMoments(rows, pairs.left, pairs.right).squared(identity).mean()), d)
        labelled = PairMoments(scale * rows, pairs.left, pairs.right)
        signs = torch.from_numpy(np.where(pairs.similar, 1.0, -1.0)).to(rows.device)

        def supervised(M: Tensor) -> tuple[float, Tensor]:
            value, slopes = log_likelihood(labelled.squared(M), signs)
            return value - self.trace_weight * float(M.trace()), labelled.moment(slopes) - self.trace_weight * identity

        found = self._ascend(supervised, identity * BOUNDARY / d)  # at the boundary on average
        updates = found.updates
        n_further = len(rows) - n_labelled
        if n_further and self.entropy_weight:
            left, right = unlabelled_pairs(n_labelled, n_further, self.n_unlabelled, generator)
            unlabelled = PairMoments(scale * rows, left, right)

            def both(M: Tensor) -> tuple[float, Tensor]:
                value, gradient = supervised(M)
                certainty, slopes = negative_entropy(unlabelled.squared(M))
                weight = self.entropy_weight
                return value + weight * certainty, gradient + weight * unlabelled.moment(slopes)

            found = self._ascend(both, found.point)
            updates += found.updates
        self.objective_, self.n_updates_, self.stopped_ = found.value, updates, found.stopped
        return scale * factor(found.point.cpu().numpy())

    def _ascend(self, value: Any, start: Tensor) -> Ascent:
        return ascend(value, onto_cone, start, self.max_updates, tol=self.tol)

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_principal", "n_similar", "n_dissimilar", "n_unlabelled", "max_updates"),
            not_negative=("entropy_weight", "trace_weight", "tol"),
            may_be_none=("n_principal",),
            choices={},
        )


def log_likelihood(squared: Tensor, signs: Tensor) -> tuple[float, Tensor]:
    """The mean of log p(label), with p(sign) = 1 / (1 + exp(sign (squared − η))), and its slope in each distance."""
    excess = signs * (squared - BOUNDARY)
    return -float(softplus(excess).mean()), -signs * torch.sigmoid(excess) / len(signs)


def negative_entropy(squared: Tensor) -> tuple[float, Tensor]:
    """The mean of p log p + (1−p) log(1−p) for p = 1 / (1 + exp(squared − η)), and its slope in each distance."""
    excess = squared - BOUNDARY
    similar, dissimilar = torch.sigmoid(-excess), torch.sigmoid(excess)
    value = -(similar * softplus(excess) + dissimilar * softplus(-excess)).mean()
    return float(value), excess * similar * dissimilar / len(squared)


def unlabelled_pairs(
    n_labelled: int, n_further: int, n_pairs: int, generator: np.random.Generator
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """Pairs of an unlabelled row with any other row; the unlabelled rows come after the labelled ones."""
    left = generator.integers(n_labelled, n_labelled + n_further, n_pairs)
    right = generator.integers(0, n_labelled + n_further - 1, n_pairs)
    return left, right + (right >= left)
