"""Time several ways of doing one thing in turn, so that a noisy machine is unfair to none."""

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

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


def fastest_seconds(ways: Mapping[Way, Callable[[], float]], turns: int) -> dict[Way, float]:
    """The shortest of the times that each way returns, all asked once per turn after a turn that does not count.

    Other work on a machine only adds to a time, so that the shortest of many tells the most about the code.
    """
    for seconds in ways.values():
        seconds()
    asked = [{name: seconds() for name, seconds in ways.items()} for _ in range(turns)]
    return {name: min(turn[name] for turn in asked) for name in ways}


def seconds_per_call(run: Callable[[], object], times: int) -> Callable[[], float]:
    """A way for `fastest_seconds`: the time of one of several calls in a row."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(times):
            run()
        return (time.perf_counter() - start) / times

    return seconds


def per_update(model: Any, X: Any, y: Any = None) -> Callable[[], float]:
    """The time of one update of a fit, its records and the regulariser included.

    A record tells when it was made. From the first to the last of them, what a fit does once is left out.
    """

    def seconds() -> float:
        first, *_, last = model.fit(X, y).history_
        return float(last.seconds - first.seconds) / (last.update - first.update)

    return seconds


def _synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
