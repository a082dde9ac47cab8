"""From the first update of distance metric learning to the last."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle._resumed import reason_to_end, whole_number
from wideangle.models._base import passes
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.scores import Score
from wideangle.models._distance.trainer import PairTrainer
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.history import Record
from wideangle.models._training.loop import state_of_this_fit

STOPPED = "stopped by a callback"
CLEARLY = 1.0  # A learned state is worse than the best if it is behind by more than this number of standard errors,
CLEARLY_LEARNED = 2.0  # and the start if it is behind by more than this. By chance alone the best of 25 leads by one.
ROUNDING = 1e-12  # of mean scores
MOST_ROUNDS = 12  # The hinge weight is doubled at most this often until few pairs violate the margin.

Told = Callable[[PairTrainer], bool]
"""a function that is called at each record and returns True where training should stop"""


@dataclass(frozen=True)
class Stopping:
    """When training ends: the estimator's parameters of the same names."""

    max_updates: int
    patience: int
    max_violations: float | None


class PairOrder:
    """The numbers of pairs of mini-batches without end. Trainings side by side draw their orders from one generator."""

    def __init__(self, n_pairs: int, size: int, generator: np.random.Generator) -> None:
        self._n_pairs, self._size, self._generator = n_pairs, size, generator
        self._before: dict[str, Any] | None = None
        """the state of the generator before it drew the order of this pass"""
        self._pass: list[NDArray[np.intp]] = []
        self._taken = 0

    def __next__(self) -> NDArray[np.intp]:
        if self._taken == len(self._pass):
            self._before = dict(self._generator.bit_generator.state)
            self._pass, self._taken = next(passes(self._n_pairs, self._size, self._generator)), 0
        self._taken += 1
        return self._pass[self._taken - 1]

    def progress(self) -> dict[str, Any]:
        """What a checkpoint needs to go on."""
        return {"before": self._before, "taken": self._taken}

    def resume(self, progress: dict[str, Any]) -> None:
        """Go on as a checkpoint says. The generator is moved, and must be set afterwards."""
        self._before, self._taken = progress["before"], progress["taken"]
        if self._before is not None:
            self._generator.bit_generator.state = self._before
            self._pass = next(passes(self._n_pairs, self._size, self._generator))


class Run:
    """The training of one trainer on some pairs, which goes on record by record."""

    def __init__(self, trainer: PairTrainer, rows: PairRows, pairs: IndexPairs, stopping: Stopping) -> None:
        self.trainer, self.rows, self.pairs, self.stopping = trainer, rows, pairs, stopping
        self.stopped = ""
        """why there are no more records, in words"""
        self.order = PairOrder(len(pairs), trainer.batch_size, trainer.randomness.rows)
        self.round = self.done = 0
        """how often the hinge weight was doubled, and the updates since then"""
        trainer.welcome(rows, pairs)

    def records(self) -> Iterator[Record]:
        """Update until the budget is used, doubling the hinge weight as often as `max_violations` needs."""
        trainer, most = self.trainer, self.stopping.max_violations
        while self.round < MOST_ROUNDS:
            while self.done < self.stopping.max_updates:
                record = trainer.update(self.rows, self.pairs.subset(next(self.order)))
                self.done += 1
                if record is not None:
                    yield record
            if most is None:
                self.stopped = f"finished: max_updates={self.stopping.max_updates} reached"
                return
            share = self._violations()
            violate = f"violate the margin at hinge weight {trainer.hinge_weight:g}"
            if share < most:
                self.stopped = f"finished: {share:.2%} of dissimilar pairs {violate}"
                return
            self.round, self.done = self.round + 1, 0
            if self.round < MOST_ROUNDS:
                trainer.again(2 * trainer.hinge_weight)
        self.stopped = f"gave up: {share:.2%} of dissimilar pairs still {violate}; some may be pairs of equal points"

    def within_limit(self) -> bool:
        """Whether few enough dissimilar pairs are nearer than the margin now."""
        most = self.stopping.max_violations
        return most is None or self._violations() < most

    def _violations(self) -> float:
        """The share of dissimilar pairs that are nearer than the margin. All processes must decide alike by it."""
        return float(self.trainer.group.agreed(self.trainer.violations(self.rows, self.pairs)))

    def progress(self) -> dict[str, Any]:
        """What decides how the training goes on after the last record, for a checkpoint."""
        where = {"round": self.round, "done": self.done}
        return where | {"trainer": self.trainer.progress(), "order": self.order.progress()}

    def resume(self, progress: dict[str, Any]) -> None:
        """Go on as a checkpoint says."""
        self.round = whole_number(progress["round"], "the round")
        self.done = whole_number(progress["done"], "the number of updates of a round")
        self.trainer.resume(progress["trainer"])
        self.order.resume(progress["order"])


@dataclass(frozen=True)
class Choice:
    """The state that validation found best."""

    number: int
    """0 is the start, others are the records in their order"""
    scores: tuple[float, ...]
    """of the start and of each record"""
    why: str


class Course:
    """A training on all pairs. Before it, trainings that hold out some rows or pairs find where it should end."""

    def __init__(self, run: Run, validating: Sequence[tuple[Run, Score]], told: Told) -> None:
        self.run, self.validating, self.told = run, validating, told
        self.current = validating[0][0] if validating else run
        """the training whose components are the latest"""
        self._table: list[NDArray[np.float64]] = []
        self._allowed: list[bool] = []
        """the scores of the start and of each record while some were held out, and whether each may be chosen"""
        self._choice: Choice | None = None
        self._training = Checkpoints.active_training()

    def train(self) -> str:
        """Update until there is a reason to end, and return the reason in words.

        Where checkpoints are kept, training goes on from the last one.
        """
        reason = self._go_on()
        if reason is None:
            reason = self._train()
            if self._training is not None:
                self._training.offer(lambda: self.progress(reason), RECORDS, final=True)
        return reason

    def _train(self) -> str:
        trainer = self.run.trainer
        if self.validating and self._choice is None:
            self._choice = self._choose()
            if self._choice is None:
                return STOPPED
            self.current = self.run
            trainer.recorded()
            _note_score(trainer, self._choice, 0)
            if self._choice.number == 0 and self.run.within_limit():
                return self._choice.why
        # Where a choice was made, the first record is that of the start.
        first = len(trainer.history.records) - (self._choice is not None) + 1
        for number, _ in enumerate(self.run.records(), start=first):
            if self._choice is not None:
                _note_score(trainer, self._choice, number)
            if trainer.group.any(self.told(trainer)):
                return STOPPED
            if self._choice is not None and number >= self._choice.number and self.run.within_limit():
                return self._choice.why
            self._offer()
        return self.run.stopped

    def _choose(self) -> Choice | None:
        """Train side by side and choose a state by all scores together; None where a callback stopped it."""
        runs = [run for run, _ in self.validating]
        table, allowed = self._table, self._allowed
        if not table:
            self._note_scores()
        for _ in zip(*(run.records() for run in runs), strict=False):
            self._note_scores()
            if runs[0].trainer.group.any(self.told(runs[0].trainer)):
                return None
            if records_since_best(table, allowed) >= runs[0].stopping.patience:
                break
            self._offer()
        chosen = chosen_state(table, allowed)
        number = len(table) - 1 if chosen is None else chosen
        means = tuple(float(np.mean(scores)) for scores in table)
        found = f"{self.validating[0][1].name} of what was held out: {means[0]:.4f} at the start"
        if number == 0:
            why = f"validated: no later state is clearly better than the start. {found}, {max(means):.4f} at best"
        else:
            update = runs[0].trainer.history.records[number - 1].update
            what = "is not clearly worse than any" if chosen is not None else "comes before violations are few enough"
            why = f"validated: update {update} {what}. {found}, {means[number]:.4f} there, {max(means):.4f} at best"
        return Choice(number, means, why)

    def _note_scores(self) -> None:
        found = np.concatenate([score(run.trainer.A, run.rows) for run, score in self.validating])
        self._table.append(self.run.trainer.group.agreed(found))
        self._allowed.append(all(run.within_limit() for run, _ in self.validating))

    def _offer(self) -> None:
        if self._training is not None:
            self._training.offer(lambda: self.progress(None), RECORDS)

    def progress(self, stopped: str | None) -> dict[str, Any]:
        """What decides how the training goes on after the last record, for a checkpoint."""
        return {
            "validating": [run.progress() for run, _ in self.validating],
            "run": self.run.progress(),
            "table": self._table,
            "allowed": self._allowed,
            "choice": self._choice,
            "rows": self.run.trainer.randomness.rows.bit_generator.state,
            "stopped": stopped,
        }

    def _go_on(self) -> str | None:
        """Go on from a checkpoint where there is one; the reason to end where it is that of a training that ended."""
        found = None if self._training is None else self._training.found(RECORDS)
        if found is None:
            return None
        assert self._training is not None  # It was found there.
        with state_of_this_fit(self._training.path):
            for (run, _), kept in zip(self.validating, found["validating"], strict=True):
                run.resume(kept)
            self.run.resume(found["run"])
            self._table[:], self._allowed[:], self._choice = found["table"], found["allowed"], found["choice"]
            if len(self._table) != len(self._allowed) or (self._table and not np.isfinite(np.stack(self._table)).all()):
                raise ValueError("the scores of states are not whole")
            if self._choice is not None:
                self.current = self.run
            self.run.trainer.randomness.rows.bit_generator.state = found["rows"]
            return reason_to_end(found["stopped"])


RECORDS = (*PairTrainer.records, Choice)  # the classes that a checkpoint may hold


def records_since_best(scores: Sequence[NDArray[np.float64]], allowed: Sequence[bool]) -> int:
    """How many records came after the allowed state with the best mean score; 0 where no state is allowed."""
    means = [score.mean() if may else -np.inf for score, may in zip(scores, allowed, strict=True)]
    return len(scores) - 1 - int(np.argmax(means)) if any(allowed) else 0


def chosen_state(scores: Sequence[NDArray[np.float64]], allowed: Sequence[bool]) -> int | None:
    """The earliest allowed state that is not clearly worse than the best one.

    A learned state is clearly worse if the mean of the differences to the best, case by case, is larger than its
    standard error. The start is what there is without learning, so that learning has to show more: two standard
    errors. A single case has no standard error, and the best state itself is taken.
    """
    numbers = np.flatnonzero(allowed)
    if not len(numbers):
        return None
    table = np.stack(scores)[numbers]
    best = int(table.mean(axis=1).argmax())
    lead = table[best] - table[: best + 1]
    n_cases = table.shape[1]
    error = lead.std(axis=1, ddof=1) / np.sqrt(n_cases) if n_cases > 1 else np.zeros(best + 1)
    bearable = np.where(numbers[: best + 1] == 0, CLEARLY_LEARNED, CLEARLY) * error
    # A lead by a single case equals its standard error, and rounding must not make it larger.
    return int(numbers[np.argmax(lead.mean(axis=1) <= bearable + ROUNDING)])


def _note_score(trainer: PairTrainer, choice: Choice, number: int) -> None:
    """Put the score of this state into the last record. Training may go on for longer than there are scores."""
    if number < len(choice.scores):
        trainer.history.validated(choice.scores[number])
