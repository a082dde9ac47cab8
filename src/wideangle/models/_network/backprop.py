"""A feed-forward network and its training by back-propagation with the regulariser."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn

from wideangle.exceptions import ComponentsError, DivergenceError, ModelFileError
from wideangle.functional import value_and_gradient
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import History, Record, Schedule

Activation = Literal["relu", "tanh", "sigmoid"]
Optimizer = Literal["adam", "sgd"]

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid}
MOMENTUM = 0.9  # of "sgd"
SHARE = 0.5  # of a layer's own matrix products that its regulariser may cost


@dataclass(frozen=True)
class Settings:
    """What the trainer needs to know; the estimators' parameters of the same names."""

    diversity: float
    surrogate: Surrogate
    gamma: float
    optimizer: Optimizer
    learning_rate: float
    schedule: Schedule
    weight_decay: float
    batch_size: int
    max_updates: int


def network(sizes: Sequence[int], activation: Activation, generator: torch.Generator, dtype: torch.dtype) -> nn.Module:
    """Linear layers from size to size with the activation between them; rows start at lengths of about 1.

    Glorot's scale, He's before a ReLU. On much shorter rows the regulariser, whose gradient grows as they shrink,
    would outshout the data.
    """
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(sizes):
        # skip_init, for the usual start draws from torch's global generator; double, so that every type starts alike
        layer = torch.nn.utils.skip_init(nn.Linear, n_in, n_out, device=generator.device, dtype=torch.float64)
        if activation == "relu":
            nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu", generator=generator)
        else:
            nn.init.xavier_uniform_(layer.weight, generator=generator)
        nn.init.zeros_(layer.bias)
        layers += [layer, ACTIVATIONS[activation]()]
    return nn.Sequential(*layers[:-1]).to(dtype)


def linear_layers(module: nn.Module) -> list[nn.Linear]:
    """In their order, the output layer last."""
    return [layer for layer in module.children() if isinstance(layer, nn.Linear)]


def parts_of_network(module: nn.Module) -> dict[str, Any]:
    """The activation's name and the arrays of a module that `network` made, from which it can be made again."""
    layers = linear_layers(module)
    names = {name for name, kind in ACTIVATIONS.items() if any(type(layer) is kind for layer in module.children())}
    if len(names) != 1 or len(list(module.children())) != 2 * len(layers) - 1:
        raise ModelFileError(
            f"module_ is not linear layers with one of {tuple(ACTIVATIONS)} between them, and cannot be saved; got "
            f"{module}. Save its state_dict() by safetensors.torch.save_file instead."
        )
    arrays = ([getattr(layer, part).detach().numpy() for layer in layers] for part in ("weight", "bias"))
    return dict(zip(("activation", "weights", "biases"), (names.pop(), *arrays), strict=True))


def network_from_parts(parts: dict[str, Any]) -> nn.Module:
    """The module of which these are the parts."""
    layers: list[nn.Module] = []
    for weight, bias in zip(parts["weights"], parts["biases"], strict=True):
        layer = torch.nn.utils.skip_init(nn.Linear, *weight.shape[::-1], dtype=torch.from_numpy(weight).dtype)
        layer.load_state_dict({"weight": torch.from_numpy(weight), "bias": torch.from_numpy(bias)})
        layers += [layer, ACTIVATIONS[parts["activation"]]()]
    return nn.Sequential(*layers[:-1])


class Trainer:
    """Moves a network downhill, a mini-batch at a time, on the mean loss per sample − λ Σ Ω (Eq. MAR-NN).

    The regulariser's gradient is found every few updates and held in between where a layer has many units: they turn
    slowly, and its two K×K×D products would otherwise cost more than a small batch's own.
    """

    def __init__(self, settings: Settings, module: nn.Module, loss: Callable[[Tensor, Tensor], Tensor]) -> None:
        self.settings = settings
        self.module = module
        self.loss = loss
        self.updates = 0
        self.history = History(settings.max_updates)
        # A_{l−1} holds output units, which are no latent components (Eq. MAR-NN)
        self.hidden = [layer.weight for layer in linear_layers(module)[:-1]]
        self._push: list[Tensor] = []
        # two products of K×K×D against two of batch×K×D at least
        self._hold = [max(1, round(len(A) / settings.batch_size / SHARE)) for A in self.hidden]
        self._optimizer = self._new_optimizer()
        self._finite = self.state()

    def update(self, X: Tensor, target: Tensor, weight: Tensor | None) -> Record | None:
        """One step on a batch; a record where one is due."""
        each = self.loss(self.module(X), target)
        loss = (each if weight is None else weight * each).mean()
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.settings.diversity:
            self._add_regulariser()
        self._set_rate()
        self._optimizer.step()
        wanted = self.history.wants_loss()
        self.updates += 1
        if not self.history.note(loss.detach() if wanted else None):
            return None
        self._require_finite()
        return self.history.record(self.hidden[0].detach(), None)

    def state(self) -> list[Tensor]:
        """A copy of the parameters."""
        return [parameter.detach().clone() for parameter in self.module.parameters()]

    def restore(self, state: Sequence[Tensor]) -> None:
        """Go back to a copy of the parameters."""
        with torch.no_grad():
            for parameter, kept in zip(self.module.parameters(), state, strict=True):
                parameter.copy_(kept)

    def _add_regulariser(self) -> None:
        """Add −λ ∇Ω to the gradient of each hidden layer."""
        if not self._push:
            self._push = [torch.zeros_like(A) for A in self.hidden]
        for number, (A, hold) in enumerate(zip(self.hidden, self._hold, strict=True)):
            if self.updates % hold == 0:
                try:
                    gradient = value_and_gradient(A.detach(), self.settings.surrogate, self.settings.gamma)[1]
                except ComponentsError as error:
                    if not bool(A.isfinite().all()):
                        raise self._diverged() from error
                    raise type(error)(f"hidden layer {number}: {error}") from None
                self._push[number] = self.settings.diversity * gradient
            assert A.grad is not None  # backward has run
            A.grad.sub_(self._push[number])

    def _require_finite(self) -> None:
        # A sum notices all but a fluke, and the device is asked once.
        if not math.isfinite(float(torch.stack([p.detach().sum() for p in self.module.parameters()]).sum())):
            raise self._diverged()
        self._finite = self.state()

    def _diverged(self) -> DivergenceError:
        self.restore(self._finite)
        return DivergenceError(
            f"the parameters stopped being finite by update {self.updates}. Lower learning_rate="
            f"{self.settings.learning_rate:g}, or scale the data (StandardScaler); the last finite state is kept."
        )

    def _new_optimizer(self) -> torch.optim.Optimizer:
        s = self.settings
        groups = [
            {"params": [p for p in self.module.parameters() if p.ndim > 1], "weight_decay": s.weight_decay},
            {"params": [p for p in self.module.parameters() if p.ndim == 1], "weight_decay": 0.0},
        ]
        if s.optimizer == "adam":
            return torch.optim.AdamW(groups, lr=s.learning_rate, fused=True)
        return torch.optim.SGD(groups, lr=s.learning_rate, momentum=MOMENTUM, fused=True)

    def _set_rate(self) -> None:
        if self.settings.schedule == "linear":
            for group in self._optimizer.param_groups:
                group["lr"] = self.settings.learning_rate * (1 - self.updates / self.settings.max_updates)
