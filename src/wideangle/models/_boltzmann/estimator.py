"""What all restricted Boltzmann machines do as estimators. What depends on the kind of rows they ask `VisibleRows`."""

from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from wideangle._arguments import checked, flag, optional, whole
from wideangle._arrays import array_of
from wideangle._validation import CallbackSupportMixin, with_callbacks
from wideangle.exceptions import DivergenceError
from wideangle.finishing import Finished, Halves
from wideangle.functional.boltzmann import (
    Machine,
    free_energy,
    gibbs_step,
    hidden_logits,
    reconstruction_loss,
    sample_bernoulli,
    shared_out,
)
from wideangle.functional.partition import LogPartition
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Prepare, Randomness, dense_batch, resolve_device
from wideangle.models._boltzmann.contrastive import Algorithm, ContrastiveSettings, ContrastiveTrainer
from wideangle.models._boltzmann.likelihood import (
    Likelihood,
    checked_temperatures,
    likelihood_of,
    log_partition_of,
    warn_of_doubt,
)
from wideangle.models._boltzmann.representation import REPRESENTATIONS, Representation, represented
from wideangle.models._boltzmann.start import STARTS, Start
from wideangle.models._boltzmann.visible import VisibleRows, by_blocks, total_of
from wideangle.models._display import Displayed
from wideangle.models._parameters import check_parameters, settings_of, term_of
from wideangle.models._topics import Topical
from wideangle.models._training.beginning import begin_fit, begin_pass
from wideangle.models._training.history import Record
from wideangle.models._training.loop import fit_by_updates, held_out_rows, learning_further, told_of
from wideangle.models._training.resuming import takes_checkpoint
from wideangle.models._training.steps import OPTIMIZERS, SCHEDULES, LearningRate, Optimizer, Schedule
from wideangle.persistence import Saveable
from wideangle.recent_rows import METRICS, MetricName

Self = TypeVar("Self", bound="BoltzmannMachine")

MOST_STATES = 200  # An estimate of log Z must not miss the hidden states of this many rows.
NO_DROPOUT_UP_TO = 10  # With so few units dropout="auto" leaves none out.
KEPT_OF_100 = 40  # dropout="auto" keeps so many of 100 units per update; by cross-validation, see results/rbm_quality
_CHOICES = {
    "algorithm": ("projected", "alternating"),
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
    "monitor": ("reconstruction", "free_energy"),
    "metric": METRICS,
    "init": STARTS,
    "representation": REPRESENTATIONS,
}


class BoltzmannMachine(
    Displayed, Topical, Finished, Saveable, CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, BaseEstimator
):
    """Fits, transforms and gives likelihoods.

    A subclass says what its rows are: `_checked` takes them, `_survey` learns what must be known of the columns before
    the first update, and `_visible` is the object that says what the machine sees of a row. `_start` is the machine
    before the first update.
    """

    _records = (Record, Halves)
    _trains_in_processes = True
    _may_be_none: ClassVar[tuple[str, ...]] = ()
    """parameters that follow from others where they are None"""
    _choices: ClassVar[dict[str, tuple[str, ...]]] = {}
    """further parameters that are one of several strings"""

    n_components: int | None
    diversity: Any
    surrogate: Surrogate
    gamma: float
    metric: MetricName
    init: Start
    algorithm: Algorithm
    learning_rate: float | None
    schedule: Schedule
    optimizer: Optimizer
    weight_decay: float
    dropout: float | Literal["auto"]
    batch_size: int
    max_updates: int
    cd_steps: int
    persistent: bool
    validation_fraction: float
    monitor: Literal["reconstruction", "free_energy"]
    patience: int
    device: str
    random_state: Any
    verbose: bool
    warm_start: bool
    representation: Any
    n_rows_: int
    mean_row_: NDArray[np.float64]

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learn the components from the rows of X; with `warm_start`, from where the last fit ended. y is ignored."""
        begin_fit(self, X=X)
        goes_on = self.warm_start and hasattr(self, "components_")
        X = self._checked(X, reset=not goes_on)
        self._check_parameters()
        if goes_on:
            self._check_same_size()
        self._forget()
        randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        held_out, rows = held_out_rows(X.shape[0], self.validation_fraction, randomness.rows)
        rows = self._useful(X, rows)
        if not goes_on:  # The components belong to columns that are weighed as they were.
            self._survey(X)
        self.n_rows_ = 0
        self._note_rows(X, rows)
        self._train(X, rows, held_out, randomness, goes_on)
        self._learn_distance(X)
        return self

    def _train(
        self, X: Any, rows: NDArray[np.intp], held_out: NDArray[np.intp], randomness: Randomness, goes_on: bool
    ) -> None:
        """All updates of a fit. The memory of the trainer, several times that of the components, is free after it."""
        device, visible = randomness.draws.device, self._visible()
        trainer = self._new_trainer(
            self._where_it_ended(device) if goes_on else self._start(X, rows, randomness.draws, fewer=True),
            randomness,
            self._n_updates(len(rows)),
            visible.stays_sparse(X, device),
        )
        judge = (lambda: self._judged(X, held_out, rows, trainer)) if len(held_out) else None
        fit_by_updates(self, X, trainer, lambda skip: visible.batches(X, rows, self.batch_size, trainer, skip), judge)

    def partial_fit(self: Self, X: Any, y: Any = None) -> Self:
        """One pass over the rows of X at the full learning rate, from where the last call left off. y is ignored."""
        begin_pass(self, X=X)
        first = not hasattr(self, "components_")
        X = self._checked(X, reset=first)
        self._check_parameters()
        rows = self._useful(X, np.arange(X.shape[0]))
        if first:
            self._survey(X)
            self.n_rows_ = 0
        visible, before = self._visible(), {"n_rows_": self.n_rows_, "mean_row_": getattr(self, "mean_row_", None)}
        self._note_rows(X, rows)
        if not hasattr(self, "_trainer"):
            device = resolve_device(self.device)
            randomness = Randomness.of_training(self.random_state, device)
            start = self._start(X, rows, randomness.draws, fewer=False) if first else self._where_it_ended(device)
            self._trainer = self._new_trainer(start, randomness, None, visible.stays_sparse(X, device))
        trainer = self._trainer
        trainer.rate = self._rate(None)  # It may grow with the documents seen.
        try:
            with learning_further(self, trainer):
                trainer.one_pass(
                    visible.batches(X, rows, self.batch_size, trainer), -(-len(rows) // self.batch_size), "rows"
                )
        except DivergenceError:
            if not first:
                self.__dict__.update(before)  # The average row is that of the rows that the kept state has seen.
            raise
        self._note_recent(X)
        return self

    def _where_it_ended(self, device: torch.device) -> Machine:
        """The learned machine as a start. Training with dropout has longer components than the learned machine."""
        return shared_out(self._machine(device), 1 / (1 - self._dropout(len(self.components_))))

    def _check_same_size(self) -> None:
        """Raise an error where a fit cannot go on from the last one."""
        K = len(self.components_)
        if self.n_components not in (None, K):
            raise ValueError(
                f"warm_start=True goes on from the {K} components of the last fit; got n_components="
                f"{self.n_components}. Set n_components={K}, or warm_start=False to begin anew."
            )

    def _represent(self, rows: Any) -> NDArray[Any]:
        """Hidden units as `representation` says, or logits that the finish takes on.

        These are moved so that the average document has the same logits whatever the length of a row is.
        """
        logits, centre, how = self._logits(rows), self._centre(rows), self._representation()
        middle = self._centre_of_logits()
        found = logits - centre + middle if how is None else represented(logits, centre, how)
        return found.astype(logits.dtype, copy=False)

    def _representation(self) -> Representation | None:
        """What `transform` gives where it is not finished; None: it is finished."""
        how: Representation | None = self.representation
        if how is not None and how not in REPRESENTATIONS:
            raise ValueError(f"representation must be one of {REPRESENTATIONS}; got {how!r}.")
        return how

    def _centre(self, X: Any) -> NDArray[Any]:
        """The hidden logits that the average row has at the length of each row of X; one row of them for all."""
        average, lengths = self._logits_of_average(), self._visible().lengths(X)
        return np.asarray(average[None] if lengths is None else lengths.astype(average.dtype)[:, None] * average)

    def _logits_of_average(self) -> NDArray[Any]:
        """The hidden logits of the average row; of a document, per token."""
        return np.asarray(self.intercept_hidden_ + self.components_ @ self.mean_row_.astype(self.components_.dtype))

    def hidden_logits(self, X: Any) -> NDArray[Any]:
        """The logit of each hidden unit, log p − log(1 − p) of p(h = 1 | v), finite even where p rounds to 0 or 1."""
        check_is_fitted(self)
        return self._logits(self._checked(X, reset=False))

    def _logits(self, X: Any) -> NDArray[Any]:
        """The logits of the hidden units for rows that have been checked."""
        visible, device = self._visible(), resolve_device(self.device)
        found = visible.logits_from_entries(X, self.components_, self.intercept_hidden_, device)
        return by_blocks(X, self._machine(device), visible.in_transform, hidden_logits) if found is None else found

    def effects(self) -> NDArray[np.float64]:
        """What each component does to each column: its weight times √p(1−p), by which the column varies. K×D.

        Effects choose better words for a component than weights do. The weights of rare columns are hardly learned:
        the largest of them are chance, and the regulariser can turn them freely. p is `presence_`.
        """
        check_is_fitted(self)
        return self.components_.astype(np.float64) * np.sqrt(self.presence_ * (1 - self.presence_))

    @checked(chains=whole(least=1), temperatures=whole(least=2), exact=optional(flag))
    def log_partition(
        self, lengths: Any = None, *, chains: int = 100, temperatures: int = 1000, exact: bool | None = None
    ) -> LogPartition:
        """log Z: exact where `exact` says so or the sum over all states is short, else annealed in both directions.

        The result has its error, which does not include states that no chain reached. Nothing is doubted here, and a
        large error does not start a longer run; `log_likelihood` does both.
        """
        check_is_fitted(self)
        machine = self._machine(resolve_device(self.device))
        sizes = None if lengths is None else torch.tensor(_checked_lengths(lengths)).to(machine.components)
        return log_partition_of(
            machine, sizes, self._new_draws(), chains=chains, temperatures=temperatures, exact=exact
        )

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """log p of each row; of a document, its words in their order at its real length. See `log_likelihood`."""
        likelihood = self.log_likelihood(X)
        warn_of_doubt(likelihood, stacklevel=2)
        return likelihood.log_p

    def score(self, X: Any, y: Any = None) -> float:
        """Mean over rows of log p per token or visible unit, for scikit-learn's tools. y is ignored."""
        likelihood = self.log_likelihood(X)
        warn_of_doubt(likelihood, stacklevel=2)
        written = likelihood.with_words
        return float(np.mean(likelihood.log_p[written] / likelihood.lengths[written]))

    def _likelihood(
        self, X: Any, lengths: NDArray[np.float64], documents: bool, prepare: Prepare, max_temperatures: int
    ) -> Likelihood:
        """log p of the rows of X after `prepare`."""
        most = checked_temperatures(max_temperatures)
        machine = self._machine(resolve_device(self.device))
        free = by_blocks(X, machine, prepare, minus_free_energy)
        some = np.linspace(0, X.shape[0] - 1, min(X.shape[0], MOST_STATES)).astype(int)
        near = by_blocks(X[some], machine, prepare, lambda machine, v, n: hidden_logits(machine, v, n) > 0)
        states = torch.as_tensor(near).to(machine.components)
        return likelihood_of(machine, free, lengths, documents, states, self._new_draws(), most)

    def _new_draws(self) -> torch.Generator:
        return Randomness.of(self.random_state, resolve_device(self.device)).draws

    def log_likelihood(self, X: Any) -> Likelihood:
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _sweep(self, X: Any, random_state: Any) -> NDArray[Any]:
        """One Gibbs sweep from each row, as the machine sees rows: h | v, then a new v | h."""
        check_is_fitted(self)
        device = resolve_device(self.device)
        draws = Randomness.of(random_state, device).draws

        def sweep(machine: Machine, visible: Tensor, lengths: Tensor | None) -> Tensor:
            hidden = torch.sigmoid(hidden_logits(machine, visible))
            return gibbs_step(machine, sample_bernoulli(hidden, draws), draws)[0]

        return by_blocks(self._checked(X, reset=False), self._machine(device), self._visible().in_transform, sweep)

    def _judged(self, X: Any, held_out: NDArray[np.intp], rows: NDArray[np.intp], trainer: ContrastiveTrainer) -> float:
        """The validation score of the machine as it is now."""
        return self._validation(X, held_out, rows, trainer.model)

    def _validation(self, X: Any, held_out: NDArray[np.intp], rows: NDArray[np.intp], machine: Machine) -> float:
        """The validation score of the held-out rows, per unit or token; larger is better.

        "reconstruction" is minus the loss of one mean-field pass through the hidden units. "free_energy" is minus the
        gap between their mean free energy and that of as many training rows; the gap grows when the machine overfits.
        """
        prepare = self._visible().in_transform
        visible, lengths = prepare(dense_batch(X, held_out, machine.components))
        if self.monitor == "reconstruction":
            hidden = torch.sigmoid(hidden_logits(machine, visible, lengths))
            return -float(reconstruction_loss(machine, visible, hidden, lengths))
        seen = prepare(dense_batch(X, rows[: len(held_out)], machine.components))
        gap = free_energy(machine, visible, lengths).mean() - free_energy(machine, *seen).mean()
        return -float(gap) / (visible.shape[1] if lengths is None else max(1.0, float(lengths.mean())))

    def _new_trainer(
        self, start: Machine, randomness: Randomness, n_updates: int | None, sparse: bool
    ) -> ContrastiveTrainer:
        settings = settings_of(self, ContrastiveSettings, dropout=self._dropout(len(start.components)))
        self.kept_share_ = 1 - settings.dropout
        return ContrastiveTrainer(
            settings, term_of(self), self._rate(n_updates), start, randomness, self._visible().tokens, sparse
        )

    def _rate(self, n_updates: int | None) -> LearningRate:
        return LearningRate(self._first_rate(), self.schedule, n_updates)

    def _first_rate(self) -> float:
        """The learning rate of the first update."""
        assert self.learning_rate is not None
        return float(self.learning_rate)

    def _n_updates(self, n_rows: int) -> int:
        """The updates of a fit to so many rows."""
        return self.max_updates

    def _machine(self, device: torch.device) -> Machine:
        parts = (self.components_, self.intercept_visible_, self.intercept_hidden_)
        return Machine(*(torch.tensor(part, device=device) for part in parts))

    def _attributes(self, trainer: ContrastiveTrainer) -> dict[str, Any]:
        """The fitted attributes in the trainer's present state."""
        A, alpha, beta = (part.detach().cpu().numpy() for part in trainer.model)
        # The model has its own A and β, but α is the one that further updates move.
        learned = {
            "components_": np.ascontiguousarray(A),
            "intercept_visible_": alpha.copy(),
            "intercept_hidden_": beta,
        }
        return learned | told_of(trainer)

    def _check_parameters(self) -> None:
        check_parameters(
            self,
            counts=("n_components", "batch_size", "max_updates", "cd_steps", "patience"),
            not_negative=("diversity", "weight_decay", "gamma"),
            above_zero=("learning_rate",),
            shares=("validation_fraction",),
            flags=("persistent", "warm_start"),
            may_be_none=self._may_be_none,
            choices=_CHOICES | self._choices,
        )

    def _dropout(self, K: int) -> float:
        """The share left out. "auto" leaves out none of a few units and half of 50; the number kept then grows slowly.

        Between 10 and 50 units, a little dropout prevents likely states that are far from every row. Contrastive
        divergence leaves such states; they do not hurt precision, but they ruin the likelihood.
        """
        if isinstance(self.dropout, str) and self.dropout == "auto":
            few = min(0.5, max(0.0, (K - NO_DROPOUT_UP_TO) / 80))
            return max(few, 1 - KEPT_OF_100 * (K / 100) ** 0.3 / K if K >= 50 else 0.0)
        if not isinstance(self.dropout, int | float) or not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be 'auto' or in [0, 1); got {self.dropout!r}.")
        return float(self.dropout)

    def _survey(self, X: Any) -> None:
        """Learn what must be known of the columns before the first update: `presence_`."""
        raise NotImplementedError

    def _visible(self) -> VisibleRows:
        """What the machine sees of a row, by the parameters and by what is known of the columns."""
        return VisibleRows()

    def _useful(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The numbers of the rows from which there is something to learn; an error where there is none."""
        return rows

    def _note_rows(self, X: Any, rows: NDArray[np.intp]) -> None:
        """Put these rows into the average row. In a stream it follows the data."""
        total = total_of(self._visible(), X, rows)
        seen = self.n_rows_ * self.mean_row_ if self.n_rows_ else 0.0
        self.n_rows_ += len(rows)
        self.mean_row_ = (seen + total) / self.n_rows_

    def _checked(self, X: Any, reset: bool) -> Any:
        raise NotImplementedError

    def _start(self, X: Any, rows: NDArray[np.intp], generator: torch.Generator, fewer: bool) -> Machine:
        """The machine before the first update. With `fewer` it may have fewer components than asked for."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def minus_free_energy(machine: Machine, visible: Tensor, lengths: Tensor | None) -> Tensor:
    """log p of rows without the constant log Z, in double precision."""
    return -free_energy(machine.double(), visible.double(), None if lengths is None else lengths.double())


def _checked_lengths(lengths: Any) -> NDArray[np.float64]:
    """Lengths of documents: a vector of finite numbers of at least 0."""
    found = array_of(lengths, "lengths")
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all() or found.min() < 0:
        raise ValueError(f"lengths must be a list of numbers of at least 0, one per document; got shape {found.shape}.")
    return found.astype(np.float64)
