"""What tables and curves are made of: the measures of the test part, one per seed."""

from typing import Any

from wideangle.experiments.candidates import Candidate
from wideangle.experiments.jobs import Record
from wideangle.experiments.plan import Plan
from wideangle.experiments.shown import Cell
from wideangle.experiments.specs import Spec
from wideangle.experiments.tasks import Measure, task_of

__all__ = ["TITLES", "cell_of", "measure_of", "values_of"]

TITLES = {
    "tdt2": "TDT",
    "20news": "20-News",
    "reuters": "Reuters",
    "docstrings": "docstrings",
    "15scenes": "15-Scenes",
    "6activities": "6-Activities",
    "phoneme": "phoneme",
    "mnist": "MNIST",
}


def cell_of(
    plan: Plan, data: str, candidate: Candidate, size: int | None, published: float | None = None, note: str = ""
) -> Cell:
    """The measure of the spec on the test part, and how many of its values are in doubt."""
    records = plan.tests(data, candidate, size)
    doubted_by = measure_of(plan.spec).doubted_by
    doubted = sum(bool(record["measures"].get(doubted_by)) for record in records)
    return Cell(_values(plan.spec, records), published, note, doubted)


def values_of(plan: Plan, data: str, candidate: Candidate, size: int | None, **changed: Any) -> tuple[float, ...]:
    """The measure of the spec on the test part, one per seed; `changed` are settings other than the chosen ones."""
    return _values(plan.spec, plan.tests(data, candidate, size, **changed))


def measure_of(spec: Spec) -> Measure:
    measure: Measure = task_of(spec.task).MEASURES[spec.measure]
    return measure


def _values(spec: Spec, records: list[Record]) -> tuple[float, ...]:
    found = [record["measures"].get(spec.measure) for record in records]
    return tuple(measure_of(spec).times * value for value in found if value is not None)
