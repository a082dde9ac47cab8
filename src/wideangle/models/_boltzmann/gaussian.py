"""The training of a Gaussian machine: contrastive divergence on rows in units of the noise, which is learned too."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from wideangle.diversity import DiversityTerm
from wideangle.functional.boltzmann import GaussianMachine, Machine, hidden_logits, visible_logits
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.contrastive import ContrastiveSettings, ContrastiveTrainer
from wideangle.models._training.steps import (
    LearningRate,
    QuickAdamW,
    optimizer_for,
    optimizer_progress,
    resume_optimizer,
)

LEAST_NOISE, MOST_NOISE = 0.02, 50.0  # in deviations of the column; noise of nothing would have an endless density


class GaussianTrainer(ContrastiveTrainer):
    """Rows come in units of their columns' deviations, u. The machine sees x = u / s, s the deviations of the noise.

    By the change of variables log p(u) = −F(u / s) − log Z − Σ_j log s_j, and log Z does not depend on s. So the
    gradient in log s needs no imagined rows: ∂/∂ log s_j = mean x_j (x_j − x̂_j) − 1 with x̂ = α + σ(β + A x) A. It is 0
    where what the hidden units leave of a column has the variance of its noise. The gradient of Cho, Ilin and Raiko
    (2011), in other coordinates, compares with imagined rows and so has their noise.
    """

    def __init__(
        self,
        settings: ContrastiveSettings,
        term: DiversityTerm,
        rate: LearningRate,
        machine: GaussianMachine,
        noise: Tensor,
        randomness: Randomness,
    ) -> None:
        super().__init__(settings, term, rate, machine, randomness, 0)
        self._log_noise = noise.log()
        groups: list[dict[str, Any]] = [{"params": [self._log_noise]}]
        options: dict[str, Any] = {"lr": rate.first, "weight_decay": 0.0, "maximize": True}
        self._noise_optimizer: QuickAdamW | torch.optim.Optimizer
        if settings.optimizer == "adam" and noise.device.type == "cpu":
            self._noise_optimizer = QuickAdamW(groups, **options)
        else:
            self._noise_optimizer = optimizer_for(settings.optimizer, groups, **options)

    @property
    def noise(self) -> Tensor:
        """s, the deviation of each column's noise in units of the column's deviation."""
        return self._log_noise.exp()

    def parameters(self) -> Sequence[Tensor]:
        """Those of the machine, and log s."""
        return [*super().parameters(), self._log_noise]

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        visible, lengths = batch
        part = self.group.part(len(visible))
        rows = visible / self.noise
        density = self._log_noise.mean()
        loss = super().step(rate, wants_loss, rows, lengths)
        self._move_noise(rate, rows)
        # −log p(u | h) is −log p(x | h) and the logarithms of the noise.
        return None if loss is None else loss + part.weighed(density)

    def _move_noise(self, rate: float, rows: Tensor) -> None:
        """Move log s one step uphill."""
        part = self.group.part(len(rows))
        slope = noise_slope(self.model, rows[part.rows]) / rows.shape[1]
        self.group.average((slope,), part.share)
        self._log_noise.grad = slope
        self._noise_optimizer.param_groups[0]["lr"] = rate
        self._noise_optimizer.step()
        self._log_noise.clamp_(math.log(LEAST_NOISE), math.log(MOST_NOISE))

    def progress(self) -> dict[str, Any]:
        return super().progress() | {"noise": optimizer_progress(self._noise_optimizer)}

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress)
        resume_optimizer(self._noise_optimizer, progress["noise"])


def noise_slope(machine: Machine, rows: Tensor) -> Tensor:
    """∂/∂ log s of the mean log-likelihood of rows x = u / s, one entry per column: mean x (x − x̂) − 1."""
    imagined = visible_logits(machine, hidden_logits(machine, rows).sigmoid_())
    return (rows * (rows - imagined)).mean(0) - 1
