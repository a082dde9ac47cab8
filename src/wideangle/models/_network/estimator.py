"""What both networks do as estimators. Each of them adds what a target is."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from wideangle._validation import CallbackSupportMixin, checked_sample_weight, validate_rows, with_callbacks
from wideangle.functional.activations import ACTIVATION_MODULES
from wideangle.functional.regularizers import Surrogate
from wideangle.models._base import Randomness, batches, dense_batch, resolve_device
from wideangle.models._display import Displayed
from wideangle.models._network.backprop import (
    Activation,
    BackpropSettings,
    BackpropTrainer,
    linear_layers,
    network,
    network_from_parts,
    parts_of_network,
)
from wideangle.models._parameters import COUNT, check_parameters, settings_of, term_of
from wideangle.models._topics import Topical
from wideangle.models._training.beginning import begin_fit, begin_pass
from wideangle.models._training.history import Record
from wideangle.models._training.loop import fit_by_updates, held_out_rows, learning_further, told_of
from wideangle.models._training.resuming import takes_checkpoint
from wideangle.models._training.steps import OPTIMIZERS, SCHEDULES, LearningRate, Optimizer, Schedule
from wideangle.persistence import Saveable
from wideangle.recent_rows import MetricName

Self = TypeVar("Self", bound="Network")

BLOCK = 1024  # So many rows are dense at a time.
_CHOICES: dict[str, tuple[str, ...]] = {
    "activation": tuple(ACTIVATION_MODULES),
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
}


@dataclass(frozen=True)
class Targets:
    """What the network should answer, one entry per row of X."""

    values: Tensor
    weights: Tensor | None
    n_outputs: int

    def at(self, rows: NDArray[np.intp]) -> tuple[Tensor, Tensor | None]:
        """The values and weights of some rows."""
        chosen = torch.as_tensor(rows, device=self.values.device)
        return self.values[chosen], None if self.weights is None else self.weights[chosen]


class Rows:
    """Batches of X as tensors. A dense matrix that leaves half of a GPU's free memory free is copied there once."""

    def __init__(self, X: Any, like: Tensor) -> None:
        self.X, self.like = X, like
        self.resident: Tensor | None = None
        if like.is_cuda and not sp.issparse(X) and 2 * X.nbytes < torch.cuda.mem_get_info(like.device)[0]:
            self.resident = torch.tensor(X, dtype=like.dtype, device=like.device)

    def at(self, rows: NDArray[np.intp]) -> Tensor:
        """Some rows, dense."""
        if self.resident is None:
            return dense_batch(self.X, rows, self.like)
        return self.resident[torch.as_tensor(rows, device=self.like.device)]


class Network(
    Displayed, Topical, Saveable, CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Fits and gives outputs and activations. A subclass encodes targets, has the loss and finishes the module."""

    _essential = "module_"
    _records = (Record,)
    _trains_in_processes = True

    hidden_layer_sizes: Any
    activation: Activation
    diversity: float
    surrogate: Surrogate
    gamma: float
    metric: MetricName
    optimizer: Optimizer
    learning_rate: float
    schedule: Schedule
    weight_decay: float
    batch_size: int
    max_updates: int
    validation_fraction: float
    patience: int
    device: str
    random_state: Any
    verbose: bool

    @takes_checkpoint
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on the rows of X and their targets y; a row of weight 2 counts in the loss as two rows would."""
        begin_fit(self, X=X, y=y, sample_weight=sample_weight)
        X, y = self._checked(X, y, reset=True)
        self._check_parameters()
        self._forget()
        weights = checked_sample_weight(sample_weight, X)
        randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
        by = y if y.ndim == 1 else y[:, 0]
        held_out, rows = held_out_rows(len(y), self.validation_fraction, randomness.rows, by)
        targets, trainer = self._targets_and_trainer(X, y, weights, rows, randomness, self.max_updates)
        data = Rows(X, trainer.hidden[0])
        judge = (lambda: self._validation(trainer.module, data, targets, held_out)) if len(held_out) else None
        fit_by_updates(self, X, trainer, lambda skip: self._stream(data, targets, rows, randomness, skip), judge)
        return self

    def _targets_and_trainer(
        self,
        X: Any,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        rows: NDArray[np.intp],
        randomness: Randomness,
        n_updates: int | None,
    ) -> tuple[Targets, BackpropTrainer]:
        """The targets of all rows, and a trainer for `rows`. It starts from a new network or from the learned one."""
        dtype = torch.float64 if X.dtype == np.float64 else torch.float32
        device = randomness.draws.device
        if n_updates is None and hasattr(self, "module_"):
            module = self._unfinished(copy.deepcopy(self.module_)).to(device)
            dtype = next(module.parameters()).dtype
            targets = self._encoded(y, weights, rows, device, dtype)
        else:
            self._start_targets(y[rows], None if weights is None else weights[rows])
            targets = self._encoded(y, weights, rows, device, dtype)
            sizes = (X.shape[1], *self._hidden(), targets.n_outputs)
            module = network(sizes, self.activation, randomness.draws, dtype)
        rate = LearningRate(self.learning_rate, self.schedule, n_updates)
        settings = settings_of(self, BackpropSettings)
        return targets, BackpropTrainer(settings, term_of(self), rate, module, self._loss, randomness)

    def _further(self: Self, X: Any, y: NDArray[Any], sample_weight: Any) -> Self:
        """One pass over further rows at the full learning rate, from where the last call left off."""
        begin_pass(self, X=X, y=y, sample_weight=sample_weight)
        self._check_parameters()
        weights, rows = checked_sample_weight(sample_weight, X), np.arange(len(y))
        trainer: BackpropTrainer | None = getattr(self, "_trainer", None)
        if trainer is not None:
            like = trainer.hidden[0]
            targets = self._encoded(y, weights, rows, like.device, like.dtype)
        else:
            randomness = Randomness.of_training(self.random_state, resolve_device(self.device))
            targets, trainer = self._targets_and_trainer(X, y, weights, rows, randomness, None)
        stream = self._stream(Rows(X, trainer.hidden[0]), targets, rows, trainer.randomness)
        with learning_further(self, trainer):
            trainer.one_pass(stream, -(-len(rows) // self.batch_size), "rows")
        return self

    def _stream(
        self, data: Rows, targets: Targets, rows: NDArray[np.intp], randomness: Randomness, skip: int = 0
    ) -> Iterator[tuple[Any, ...]]:
        """Yield mini-batches without end, but for the first `skip`: rows, their targets and their weights."""
        for chosen in batches(len(rows), self.batch_size, randomness.rows, skip):
            yield data.at(rows[chosen]), *targets.at(rows[chosen])

    @property
    def coefs_(self) -> list[NDArray[Any]]:
        """The weights of each layer, inputs × units, as scikit-learn's networks have them."""
        return [layer.weight.detach().numpy().T.copy() for layer in linear_layers(self.module_)]

    @property
    def intercepts_(self) -> list[NDArray[Any]]:
        """The biases of each layer."""
        return [layer.bias.detach().numpy().copy() for layer in linear_layers(self.module_)]

    def _shown_components(self) -> NDArray[Any]:
        """The units of the first layer, whose inputs have names."""
        return self.coefs_[0].T

    def transform(self, X: Any) -> NDArray[Any]:
        """The activations of the last hidden layer, rows × its units."""
        check_is_fitted(self)
        return self._passed(X, self.module_[:-1]).numpy()

    @property
    def _n_features_out(self) -> int:
        return int(self.module_[-1].in_features)

    def _outputs(self, X: Any) -> Tensor:
        """The outputs of the network, rows × outputs, on the CPU."""
        check_is_fitted(self)
        return self._passed(X, self.module_)

    def _passed(self, X: Any, module: nn.Module) -> Tensor:
        """What `module`, the network or its first layers, makes of the rows, on the CPU."""
        X = validate_rows(self, X, reset=False, dtype=(np.float32, np.float64))
        device = resolve_device(self.device)
        module = module if device.type == "cpu" else copy.deepcopy(module).to(device)
        like = next(module.parameters())
        with torch.no_grad():
            parts = [module(dense_batch(X, rows, like)).cpu() for rows in _blocks(np.arange(X.shape[0]))]
        found = torch.cat(parts)
        if not bool(found.isfinite().all()):
            largest = float(abs(X).max())
            raise ValueError(
                f"what the network answers is too large for {like.dtype}: X has entries as large as {largest:.1g}. "
                "Scale X as the rows of the fit were scaled, or fit on float64."
            )
        return found

    def _validation(self, module: nn.Module, data: Rows, targets: Targets, rows: NDArray[np.intp]) -> float:
        with torch.no_grad():
            outputs = torch.cat([module(data.at(block)) for block in _blocks(rows)])
            return self._judged(outputs, *targets.at(rows))

    def _judged(self, outputs: Tensor, values: Tensor, weights: Tensor | None) -> float:
        """The validation score of held-out rows; larger is better."""
        each = self._loss(outputs, values)
        return -float((each if weights is None else weights * each).mean())

    def _attributes(self, trainer: BackpropTrainer) -> dict[str, Any]:
        """The fitted attributes in the trainer's present state."""
        module = self._finished(copy.deepcopy(trainer.module).cpu())
        return {"module_": module} | told_of(trainer)

    def _saved_state(self) -> dict[str, Any]:
        state = super()._saved_state()
        parts = parts_of_network(state.pop("module_"))
        return state | {f"module_.{name}": part for name, part in parts.items()}

    def _restore_state(self, state: dict[str, Any]) -> None:
        names = [name for name in state if name.startswith("module_.")]
        parts = {name.removeprefix("module_."): state.pop(name) for name in names}
        super()._restore_state(state | {"module_": network_from_parts(parts)})

    def _hidden(self) -> tuple[int, ...]:
        sizes = self.hidden_layer_sizes
        several = isinstance(sizes, tuple | list) or (isinstance(sizes, np.ndarray) and sizes.ndim > 0)
        found = tuple(sizes) if several else (sizes,)
        if not found or not all(COUNT(size) for size in found):
            raise ValueError(f"hidden_layer_sizes must be {COUNT.words}, or several, one per layer; got {sizes!r}.")
        return tuple(int(size) for size in found)

    def _check_parameters(self) -> None:
        self._hidden()
        check_parameters(
            self,
            counts=("batch_size", "max_updates", "patience"),
            not_negative=("diversity", "weight_decay", "gamma"),
            above_zero=("learning_rate",),
            shares=("validation_fraction",),
            choices=_CHOICES,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        raise NotImplementedError

    def _start_targets(self, y: NDArray[Any], weights: NDArray[Any] | None) -> None:
        """Learn what must be known of the targets before the first update."""

    def _encoded(
        self,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        rows: NDArray[np.intp],
        device: torch.device,
        dtype: torch.dtype,
    ) -> Targets:
        """Targets and weights of all rows. The training rows have a mean weight of 1."""
        raise NotImplementedError

    def _loss(self, outputs: Tensor, values: Tensor) -> Tensor:
        raise NotImplementedError

    def _finished(self, module: nn.Module) -> nn.Module:
        """The trained network in the form that users get."""
        return module

    def _unfinished(self, module: nn.Module) -> nn.Module:
        """The network in the form that training uses."""
        return module


def _blocks(rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    return np.split(rows, range(BLOCK, len(rows), BLOCK))


def weight_tensor(
    weights: NDArray[Any] | None, rows: NDArray[np.intp], device: torch.device, dtype: torch.dtype
) -> Tensor | None:
    """Weights of rows, scaled so that the training rows have a mean weight of 1. λ then keeps its meaning."""
    if weights is None:
        return None
    return torch.tensor(weights / weights[rows].mean(), dtype=dtype, device=device)
