"""Distance metric learning, its components kept apart by the mutual angular regulariser."""

import math
import warnings
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from wideangle._validation import CallbackSupportMixin, FitCallbacks, with_callbacks
from wideangle.catalogue import MOST_COMPONENTS
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, Schedule, progress_bar, resolve_device
from wideangle.models._distance.metric import LearnedMetric, best_threshold
from wideangle.models._distance.pairs import IndexPairs, checked_signs, split_pairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.sampling import Balance, Sampling, plain_pairs, sample_and_split, sample_pairs
from wideangle.models._distance.start import Init, first_components, input_scale, resumed
from wideangle.models._distance.trainer import PairRecord, PairTrainer, Settings
from wideangle.models._distance.training import MOST_ROUNDS, Stopping, one_pass, train
from wideangle.models._parameters import check_parameters, settings_of

Self = TypeVar("Self", bound="DistanceLearner")

_CHOICES = {"balance": ("samples", "classes"), "init": ("pca", "random"), "schedule": ("linear", "constant")}


class DistanceLearner(CallbackSupportMixin, LearnedMetric):
    """Learns A such that ‖A(x − y)‖ is small for similar pairs and large for dissimilar ones, its rows spread out.

    Minimises mean over similar ‖A(x−y)‖² + hinge_weight · mean over dissimilar max(0, margin − ‖A(x−y)‖²), divided by
    the margin, less diversity · Ω(A).

    Parameters
    ----------
    n_components : int or None, default=None
        K, the rows of A. None is the number of features, at most 100.
    diversity : float, default=0.1
        λ, the weight of the regulariser; 0 is plain distance metric learning. Inputs are scaled by one number within,
        and the scaling undone in `components_`, so that one range, 0.01 to 10, serves every data set.
    surrogate : {"angle", "bound", "volume"}, default="angle"
        The regulariser; see `MutualAngularRegularizer`. "bound" and "volume" need n_components ≤ features; good
        weights of the volume are a hundredth of those of the angle.
    gamma : float, default=1.0
        Weight of the angles' variance.
    margin : float, default=1.0
        Squared distance that dissimilar pairs should have. It sets the scale of all distances and nothing else.
    hinge_weight : float, default=5.0
        Weight of dissimilar pairs that are nearer than the margin; the paper's hard constraint is that of no end.
    max_violations : float or None, default=None
        If given, the hinge weight is doubled and training goes on for as many updates again, until fewer than this
        share of the dissimilar training pairs are nearer than the margin.
    near_similar, near_dissimilar : float, default=1.0 and 0.5
        Share of the pairs `fit` draws in which the partner is one of the nearest of the same class, or of the others,
        by Euclidean distance. Near pairs are what nearest-neighbour classifiers decide by; with similar pairs from
        anywhere, which pull each class into one blob, average precision rises further and such classifiers may lose.
        0 is the paper's setting.
    n_neighbors : int, default=5
        How many nearest count as near.
    n_similar, n_dissimilar : int, default=100_000
        How many pairs `fit` draws.
    balance : {"samples", "classes"}, default="samples"
        Whether every sample (the paper's setting) or every class is drawn equally often as a pair's first.
    init : {"pca", "random"}, default="pca"
        First components: principal directions, the first of them uncentred if X is sparse, or random ones.
    learning_rate : float, default=0.01
        How far a component, of length about 1, moves in an update, along its D entries together.
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    batch_size : int, default=1000
        Pairs an update.
    max_updates : int, default=2000
        The budget, whatever the number of pairs.
    validation_fraction : float, default=0.0
        Samples (in `fit_pairs`, pairs) kept aside; the state in which their pairs have the best average precision is
        kept, and training stops when it no longer rises.
    patience : int, default=10
        Records, of 25 a fit, without improvement before it stops.
    device : str, default="auto"
        "auto", "cpu" or "cuda".
    random_state : int, RandomState or None, default=None
        Of the pairs, the start and the order. The same on the same machine gives the same bits, on a CPU for a given
        number of threads.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        A, for the inputs as they came.
    threshold_ : float
        Distance up to which `predict_pairs` says +1: best for given training pairs, or for pairs of training samples
        drawn from anywhere, until `calibrate_threshold`.
    violations_ : float
        Share of the dissimilar training pairs nearer than the margin at the end.
    hinge_weight_ : float
        The last hinge weight.
    history_ : tuple of PairRecord
        Loss, share of violations, hinge weight, Ω, angles in degrees, validation and seconds.
    n_updates_ : int
    stopped_ : str
        Why the fit ended.

    Notes
    -----
    The paper's plain setting is near_similar=0, near_dissimilar=0, init="random". Features are not scaled against each
    other: standardise those of different units. A constant feature is no obstacle; its column of A has no meaning.
    Equal points are at distance 0 whatever A is: pairs of them, called dissimilar, violate the margin for ever.

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
        learning_rate: float = 0.01,
        schedule: Schedule = "linear",
        batch_size: int = 1000,
        max_updates: int = 2000,
        validation_fraction: float = 0.0,
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
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
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learn from pairs drawn from the rows of X by their class labels y."""
        X, y = self._labelled(X, y, reset=True)
        self._check_parameters()
        randomness = Randomness.of(self.random_state, resolve_device(self.device))
        sampling = settings_of(self, Sampling)
        pairs, held_out = sample_and_split(X, y, sampling, self.validation_fraction, randomness.rows)
        return self._fit(X, pairs, held_out, plain_pairs(y, sampling, randomness.rows), randomness)

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
            The rows that pairs of numbers point into.
        """
        X, left, right = self._pair_rows(pairs, X, reset=True)
        self._check_parameters()
        given = IndexPairs(left, right, checked_signs(y, len(left)))
        randomness = Randomness.of(self.random_state, resolve_device(self.device))
        pairs, held_out = split_pairs(given, self.validation_fraction, randomness.rows)
        return self._fit(X, pairs, held_out, pairs, randomness)

    def partial_fit(self: Self, X: Any, y: Any, *, pairs: Any = None) -> Self:
        """One pass over further pairs at the full learning rate, from where the last call left off.

        Parameters
        ----------
        X : array or sparse matrix
            Pairs of points, shape (n, 2, d), y their signs; or rows, shape (n, d), y their labels, of which as many
            similar and as many dissimilar pairs are drawn as there are rows.
        y : array of shape (n,)
        pairs : array of shape (n_pairs, 2), optional
            Pairs of row numbers of X; y has their signs then.
        """
        first = not hasattr(self, "components_")
        self._check_parameters()
        trainer: PairTrainer | None = getattr(self, "_trainer", None)
        randomness = trainer.randomness if trainer else Randomness.of(self.random_state, resolve_device(self.device))
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
            trainer = self._new_trainer(X, rows, further, randomness, None)
        trainer.welcome(further)
        self._trainer = trainer
        try:
            self.stopped_ = one_pass(trainer, rows, further)
        finally:
            self._learned(trainer, rows, further, judged)
        return self

    def _fit(
        self: Self, X: Any, pairs: IndexPairs, held_out: IndexPairs | None, judged: IndexPairs, randomness: Randomness
    ) -> Self:
        self._forget()
        self.__dict__.pop("components_", None)
        rows = PairRows(X, randomness.draws.device)
        trainer = self._new_trainer(X, rows, pairs, randomness, self.max_updates)
        trainer.welcome(pairs)
        rounds = 1 if self.max_violations is None else MOST_ROUNDS
        callbacks = FitCallbacks(self, X, rounds * -(-self.max_updates // trainer.interval))
        try:
            with progress_bar(type(self).__name__, self.max_updates, self.verbose) as show:

                def told(record: PairRecord) -> bool:
                    show(record.update, f"loss {record.loss:.3f}, violations {record.violations:.1%}")
                    return callbacks.task(len(trainer.records), lambda: self._attributes(trainer))

                self.stopped_ = train(trainer, rows, pairs, held_out, settings_of(self, Stopping), told)
        finally:
            self._learned(trainer, rows, pairs, judged)
        callbacks.end()
        if self.stopped_.startswith("gave up"):
            warnings.warn(self.stopped_, ConvergenceWarning, stacklevel=3)
        return self

    def _new_trainer(
        self, X: Any, rows: PairRows, pairs: IndexPairs, randomness: Randomness, n_updates: int | None
    ) -> PairTrainer:
        """From the components there are, or from the first ones."""
        if hasattr(self, "components_"):
            A, scale = resumed(self.components_, self.margin, rows)
        else:
            K = self.n_components if self.n_components is not None else min(X.shape[1], MOST_COMPONENTS)
            A = first_components(X, K, self.init, randomness, rows)
            scale = input_scale(A, rows, pairs)
        return PairTrainer(settings_of(self, Settings), A, scale, randomness, n_updates)

    def _check_parameters(self) -> None:
        numbers = ("n_components", "n_neighbors", "n_similar", "n_dissimilar", "batch_size", "max_updates", "patience")
        check_parameters(
            self,
            at_least_one=numbers,
            not_negative=("diversity", "gamma", "hinge_weight"),
            above_zero=("margin", "learning_rate", "max_violations"),
            shares=("near_similar", "near_dissimilar", "validation_fraction", "max_violations"),
            choices=_CHOICES,
        )

    def _attributes(self, trainer: PairTrainer) -> dict[str, Any]:
        """What a fitted estimator knows, as of now."""
        # Training has margin 1 and scaled inputs.
        components = math.sqrt(self.margin) * trainer.scale * trainer.A
        return {
            "components_": components.cpu().contiguous().numpy(),
            "history_": tuple(trainer.records),
            "hinge_weight_": trainer.hinge_weight,
            "n_updates_": trainer.updates,
        }

    def _learned(self, trainer: PairTrainer, rows: PairRows, pairs: IndexPairs, judged: IndexPairs) -> None:
        self.__dict__.update(self._attributes(trainer))
        if not pairs.similar.all():  # further pairs may be of one kind
            self.violations_ = trainer.violations(rows, pairs)
        if 0 < judged.similar.sum() < len(judged):
            squared = rows.squared_distances(trainer.A, judged.left, judged.right).double().cpu().numpy()
            self.threshold_ = best_threshold(trainer.scale * np.sqrt(self.margin * squared), judged.similar)
