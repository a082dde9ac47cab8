"""How an estimator of distances is trained, wherever the pairs come from."""

import math
import warnings
from itertools import count
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor

from wideangle._validation import CallbackSupportMixin, FitCallbacks
from wideangle.catalogue import MOST_COMPONENTS
from wideangle.models._base import Randomness, progress_bar
from wideangle.models._distance.metric import LearnedMetric, best_threshold
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.splits import Split
from wideangle.models._distance.start import Init, first_components, input_scale, resumed
from wideangle.models._distance.trainer import PairTrainer
from wideangle.models._distance.training import MOST_ROUNDS, Course, Run, Stopping
from wideangle.models._parameters import settings_of, term_of
from wideangle.models._training.loop import told_of
from wideangle.models._training.steps import LearningRate, Schedule

Self = TypeVar("Self", bound="PairEstimator")


class PairEstimator(CallbackSupportMixin, LearnedMetric):
    """Learns `components_` from pairs of rows. A subclass has the parameters and chooses the pairs."""

    _trains_in_processes = True

    n_components: int | None
    margin: float
    init: Init
    learning_rate: float
    schedule: Schedule
    hinge_weight: float
    batch_size: int
    max_updates: int
    max_violations: float | None
    verbose: bool

    def _fit(
        self: Self, X: Any, pairs: IndexPairs, splits: list[Split], judged: IndexPairs, randomness: Randomness
    ) -> Self:
        """Train on all pairs. Where there are splits, training ends at the state that they found best."""
        self._forget()
        self.__dict__.pop("components_", None)
        rows, stopping = PairRows(X, randomness.draws.device), settings_of(self, Stopping)
        start = self._first_components(X, rows, randomness)

        def new_run(part: IndexPairs) -> Run:
            scale = input_scale(start, rows, part)
            return Run(self._new_trainer(start.clone(), scale, randomness, self.max_updates), rows, part, stopping)

        run = new_run(pairs)
        trainings = 2 if splits else 1
        rounds = 1 if self.max_violations is None else MOST_ROUNDS
        callbacks = FitCallbacks(self, X, trainings * rounds * -(-self.max_updates // run.trainer.history.interval))
        numbers = count(1)
        shown = self.verbose and run.trainer.group.rank == 0
        with progress_bar(type(self).__name__, trainings * self.max_updates, shown) as show:

            def told(trainer: PairTrainer) -> bool:
                record: Any = trainer.history.records[-1]
                before = self.max_updates if splits and trainer is run.trainer else 0
                show(before + record.update, f"loss {record.loss:.3f}, violations {record.violations:.1%}")
                return callbacks.task(next(numbers), lambda: self._attributes(trainer))

            course = Course(run, [(new_run(split.pairs), split.score) for split in splits], told)
            try:
                course.current.trainer.stopped = course.train()
            finally:
                self._learned(course.current.trainer, rows, course.current.pairs, judged)
        callbacks.end()
        if self.stopped_.startswith("gave up"):
            warnings.warn(self.stopped_, ConvergenceWarning, stacklevel=3)
        return self

    def _further_trainer(self, X: Any, rows: PairRows, pairs: IndexPairs, randomness: Randomness) -> PairTrainer:
        """A trainer with a constant learning rate. It starts from the learned components, or else from first ones."""
        if hasattr(self, "components_"):
            A, scale = resumed(self.components_, self.margin, rows)
        else:
            A = self._first_components(X, rows, randomness)
            scale = input_scale(A, rows, pairs)
        return self._new_trainer(A, scale, randomness, None)

    def _new_trainer(self, A: Tensor, scale: float, randomness: Randomness, n_updates: int | None) -> PairTrainer:
        rate = LearningRate(self.learning_rate, self.schedule, n_updates)
        return PairTrainer(term_of(self), rate, A, scale, randomness, self.hinge_weight, self.batch_size)

    def _first_components(self, X: Any, rows: PairRows, randomness: Randomness) -> Tensor:
        K = self.n_components if self.n_components is not None else min(X.shape[1], MOST_COMPONENTS)
        return first_components(X, K, self.init, randomness, rows)

    def _attributes(self, trainer: PairTrainer) -> dict[str, Any]:
        """The fitted attributes in the trainer's present state."""
        # Training uses margin 1 and scaled inputs, which the components make up for.
        components = math.sqrt(self.margin) * trainer.scale * trainer.A
        return {
            "components_": components.cpu().contiguous().numpy(),
            "hinge_weight_": trainer.hinge_weight,
        } | told_of(trainer)

    def _learned(self, trainer: PairTrainer, rows: PairRows, pairs: IndexPairs, judged: IndexPairs) -> None:
        self.__dict__.update(self._attributes(trainer))
        if not pairs.similar.all():  # The pairs of a further call may all be similar.
            self.violations_ = trainer.violations(rows, pairs)
        if 0 < judged.similar.sum() < len(judged):
            squared = rows.squared_distances(trainer.A, judged.left, judged.right).cpu().numpy()
            self.threshold_ = best_threshold(trainer.scale * np.sqrt(self.margin * squared), judged.similar)
