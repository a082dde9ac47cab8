"""The estimator both restricted Boltzmann machines are; they add what a visible row is."""

import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from wideangle.functional.boltzmann import Machine, free_energy, hidden_logits, reconstruction_loss
from wideangle.functional.partition import MOST_ENUMERATED, LogPartition, annealed_log_partition, exact_log_partition
from wideangle.functional.regularizers import Surrogate, checked_surrogate
from wideangle.models._base import Randomness, batches, dense_batch, resolve_device
from wideangle.models._contrastive import Algorithm, Optimizer, Settings, Trainer

Self = TypeVar("Self", bound="BoltzmannMachine")

BLOCK = 1024  # rows that are dense at a time


class BoltzmannMachine(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fit, transform and likelihood. A subclass checks rows, prepares batches and starts the biases."""

    n_components: int
    diversity: float
    surrogate: Surrogate
    gamma: float
    algorithm: Algorithm
    learning_rate: float
    optimizer: Optimizer
    weight_decay: float
    dropout: float | Literal["auto"]
    batch_size: int
    max_updates: int
    cd_steps: int
    persistent: bool
    validation_fraction: float
    patience: int
    device: str
    random_state: Any

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Learn the components from the rows of X. y is ignored."""
        X = self._checked(X, reset=True)
        self._check_parameters()
        self._forget()
        randomness = Randomness.of(self.random_state, resolve_device(self.device))
        held_out, rows = self._validation_split(X.shape[0], randomness)
        rows = self._useful(X, rows)
        trainer = self._new_trainer(self._start(X[rows], randomness.draws), randomness, self.max_updates)
        best, since_best, self.stopped_ = -math.inf, 0, f"finished: max_updates={self.max_updates} reached"
        stream = batches(len(rows), self.batch_size, randomness.rows)
        try:
            for _ in range(self.max_updates):
                batch = dense_batch(X, rows[next(stream)], trainer.machine.components)
                if trainer.update(*self._prepared(batch)) is None or not len(held_out):
                    continue
                validation = self._validation(X, held_out, trainer.machine)
                trainer.validated(validation)
                best, since_best = (validation, 0) if validation > best else (best, since_best + 1)
                if since_best >= self.patience:
                    self.stopped_ = f"converged: no better validation in {self.patience} records"
                    break
        finally:
            self._keep(trainer)
        return self

    def partial_fit(self: Self, X: Any, y: Any = None) -> Self:
        """One pass over the rows of X at the full learning rate, from where the last call left off. y is ignored."""
        first = not hasattr(self, "components_")
        X = self._checked(X, reset=first)
        self._check_parameters()
        rows = self._useful(X, np.arange(X.shape[0]))
        if not hasattr(self, "_trainer"):
            device = resolve_device(self.device)
            randomness = Randomness.of(self.random_state, device)
            start = self._start(X[rows], randomness.draws) if first else self._machine(device)
            self._trainer = self._new_trainer(start, randomness, None)
        stream = batches(len(rows), self.batch_size, self._trainer.randomness.rows)
        try:
            for _ in range(-(-len(rows) // self.batch_size)):
                batch = dense_batch(X, rows[next(stream)], self._trainer.machine.components)
                self._trainer.update(*self._prepared(batch))
        finally:
            self._keep(self._trainer)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """p(h = 1 | v), the probability of each hidden unit, rows × components."""
        return self._by_blocks(X, lambda machine, v, n: torch.sigmoid(hidden_logits(machine, v, n)))

    def log_partition(
        self, lengths: Any = None, *, chains: int = 100, temperatures: int = 1000, exact: bool | None = None
    ) -> LogPartition:
        """log Z: by enumeration where that is feasible (or `exact` says so), else by annealed importance sampling."""
        check_is_fitted(self)
        machine = self._machine(resolve_device(self.device))
        machine = Machine(*(part.double() for part in machine))
        sizes = None if lengths is None else torch.as_tensor(np.asarray(lengths)).to(machine.components)
        smaller = machine.components.shape[0] if sizes is not None else min(machine.components.shape)
        if exact if exact is not None else smaller <= MOST_ENUMERATED:
            value = exact_log_partition(machine, sizes)
            return LogPartition(value, torch.zeros_like(value), torch.full_like(value, math.inf), exact=True)
        draws = Randomness.of(self.random_state, machine.components.device).draws
        return annealed_log_partition(machine, draws, chains=chains, temperatures=temperatures, lengths=sizes)

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def _by_blocks(self, X: Any, function: Callable[[Machine, Tensor, Tensor | None], Tensor]) -> NDArray[Any]:
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        machine = self._machine(resolve_device(self.device))
        out = []
        for start in range(0, X.shape[0], BLOCK):
            rows = np.arange(start, min(start + BLOCK, X.shape[0]))
            visible, lengths = self._prepared(dense_batch(X, rows, machine.components))
            out.append(function(machine, visible, lengths).cpu().numpy())
        return np.concatenate(out)

    def _minus_free_energy(self, machine: Machine, visible: Tensor, lengths: Tensor | None) -> Tensor:
        double = Machine(*(part.double() for part in machine))
        return -free_energy(double, visible.double(), None if lengths is None else lengths.double())

    def _validation(self, X: Any, rows: NDArray[np.intp], machine: Machine) -> float:
        """Minus the loss of one mean-field pass of the held-out rows through the hidden units."""
        visible, lengths = self._prepared(dense_batch(X, rows, machine.components))
        hidden = torch.sigmoid(hidden_logits(machine, visible, lengths))
        return -float(reconstruction_loss(machine, visible, hidden, lengths))

    def _validation_split(self, n: int, randomness: Randomness) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        order = randomness.rows.permutation(n)
        held_out = round(self.validation_fraction * n)
        if held_out >= n:
            raise ValueError(f"validation_fraction={self.validation_fraction} leaves none of {n} rows to train on.")
        return order[:held_out], np.sort(order[held_out:])

    def _new_trainer(self, start: Machine, randomness: Randomness, n_updates: int | None) -> Trainer:
        values = {field.name: getattr(self, field.name) for field in fields(Settings) if field.name != "dropout"}
        return Trainer(Settings(**values, dropout=self._dropout()), start, randomness, n_updates)

    def _machine(self, device: torch.device) -> Machine:
        parts = (self.components_, self.intercept_visible_, self.intercept_hidden_)
        return Machine(*(torch.tensor(part, device=device) for part in parts))

    def _keep(self, trainer: Trainer) -> None:
        self.components_, self.intercept_visible_, self.intercept_hidden_ = (
            part.detach().cpu().numpy().copy() for part in trainer.machine
        )
        self.history_ = tuple(trainer.history.records)
        self.n_updates_ = trainer.updates

    def _forget(self) -> None:
        self.__dict__.pop("_trainer", None)

    def _first_components(self, n_features: int, generator: torch.Generator, dtype: torch.dtype) -> Tensor:
        shape = (self.n_components, n_features)
        return 0.01 * torch.randn(shape, generator=generator, device=generator.device, dtype=dtype)

    def _check_parameters(self) -> None:
        for name in ("n_components", "batch_size", "max_updates", "cd_steps", "patience"):
            if not getattr(self, name) >= 1:
                raise ValueError(f"{name} must be at least 1; got {getattr(self, name)}.")
        for name in ("diversity", "weight_decay", "gamma"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be finite and at least 0; got {getattr(self, name)}.")
        if not 0 < self.learning_rate < math.inf or not 0 <= self.validation_fraction < 1:
            raise ValueError(
                "learning_rate must be above 0 and validation_fraction in [0, 1); got "
                f"{self.learning_rate} and {self.validation_fraction}."
            )
        for name, choices in (("algorithm", ("projected", "alternating")), ("optimizer", ("adam", "momentum"))):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}; got {getattr(self, name)!r}.")
        checked_surrogate(self.surrogate)

    def _dropout(self) -> float:
        """ "auto": half of the hidden units where there are many, none where there are few."""
        if self.dropout == "auto":
            return 0.5 if self.n_components >= 50 else 0.0
        if not isinstance(self.dropout, int | float) or not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be 'auto' or in [0, 1); got {self.dropout!r}.")
        return float(self.dropout)

    def _useful(self, X: Any, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        return rows

    def _checked(self, X: Any, reset: bool) -> Any:
        raise NotImplementedError

    def _prepared(self, visible: Tensor) -> tuple[Tensor, Tensor | None]:
        raise NotImplementedError

    def _start(self, X: Any, generator: torch.Generator) -> Machine:
        raise NotImplementedError
