"""A training step that is recorded once and replayed on a GPU. A small model's GPU would wait for every launch."""

import gc
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

WARM_UP = 3  # A shape is recorded after this many plain steps: libraries set themselves up in the first ones.

Step = Callable[[Tensor, Tensor | None], None]


class _Recording(NamedTuple):
    graph: torch.cuda.CUDAGraph
    visible: Tensor
    lengths: Tensor | None


class ReplayedStep:
    """A step as a CUDA graph, one graph per batch size. The step must work in place on tensors that never move.

    The step is passed with each call. Held here, it would be a circle of references that keeps the memory of a trainer
    until Python looks for such circles.
    """

    def __init__(self, generator: torch.Generator) -> None:
        self._generator = generator
        self._seen: dict[int, int] = {}
        self._recordings: dict[int, _Recording] = {}

    def __call__(self, step: Step, visible: Tensor, lengths: Tensor | None) -> None:
        """Do the step with this batch. It is the same step in all calls."""
        size = len(visible)
        self._seen[size] = self._seen.get(size, 0) + 1
        if self._seen[size] <= WARM_UP:
            step(visible, lengths)
            return
        if size not in self._recordings:
            self._recordings[size] = self._recorded(step, visible, lengths)
        recording = self._recordings[size]
        recording.visible.copy_(visible)
        if recording.lengths is not None and lengths is not None:
            recording.lengths.copy_(lengths)
        recording.graph.replay()

    def _recorded(self, step: Step, visible: Tensor, lengths: Tensor | None) -> _Recording:
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(self._generator)
        held = _Recording(graph, visible.clone(), None if lengths is None else lengths.clone())
        # Freeing an older recording while this one is made would spoil it. To collect all garbage before would take as
        # long as hundreds of steps.
        gc.disable()
        try:
            with torch.cuda.graph(graph):
                step(held.visible, held.lengths)
        finally:
            gc.enable()
        return held


def can_replay(device: torch.device) -> bool:
    """Whether this device and this torch record steps that draw random numbers."""
    return device.type == "cuda" and hasattr(torch.cuda.CUDAGraph, "register_generator_state")
