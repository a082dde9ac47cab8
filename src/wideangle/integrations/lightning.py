"""The regulariser as a callback of Lightning."""

from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from wideangle._optional import optional_import
from wideangle.regularizer import MutualAngularRegularizer, selected_layers


def _callback() -> Any:
    """Lightning's class of callbacks, under the name it is installed by; None where it is not."""
    for package in ("lightning.pytorch", "pytorch_lightning"):
        try:
            return import_module(package).Callback
        except ImportError:
            continue
    return None


_Base: Any = _callback() or object


class MutualAngularCallback(_Base):
    """Has Lightning's Trainer maximise the regulariser with weight λ beside the module's own loss.

    The module's code stays as it is: −λ ∇R is added to the gradients just before each optimiser's step. So it counts
    once per update however many batches are accumulated, takes part in gradient clipping, is not touched by loss
    scaling, and is the same on every rank of a data-parallel job.

    Parameters
    ----------
    diversity : float
        λ, the weight of the regulariser.
    regularizer : MutualAngularRegularizer or None, default=None
        Which layers, which surrogate, how it is amortised. None takes Ω of all linear and convolutional layers but
        the last.
    log : bool, default=True
        Log the regulariser as "diversity".

    Notes
    -----
    Needs Lightning: `pip install 'wideangle[lightning]'`; `pytorch_lightning` alone will do. Where the module has
    several optimisers, each gets the gradients of its own parameters. Layers must be whole: strategies that cut weights
    in shards (FSDP, DeepSpeed's stage 3) are not supported.

    Examples
    --------
    >>> from wideangle import MutualAngularRegularizer
    >>> from wideangle.integrations.lightning import MutualAngularCallback  # doctest: +SKIP
    >>> callback = MutualAngularCallback(0.1, MutualAngularRegularizer(layers="encoder.*"))  # doctest: +SKIP
    >>> trainer = lightning.Trainer(callbacks=[callback])  # doctest: +SKIP
    """

    def __init__(
        self, diversity: float, regularizer: MutualAngularRegularizer | None = None, *, log: bool = True
    ) -> None:
        if _Base is object:
            optional_import("lightning.pytorch", extra="lightning", purpose="MutualAngularCallback")
        if not 0 <= diversity < float("inf"):
            raise ValueError(f"diversity weighs the regulariser and must be finite and at least 0; got {diversity}.")
        super().__init__()
        self.diversity = diversity
        self.regularizer = regularizer if regularizer is not None else MutualAngularRegularizer()
        self.log = log

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """A wrong choice of layers shall fail before anything is trained."""
        selected_layers(pl_module, self.regularizer.layers)

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        """Add −λ ∇R to the gradients of the optimiser's parameters."""
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        with torch.enable_grad():
            value: Tensor = self.regularizer(pl_module)
        if not value.requires_grad:  # an update that amortisation passes over, or frozen layers
            return
        if self.log:
            pl_module.log("diversity", value.detach() / (self.regularizer.every if self.regularizer.training else 1))
        if not self.diversity:
            return
        gradients = torch.autograd.grad(value, parameters, allow_unused=True)
        weight = self.diversity * _loss_scale(trainer, optimizer)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            if gradient is not None:
                push = -weight * gradient
                parameter.grad = push if parameter.grad is None else parameter.grad + push

    def state_dict(self) -> dict[str, int]:
        """For checkpoints: where the amortised regulariser stands."""
        return self.regularizer.get_extra_state()

    def load_state_dict(self, state_dict: dict[str, int]) -> None:
        self.regularizer.set_extra_state(state_dict)


def _loss_scale(trainer: Any, optimizer: Any) -> float:
    """What gradients are still multiplied by: fused optimisers take off float16's loss scale in their own step."""
    scaler = getattr(trainer.precision_plugin, "scaler", None)
    late = getattr(optimizer, "_step_supports_amp_scaling", False)
    return float(scaler.get_scale()) if scaler is not None and late else 1.0
