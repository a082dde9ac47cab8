"""The record of a fit's progress."""

import time
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from wideangle.diversity import Spread

MOST_RECORDS = 100  # history is kept at about this many points of a fit
FEWEST_UPDATES = 20  # and not more often than this: angles of many components cost as much as an update
LOSSES = 2  # updates between two records whose loss is found


@dataclass(frozen=True)
class Record:
    """Where a fit stood after some updates."""

    update: int
    loss: float
    """mean over some of the updates since the last record"""
    score: float
    """Ω of the components, with the γ of the fit"""
    mean_angle: float
    """in degrees"""
    min_angle: float
    validation: float | None
    seconds: float


@dataclass
class History:
    """Collects records at regular updates."""

    n_updates: int | None
    """of the fit; None where no end is known, and a record is made when one is asked for"""
    records: list[Record] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)
    _losses: list[Tensor] = field(default_factory=list)
    _updates: int = 0
    _round_began: int = 0

    @property
    def interval(self) -> int:
        """Updates from record to record."""
        if self.n_updates is None:
            return FEWEST_UPDATES
        return max(min(FEWEST_UPDATES, self.n_updates), self.n_updates // MOST_RECORDS)

    def wants_loss(self) -> bool:
        """Whether to find the loss of the next update: a few times between records are enough."""
        return not self._losses or self._updates % max(1, self.interval // LOSSES) == 0

    def note(self, loss: Tensor | None) -> bool:
        """An update is done; True when a record is due."""
        if loss is not None:
            self._losses.append(loss)
        self._updates += 1
        done = self._updates - self._round_began
        if self.n_updates is None:
            return False
        return done % self.interval == 0 or done == self.n_updates

    def start_round(self) -> None:
        """As many updates as before begin now."""
        self._round_began = self._updates

    def record(self, spread: Spread) -> Record:
        """Sum up since the last record."""
        made = Record(
            update=self._updates,
            loss=float(torch.stack(self._losses).mean()) if self._losses else float("nan"),
            score=spread.score,
            mean_angle=spread.mean_angle,
            min_angle=spread.min_angle,
            validation=None,
            seconds=time.perf_counter() - self.began,
        )
        self._losses.clear()
        self.records.append(made)
        return made

    def validated(self, score: float) -> None:
        """Put a validation score into the last record."""
        self.records[-1] = replace(self.records[-1], validation=score)
