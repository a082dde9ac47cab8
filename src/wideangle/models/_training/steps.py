"""Optimisers by name, and the learning rate of each update."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch.optim.adamw import adamw

from wideangle._resumed import check_optimizer_state, tensor_like

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


class QuickAdamW:
    """`torch.optim.AdamW` by its one kernel alone, for the CPU. What the class does around it takes as long again.

    The kernel, `fused`, is that of the class, so that both take the same steps. Gradients are read from `grad`.
    """

    def __init__(
        self, groups: list[dict[str, Any]], *, lr: float, weight_decay: float = 0.0, maximize: bool = False
    ) -> None:
        self.param_groups = [{"lr": lr, "weight_decay": weight_decay} | group for group in groups]
        self._maximize = maximize
        self._state = [
            (
                [torch.zeros_like(parameter) for parameter in group["params"]],
                [torch.zeros_like(parameter) for parameter in group["params"]],
                [torch.zeros((), dtype=torch.float32) for _ in group["params"]],
            )
            for group in groups
        ]

    def progress(self) -> list[Any]:
        """What a checkpoint needs to go on."""
        return [[list(of_kind) for of_kind in of_group] for of_group in self._state]

    def resume(self, progress: list[Any]) -> None:
        """Go on as a checkpoint says."""
        for of_group, kept_group in zip(self._state, progress, strict=True):
            for of_kind, kept in zip(of_group, kept_group, strict=True):
                for tensor, values in zip(of_kind, kept, strict=True):
                    tensor.copy_(tensor_like(values, tensor, "the state of the optimiser"))

    def step(self) -> None:
        """Move each parameter by its gradient."""
        for group, (means, squares, steps) in zip(self.param_groups, self._state, strict=True):
            adamw(
                group["params"],
                [parameter.grad for parameter in group["params"]],
                means,
                squares,
                [],
                steps,
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=group["lr"],
                weight_decay=group["weight_decay"],
                eps=1e-8,
                maximize=self._maximize,
            )


def optimizer_for(name: Optimizer, groups: list[dict[str, Any]], **options: Any) -> torch.optim.Optimizer:
    """Adam with decoupled weight decay, or gradient steps with momentum or without."""
    if name == "adam":
        return torch.optim.AdamW(groups, fused=True, **options)
    options.pop("capturable", None)
    return torch.optim.SGD(groups, momentum=MOMENTUM if name == "momentum" else 0.0, **options)


def optimizer_progress(optimizer: "QuickAdamW | torch.optim.Optimizer") -> list[Any]:
    """The state of each parameter, in the order of the groups. Rates are set at each step."""
    if isinstance(optimizer, QuickAdamW):
        return optimizer.progress()
    return [dict(optimizer.state[parameter]) for group in optimizer.param_groups for parameter in group["params"]]


def resume_optimizer(optimizer: "QuickAdamW | torch.optim.Optimizer", progress: list[Any]) -> None:
    """Give an optimiser the state of a checkpoint."""
    if isinstance(optimizer, QuickAdamW):
        optimizer.resume(progress)
        return
    owners = [(group, parameter) for group in optimizer.param_groups for parameter in group["params"]]
    for (group, parameter), kept in zip(owners, progress, strict=True):
        check_optimizer_state(kept, parameter)
        # One kernel for all that Adam does wants the number of its steps on the device.
        counts_there = bool(group.get("fused") or group.get("capturable"))
        optimizer.state[parameter] = {
            name: torch.from_numpy(np.array(value)).to(parameter.device if value.ndim or counts_there else "cpu")
            if isinstance(value, np.ndarray)
            else value
            for name, value in kept.items()
        }
