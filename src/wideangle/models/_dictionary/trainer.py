"""The training of a dictionary: codes of a mini-batch, then a step of the components on their spheres."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from wideangle.diversity import DiversityTerm, HeldPush
from wideangle.models._base import Randomness
from wideangle.models._dictionary.codes import STEPS, loss_of, quick_codes
from wideangle.models._training.steps import LearningRate, optimizer_progress, resume_optimizer
from wideangle.models._training.trainer import Trainer
from wideangle.optim import ObliqueAdam

REGULARISER_SHARE = 0.5  # The regulariser may cost this share of what an update's own products cost.


@dataclass(frozen=True)
class DictionarySettings:
    """What the trainer needs to know: the estimator's parameters of the same names."""

    alpha: float
    positive_code: bool
    batch_size: int


class DictionaryTrainer(Trainer):
    """Moves unit components downhill on the mean of ½‖x − zA‖² + α‖z‖₁ over a mini-batch − λ Ω(A)."""

    def __init__(
        self,
        settings: DictionarySettings,
        term: DiversityTerm,
        rate: LearningRate,
        components: Tensor,
        randomness: Randomness,
    ) -> None:
        K, D = components.shape
        # Codes take a K×K product for each step, and three products have the columns of the rows.
        own = settings.batch_size * K * (STEPS * K + 3 * D)
        super().__init__(term, rate, K * K * D / own)
        self.settings = settings
        self.randomness = randomness
        self._components = components
        self._push = HeldPush(term, components, REGULARISER_SHARE, own, seen=self.seen, by_rows=self.group.by_rows)
        self._optimizer = ObliqueAdam([components], lr=rate.first)

    def parameters(self) -> Sequence[Tensor]:
        return [self._components]

    def components(self) -> Tensor:
        return self._components

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        X, _ = batch
        self.seen.note(X)
        part = self.group.part(len(X))
        X, A, alpha = X[part.rows], self._components, self.settings.alpha
        S = quick_codes(X, A, alpha, self.settings.positive_code)
        loss = part.weighed(loss_of(X, S, A, alpha)) if wants_loss else None
        # At the best codes, the gradient of the least objective in A is the one with codes held fixed (Danskin).
        gradient = S.mT @ (S @ A - X) / len(X)
        self.group.average((gradient,), part.share)
        if self.term:
            if self._push.is_due(self.updates):
                self._push.refresh(A)
            gradient.sub_(self._push.value)
        A.grad = gradient
        self._optimizer.param_groups[0]["lr"] = rate
        self._optimizer.step()
        return loss

    def progress(self) -> dict[str, Any]:
        return super().progress() | {
            "optimizer": optimizer_progress(self._optimizer),
            "push": self._push.progress(),
        }

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress)
        resume_optimizer(self._optimizer, progress["optimizer"])
        self._push.resume(progress["push"])
