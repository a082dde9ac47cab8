"""Steps of stochastic descent on the pair loss with the regulariser, and their record."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wideangle.diversity import SPARSE_COST, DiversityTerm, HeldPush
from wideangle.functional.mahalanobis import loss_pull, pair_terms
from wideangle.models._base import Randomness
from wideangle.models._distance.pairs import IndexPairs, require_both_kinds
from wideangle.models._distance.rows import Indices, PairRows
from wideangle.models._training.history import Record
from wideangle.models._training.steps import LearningRate, optimizer_progress, resume_optimizer
from wideangle.models._training.trainer import Trainer

REGULARISER_SHARE = 0.05  # The regulariser may cost this share of what an update's own matrix products cost.
METRIC_SHARE = 0.2  # The same where it sees the data: if held for many updates, it would turn components too far.


@dataclass(frozen=True)
class PairRecord(Record):
    """Where a fit stood after some updates; the loss is in units of the margin."""

    violations: float
    """the share of dissimilar pairs that were nearer than the margin in the updates since the last record"""
    hinge_weight: float


class PairTrainer(Trainer):
    """Moves components downhill, by one mini-batch of pairs per update.

    Components start at length 1, and inputs are scaled by one number so that similar pairs start at a mean squared
    distance of half a margin. The loss, the regulariser and the steps then have the same size for every data set.
    Steps are Adam's; the learning rate says how far a whole component moves, not one entry of it.
    """

    records = (Record, PairRecord)

    def __init__(
        self,
        term: DiversityTerm,
        rate: LearningRate,
        A: Tensor,
        scale: float,
        randomness: Randomness,
        hinge_weight: float,
        batch_size: int,
    ) -> None:
        super().__init__(term, rate)
        self.A = A
        self.scale = scale
        self.randomness = randomness
        self.hinge_weight = hinge_weight
        self.batch_size = batch_size
        self.n_similar = self.n_dissimilar = 0
        self._optimizer = torch.optim.Adam([self.A], lr=rate.first, fused=True)
        self._push: HeldPush | None = None
        self._near = torch.zeros(2, dtype=self.A.dtype, device=self.A.device)

    def parameters(self) -> Sequence[Tensor]:
        return [self.A]

    def components(self) -> Tensor:
        return self.A

    def welcome(self, rows: PairRows, pairs: IndexPairs) -> None:
        """Count the pairs to come, for the weights of similar and dissimilar pairs. Both kinds must have occurred.

        The metric of the angles is that of the points of these pairs. Points of other pairs, such as those held out, do
        not count in it.
        """
        self.n_similar += int(pairs.similar.sum())
        self.n_dissimilar += int((~pairs.similar).sum())
        require_both_kinds(self.n_similar, self.n_dissimilar)
        if self.term.metric != "identity":
            self.seen.note(rows.points(_sample_of_ends(pairs, self.seen.enough)))

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        rows, all_pairs = batch
        part = self.group.part(len(all_pairs))
        pairs = all_pairs if part.is_whole else all_pairs.subset(part.rows)
        differences = rows.differences(pairs.left, pairs.right)
        projected = differences.through(self.A).mul_(self.scale)
        similar = torch.from_numpy(pairs.similar).to(self.A.device)
        # The weights make the sum over a batch an unbiased estimate of the means over all pairs of either kind.
        weight = (self.n_similar + self.n_dissimilar) / len(pairs)
        terms = pair_terms(
            projected.square().sum(1),
            similar,
            weight / self.n_similar,
            weight / self.n_dissimilar * self.hinge_weight,
        )
        gradient = differences.back(loss_pull(projected, terms.slope).mul_(self.scale))
        self.group.average([gradient], part.share)
        if self.term:
            gradient -= self._regulariser(rows, len(all_pairs))
        self.A.grad = gradient
        for group in self._optimizer.param_groups:
            group["lr"] = rate / math.sqrt(self.A.shape[1])
        self._optimizer.step()
        self._near += torch.stack([terms.violating.sum(), (~similar).sum()])
        return part.weighed(terms.value)  # The loss costs nothing more, so it is returned whether it is wanted or not.

    def remedies(self) -> list[str]:
        return [*super().remedies(), f"lower hinge_weight={self.hinge_weight:g}", "scale the data (StandardScaler)"]

    def recorded(self) -> Record:
        """A record of the present state, with the share of violations since the last record."""
        violating, dissimilar = self.group.sums(self._near).tolist()
        self._near.zero_()
        share = violating / dissimilar if dissimilar else float("nan")
        record = PairRecord(**asdict(super().recorded()), violations=share, hinge_weight=self.hinge_weight)
        self.history.records[-1] = record
        return record

    @property
    def numpy_dtype(self) -> np.dtype[Any]:
        """The dtype of the rows that updates take."""
        return np.dtype(np.float64 if self.A.dtype == torch.float64 else np.float32)

    def progress(self) -> dict[str, Any]:
        # The rows that were seen are those of all pairs, which `welcome` finds again.
        return super().progress() | {
            "seen": [],
            "optimizer": optimizer_progress(self._optimizer),
            "hinge_weight": self.hinge_weight,
            "push": None if self._push is None else self._push.progress(),
        }

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress | {"seen": self.seen.progress()})
        resume_optimizer(self._optimizer, progress["optimizer"])
        self.hinge_weight = float(progress["hinge_weight"])
        if not 0 <= self.hinge_weight < math.inf:
            raise ValueError(f"the hinge weight is {self.hinge_weight}")
        if progress["push"] is not None:
            self._push = HeldPush(self.term, self.A, 1.0, 1.0, seen=self.seen, by_rows=self.group.by_rows)
            self._push.resume(progress["push"])

    def violations(self, rows: PairRows, pairs: IndexPairs) -> float:
        """The share of all dissimilar pairs that are nearer than the margin now."""
        dissimilar = pairs.subset(~pairs.similar)
        distances = self.scale * rows.squared_distances(self.A, dissimilar.left, dissimilar.right).sqrt()
        return float((distances < 1).double().mean())

    def again(self, hinge_weight: float) -> None:
        """Start another round of updates from here with another hinge weight."""
        self.hinge_weight = hinge_weight
        self.start_round()

    def _regulariser(self, rows: PairRows, n_pairs: int) -> Tensor:
        """λ ∇R, held between refreshes."""
        if self._push is None:
            entries = n_pairs * rows.entries_per_pair * (SPARSE_COST if rows.sparse else 1)
            own = 2 * len(self.A) * entries  # An update makes two products with the pairs.
            per_row = rows.entries_per_pair / 2 if rows.sparse else None
            share = REGULARISER_SHARE if self.term.metric == "identity" else METRIC_SHARE
            by_rows = self.group.by_rows
            self._push = HeldPush(
                self.term, self.A, share, own, seen=self.seen, entries=per_row, steady=True, by_rows=by_rows
            )
        if self._push.is_due(self.updates):
            self.require_finite()  # The regulariser would raise an error that does not mention divergence.
            self._push.refresh(self.A)
        return self._push.value


def _sample_of_ends(pairs: IndexPairs, enough: int) -> Indices:
    """The row numbers of both ends of pairs at equal spacing, about `enough` of them."""
    chosen = np.linspace(0, len(pairs) - 1, min(len(pairs), enough // 2)).astype(np.int64)
    return np.concatenate([pairs.left[chosen], pairs.right[chosen]])
