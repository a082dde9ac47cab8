"""The record of a fit's progress."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle._resumed import whole_number
from wideangle.diversity import Spread

MOST_RECORDS = 100  # A fit makes about this many records.
FEWEST_UPDATES = 20  # Records are at least this far apart, because angles of many components cost as much as an update.
RECORD_SHARE = 0.1  # Records may take this share of the time of the updates,
FEWEST_RECORDS = 20  # except that a long fit has at least this many.
LOSSES_PER_RECORD = 2  # Between two records the loss of about this many updates is computed.


@dataclass(frozen=True)
class Record:
    """Where a fit stood after some updates."""

    update: int
    loss: float
    """the mean over some of the updates since the last record; NaN where there were none"""
    score: float
    """Ω of the components, with the γ of the fit; NaN, as the angles, where the rows seen so far give no metric"""
    mean_angle: float
    """in degrees"""
    min_angle: float
    validation: float | None
    seconds: float


@dataclass
class History:
    """Collects records at regular updates."""

    n_updates: int | None
    """the updates of the fit; None where its end is not known, and a record is made only on demand"""
    record_cost: float = 0.0
    """so many updates take as long as a record; 0 where records are cheap"""
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
        affordable = min(math.ceil(self.record_cost / RECORD_SHARE), self.n_updates // FEWEST_RECORDS)
        return max(min(FEWEST_UPDATES, self.n_updates), self.n_updates // MOST_RECORDS, affordable)

    def wants_loss(self) -> bool:
        """Whether to compute the loss of the next update. A few times between two records are enough."""
        return not self._losses or self._updates % max(1, self.interval // LOSSES_PER_RECORD) == 0

    def note(self, loss: Tensor | None) -> bool:
        """Note that an update is done; True when a record is due."""
        if loss is not None:
            self._losses.append(loss)
        self._updates += 1
        done = self._updates - self._round_began
        if self.n_updates is None:
            return False
        return done % self.interval == 0 or done == self.n_updates

    def start_round(self) -> None:
        """Begin another round with as many updates as before."""
        self._round_began = self._updates

    def record(self, spread: Spread, sums: Callable[[Tensor], Tensor] = lambda own: own) -> Record:
        """Make a record of what happened since the last one. `sums` adds up the losses of all processes."""
        made = Record(
            update=self._updates,
            loss=float(sums(self._mean_loss())) if self._losses else float("nan"),
            score=spread.score,
            mean_angle=spread.mean_angle,
            min_angle=spread.min_angle,
            validation=None,
            seconds=time.perf_counter() - self.began,
        )
        self._losses.clear()
        self.records.append(made)
        return made

    def losses_are_finite(self) -> bool:
        """Whether the losses since the last record are finite numbers, as far as there are any."""
        return not self._losses or bool(self._mean_loss().isfinite())

    def _mean_loss(self) -> Tensor:
        # Those of a checkpoint are on the CPU, wherever the training goes on.
        return torch.stack([loss.to(self._losses[-1].device) for loss in self._losses]).mean()

    def progress(self) -> dict[str, Any]:
        """What a checkpoint needs to go on after the last update."""
        return {
            "records": list(self.records),
            "losses": [loss.detach() for loss in self._losses],
            "updates": self._updates,
            "round_began": self._round_began,
            "seconds": time.perf_counter() - self.began,
        }

    def resume(self, progress: dict[str, Any], kinds: tuple[type, ...]) -> None:
        """Go on as a checkpoint says, whose records are of these kinds. Time since it was written does not count."""
        if not all(type(record) in kinds for record in progress["records"]):
            raise ValueError("a record of the history is none")
        self.records[:] = progress["records"]
        self._updates = whole_number(progress["updates"], "the number of updates")
        self._round_began = whole_number(progress["round_began"], "the first update of a round")
        self.began = time.perf_counter() - progress["seconds"]
        self._losses[:] = [torch.from_numpy(np.asarray(loss)) for loss in progress["losses"]]
        if any(loss.ndim for loss in self._losses):
            raise ValueError("a loss must be one number")

    def validated(self, score: float) -> None:
        """Put a validation score into the last record."""
        self.records[-1] = replace(self.records[-1], validation=score)
