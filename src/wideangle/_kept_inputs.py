"""A bounded sample of what the layers of a model were given last, kept by hooks."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from wideangle._draws import drawn, mixed_seed
from wideangle._responses import inputs_needed, separate_inputs


class InputKeeper:
    """A forward pre-hook that keeps copies of a layer's last inputs, in training mode.

    The layer carries it, so that a copy of a model has its own. Copies and pickles have the hook but no inputs.
    """

    def __init__(self, sample: int, seed: int) -> None:
        self.sample = sample
        self.seed = seed
        self._calls = 0
        self._store: Tensor | None = None
        self._filled = self._next = 0

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        x = args[0] if args else kwargs.get("input")
        if not module.training or not isinstance(x, Tensor):
            return
        if torch.compiler.is_compiling():
            # What is kept changes at each call, and must not have the graph compiled anew.
            torch.compiler.disable(self._keep)(module, x)
        else:
            self._keep(module, x)

    @property
    def inputs(self) -> Tensor | None:
        """The inputs that are kept, in no particular order; None before the first."""
        return None if self._store is None else self._store[: self._filled]

    def _keep(self, module: nn.Module, x: Tensor) -> None:
        with torch.no_grad(), torch.inference_mode(False):
            x = separate_inputs(module, x.detach())
            store = self._store
            if store is None or (store.shape[1:], store.dtype, store.device) != (x.shape[1:], x.dtype, x.device):
                if store is not None and getattr(module, "_is_replica", False) and store.device != x.device:
                    return  # Of the replicas of DataParallel, one is enough.
                self._filled = self._next = 0
                store = self._store = x.new_empty((inputs_needed(module, x, self.sample), *x.shape[1:]))
            self._calls += 1
            room = len(store)
            if len(x) > room:
                generator = torch.Generator().manual_seed(mixed_seed(self.seed, self._calls))
                x = x[drawn(len(x), room, generator).to(x.device)]
            # The newest inputs replace the oldest, round and round.
            ahead = min(len(x), room - self._next)
            store[self._next : self._next + ahead] = x[:ahead]
            store[: len(x) - ahead] = x[ahead:]
            self._filled = max(self._filled, min(self._next + len(x), room))
            self._next = (self._next + len(x)) % room

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_store": None, "_filled": 0, "_next": 0}


class Watch:
    """The hooks that `MutualAngularRegularizer.watch` has put on a model, until `remove()` or the end of a `with`."""

    def __init__(self, handles: Iterable[RemovableHandle]) -> None:
        self._handles = list(handles)

    def remove(self) -> None:
        """Take the hooks off, with all that they have kept. A second time does nothing."""
        while self._handles:
            self._handles.pop().remove()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def watched(layers: Iterable[nn.Module], sample: int, seed: int) -> Watch:
    """Put a keeper on each layer."""
    return Watch(layer.register_forward_pre_hook(InputKeeper(sample, seed), with_kwargs=True) for layer in layers)


def kept_inputs(layer: nn.Module) -> Tensor | None:
    """The inputs that a keeper on this layer has; of several keepers, the one with most."""
    found = [hook.inputs for hook in layer._forward_pre_hooks.values() if isinstance(hook, InputKeeper)]
    return max((x for x in found if x is not None), key=len, default=None)
