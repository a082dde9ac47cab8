"""The diversity term λ R(A L) as one object. Trainers and solvers ask it for its value, its gradient and the angles."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import torch
from torch import Tensor

from wideangle._resumed import tensor_like, whole_number
from wideangle.exceptions import MetricError
from wideangle.functional._inputs import checked_components, checked_gamma
from wideangle.functional.angles import pair_angles
from wideangle.functional.gram import ByRows, all_rows
from wideangle.functional.metrics import Metric, mapped
from wideangle.functional.regularizers import (
    REGULARIZERS,
    Surrogate,
    checked_surrogate,
    in_metric,
    regularizer_value,
    value_and_gradient,
)
from wideangle.recent_rows import MetricName, RecentRows, checked_metric

LEAST_COST = 1e6  # However small a model is, an update takes as long as at least so many multiplications.
SPARSE_COST = 9  # Per entry, a sparse product takes about this many times as long as a dense one.
FEWEST_WITH_ROWS = 10  # A push in the metric of rows is held for at least so many updates.

MOST_WEIGHT = 1e12  # The squares of larger ones would leave the finite numbers.


@dataclass(frozen=True)
class Spread:
    """How far components are apart, in the geometry of the term."""

    score: float
    """Ω with the term's γ"""
    mean_angle: float
    """in degrees; NaN where there is no pair"""
    min_angle: float
    """in degrees"""


@dataclass(frozen=True)
class DiversityTerm:
    """λ R(A L), to be maximised: the weight, the regulariser, the weight of the angles' variance, the kind of metric.

    The map L of the metric is passed to each method. It comes from the rows that a trainer has seen; see `RecentRows`.
    """

    weight: float
    surrogate: Surrogate = "angle"
    gamma: float = 1.0
    metric: MetricName = "identity"

    def __post_init__(self) -> None:
        checked_surrogate(self.surrogate)
        checked_metric(self.metric)
        object.__setattr__(self, "gamma", checked_gamma(self.gamma))
        is_number = isinstance(self.weight, Real | int | float) and not isinstance(self.weight, bool)
        if not is_number or not 0 <= float(self.weight) <= MOST_WEIGHT:
            raise ValueError(
                f"diversity weighs the regulariser and must be finite and at least 0, at most {MOST_WEIGHT:g}; got "
                f"{self.weight}."
            )
        object.__setattr__(self, "weight", float(self.weight))

    def __bool__(self) -> bool:
        return bool(self.weight > 0)

    def value(self, A: Tensor, inspect: bool = True, metric: Metric | None = None) -> Tensor:
        """R(A L) without its weight, differentiable in A; `inspect` as in `functional.gram.gram_value`."""
        return regularizer_value(A, self.surrogate, self.gamma, inspect, metric)

    def push(self, A: Tensor, metric: Metric | None = None, by_rows: ByRows = all_rows) -> Tensor:
        """λ ∂R/∂A; `by_rows` as in `value_and_gradient`."""
        return self.weight * value_and_gradient(A, self.surrogate, self.gamma, metric=metric, by_rows=by_rows)[1]

    def push_into(self, out: Tensor, A: Tensor, metric: Metric | None = None) -> None:
        """The same in memory that is there already, of the shape and the dtype of A."""
        gradient = in_metric(checked_components(A).detach(), self.surrogate, self.gamma, metric)[1]
        if metric is None:
            out.copy_(gradient)
        else:
            metric.back_into(gradient, out)
        out.mul_(self.weight)

    def spread(self, A: Tensor, metric: Metric | None = None) -> Spread:
        """The angles of the components."""
        A = A.detach() if metric is None else mapped(A.detach(), metric)
        if len(A) < 2:
            return Spread(0.0, math.nan, math.nan)
        angles = pair_angles(A)
        score = angles.mean() - self.gamma * angles.var(correction=0)  # Ω, from the angles that are here
        degrees = torch.rad2deg(angles)
        return Spread(float(score), float(degrees.mean()), float(degrees.min()))


class HeldPush:
    """The push of a diversity term, which is computed every few updates and held in between.

    Components turn slowly, and at every update the term's K×K×D products would cost more than a small batch's own.
    `cost` is the number of an update's own multiplications, and `share` the share of it that the term may cost.
    `seen` are the rows that the updates have seen. `entries` is how many stored entries such a row has, and `making`
    how many multiplications it takes to make one. `steady` rows are the same at each update. `by_rows` is that of the
    processes that train together, which divide the products of many components.
    """

    def __init__(
        self,
        term: DiversityTerm,
        A: Tensor,
        share: float,
        cost: float,
        at_least: int = 1,
        seen: RecentRows | None = None,
        entries: float | None = None,
        making: float = 0.0,
        steady: bool = False,
        by_rows: ByRows = all_rows,
    ) -> None:
        K, D = A.shape
        self.term = term
        self._by_rows = by_rows
        self.seen = RecentRows("identity") if seen is None else seen
        products = REGULARIZERS[term.surrogate].products
        own: float = products * K * K * D
        self._compact = False
        if self.seen.name == "covariance":
            by_root, by_sample = own + 2.0 * K * D * D, float(self.seen.enough * products * K * K)
            if not A.is_cuda:  # A GPU multiplies a thousand rows about as fast as a mini-batch.
                by_sample += 2 * K * self.seen.enough * (D if entries is None else SPARSE_COST * entries)
            # Rows that change would need a new root at each refresh, which costs more than it saves.
            self._compact = steady and by_root < by_sample
            own = by_root if self._compact else by_sample
            at_least = at_least if steady else max(at_least, FEWEST_WITH_ROWS)
        if self.seen.name != "identity":
            own += self.seen.enough * making
            cost = max(cost, LEAST_COST)
        self.updates_held = max(at_least, math.ceil(own / cost / share - 1e-9))
        # It has the memory order of A. In another order, adding it would be slow at every update.
        self.value = torch.zeros_like(A)

    def is_due(self, update: int) -> bool:
        """Whether the push must be computed again before this update."""
        return bool(self.term) and update % self.updates_held == 0

    def refresh(self, A: Tensor) -> None:
        """Compute the push again. There is none as long as the rows that were seen do not vary, or are too few."""
        try:
            metric = self.seen.metric(self._compact)
        except MetricError:
            self.value.zero_()
            return
        if metric is not None and self._must_wait(A, metric):
            self.value.zero_()
            return
        if self._by_rows is all_rows:
            self.term.push_into(self.value, A, metric)
        else:
            self.value.copy_(self.term.push(A, metric, self._by_rows))

    def progress(self) -> dict[str, Any]:
        """What a checkpoint needs to go on."""
        return {"value": self.value, "updates_held": self.updates_held, "compact": self._compact}

    def resume(self, progress: dict[str, Any]) -> None:
        """Go on as a checkpoint says."""
        self.updates_held = max(1, whole_number(progress["updates_held"], "the updates that a push is held"))
        self._compact = bool(progress["compact"])
        self.value.copy_(tensor_like(progress["value"], self.value, "a push"))

    def _must_wait(self, A: Tensor, metric: Metric) -> bool:
        """Whether the components are dependent only because few rows have been seen, as in the first updates."""
        regularizer, K = REGULARIZERS[self.term.surrogate], len(A)
        return not regularizer.allows(K, metric.rank) and regularizer.allows(K, A.shape[1]) and not self.seen.is_full
