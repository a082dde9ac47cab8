"""One step of stochastic descent on the pair loss with the regulariser, and the record of many."""

import math
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle.exceptions import DivergenceError
from wideangle.functional import pair_angles, value_and_gradient
from wideangle.functional.mahalanobis import loss_pull, pair_terms
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, Schedule
from wideangle.models._distance.pairs import IndexPairs, require_both_kinds
from wideangle.models._distance.rows import PairRows

RECORDS = 25  # in a fit
SHARE = 0.05  # of an update's products that the regulariser may cost
SPARSE_COST = 8  # a sparse product takes about this many times as long for an entry as a dense one


@dataclass(frozen=True)
class Settings:
    """What the trainer needs to know; the estimator's parameters of the same names."""

    diversity: float
    surrogate: Surrogate
    gamma: float
    hinge_weight: float
    learning_rate: float
    schedule: Schedule
    batch_size: int


@dataclass(frozen=True)
class PairRecord:
    """Where a fit stood after some updates."""

    update: int
    loss: float
    """pair loss in units of the margin, mean over the updates since the last record"""
    violations: float
    """share of dissimilar pairs nearer than the margin, in those updates"""
    hinge_weight: float
    score: float
    """Ω of the components"""
    mean_angle: float
    """in degrees"""
    min_angle: float
    validation: float | None
    """average precision of the pairs kept aside"""
    seconds: float


class PairTrainer:
    """Moves components downhill, a mini-batch of pairs at a time.

    Components start at length 1, and inputs are scaled by one number so that similar pairs start at a mean squared
    distance of half a margin: the loss, the regulariser and the steps then have the same size for every data set.
    Steps are Adam's; a learning rate says how far a component, not an entry of it, moves. The regulariser's gradient
    is found every few updates and held in between where its K×K×D products would cost more than the pairs.
    """

    def __init__(
        self, settings: Settings, A: Tensor, scale: float, randomness: Randomness, n_updates: int | None
    ) -> None:
        self.settings = settings
        self.A = A
        self.scale = scale
        self.randomness = randomness
        self.n_updates = n_updates
        """for the learning rate's way to 0, and for records on it; None has neither"""
        self.hinge_weight = settings.hinge_weight
        self.updates = 0
        self.records: list[PairRecord] = []
        self.n_similar = self.n_dissimilar = 0
        self._began = time.perf_counter()
        self._optimizer = torch.optim.Adam([self.A], lr=settings.learning_rate, fused=True)
        self._push: Tensor | None = None
        self._finite = self.A.clone()
        self._sums = torch.zeros(3, dtype=self.A.dtype, device=self.A.device)
        self._since = 0
        self._round_began = 0

    def welcome(self, pairs: IndexPairs) -> None:
        """Count the pairs to come, which weigh a batch's similar and dissimilar ones; both must have occurred."""
        self.n_similar += int(pairs.similar.sum())
        self.n_dissimilar += int((~pairs.similar).sum())
        require_both_kinds(self.n_similar, self.n_dissimilar)

    def update(self, rows: PairRows, batch: IndexPairs) -> PairRecord | None:
        """One step; a record where one is due."""
        differences = rows.differences(batch.left, batch.right)
        projected = differences.through(self.A).mul_(self.scale)
        similar = torch.from_numpy(batch.similar).to(self.A.device)
        # An unbiased estimate of the means over all similar and all dissimilar pairs; a batch has some of each.
        weight = (self.n_similar + self.n_dissimilar) / len(batch)
        terms = pair_terms(
            projected.square().sum(1),
            similar,
            weight / self.n_similar,
            weight / self.n_dissimilar * self.hinge_weight,
        )
        gradient = differences.back(loss_pull(projected, terms.slope).mul_(self.scale))
        if self.settings.diversity:
            gradient -= self._regulariser(rows, len(batch))
        self.A.grad = gradient
        self._set_rate()
        self._optimizer.step()
        self.updates += 1
        self._since += 1
        self._sums += torch.stack([terms.value, terms.violating.sum(), (~similar).sum()])
        if self.n_updates is None:
            return None
        done = self.updates - self._round_began
        due = done % self.interval == 0 or done == self.n_updates
        return self.recorded() if due else None

    @property
    def interval(self) -> int:
        """Updates from record to record."""
        return max(1, (self.n_updates or 1) // RECORDS)

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """Of the rows that updates take."""
        return np.dtype(np.float64 if self.A.dtype == torch.float64 else np.float32)

    def recorded(self) -> PairRecord:
        """Sum up since the last record; an error where the components are no longer finite."""
        loss, violating, dissimilar = self._sums.tolist()
        if not math.isfinite(loss) or not math.isfinite(float(self.A.sum())):
            raise self._diverged()
        self._finite.copy_(self.A)
        K = len(self.A)
        angles = pair_angles(self.A)
        record = PairRecord(
            update=self.updates,
            loss=loss / max(1, self._since),
            violations=violating / dissimilar if dissimilar else float("nan"),
            hinge_weight=self.hinge_weight,
            score=float(angles.mean() - self.settings.gamma * angles.var(correction=0)) if K > 1 else 0.0,
            mean_angle=math.degrees(float(angles.mean())) if K > 1 else float("nan"),
            min_angle=math.degrees(float(angles.min())) if K > 1 else float("nan"),
            validation=None,
            seconds=time.perf_counter() - self._began,
        )
        self._sums.zero_()
        self._since = 0
        self.records.append(record)
        return record

    def validate(self, rows: PairRows, held_out: IndexPairs) -> float:
        """Average precision of pairs kept aside, put into the last record."""
        from sklearn.metrics import average_precision_score

        squared = rows.squared_distances(self.A, held_out.left, held_out.right).cpu().numpy()
        value = float(average_precision_score(held_out.similar, -squared))
        self.records[-1] = replace(self.records[-1], validation=value)
        return value

    def violations(self, rows: PairRows, pairs: IndexPairs) -> float:
        """The share of all dissimilar pairs that are nearer than the margin now."""
        dissimilar = pairs.subset(~pairs.similar)
        squared = self.scale**2 * rows.squared_distances(self.A, dissimilar.left, dissimilar.right)
        return float((squared < 1).double().mean())

    def again(self, hinge_weight: float) -> None:
        """Start another round of updates from here with another hinge weight."""
        self.hinge_weight = hinge_weight
        self._round_began = self.updates

    def _regulariser(self, rows: PairRows, n_pairs: int) -> Tensor:
        """λ ∇R, held between refreshes."""
        if self._push is None or self.updates % self._hold(rows, n_pairs) == 0:
            if not math.isfinite(float(self.A.sum())):
                raise self._diverged()
            gradient = value_and_gradient(self.A, self.settings.surrogate, self.settings.gamma)[1]
            # With the strides of A, or taking it off the pairs' gradient would jump through memory at every update.
            self._push = torch.empty_like(self.A).copy_(gradient).mul_(self.settings.diversity)
        return self._push

    def _hold(self, rows: PairRows, n_pairs: int) -> int:
        K, D = self.A.shape
        own = K * D * (1 if self.settings.surrogate == "angle" else 2)  # the others are found in double precision
        pairs = n_pairs * rows.entries_per_pair * (SPARSE_COST if rows.sparse else 1)
        return max(1, math.ceil(own / pairs / SHARE))

    def _diverged(self) -> DivergenceError:
        self.A.copy_(self._finite)
        return DivergenceError(
            f"the components stopped being finite by update {self.updates}. Lower learning_rate="
            f"{self.settings.learning_rate:g} or hinge_weight={self.hinge_weight:g}; the last finite state is kept."
        )

    def _set_rate(self) -> None:
        falls = self.n_updates is not None and self.settings.schedule == "linear"
        share = 1 - (self.updates - self._round_began) / self.n_updates if falls and self.n_updates else 1.0
        for group in self._optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * share / math.sqrt(self.A.shape[1])
