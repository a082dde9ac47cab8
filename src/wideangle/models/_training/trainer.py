"""One update after another: the rate, the record and the guard against divergence, which all trainers share."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor

from wideangle._resumed import tensor_like, whole_number
from wideangle.diversity import DiversityTerm, Spread
from wideangle.exceptions import ComponentsError, DivergenceError, MetricError, ProcessesError
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.history import History, Record
from wideangle.models._training.steps import LearningRate
from wideangle.process_group.group import Group
from wideangle.recent_rows import RecentRows

CHECK_EVERY = 20  # updates between two checks for NaN and infinities; each check makes a GPU wait

ROUNDING = 1e-5  # of the sizes of all parameters: so far apart may processors of different kinds be

LARGE_WEIGHT = 10.0  # A larger weight of the regulariser is a likely cause of divergence. Tuning tries up to 2.

State = list[Tensor]


class Trainer(ABC):
    """Moves the parameters of a model, by one mini-batch per update. A subclass says what a step is.

    A trainer is its parameters, its optimiser and its randomness: `progress` has all that decides what follows.
    Each of several processes has a trainer of its own. All are given the same mini-batches, and a step takes the part
    of its process, averages the gradient over the group and so moves the parameters of all processes alike.
    """

    records: ClassVar[tuple[type, ...]] = (Record,)
    """the classes of its records"""

    def __init__(self, term: DiversityTerm, rate: LearningRate, record_cost: float = 0.0) -> None:
        self.term = term
        self.group = Group.current()
        self.seen = RecentRows(term.metric)
        """the rows of the last updates, by which the components' angles are measured"""
        self.rate = rate
        self.updates = 0
        self.history = History(rate.n_updates, record_cost)
        self.stopped = "interrupted"
        """why training ended, in words"""
        self._finite: State | None = None
        self._finite_at = 0
        """the update after which `_finite` was kept"""
        self._round_began = 0

    def one_pass(self, batches: Iterator[tuple[Any, ...]], n_batches: int, things: str) -> None:
        """Update once with every new batch, and end with a record."""
        for _ in range(n_batches):
            self.update(*next(batches))
        self.require_finite()
        self.recorded()
        self.stopped = f"finished: one pass over further {things}"

    @abstractmethod
    def parameters(self) -> Sequence[Tensor]:
        """All tensors that are learned. They are changed in place."""

    @abstractmethod
    def components(self) -> Tensor:
        """The components whose angles are recorded."""

    @abstractmethod
    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        """Move the parameters by one batch, and return the loss where it is wanted."""

    def remedies(self) -> list[str]:
        """What to change where training diverges, the likeliest cause first. A subclass adds its own."""
        pushed = [f"lower diversity={self.term.weight:g}"] if self.term.weight > LARGE_WEIGHT else []
        return [*pushed, f"lower learning_rate={self.rate.first:g}"]

    def update(self, *batch: Any) -> Record | None:
        """Do one step, and return a record where one is due."""
        if self._finite is None:
            self.group.take_from_first(self.parameters())
            self._keep()
        try:
            loss = self.step(self.rate.at(self.updates - self._round_began), self.history.wants_loss(), *batch)
        except (ComponentsError, MetricError) as error:
            # Other rooms refuse what is not finite, and do not know that it comes from training.
            if self._is_finite():
                raise
            raise self.diverged() from error
        self.updates += 1
        due = self.history.note(loss)
        if due or self.was_checked:
            self.require_finite()
        return self.recorded() if due else None

    @property
    def was_checked(self) -> bool:
        """Whether the last update ended with a check that all parameters are finite, so that they are worth keeping."""
        return self.updates % CHECK_EVERY == 0

    def start_round(self) -> None:
        """Go on from here for as many updates as before: the rate and the records begin anew."""
        self._round_began = self.updates
        self.history.start_round()

    def recorded(self) -> Record:
        """A record of the present state, which is kept as the last finite one."""
        if self.group.any(not self.history.losses_are_finite()):
            raise self.diverged("the loss was")
        self._keep()
        return self.history.record(self._spread(), self.group.sums)

    def _spread(self) -> Spread:
        try:
            metric = self.seen.metric()
        except MetricError:  # The rows so far do not vary, so that they see no angles.
            return Spread(math.nan, math.nan, math.nan)
        return self.term.spread(self.components(), metric)

    def _keep(self) -> None:
        """Keep a copy of the parameters, in the memory of the last one: that of a large model takes time to get."""
        self._finite_at = self.updates
        if self._finite is None:
            self._finite = self.state()
            return
        for kept, parameter in zip(self._finite, self.parameters(), strict=True):
            kept.copy_(parameter.detach())

    def state(self) -> State:
        """A copy of the parameters."""
        return [parameter.detach().clone() for parameter in self.parameters()]

    def restore(self, state: State) -> None:
        """Go back to a copy of the parameters."""
        with torch.no_grad():
            for parameter, kept in zip(self.parameters(), state, strict=True):
                parameter.copy_(kept)

    def require_finite(self) -> None:
        """Raise an error where a parameter is not finite, after going back to the last finite state."""
        if not self.group.alone:
            self._require_together()
        if not self._is_finite():
            raise self.diverged()

    def _is_finite(self) -> bool:
        """Whether all parameters and their squares are finite. From larger ones no training could go on either.

        The device is asked only once.
        """
        parameters = [parameter.detach() for parameter in self.parameters()]
        shares = [torch.linalg.vector_norm(p, math.inf) / math.sqrt(torch.finfo(p.dtype).max) for p in parameters]
        return float(torch.stack([share.double() for share in shares]).max()) <= 1.0

    def _require_together(self) -> None:
        """Raise an error where the parameters of processes have drifted apart, by their sums.

        Processors of different kinds round differently. Such small differences are evened out.
        """
        total = torch.stack([parameter.detach().sum().double() for parameter in self.parameters()]).sum()
        totals = self.group.gathered(total[None], self.group.size)
        lowest, highest = totals.aminmax()
        if lowest == highest or not bool(totals.isfinite().any()):
            return
        sizes = torch.stack([parameter.detach().abs().sum().double() for parameter in self.parameters()])
        apart = float(highest - lowest)
        if not apart <= ROUNDING * self.group.agreed(float(sizes.sum())):
            raise ProcessesError(
                f"the parameters of the {self.group.size} processes drifted apart by update {self.updates}: their sums "
                f"are {', '.join(f'{float(one):.9g}' for one in totals)}. Give all processes the same data and "
                "options, and change neither during the fit."
            )
        self.group.take_from_first(self.parameters())

    def progress(self) -> dict[str, Any]:
        """What decides how the training goes on after the last update, for a checkpoint. A subclass adds its own."""
        return {
            "parameters": self.state(),
            "updates": self.updates,
            "round_began": self._round_began,
            "history": self.history.progress(),
            "seen": self.seen.progress(),
        }

    def resume(self, progress: dict[str, Any]) -> None:
        """Go on as `progress` was, with arrays of NumPy for its tensors."""
        kept = zip(progress["parameters"], self.parameters(), strict=True)
        self.restore([tensor_like(array, parameter, "a parameter", finite=True) for array, parameter in kept])
        self.updates = whole_number(progress["updates"], "the number of updates")
        self._round_began = whole_number(progress["round_began"], "the first update of a round")
        self.history.resume(progress["history"], self.records)
        self.seen.resume(progress["seen"], self.components())
        self._finite, self._finite_at = self.state(), self.updates

    def diverged(self, what: str = "the parameters, or their squares, were") -> DivergenceError:
        """The error for a training whose numbers are no longer finite. The last finite state is restored.

        The checkpoints of the fit are deleted: from them it would diverge again, and with other options it could not go
        on from them.
        """
        if self._finite is not None:
            self.restore(self._finite)
        training = Checkpoints.active_training()
        if training is not None:
            training.forget()
        kept = f"that of update {self._finite_at}" if self._finite_at else "the start"
        self.stopped = f"diverged by update {self.updates}; the last finite state, {kept}, is kept"
        *others, last = self.remedies()
        before = f"; all was well after update {self._finite_at}" if self._finite_at < self.updates else ""
        return DivergenceError(
            f"training diverged: {what} not finite by update {self.updates}{before}.{self._last_losses()} What may "
            f"help: {', '.join(others)}{', or ' if others else ''}{last}. The last finite state is kept.",
            self.updates,
            self._finite_at,
        )

    def _last_losses(self) -> str:
        """What the last records say: a loss that grows shows that steps are too long."""
        losses = [f"{record.loss:.3g}" for record in self.history.records[-3:]]
        return f" The loss was {', '.join(losses)} in the last records." if losses else ""
