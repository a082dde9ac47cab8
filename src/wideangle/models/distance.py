"""Distance metric learning, its components kept apart by the mutual angular regulariser."""

from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from wideangle._validation import with_callbacks
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, batches, resolve_device
from wideangle.models._distance.estimator import PairEstimator
from wideangle.models._distance.pairs import IndexPairs, checked_signs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.sampling import Balance, Sampling, plain_pairs, sample_pairs
from wideangle.models._distance.splits import pair_splits, row_splits
from wideangle.models._distance.start import Init
from wideangle.models._distance.trainer import PairTrainer
from wideangle.models._parameters import check_parameters, settings_of
from wideangle.models._training.beginning import begin_fit, begin_pass
from wideangle.models._training.loop import learning_further
from wideangle.models._training.resuming import takes_checkpoint
from wideangle.models._training.steps import SCHEDULES, Schedule
from wideangle.recent_rows import MetricName

Self = TypeVar("Self", bound="DistanceLearner")

Monitor = Literal["auto", "neighbors", "average_precision"]
_CHOICES = {
    "monitor": ("auto", "neighbors", "average_precision"),
    "balance": ("samples", "classes"),
    "init": ("pca", "random"),
    "schedule": SCHEDULES,
}


class DistanceLearner(PairEstimator):
    """Learns A such that ‖A(x − y)‖ is small for similar pairs and large for dissimilar ones. Its rows spread out.

    It minimises mean over similar ‖A(x−y)‖² + hinge_weight · mean over dissimilar max(0, margin − ‖A(x−y)‖²),
    divided by the margin, less diversity · Ω(A).

    Parameters
    ----------
    n_components : int or None, default=None
        K, the rows of A. None is the number of features, at most 100.
    diversity : float, default=0.1
        λ, the weight of the regulariser; 0 is plain distance metric learning. Training scales the inputs by one number,
        and `components_` undoes the scaling, so that one range, 0.01 to 10, serves every data set.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`. "bound" and "volume" need n_components ≤ features; good
        weights of the volume are a hundredth of those of the angle.
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : {"identity", "scales", "covariance"}, default="identity"
        Where angles are measured: at the components themselves, as in the paper; with each feature in units of its
        standard deviation in the data, "scales"; or as the data sees them, "covariance": cosines are then the
        correlations of the transformed features. The data are up to 1000 points of the training pairs; in
        `partial_fit`, those of the latest pairs.
    margin : float, default=1.0
        Squared distance that dissimilar pairs should have. It sets the scale of all distances and nothing else.
    hinge_weight : float, default=5.0
        Weight of dissimilar pairs that are nearer than the margin. The paper's hard constraint is the limit of an
        infinite weight.
    max_violations : float or None, default=None
        If given, the hinge weight is doubled and training goes on for as many updates again, until fewer than this
        share of the dissimilar training pairs are nearer than the margin. With validation, only states below this share
        may be kept. If validation has seen no such state, training goes on and ends at the first one.
    near_similar, near_dissimilar : float, default=1.0 and 0.5
        The share of the similar (dissimilar) pairs of `fit` whose partner is one of the nearest rows of the same class
        (of other classes), by Euclidean distance. Nearest-neighbour classifiers depend on near pairs. Similar pairs
        from anywhere pull each class into one blob: average precision rises further, but such classifiers may become
        worse. 0 is the paper's setting.
    n_neighbors : int, default=5
        How many of the nearest rows count as near.
    n_similar, n_dissimilar : int, default=100_000
        How many pairs `fit` draws.
    balance : {"samples", "classes"}, default="samples"
        Whether the first row of a pair is drawn equally often from every sample (the paper's setting) or every class.
    init : {"pca", "random"}, default="pca"
        The first components: principal directions, the same for dense and sparse X, or random ones.
    learning_rate : float, default=0.04
        How far a whole component of D entries, whose length is about 1, moves per update.
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    batch_size : int, default=1000
        Pairs per update.
    max_updates : int, default=500
        Updates per training, whatever the number of pairs. With validation there are up to four trainings.
    monitor : {"auto", "neighbors", "average_precision"}, default="auto"
        What is validated: how well the three nearest training rows tell the class of a held-out row (half a point for a
        right vote, a sixth for each of them that has its class), or the average precision of held-out pairs. "auto" is
        the first in `fit` and the second in `fit_pairs`.
    validation_fraction : float or None, default=None
        Share of the rows (in `fit_pairs`, of the pairs) to hold out at a time. `fit` trains up to three times with
        different rows held out; it stops holding out more once there are 2000 in all. `fit_pairs` does this once. The
        last training takes all pairs. It ends at the earliest state that was not worse than the best by more than one
        standard error, or keeps the start if that was not worse by more than two. None is 0.2 in `fit`, if there are
        enough rows, and 0 in `fit_pairs`. 0 is one training without validation, whose last state is kept.
    patience : int, default=10
        After so many records without a better score, the trainings that validate stop. A record is made every
        max_updates / 25 updates.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        Seed of the pairs, the start and the order. The same seed on the same machine gives the same bits; on a CPU the
        number of threads must be the same too.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A, for inputs that are not scaled.
    threshold_ : float
        The largest distance for which `predict_pairs` gives +1. `fit_pairs` finds the best one for its training pairs,
        `fit` for pairs of training rows that need not be near; `calibrate_threshold` sets it anew.
    violations_ : float
        Share of the dissimilar training pairs nearer than the margin at the end.
    hinge_weight_ : float
        The last hinge weight.
    history_ : tuple of PairRecord
        Loss, share of violations, hinge weight, Ω, angles in degrees, validation and seconds of the last training.
        With validation the first record describes the start.
    n_updates_ : int
        Updates of the last training; 0 if validation kept the start.
    stopped_ : str
        Why the fit ended.

    Notes
    -----
    The paper's plain setting is near_similar=0, near_dissimilar=0, init="random". Features are not scaled against each
    other: standardise features that have different units. A constant feature does no harm; its column of A has no
    meaning. Equal points have distance 0 for every A, so a dissimilar pair of equal points always violates the margin.

    References
    ----------
    E. Xing, A. Ng, M. Jordan and S. Russell, Distance metric learning, with application to clustering with
    side-information, NIPS 2002. P. Xie, Y. Deng and E. Xing, Latent Variable Modeling with Diversity-Inducing Mutual
    Angular Regularization, 2015, Section 4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from wideangle.models import DistanceLearner
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = DistanceLearner(3, max_updates=200, random_state=0).fit(X, y)
    >>> model.transform(X).shape
    (178, 3)
    >>> model.predict_pairs([[0, 1], [0, 177]], X).tolist()
    [1, -1]
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        diversity: float = 0.1,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        metric: MetricName = "identity",
        margin: float = 1.0,
        hinge_weight: float = 5.0,
        max_violations: float | None = None,
        near_similar: float = 1.0,
        near_dissimilar: float = 0.5,
        n_neighbors: int = 5,
        n_similar: int = 100_000,
        n_dissimilar: int = 100_000,
        balance: Balance = "samples",
        init: Init = "pca",
        learning_rate: float = 0.04,
        schedule: Schedule = "linear",
        batch_size: int = 1000,
        max_updates: int = 500,
        monitor: Monitor = "auto",
        validation_fraction: float | None = None,
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
        self.metric = metric
        self.margin = margin
        self.hinge_weight = hinge_weight
        self.max_violations = max_violations
        self.near_similar = near_similar
        self.near_dissimilar = near_dissimilar
        self.n_neighbors = n_neighbors
        self.n_similar = n_similar
        self.n_dissimilar = n_dissimilar
        self.balance = balance
        self.init = init
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.batch_size = batch_size
        self.max_updates = max_updates
        self.monitor = monitor
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from pairs drawn from the rows of X by their class labels y."""
        begin_fit(self, X=X, y=y)
        X, y = self._labelled(X, y, reset=True)
        self._check_parameters()
        randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        sampling = settings_of(self, Sampling)
        pairs = sample_pairs(X, y, sampling, randomness.rows)
        splits = row_splits(y, pairs, self.validation_fraction, self.monitor, sampling, randomness.rows)
        return self._fit(X, pairs, splits, plain_pairs(y, sampling, randomness.rows), randomness)

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit_pairs(self: Self, pairs: Any, y: Any, X: Any = None) -> Self:
        """Learn from given pairs.

        Parameters
        ----------
        pairs : array of shape (n, 2, d) or (n, 2)
            Pairs of points; or, with X, of row numbers of X.
        y : array of shape (n,)
            +1 for similar, −1 for dissimilar pairs.
        X : array or sparse matrix of shape (n_samples, d), optional
            The rows that the row numbers refer to.
        """
        begin_fit(self, pairs=pairs, y=y, X=X)
        X, left, right = self._pair_rows(pairs, X, reset=True)
        self._check_parameters()
        if self.monitor == "neighbors":
            raise ValueError(
                "monitor='neighbors' needs the classes of rows, which fit_pairs does not have; pass monitor='auto' or "
                "'average_precision', or use fit."
            )
        given = IndexPairs(left, right, checked_signs(y, len(left)))
        randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        splits = pair_splits(given, self.validation_fraction or 0.0, randomness.rows)
        return self._fit(X, given, splits, given, randomness)

    def partial_fit(self: Self, X: Any, y: Any, *, pairs: Any = None) -> Self:
        """One pass over further pairs at the full learning rate, from where the last call left off.

        Parameters
        ----------
        X : array or sparse matrix
            Either pairs of points, of shape (n, 2, d), with y their signs. Or rows, of shape (n, d), with y their
            labels: n similar and n dissimilar pairs are then drawn.
        y : array of shape (n,)
        pairs : array of shape (n_pairs, 2), optional
            Pairs of row numbers of X; y then has the signs of the pairs.
        """
        begin_pass(self, X=X, y=y, pairs=pairs)
        first = not hasattr(self, "components_")
        self._check_parameters()
        trainer: PairTrainer | None = getattr(self, "_trainer", None)
        if trainer is None:
            randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        else:
            randomness = trainer.randomness
        if pairs is not None or np.ndim(X) == 3:
            X, left, right = self._pair_rows(X if pairs is None else pairs, None if pairs is None else X, first)
            further = judged = IndexPairs(left, right, checked_signs(y, len(left)))
        else:
            X, y = self._labelled(X, y, reset=first)
            sampling = replace(settings_of(self, Sampling), n_similar=len(y), n_dissimilar=len(y))
            further = sample_pairs(X, y, sampling, randomness.rows)
            judged = plain_pairs(y, sampling, randomness.rows)
        rows = PairRows(X if trainer is None else X.astype(trainer.numpy_dtype, copy=False), randomness.draws.device)
        if trainer is None:
            trainer = self._further_trainer(X, rows, further, randomness)
        trainer.welcome(rows, further)
        stream = ((rows, further.subset(part)) for part in batches(len(further), self.batch_size, randomness.rows))
        try:
            with learning_further(self, trainer):
                trainer.one_pass(stream, -(-len(further) // self.batch_size), "pairs")
        finally:
            self._learned(trainer, rows, further, judged)
        return self

    def _check_parameters(self) -> None:
        numbers = ("n_components", "n_neighbors", "n_similar", "n_dissimilar", "batch_size", "max_updates", "patience")
        check_parameters(
            self,
            counts=numbers,
            not_negative=("diversity", "gamma", "hinge_weight"),
            above_zero=("margin", "learning_rate", "max_violations"),
            shares=("near_similar", "near_dissimilar", "validation_fraction", "max_violations"),
            may_be_none=("n_components", "max_violations", "validation_fraction"),
            choices=_CHOICES,
        )
