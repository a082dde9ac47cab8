"""Time several ways of doing one thing in turn, so that a noisy machine is unfair to none."""

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import torch

Way = TypeVar("Way", bound=Hashable)


def median_seconds(
    ways: Mapping[Way, Callable[[], object]], repeats: int, device: str = "cpu", warm_up: int = 3
) -> dict[Way, float]:
    """The median time of each way, all run once per round after a warm-up."""
    for run in ways.values():
        for _ in range(warm_up):
            run()
    seconds: dict[Way, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, run in ways.items():
            _synchronise(device)
            start = time.perf_counter()
            run()
            _synchronise(device)
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def _synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
