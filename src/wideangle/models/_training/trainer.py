"""One update after another: the rate, the record and the guard against divergence, which all trainers share."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from wideangle.diversity import DiversityTerm, Spread
from wideangle.exceptions import DivergenceError, MetricError
from wideangle.models._training.history import History, Record
from wideangle.models._training.steps import LearningRate
from wideangle.recent_rows import RecentRows

CHECK_EVERY = 20  # updates between two checks for NaN and infinities; each check makes a GPU wait

State = list[Tensor]


class Trainer(ABC):
    """Moves the parameters of a model, by one mini-batch per update. A subclass says what a step is.

    A trainer is its parameters, its optimiser and its randomness. Support for several processes or for checkpoints
    would be added here.
    """

    def __init__(self, term: DiversityTerm, rate: LearningRate, record_cost: float = 0.0) -> None:
        self.term = term
        self.seen = RecentRows(term.metric)
        """the rows of the last updates, by which the components' angles are measured"""
        self.rate = rate
        self.updates = 0
        self.history = History(rate.n_updates, record_cost)
        self.stopped = "interrupted"
        """why training ended, in words"""
        self._finite: State | None = None
        self._round_began = 0

    def one_pass(self, batches: Iterator[tuple[Any, ...]], n_batches: int, things: str) -> None:
        """Update once with every new batch, and end with a record."""
        for _ in range(n_batches):
            self.update(*next(batches))
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

    def advice(self) -> str:
        """What to change where the parameters stop being finite."""
        return f"Lower learning_rate={self.rate.first:g}"

    def update(self, *batch: Any) -> Record | None:
        """Do one step, and return a record where one is due."""
        if self._finite is None:
            self._keep()
        loss = self.step(self.rate.at(self.updates - self._round_began), self.history.wants_loss(), *batch)
        self.updates += 1
        due = self.history.note(loss)
        if due or self.updates % CHECK_EVERY == 0:
            self.require_finite()
        return self.recorded() if due else None

    def start_round(self) -> None:
        """Go on from here for as many updates as before: the rate and the records begin anew."""
        self._round_began = self.updates
        self.history.start_round()

    def recorded(self) -> Record:
        """A record of the present state, which is kept as the last finite one."""
        self._keep()
        return self.history.record(self._spread())

    def _spread(self) -> Spread:
        try:
            metric = self.seen.metric()
        except MetricError:  # The rows so far do not vary, so that they see no angles.
            return Spread(math.nan, math.nan, math.nan)
        return self.term.spread(self.components(), metric)

    def _keep(self) -> None:
        """Keep a copy of the parameters, in the memory of the last one: that of a large model takes time to get."""
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
        # The sum is not finite if a parameter is not, and the device is asked only once.
        total = torch.stack([parameter.detach().sum().double() for parameter in self.parameters()]).sum()
        if not math.isfinite(float(total)):
            raise self.diverged()

    def diverged(self) -> DivergenceError:
        """The error for parameters that are no longer finite. The last finite state is restored."""
        if self._finite is not None:
            self.restore(self._finite)
        self.stopped = f"diverged at update {self.updates}; the last finite state is kept"
        return DivergenceError(
            f"the parameters stopped being finite by update {self.updates}. {self.advice()}; the last finite state is "
            "kept."
        )
