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
    """The measure of the spec on the test part, and what a reader must know of it."""
    spec, records = plan.spec, plan.tests(data, candidate, size)
    values = _values(spec, records)
    notes = [note]
    if 0 < len(values) < spec.seeds:
        notes.append(f"{len(values)} of {spec.seeds} seeds")
    if spec.measure == "seconds":
        notes += sorted({record["made with"].get("device", "") for record in records})
    is_plain = any(record["settings"].get("diversity") == 0 for record in records) and not candidate.is_plain
    doubted = sum(_is_doubted(spec, record) for record in records)
    return Cell(values, published, "; ".join(part for part in notes if part), doubted, is_plain)


def values_of(plan: Plan, data: str, candidate: Candidate, size: int | None, **changed: Any) -> tuple[float, ...]:
    """The measure of the spec on the test part, one per seed, without those in doubt.

    `changed` are settings other than the chosen ones.
    """
    records = plan.tests(data, candidate, size, **changed)
    return _values(plan.spec, [record for record in records if not _is_doubted(plan.spec, record)])


def measure_of(spec: Spec) -> Measure:
    measure: Measure = task_of(spec.task).MEASURES[spec.measure]
    return measure


def _values(spec: Spec, records: list[Record]) -> tuple[float, ...]:
    found = [record["measures"].get(spec.measure) for record in records]
    return tuple(measure_of(spec).times * value for value in found if value is not None)


def _is_doubted(spec: Spec, record: Record) -> bool:
    return bool(record["measures"].get(measure_of(spec).doubted_by))
