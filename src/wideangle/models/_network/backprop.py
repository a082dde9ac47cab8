"""A feed-forward network and its training by back-propagation with the regulariser."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn

from wideangle.diversity import DiversityTerm, HeldPush
from wideangle.exceptions import ComponentsError, ModelFileError
from wideangle.functional.activations import ACTIVATION_MODULES
from wideangle.models._base import Randomness
from wideangle.models._training.steps import (
    LearningRate,
    Optimizer,
    optimizer_for,
    optimizer_progress,
    resume_optimizer,
)
from wideangle.models._training.trainer import Trainer
from wideangle.recent_rows import RecentRows

Activation = Literal["relu", "tanh", "sigmoid"]

REGULARISER_SHARE = 0.5  # The regulariser of a layer may cost this share of what the layer's own products cost.


@dataclass(frozen=True)
class BackpropSettings:
    """What the trainer needs to know: the estimators' parameters of the same names."""

    optimizer: Optimizer
    weight_decay: float
    batch_size: int


def network(sizes: Sequence[int], activation: Activation, generator: torch.Generator, dtype: torch.dtype) -> nn.Module:
    """Linear layers of the given sizes with the activation between them. Rows start with lengths of about 1.

    The scale is Glorot's, or He's before a ReLU. The regulariser's gradient grows as rows shrink, and on much shorter
    rows it would outweigh the data.
    """
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(sizes):
        # Torch's usual start would draw from its global generator. Double precision gives every dtype the same start.
        layer = torch.nn.utils.skip_init(nn.Linear, n_in, n_out, device=generator.device, dtype=torch.float64)
        if activation == "relu":
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu", generator=generator)
        else:
            nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(layer.bias)
        layers += [layer, ACTIVATION_MODULES[activation]()]
    return nn.Sequential(*layers[:-1]).to(dtype)


def linear_layers(module: nn.Module) -> list[nn.Linear]:
    """The linear layers in their order, the output layer last."""
    return [layer for layer in module.children() if isinstance(layer, nn.Linear)]


def parts_of_network(module: nn.Module) -> dict[str, Any]:
    """The activation's name and the arrays of a module from `network`, from which it can be made again."""
    layers = linear_layers(module)
    kinds = {type(layer) for layer in module.children()}
    names = {name for name, kind in ACTIVATION_MODULES.items() if kind in kinds}
    if len(names) != 1 or len(list(module.children())) != 2 * len(layers) - 1:
        raise ModelFileError(
            f"module_ is not linear layers with one of {tuple(ACTIVATION_MODULES)} between them, and cannot be saved; "
            f"got {module}. Save its state_dict() by safetensors.torch.save_file instead."
        )
    arrays = ([getattr(layer, part).detach().numpy() for layer in layers] for part in ("weight", "bias"))
    return dict(zip(("activation", "weights", "biases"), (names.pop(), *arrays), strict=True))


def network_from_parts(parts: dict[str, Any]) -> nn.Module:
    """The module that has these parts."""
    layers: list[nn.Module] = []
    for weight, bias in zip(parts["weights"], parts["biases"], strict=True):
        layer = torch.nn.utils.skip_init(nn.Linear, *weight.shape[::-1], dtype=torch.from_numpy(weight).dtype)
        layer.load_state_dict({"weight": torch.from_numpy(weight), "bias": torch.from_numpy(bias)})
        layers += [layer, ACTIVATION_MODULES[parts["activation"]]()]
    return nn.Sequential(*layers[:-1])


class BackpropTrainer(Trainer):
    """Moves a network downhill, by one mini-batch per update, on the mean loss per sample − λ Σ Ω (Eq. MAR-NN)."""

    def __init__(
        self,
        settings: BackpropSettings,
        term: DiversityTerm,
        rate: LearningRate,
        module: nn.Module,
        loss: Callable[[Tensor, Tensor], Tensor],
        randomness: Randomness,
    ) -> None:
        super().__init__(term, rate)
        self.randomness = randomness
        self.module = module
        self.loss = loss
        # A_{l−1} is left out: its rows are output units, not latent components (Eq. MAR-NN).
        self.hidden = [layer.weight for layer in linear_layers(module)[:-1]]
        # An update makes at least two products of each layer with the batch.
        own = [2 * settings.batch_size * A.numel() for A in self.hidden]
        # The first layer sees the inputs, a deeper one what the layers before it make of them.
        self.seen_by = [self.seen, *(RecentRows(term.metric) for _ in self.hidden[1:])]
        before = accumulate((A.numel() for A in self.hidden[:-1]), initial=0)
        self._pushes = [
            HeldPush(term, A.detach(), REGULARISER_SHARE, cost, seen=seen, making=weights, by_rows=self.group.by_rows)
            for A, cost, seen, weights in zip(self.hidden, own, self.seen_by, before, strict=True)
        ]
        parameters = list(module.parameters())
        groups = [
            {"params": [p for p in parameters if p.ndim > 1], "weight_decay": settings.weight_decay},
            {"params": [p for p in parameters if p.ndim == 1], "weight_decay": 0.0},
        ]
        self._optimizer = optimizer_for(settings.optimizer, groups, lr=rate.first)

    def parameters(self) -> Sequence[Tensor]:
        return list(self.module.parameters())

    def components(self) -> Tensor:
        """The units of the first hidden layer."""
        return self.hidden[0]

    def step(self, rate: float, wants_loss: bool, *batch: Any) -> Tensor | None:
        X, target, weight = batch
        self.seen.note(X)
        part = self.group.part(len(X))
        each = self.loss(self.module(X[part.rows]), target if part.is_whole else target[part.rows])
        loss = (each if weight is None else weight[part.rows] * each).mean()
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        gradients = [parameter.grad for parameter in self.module.parameters() if parameter.grad is not None]
        self.group.average(gradients, part.share)
        if self.term:
            self._add_regulariser()
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.step()
        return part.weighed(loss.detach()) if wants_loss else None

    def progress(self) -> dict[str, Any]:
        pushes = [push.progress() for push in self._pushes]
        return super().progress() | {"optimizer": optimizer_progress(self._optimizer), "pushes": pushes}

    def resume(self, progress: dict[str, Any]) -> None:
        super().resume(progress)
        resume_optimizer(self._optimizer, progress["optimizer"])
        for push, kept in zip(self._pushes, progress["pushes"], strict=True):
            push.resume(kept)

    def remedies(self) -> list[str]:
        return [*super().remedies(), "scale the data (StandardScaler)"]

    def _add_regulariser(self) -> None:
        """Add −λ ∇Ω to the gradient of each hidden layer."""
        for number, (A, push) in enumerate(zip(self.hidden, self._pushes, strict=True)):
            if push.is_due(self.updates):
                self._look(number)
                try:
                    push.refresh(A.detach())
                except ComponentsError as error:
                    raise type(error)(f"hidden layer {number}: {error}") from None
            assert A.grad is not None  # backward has run
            A.grad.sub_(push.value)

    def _look(self, number: int) -> None:
        """Let a deeper layer see the rows that are kept, as they reach it now."""
        if number == 0 or self.term.metric == "identity":
            return
        self.require_finite()  # Activations that are not finite would raise an error that does not mention divergence.
        before = list(self.module.children())[: 2 * number]  # Each hidden layer is a linear map and its activation.
        with torch.no_grad():
            self.seen_by[number].keep_only(nn.Sequential(*before)(self.seen.rows()))
