"""What is measured of a fit: one module per kind of data, each with the same names.

`DATA` are the data sets, `SCORE` is the measure that folds are judged by, `MEASURES` are all measures, `columns(data)`
is the number of columns, and `measured(job)` fits and measures. Where one measure alone cannot judge,
`score_of(measures)` does. Where test rows ask and are answered one by one, `answers_of(record, measure)` gives their
answers. `UNASKED` are the rooms that its fits import and never enter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TASKS", "Answers", "Measure", "Outcome", "answers_of", "task_of", "unasked_by"]

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


@dataclass(frozen=True, eq=False)
class Answers:
    """What one fit answered to each query of the test part."""

    values: "NDArray[np.float64]"
    """one per query; their weighted mean is the measure"""
    weights: "NDArray[np.float64] | None" = None
    """how much each query counts; None: all alike"""


def task_of(name: str) -> ModuleType:
    """The module of a task."""
    if not isinstance(name, str) or name not in TASKS:
        raise ValueError(f"there is no task {name!r}; there are {', '.join(TASKS)}.")
    return import_module(f"wideangle.experiments.tasks.{name}")


def answers_of(record: Mapping[str, Any], measure: str) -> Answers | None:
    """What a fit answered to each query; None where the task, the measure or the record has no answers."""
    asked = getattr(task_of(record["task"]), "answers_of", None)
    found: Answers | None = None if asked is None else asked(record, measure)
    return found


def unasked_by(task: str) -> tuple[str, ...]:
    """The rooms that no fit of a task enters, though its imports lead there."""
    found: tuple[str, ...] = getattr(task_of(task), "UNASKED", ())
    return found
