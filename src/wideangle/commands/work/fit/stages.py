"""How long each stage of a command took, for people who wait for it again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Stages", "said_stages"]

WORTH_TELLING = 0.05  # share of the whole time


class Stages:
    """Seconds by stage, in the order in which the stages began.

    Examples
    --------
    >>> from wideangle.commands.work.fit.stages import Stages
    >>> stages = Stages()
    >>> with stages("reading"):
    ...     pass
    >>> list(stages.seconds)
    ['reading']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def said_stages(seconds: dict[str, float], whole: float) -> str:
    """The stages that took a good part of the whole time, in words; empty where the command was quick."""
    told = [f"{name} {took:.0f} s" for name, took in seconds.items() if took >= max(1.0, WORTH_TELLING * whole)]
    return f": {', '.join(told)}" if len(told) > 1 else ""
