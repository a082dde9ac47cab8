"""What is measured of a fit: one module per kind of data, each with the same names.

`DATA` are the data sets, `SCORE` is the measure that folds are judged by, `MEASURES` are all measures, `columns(data)`
is the number of columns, and `measured(job)` fits and measures. Where one measure alone cannot judge,
`score_of(measures)` does.
"""

from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["TASKS", "Measure", "Outcome", "task_of"]

TASKS = ("documents", "distances", "networks", "likelihood")


@dataclass(frozen=True)
class Measure:
    """How a measure is told."""

    title: str
    times: float = 1.0
    """what it is multiplied by: 100 for per cent"""
    digits: int = 1
    smaller_is_better: bool = False
    has_best: bool = True
    """whether more, or less, of it is better at all"""
    doubted_by: str = ""
    """the measure that says whether a value of this one is in doubt"""


@dataclass(frozen=True)
class Outcome:
    """What a fit gave."""

    measures: dict[str, float]
    seconds: float
    """of `fit` alone"""
    checksum: str | None
    """of the data's file; None: made of what is installed"""
    details: dict[str, Any] = field(default_factory=dict)
    """what is not one number, such as the precision of each class"""
    device: str = "cpu"


def task_of(name: str) -> ModuleType:
    """The module of a task."""
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}; there are {', '.join(TASKS)}.")
    return import_module(f"wideangle.experiments.tasks.{name}")
