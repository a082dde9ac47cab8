"""Contrastive divergence with the regulariser, for both restricted Boltzmann machines."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor

from wideangle.exceptions import DivergenceError
from wideangle.functional import retract, row_lengths, value_and_gradient
from wideangle.functional.boltzmann import (
    Machine,
    hidden_logits,
    per_token,
    reconstruction_loss,
    sample_bernoulli,
    shared_out,
)
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import History, Randomness, Record, Schedule
from wideangle.models._boltzmann.graph import ReplayedStep, Step, can_replay
from wideangle.models._boltzmann.products import DenseProducts, SparseProducts
from wideangle.optim import ObliqueAdam
from wideangle.optim.solvers import with_positive_lengths

Algorithm = Literal["projected", "alternating"]
Optimizer = Literal["adam", "momentum", "sgd"]

SHARE = 0.1  # of an update's matrix products that the regulariser may cost
HELD = 5  # updates it is held for at least
CHECKED = 20  # updates from one look for numbers that are not finite to the next: a GPU waits for each


@dataclass(frozen=True)
class Settings:
    """What the trainer needs to know; the estimators' parameters of the same names."""

    diversity: float
    surrogate: Surrogate
    gamma: float
    algorithm: Algorithm
    learning_rate: float
    schedule: Schedule
    optimizer: Optimizer
    weight_decay: float
    dropout: float
    batch_size: int
    cd_steps: int
    persistent: bool


class Trainer:
    """Moves a machine uphill, a mini-batch at a time.

    The data term is log-likelihood per visible unit or per token, averaged over the batch, so that one range of
    `diversity` serves every data set. The regulariser's gradient is found every few updates and held in between:
    the components turn slowly, and its two K×K×D products would otherwise cost more than a small batch's own.
    """

    def __init__(
        self,
        settings: Settings,
        machine: Machine,
        randomness: Randomness,
        n_updates: int | None,
        longest: int | None = None,
        sparse: bool = False,
    ) -> None:
        self.settings = settings
        self.longest = longest
        """tokens of every document as it is trained on; 0 where rows are no documents, None where they differ"""
        self.randomness = randomness
        self.n_updates = n_updates
        """for the learning rate's way to 0; None keeps it"""
        self.updates = 0
        self.history = History(n_updates or 100)
        self.sparse = sparse
        """whether mini-batches are SciPy matrices"""
        self._products: DenseProducts | SparseProducts = SparseProducts() if sparse else DenseProducts()
        if sparse:
            machine = machine._replace(components=machine.components.mT.contiguous().mT)
        self.machine = machine
        self._finite = Machine(*(part.clone() for part in machine))
        self._push = torch.zeros_like(machine.components) if settings.diversity else None
        self._chains: Tensor | None = None
        K = machine.components.shape[0]
        # two products of K×K×D against four of batch×K×D
        self._hold = max(HELD, round(K / (2 * settings.batch_size) / SHARE))
        biases = {"params": [machine.visible_bias, machine.hidden_bias], "weight_decay": 0.0}
        alternating = settings.algorithm == "alternating"
        # What a recorded step cannot hold: optimisers that count on the host, and a look at the longest document. Nor
        # can it be pickled, which a trainer kept for further calls must be.
        plain = settings.optimizer == "adam" and not alternating and longest is not None and n_updates is not None
        self._replays = plain and can_replay(machine.components.device)
        self._rate = machine.components.new_tensor(settings.learning_rate) if self._replays else settings.learning_rate
        if alternating:
            self._lengths = row_lengths(machine.components)
            self._directions = retract(machine.components)
            self._optimizer = self._plain([{"params": [self._lengths]}, biases])
            self._turning = ObliqueAdam([self._directions], lr=settings.learning_rate, maximize=True)
        else:
            self._optimizer = self._plain([{"params": [machine.components]}, biases])
        self._step: Step = self._moved
        if self._replays:
            self._step = ReplayedStep(self._moved, randomness.draws)

    def update(self, visible: Any, lengths: Tensor | None) -> Record | None:
        """One step; a record where one is due."""
        loss = self._loss(visible, lengths) if self.history.wants_loss() else None
        self._set_rate()
        if self._push is not None and self.updates % self._hold == 0:
            self._require_finite()  # the regulariser refuses what is not
            s = self.settings
            components = self._directions if s.algorithm == "alternating" else self.machine.components
            self._push.copy_(s.diversity * value_and_gradient(components, s.surrogate, s.gamma)[1])
        self._step(visible, lengths)
        self.updates += 1
        due = self.history.note(loss)
        if due or self.updates % CHECKED == 0:
            self._require_finite()
        return self._recorded() if due else None

    @property
    def model(self) -> Machine:
        """The one machine of all hidden units that the trained ones, of some units each, stand for."""
        return shared_out(self.machine, 1 - self.settings.dropout)

    @property
    def numpy_dtype(self) -> Any:
        """NumPy's word for the parameters' dtype."""
        return self.machine.hidden_bias.cpu().numpy().dtype

    def validated(self, validation: float) -> None:
        """Put a validation score into the last record."""
        self.history.records[-1] = replace(self.history.records[-1], validation=validation)

    def _moved(self, visible: Any, lengths: Tensor | None) -> None:
        """The parameters a step uphill."""
        machine, push = self.machine, 0.0 if self._push is None else self._push
        data = self._contrast(visible, lengths)
        machine.visible_bias.grad, machine.hidden_bias.grad = data.visible_bias, data.hidden_bias
        if self.settings.algorithm == "projected":
            machine.components.grad = data.components + push
            self._optimizer.step()
            return
        # Algorithm 1, one step of each kind on the same mini-batch
        self._lengths.grad = torch.linalg.vecdot(data.components, self._directions)
        self._directions.grad = self._lengths[:, None] * data.components + push
        self._optimizer.step()
        self._turning.step()
        shortest = torch.finfo(self._lengths.dtype).tiny
        self._lengths[:], self._directions[:] = with_positive_lengths(self._lengths, self._directions, shortest)
        machine.components.copy_(self._lengths[:, None] * self._directions)

    def _loss(self, visible: Any, lengths: Tensor | None) -> Tensor:
        visible = visible if isinstance(visible, Tensor) else torch.as_tensor(visible.toarray())
        model = self.model
        # Documents are read as `transform` reads them: longer by as much as the model's components are shorter.
        hidden = torch.sigmoid(hidden_logits(model if lengths is None else self.machine, visible, lengths))
        return reconstruction_loss(model, visible, hidden, lengths)

    def _contrast(self, visible: Any, lengths: Tensor | None) -> Machine:
        """The gradient of the mean log-likelihood per unit or token by contrastive divergence."""
        machine, draws, products = self.machine, self.randomness.draws, self._products
        hidden = torch.sigmoid(products.hidden_logits(machine, visible, lengths))
        kept = None
        if self.settings.dropout:
            kept = sample_bernoulli(torch.full_like(hidden, 1 - self.settings.dropout), draws)
            hidden = hidden * kept
        chains = self._started(hidden)
        for step in range(self.settings.cd_steps):
            imagined, answer = products.gibbs_step(machine, chains, draws, lengths, self.longest)
            if kept is not None:
                answer = answer * kept
            if step + 1 < self.settings.cd_steps or self.settings.persistent:
                chains = sample_bernoulli(answer, draws)
        if self._chains is not None:
            self._chains[: len(chains)] = chains
        # Each row counts 1/(batch · units), or 1/(batch · tokens).
        batch, units = visible.shape
        if lengths is None:
            weights = hidden.new_full((batch,), 1 / (batch * units))
        else:
            weights = per_token(torch.ones_like(lengths), lengths) / batch
        components = products.difference(weights[:, None] * hidden, visible, weights[:, None] * answer, imagined)
        # The hidden bias of a document of N tokens is N β, so that per token each document counts alike.
        hidden_bias = (hidden - answer).mean(0) / (units if lengths is None else 1)
        return Machine(components, products.mean_difference(weights, visible, imagined), hidden_bias)

    def _started(self, hidden: Tensor) -> Tensor:
        """Where the chains start: at the data, or, persistent, where they were; a smaller batch moves the first."""
        if self.settings.persistent and self._chains is None:
            rows = torch.arange(max(self.settings.batch_size, len(hidden)), device=hidden.device) % len(hidden)
            self._chains = sample_bernoulli(hidden[rows], self.randomness.draws)
        if self._chains is not None:
            return self._chains[: len(hidden)]
        return sample_bernoulli(hidden, self.randomness.draws)

    def _recorded(self) -> Record:
        self._finite = Machine(*(part.clone() for part in self.machine))
        return self.history.record(self.machine.components, None)

    def _require_finite(self) -> None:
        # A sum notices all but a fluke.
        if not math.isfinite(sum(float(part.sum()) for part in self.machine)):
            raise self._diverged()

    def _diverged(self) -> DivergenceError:
        for part, kept in zip(self.machine, self._finite, strict=True):
            part.copy_(kept)
        return DivergenceError(
            f"the parameters stopped being finite at update {self.updates}. Lower learning_rate="
            f"{self.settings.learning_rate:g}, raise weight_decay={self.settings.weight_decay:g}, or scale the data; "
            "the last finite state is kept."
        )

    def _plain(self, groups: list[dict[str, Any]]) -> torch.optim.Optimizer:
        decay, replays = self.settings.weight_decay, self._replays
        if self.settings.optimizer == "adam":
            return torch.optim.AdamW(
                groups, lr=self._rate, weight_decay=decay, maximize=True, fused=True, capturable=replays
            )
        momentum = 0.9 if self.settings.optimizer == "momentum" else 0.0
        return torch.optim.SGD(groups, lr=self._rate, momentum=momentum, weight_decay=decay, maximize=True)

    def _set_rate(self) -> None:
        s = self.settings
        falls = self.n_updates is not None and s.schedule == "linear"
        rate = s.learning_rate * (1 - self.updates / self.n_updates if falls and self.n_updates else 1.0)
        if isinstance(self._rate, Tensor):
            self._rate.fill_(rate)  # in place: a recorded step reads it where it is
            return
        first, biases = self._optimizer.param_groups
        first["lr"] = biases["lr"] = rate
        if s.algorithm == "alternating":
            # Adam moves each entry of A by the rate, and so a row by √D rates: as far as these steps go together.
            first["lr"] = rate * math.sqrt(self.machine.components.shape[1])
            self._turning.param_groups[0]["lr"] = first["lr"] / max(1.0, float(self._lengths.mean()))
