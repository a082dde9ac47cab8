"""Contrastive divergence with the regulariser, for all restricted Boltzmann machines."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from wideangle._resumed import rows_like
from wideangle.diversity import LEAST_COST, DiversityTerm, HeldPush
from wideangle.functional import retract, row_lengths
from wideangle.functional.boltzmann import Draws, DrawsOfPart, Machine, per_token, sample_bernoulli, shared_out
from wideangle.models._base import Randomness
from wideangle.models._boltzmann.graph import ReplayedStep, can_replay
from wideangle.models._boltzmann.products import Contrast, DenseProducts, SparseProducts, WordRows
from wideangle.models._training.steps import (
    LearningRate,
    Optimizer,
    QuickAdamW,
    optimizer_for,
    optimizer_progress,
    resume_optimizer,
)
from wideangle.models._training.trainer import Trainer
from wideangle.optim import ObliqueAdam
from wideangle.optim.solvers import with_positive_lengths
from wideangle.process_group.group import Part
from wideangle.recent_rows import ENOUGH

Algorithm = Literal["projected", "alternating"]

REGULARISER_SHARE = 0.1  # The regulariser may cost this share of what an update's own matrix products cost.
FEWEST_HELD_UPDATES = 5  # The regulariser's gradient serves at least this many updates.


@dataclass(frozen=True)
class ContrastiveSettings:
    """What the trainer needs to know: the estimators' parameters of the same names."""

    algorithm: Algorithm
    optimizer: Optimizer
    weight_decay: float
    dropout: float
    batch_size: int
    cd_steps: int
    persistent: bool


class ContrastiveTrainer(Trainer):
    """Moves a machine uphill, by one mini-batch per update.

    The data term is log-likelihood per visible unit or per token, averaged over the batch, so that one range of
    `diversity` serves every data set.
    """

    def __init__(
        self,
        settings: ContrastiveSettings,
        term: DiversityTerm,
        rate: LearningRate,
        machine: Machine,
        randomness: Randomness,
        longest: int | None = None,
        sparse: bool = False,
    ) -> None:
        K, D = machine.components.shape
        # An update makes four products with the batch. If it is sparse, three of them are cheap.
        self._own_cost = (1.5 if sparse else 4) * settings.batch_size * K * D
        # A record makes the products of the angles, with the rows of the metric if there are any.
        angles = K * (D + K) * ENOUGH if term.metric == "covariance" else K * K * D
        super().__init__(term, rate, 0.0 if sparse else angles / max(self._own_cost, LEAST_COST))
        self.settings = settings
        self.longest = longest
        """the tokens that every document has in training; 0 where rows are no documents, None where lengths differ"""
        self.randomness = randomness
        self.sparse = sparse
        """whether mini-batches are SciPy matrices"""
        alternating = settings.algorithm == "alternating"
        self._products: DenseProducts | SparseProducts = DenseProducts()
        if sparse:
            # Processes add up their gradients, and the words of their rows differ.
            self._products = SparseProducts(in_rows=not alternating and self.group.alone)
        if sparse:
            machine = machine._replace(components=machine.components.mT.contiguous().mT)
        self.machine = machine
        self._chains: Tensor | None = None
        self._push: HeldPush | None = None
        self._no_push: Tensor | None = None
        biases = {"params": [machine.visible_bias, machine.hidden_bias], "weight_decay": 0.0}
        # A recorded step cannot hold an optimiser that counts on the CPU, nor look up the longest document, nor wait
        # for other processes. It cannot be pickled either, and a trainer that partial_fit keeps must be.
        known = longest is not None and rate.n_updates is not None and self.group.alone
        recordable = settings.optimizer == "adam" and not alternating and known
        self._replays = recordable and can_replay(machine.components.device)
        self._rate = machine.components.new_tensor(rate.first) if self._replays else rate.first
        # Where batches are sparse, only Aᵀ is contiguous. Adam would copy a matrix that is not, at every step.
        turned = machine.components.mT if sparse else machine.components
        if alternating:
            turned = self._lengths = row_lengths(machine.components)
            self._directions = retract(machine.components)
            self._turning = ObliqueAdam([self._directions], lr=rate.first, maximize=True)
        self._turned = turned
        # The lengths' rate is √D times that of entries (see `_set_rate`), and they decay by no more for it.
        decay = settings.weight_decay / (math.sqrt(D) if alternating else 1.0)
        groups: list[dict[str, Any]] = [{"params": [turned]}, biases]
        self._optimizer: QuickAdamW | torch.optim.Optimizer
        if settings.optimizer == "adam" and turned.device.type == "cpu":
            self._optimizer = QuickAdamW(groups, lr=rate.first, weight_decay=decay, maximize=True)
        else:
            self._optimizer = optimizer_for(
                settings.optimizer,
                groups,
                lr=self._rate,
                weight_decay=decay,
                maximize=True,
                capturable=self._replays,
            )
        self._replayed = ReplayedStep(randomness.draws) if self._replays else None
        if randomness.draws.device.type != "cpu" and not self.group.alone:
            # Each process draws for its own rows alone, because a GPU would draw others for a batch of another size.
            randomness.draws.manual_seed(randomness.draws.initial_seed() + self.group.rank)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.sparse and not self._alternates:
            # A pickle holds a tensor and its transpose apart. The optimiser moves the transpose, and A must follow.
            self.machine = self.machine._replace(components=self._turned.mT)

    def parameters(self) -> Sequence[Tensor]:
        """A, α and β. With Algorithm 1 also the lengths and directions that A is made of."""
        return [*self.machine, *([self._lengths, self._directions] if self._alternates else [])]

    def components(self) -> Tensor:
        return self.machine.components

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        visible, lengths = batch
        part = self.group.part(visible.shape[0])
        own = (visible, lengths) if part.is_whole else self._own(visible, lengths, part)
        loss = part.weighed(self._loss(*own)) if wants_loss else None
        self._set_rate(rate)
        self._note(visible, lengths)
        if self.term and self._push is None:
            # Sparse rows have few entries, which make the metric's products cheap.
            entries = visible.nnz / visible.shape[0] if self.sparse else None
            shape = (REGULARISER_SHARE, self._own_cost, FEWEST_HELD_UPDATES)
            self._push = HeldPush(
                self.term, self.machine.components, *shape, self.seen, entries, by_rows=self.group.by_rows
            )
        if self._push is not None and self._push.is_due(self.updates):
            self.require_finite()  # The regulariser would raise an error that does not mention divergence.
            self._push.refresh(self._directions if self._alternates else self.machine.components)
        if not part.is_whole:
            longest = self.longest if lengths is None else self._most_tokens(lengths)
            self._moved(own[0], own[1], part, longest)
        elif self._replayed is None:
            self._moved(*own)
        else:
            self._replayed(self._moved, *own)
        return loss

    def _own(self, visible: Any, lengths: Tensor | None, part: Part) -> tuple[Any, Tensor | None]:
        """The rows of this process."""
        rows = visible.part(part.rows) if self.sparse else visible[part.rows]
        return rows, None if lengths is None else lengths[part.rows]

    def _most_tokens(self, lengths: Tensor) -> int:
        """The words of the longest document of a whole batch: so many are drawn for each, whichever process has it."""
        return int(lengths.ceil().max()) if self.longest is None else self.longest

    def _note(self, visible: Any, lengths: Tensor | None) -> None:
        """Keep the rows for the metric, at one length: long documents must not count more than short ones."""
        if lengths is None or self.longest is not None or self.term.metric == "identity":
            self.seen.note(visible)
        elif self.sparse:
            shares = visible.data / np.repeat(lengths.numpy(), np.diff(visible.indptr))
            self.seen.note(visible._replace(data=shares))
        else:
            self.seen.note(per_token(visible, lengths))

    def remedies(self) -> list[str]:
        return [*super().remedies(), f"raise weight_decay={self.settings.weight_decay:g}", "scale the data"]

    @property
    def _alternates(self) -> bool:
        return self.settings.algorithm == "alternating"

    @property
    def model(self) -> Machine:
        """The machine with all hidden units. Dropout trains machines that have some of them each."""
        return shared_out(self.machine, 1 - self.settings.dropout)

    @property
    def numpy_dtype(self) -> Any:
        """NumPy's dtype of the parameters."""
        return self.machine.hidden_bias.cpu().numpy().dtype

    def _moved(
        self, visible: Any, lengths: Tensor | None, part: Part | None = None, longest: int | None = None
    ) -> None:
        """Move the parameters one step uphill. These rows may be a part of a batch with so long documents."""
        part = Part(0, visible.shape[0], visible.shape[0]) if part is None else part
        machine = self.machine
        data = self._contrast(visible, lengths, part, self.longest if part.is_whole else longest)
        if not isinstance(data.components, WordRows):  # Only a process that is alone has such rows.
            self.group.average((data.components, data.visible_bias, data.hidden_bias), part.share)
        machine.visible_bias.grad, machine.hidden_bias.grad = data.visible_bias, data.hidden_bias
        if isinstance(data.components, WordRows):
            with data.components.added_to(self._pushed_words()) as uphill:
                self._turned.grad = uphill
                self._optimizer.step()
            return
        if not self._alternates:
            uphill = data.components if self._push is None else data.components.add_(self._push.value)
            self._turned.grad = uphill.mT if self.sparse else uphill
            self._optimizer.step()
            return
        # Algorithm 1 takes one step in the lengths and one in the directions, on the same mini-batch.
        self._lengths.grad = torch.linalg.vecdot(data.components, self._directions)
        self._directions.grad = self._lengths[:, None] * data.components
        if self._push is not None:
            self._directions.grad += self._push.value
        self._optimizer.step()
        self._turning.step()
        shortest = torch.finfo(self._lengths.dtype).tiny
        self._lengths[:], self._directions[:] = with_positive_lengths(self._lengths, self._directions, shortest)
        machine.components.copy_(self._lengths[:, None] * self._directions)

    def _pushed_words(self) -> Tensor:
        """The push as a matrix of words × components; zeros where there is none."""
        if self._push is not None:
            return self._push.value.mT
        if self._no_push is None:
            self._no_push = torch.zeros_like(self._turned)
        return self._no_push

    def _loss(self, visible: Any, lengths: Tensor | None) -> Tensor:
        # The model has components that are shorter than those in training by the share of kept units. Hidden units
        # times this share give the same logits, without another matrix of the components' size.
        share = 1 - self.settings.dropout
        logits = self._products.hidden_logits(self.machine, visible, lengths)
        # `transform` makes documents longer by as much as components are shorter, so that their logits are the same.
        hidden = (logits if lengths is not None else logits.mul_(share)).sigmoid_()
        return self._products.loss(self.machine, hidden.mul_(share), visible, lengths)

    def _contrast(self, visible: Any, lengths: Tensor | None, part: Part, longest: int | None) -> Contrast:
        """The gradient of the mean log-likelihood per unit or token by contrastive divergence."""
        machine, draws, products = self.machine, self._draws(part), self._products
        hidden = products.hidden_logits(machine, visible, lengths).sigmoid_()
        kept = None
        if self.settings.dropout:
            kept = sample_bernoulli(torch.full_like(hidden, 1 - self.settings.dropout), draws)
            hidden = hidden * kept
        chains = self._started(hidden, part)
        for step in range(self.settings.cd_steps):
            imagined, answer = products.gibbs_step(machine, chains, draws, lengths, longest)
            if kept is not None:
                answer = answer * kept
            if step + 1 < self.settings.cd_steps or self.settings.persistent:
                chains = sample_bernoulli(answer, draws)
        if self._chains is not None:
            self._chains[: part.of] = self.group.gathered(chains, part.of)
        components, visible_bias = products.contrast(hidden, visible, answer, imagined, lengths)
        # The hidden bias of a document with N tokens is N β. Per token, each document therefore has the same weight.
        share = 1 / (len(hidden) * (visible.shape[1] if lengths is None else 1))
        hidden_bias = hidden.sum(0).sub_(answer.sum(0)).mul_(share)
        return Contrast(components, visible_bias, hidden_bias)

    def _started(self, hidden: Tensor, part: Part) -> Tensor:
        """Where the chains start: at the data, or, if persistent, where they ended. A smaller batch uses the first.

        Each process has the chains of all, because mini-batches of other sizes are divided elsewhere.
        """
        if self.settings.persistent and self._chains is None:
            rows = torch.arange(max(self.settings.batch_size, part.of), device=hidden.device) % part.of
            self._chains = sample_bernoulli(self.group.gathered(hidden, part.of)[rows], self.randomness.draws)
        if self._chains is not None:
            return self._chains[part.rows]
        return sample_bernoulli(hidden, self._draws(part))

    def _draws(self, part: Part) -> Draws:
        """What draws for the rows of this process."""
        draws = self.randomness.draws
        return draws if part.is_whole or draws.device.type != "cpu" else DrawsOfPart(draws, part.first, part.of)

    def progress(self) -> dict[str, Any]:
        return super().progress() | {
            "optimizer": optimizer_progress(self._optimizer),
            "turning": optimizer_progress(self._turning) if self._alternates else None,
            "draws": self.randomness.draws.get_state(),
            "chains": self._chains,
            "push": None if self._push is None else self._push.progress(),
        }

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress)
        resume_optimizer(self._optimizer, progress["optimizer"])
        if self._alternates:
            resume_optimizer(self._turning, progress["turning"])
        draws, rank = self.randomness.draws, self.group.rank
        if draws.device.type == "cpu" or rank == 0:
            draws.set_state(torch.from_numpy(progress["draws"].copy()))
        else:  # The checkpoint is the first process's. Others must not draw what that one draws.
            draws.manual_seed(draws.initial_seed() + rank + self.group.size * self.updates)
        A = self.machine.components
        if progress["chains"] is not None:
            chains = rows_like(progress["chains"], len(A), "the chains")
            if len(chains) < self.settings.batch_size or not self.settings.persistent:
                raise ValueError(f"there are {len(chains)} chains, which are not those of this fit")
            self._chains = torch.tensor(chains, dtype=A.dtype, device=A.device)
        if progress["push"] is not None:
            self._push = HeldPush(self.term, A, 1.0, 1.0, seen=self.seen, by_rows=self.group.by_rows)
            self._push.resume(progress["push"])

    def _set_rate(self, rate: float) -> None:
        if isinstance(self._rate, Tensor):
            self._rate.fill_(rate)  # A recorded step reads the rate from this place in memory.
            return
        first, biases = self._optimizer.param_groups
        first["lr"] = biases["lr"] = rate
        if self._alternates:
            # Adam would move each entry of A by the rate, and so a row by √D rates. These steps go as far.
            first["lr"] = rate * math.sqrt(self.machine.components.shape[1])
            self._turning.param_groups[0]["lr"] = first["lr"] / max(1.0, float(self._lengths.mean()))
