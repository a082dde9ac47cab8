"""The regulariser as a callback of Lightning."""

from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from wideangle._kept_inputs import Watch
from wideangle._optional import optional_import
from wideangle.regularizer import MutualAngularRegularizer, selected_layers


def _callback() -> Any:
    """Lightning's class of callbacks, from whichever of its packages is installed; None where none is."""
    for package in ("lightning.pytorch", "pytorch_lightning"):
        try:
            return import_module(package).Callback
        except ImportError:
            continue
    return None


_Base: Any = _callback() or object


class MutualAngularCallback(_Base):
    """Makes Lightning's Trainer maximise the regulariser with weight λ in addition to the module's own loss.

    The module's code does not change: −λ ∇R is added to the gradients just before each optimiser's step. The term
    therefore counts once per update, however many batches are accumulated. It takes part in gradient clipping, does not
    depend on loss scaling, and is the same on every rank of a data-parallel job.

    Parameters
    ----------
    diversity : float
        λ, the weight of the regulariser.
    regularizer : MutualAngularRegularizer or None, default=None
        It has the layers, the surrogate, the metric and the amortisation. None takes Ω of all linear and convolutional
        layers but the last. With metric="covariance" or "scales" the inputs of the layers are watched while Lightning
        fits, and the gradients of the term are averaged over the ranks.
    log : bool, default=True
        Log the regulariser as "diversity".

    Notes
    -----
    It needs Lightning: `pip install 'wideangle[lightning]'`; `pytorch_lightning` alone is enough. Where the module has
    several optimisers, each gets the gradients of its own parameters. Each layer must be whole: strategies that cut
    weights into shards (FSDP, DeepSpeed's stage 3) are not supported.

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
        self._watch: Watch | None = None

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Check the choice of layers, so that a wrong one fails before anything is trained, and watch their inputs."""
        selected_layers(pl_module, self.regularizer.layers)
        self._unwatch()
        self._watch = self.regularizer.watch(pl_module)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Leave the module as it was."""
        self._unwatch()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Leave the module as it was."""
        self._unwatch()

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        """Add −λ ∇R to the gradients of the optimiser's parameters."""
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        with torch.enable_grad():
            value: Tensor = self.regularizer(pl_module)
        if not value.requires_grad:  # Amortisation skips this update, or the layers are frozen.
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
                if self.regularizer.metric != "identity":  # Each rank has seen other inputs, but all must step alike.
                    push = trainer.strategy.reduce(push, reduce_op="mean")
                parameter.grad = push if parameter.grad is None else parameter.grad + push

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.remove()
        self._watch = None

    def state_dict(self) -> dict[str, int]:
        """For checkpoints: the step that the amortised regulariser has reached."""
        return self.regularizer.get_extra_state()

    def load_state_dict(self, state_dict: dict[str, int]) -> None:
        self.regularizer.set_extra_state(state_dict)


def _loss_scale(trainer: Any, optimizer: Any) -> float:
    """The factor that gradients still have. Fused optimisers remove float16's loss scale only in their own step."""
    scaler = getattr(trainer.precision_plugin, "scaler", None)
    late = getattr(optimizer, "_step_supports_amp_scaling", False)
    return float(scaler.get_scale()) if scaler is not None and late else 1.0
