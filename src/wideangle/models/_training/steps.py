"""Optimisers by name, and the learning rate of each update."""

from dataclasses import dataclass
from typing import Any, Literal

import torch

Optimizer = Literal["adam", "momentum", "sgd"]
Schedule = Literal["linear", "constant"]

OPTIMIZERS = ("adam", "momentum", "sgd")
SCHEDULES = ("linear", "constant")
MOMENTUM = 0.9  # of the optimiser "momentum"


@dataclass(frozen=True)
class LearningRate:
    """The rate of each update: constant, or falling to 0 over the updates of a fit."""

    first: float
    schedule: Schedule
    n_updates: int | None
    """None where the end is not known, as in `partial_fit`; the rate is then constant"""

    def at(self, update: int) -> float:
        """The rate of the update with this number; the first update has number 0."""
        if self.schedule == "constant" or self.n_updates is None:
            return self.first
        return self.first * (1 - update / self.n_updates)


def optimizer_for(name: Optimizer, groups: list[dict[str, Any]], **options: Any) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay, or gradient steps with momentum or without."""
    if name == "adam":
        return torch.optim.AdamW(groups, fused=True, **options)
    options.pop("capturable", None)
    return torch.optim.SGD(groups, momentum=MOMENTUM if name == "momentum" else 0.0, **options)
