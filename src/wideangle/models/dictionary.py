"""Sparse coding: a dictionary of components, few of which make up each row."""

from typing import Any, Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.validation import check_array, check_is_fitted
from torch import Tensor

from wideangle._validation import CallbackSupportMixin, checked_matrix, validate_rows, with_callbacks
from wideangle.catalogue import COMPONENTS
from wideangle.functional import retract
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, dense_batch, dense_batches, resolve_device
from wideangle.models._dictionary.codes import exact_codes, loss_of, quick_codes
from wideangle.models._dictionary.trainer import DictionarySettings, DictionaryTrainer
from wideangle.models._display import Displayed
from wideangle.models._parameters import check_parameters, settings_of, term_of
from wideangle.models._topics import Topical
from wideangle.models._training.beginning import begin_fit, begin_pass
from wideangle.models._training.history import Record
from wideangle.models._training.loop import fit_by_updates, held_out_rows, learning_further, told_of
from wideangle.models._training.resuming import takes_checkpoint
from wideangle.models._training.steps import SCHEDULES, LearningRate, Schedule
from wideangle.persistence import Saveable
from wideangle.recent_rows import MetricName

Self = TypeVar("Self", bound="DictionaryLearner")

BLOCK = 1024  # So many rows are dense at a time.
MOST_RADIANS = 1.0  # per update
Start = Literal["svd", "rows"]
STARTS: tuple[Start, ...] = ("svd", "rows")
MOST_ROWS = 20_000  # The singular vectors are those of at most so many rows.
ROUNDED = 1000  # Singular values below so many times the rounding of the largest are none.
NUDGE = 0.1  # Components start at rows of the data plus this much of a random direction, so that no two are parallel.


class DictionaryLearner(
    Displayed, Topical, Saveable, CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Sparse coding, its components kept apart by the mutual angular regulariser.

    Minimises the mean of ½‖x − zA‖² + alpha · ‖z‖₁ over the rows and their codes z, − diversity · Ω(A). The components,
    the rows of A, have length 1. Rows are divided by the root of their mean squared length first, so that one range of
    alpha and of diversity serves data of every scale.

    Parameters
    ----------
    n_components : int, default=50
        K, the number of components.
    alpha : float, default=0.02
        Weight of the codes' absolute values; larger ones leave fewer components in each row. scikit-learn's
        `DictionaryLearning` finds the same codes with this alpha times `scale_`.
    positive_code : bool, default=False
        Whether codes must not be negative.
    diversity : float, default=0.1
        λ, the weight of the regulariser; 0 is plain sparse coding.
    surrogate : str, default="angle"
        The regulariser; see `MutualAngularRegularizer`. "volume" needs n_components ≤ features, and its weight is about
        a hundredth of that of "angle".
    gamma : float, default=1.0
        Weight of the angles' variance.
    metric : {"identity", "covariance", "scales"}, default="identity"
        Where the regulariser measures angles: of the components, as the data sees them, or of components times the
        columns' deviations.
    init : {"svd", "rows"}, default="svd"
        Where components start: at the leading singular vectors of the rows, as in scikit-learn, or near rows drawn at
        random. Where there are fewer singular vectors than components, the others start near rows.
    learning_rate : float, default=5e-2
        Components turn by about so many radians per update at first; at most 1.
    schedule : {"linear", "constant"}, default="linear"
        Whether the learning rate falls to 0 over the updates.
    batch_size : int, default=100
        Rows per update.
    max_updates : int, default=1000
        Updates per fit at most, whatever the number of rows.
    validation_fraction : float, default=0.0
        Share of the rows to hold out. Training stops when their objective no longer falls.
    patience : int, default=10
        Training stops after so many records without improvement.
    device : str, default="auto"
        "auto", "cpu" or "cuda", for training. Codes are found on the CPU.
    random_state : int, RandomState or None, default=None
        Seed of the start and the order of rows. The same seed on the same machine gives the same bits; on a CPU the
        number of threads must be the same too.
    verbose : bool, default=False
        Show a progress bar in a terminal. scikit-learn's callbacks (`set_callbacks`, from 1.9) work too.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Each has length 1.
    scale_ : float
        The root of the mean squared length of the rows in `fit`, or in the first `partial_fit`.
    history_ : tuple of Record
        Loss, Ω and angles in the metric of the fit, in degrees, and seconds.
    n_updates_ : int
    stopped_ : str
        Why the fit ended.

    References
    ----------
    B. Olshausen and D. Field, Emergence of simple-cell receptive field properties by learning a sparse code for natural
    images, 1996. J. Mairal, F. Bach, J. Ponce and G. Sapiro, Online dictionary learning for sparse coding, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from wideangle.models import DictionaryLearner
    >>> X = np.repeat([[1.0, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0)
    >>> model = DictionaryLearner(2, max_updates=200, random_state=0).fit(X)
    >>> int(np.count_nonzero(model.transform([[1.0, 1, 0, 0]])))
    1
    """

    _records = (Record,)
    _trains_in_processes = True

    def __init__(
        self,
        n_components: int = COMPONENTS,
        *,
        alpha: float = 0.02,
        positive_code: bool = False,
        diversity: float = 0.1,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        metric: MetricName = "identity",
        init: Start = "svd",
        learning_rate: float = 5e-2,
        schedule: Schedule = "linear",
        batch_size: int = 100,
        max_updates: int = 1000,
        validation_fraction: float = 0.0,
        patience: int = 10,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.positive_code = positive_code
        self.diversity = diversity
        self.surrogate = surrogate
        self.gamma = gamma
        self.metric = metric
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

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learn the components from the rows of X. y is ignored."""
        begin_fit(self, X=X)
        X = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        held_out, rows = held_out_rows(X.shape[0], self.validation_fraction, randomness.rows)
        self.scale_ = _scale(X)
        trainer = self._new_trainer(self._start(X, rows, randomness), randomness, self.max_updates)
        judge = (lambda: self._validation(X, held_out, trainer.components())) if len(held_out) else None
        fit_by_updates(self, X, trainer, lambda skip: self._stream(X, rows, trainer, skip), judge)
        return self

    def partial_fit(self: Self, X: Any, y: Any = None) -> Self:
        """One pass over the rows of X at the full learning rate, from where the last call left off. y is ignored."""
        begin_pass(self, X=X)
        first = not hasattr(self, "components_")
        X = self._checked(X, reset=first)
        self._check_parameters()
        rows = np.arange(X.shape[0])
        if not hasattr(self, "_trainer"):
            randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
            if first:
                self.scale_ = _scale(X)
                start = self._start(X, rows, randomness)
            else:
                start = torch.tensor(self.components_, device=randomness.draws.device)
            self._trainer = self._new_trainer(start, randomness, None)
        trainer: DictionaryTrainer = self._trainer
        with learning_further(self, trainer):
            trainer.one_pass(self._stream(X, rows, trainer), -(-len(rows) // self.batch_size), "rows")
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """The sparse codes of the rows, by scikit-learn's coordinate descent; rows × components, mostly zeros."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        out = np.empty((X.shape[0], len(self.components_)), dtype=self.components_.dtype)
        for first in range(0, X.shape[0], BLOCK):
            rows = np.arange(first, min(first + BLOCK, X.shape[0]))
            block = dense_batch(X, rows, torch.empty(0, dtype=torch.float64)).numpy() / self.scale_
            out[rows] = exact_codes(block, self.components_, float(self.alpha), self.positive_code) * self.scale_
        return out

    def inverse_transform(self, X: Any) -> NDArray[Any]:
        """The rows that codes X stand for: codes times components."""
        check_is_fitted(self)
        X = check_array(checked_matrix(X), accept_sparse="csr", dtype=(np.float64, np.float32), input_name="codes")
        if X.shape[1] != len(self.components_):
            raise ValueError(f"codes must have {len(self.components_)} columns, one per component; got {X.shape[1]}.")
        return np.asarray(X @ self.components_)

    def reconstruction_error(self, X: Any) -> float:
        """‖X − ZA‖² / ‖X‖² with the codes Z of `transform`: 0 where rows are met exactly, 1 where codes are all zero.

        Where all rows are zero, so is the error.
        """
        codes = self.transform(X)
        X = self._checked(X, reset=False)
        missed = total = 0.0
        for first in range(0, X.shape[0], BLOCK):
            rows = np.arange(first, min(first + BLOCK, X.shape[0]))
            block = dense_batch(X, rows, torch.empty(0, dtype=torch.float64)).numpy() / self.scale_
            missed += float(np.square(block - codes[rows] / self.scale_ @ self.components_).sum())
            total += float(np.square(block).sum())
        return missed / total if total else 0.0

    def score(self, X: Any, y: Any = None) -> float:
        """1 − `reconstruction_error`, for scikit-learn's tools. y is ignored."""
        return 1 - self.reconstruction_error(X)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _start(self, X: Any, rows: NDArray[np.intp], randomness: Randomness) -> Tensor:
        """Singular vectors where `init` says so, then directions of rows, each turned a little, then random ones."""
        draws = randomness.draws
        dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        shape = (self.n_components, X.shape[1])
        A = retract(torch.randn(shape, generator=draws, device=draws.device, dtype=dtype))
        chosen = dense_batch(X, np.sort(randomness.rows.permutation(rows)[: self.n_components]), A) / self.scale_
        lengths = torch.linalg.vector_norm(chosen, dim=1, keepdim=True)
        is_row = lengths[:, 0] > 0
        A[: len(chosen)][is_row] *= NUDGE
        A[: len(chosen)][is_row] += chosen[is_row] / lengths[is_row]
        if self.init == "svd":
            if len(rows) > MOST_ROWS:
                rows = rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(np.intp)]
            seed = int(randomness.rows.integers(2**31 - 1))
            _, values, vectors = randomized_svd(
                X[rows] / self.scale_, min(self.n_components, *X.shape), random_state=seed
            )
            found = np.ascontiguousarray(vectors[values > values[0] * ROUNDED * np.finfo(A.cpu().numpy().dtype).eps])
            A[: len(found)] = torch.as_tensor(found).to(A)
        return retract(A)

    def _new_trainer(self, start: Tensor, randomness: Randomness, n_updates: int | None) -> DictionaryTrainer:
        rate = LearningRate(float(self.learning_rate), self.schedule, n_updates)
        return DictionaryTrainer(
            settings_of(self, DictionarySettings, alpha=float(self.alpha)), term_of(self), rate, start, randomness
        )

    def _stream(self, X: Any, rows: NDArray[np.intp], trainer: DictionaryTrainer, skip: int = 0) -> Any:
        """Yield mini-batches without end, but for the first `skip`."""
        numbers, like = trainer.randomness.rows, trainer.components()
        return dense_batches(X, rows, self.batch_size, numbers, like, lambda block: (block / self.scale_, None), skip)

    def _validation(self, X: Any, held_out: NDArray[np.intp], A: Tensor) -> float:
        """Minus the objective of held-out rows without the regulariser; larger is better."""
        block = dense_batch(X, held_out, A) / self.scale_
        return -float(
            loss_of(block, quick_codes(block, A, float(self.alpha), self.positive_code), A, float(self.alpha))
        )

    def _attributes(self, trainer: DictionaryTrainer) -> dict[str, Any]:
        """The fitted attributes in the trainer's present state."""
        return {"components_": trainer.components().detach().cpu().numpy().copy()} | told_of(trainer)

    def _checked(self, X: Any, reset: bool) -> Any:
        return validate_rows(self, X, reset=reset, dtype=(np.float32, np.float64))

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "batch_size", "max_updates", "patience"),
            not_negative=("diversity", "gamma"),
            above_zero=("alpha", "learning_rate"),
            shares=("validation_fraction",),
            flags=("positive_code",),
            choices={"schedule": SCHEDULES, "init": STARTS},
        )
        if self.learning_rate > MOST_RADIANS:  # The components could turn anywhere, and never settle.
            raise ValueError(
                f"learning_rate is the angle by which components turn per update, and must be at most {MOST_RADIANS:g} "
                f"radian; got {self.learning_rate:g}."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _scale(X: Any) -> float:
    """The root of the mean squared length of the rows. Rows that are all zero have none and stay as they are."""
    values = np.asarray(X.data if hasattr(X, "toarray") else X).ravel()
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0:
        return 1.0
    # Squares of entries near the largest or the smallest float would leave the finite numbers.
    return largest * float(np.sqrt(np.square(values / largest, dtype=np.float64).sum() / X.shape[0]))
