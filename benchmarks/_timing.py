"""Time several ways of doing one thing in turn, so that a noisy machine is unfair to none."""

import statistics
import time
from collections.abc import Callable, Mapping

import torch


def median_seconds(ways: Mapping[str, Callable[[], object]], repeats: int, device: str = "cpu") -> dict[str, float]:
    """The median time of each way, all run once per round after a warm-up."""
    for run in ways.values():
        for _ in range(3):
            run()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
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
