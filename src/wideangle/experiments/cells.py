"""What tables and curves are made of: the measures of the test part, one per seed."""

from collections.abc import Iterable
from typing import Any

from wideangle.experiments.compared_models import Candidate
from wideangle.experiments.jobs import Job, Record
from wideangle.experiments.origins import Origin, origin_of
from wideangle.experiments.plan import Plan
from wideangle.experiments.specs import Spec
from wideangle.experiments.tables_and_figures import Cell
from wideangle.experiments.tasks import Answers, Measure, answers_of, task_of

__all__ = ["TITLES", "cell_of", "measure_of", "origins_of", "title_of", "trusted_tests", "values_of"]

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
    values = values_of(spec, records)
    notes = [note]
    if 0 < len(values) < spec.seeds:
        notes.append(f"{len(values)} of {spec.seeds} seeds")
    if spec.measure == "seconds":
        notes += sorted({record["made with"].get("device", "") for record in records})
    is_plain = any(record["settings"].get("diversity") == 0 for record in records) and not candidate.is_plain
    doubted = sum(_is_doubted(spec, record) for record in records)
    told = "; ".join(part for part in notes if part)
    return Cell(values, published, told, doubted, is_plain, origins_of(records), _answers(spec, records))


def trusted_tests(plan: Plan, data: str, candidate: Candidate, size: int | None, **changed: Any) -> list[Record]:
    """The records on the test part, one per seed, without those in doubt.

    `changed` are settings other than the chosen ones.
    """
    records = plan.tests(data, candidate, size, **changed)
    return [record for record in records if not _is_doubted(plan.spec, record)]


def origins_of(records: Iterable[Record]) -> dict[str, Origin]:
    """The code and the device of each fit, by the key of its job, so that fits which several cells show count once."""
    return {Job.of(record).key: origin_of(record) for record in records}


def measure_of(spec: Spec) -> Measure:
    measure: Measure = task_of(spec.task).MEASURES[spec.measure]
    return measure


def title_of(spec: Spec) -> str:
    """What the measure of the spec is called; k of P@k by its number, where all data have the same."""
    title = measure_of(spec).title
    nearest = getattr(task_of(spec.task), "nearest", None)
    numbers = {nearest(data) for data in spec.data} if nearest else set()
    return title.replace("P@k", f"P@{numbers.pop()}") if len(numbers) == 1 else title


def values_of(spec: Spec, records: Iterable[Record]) -> tuple[float, ...]:
    """The measure of the spec, one per record that has it."""
    found = [record["measures"].get(spec.measure) for record in records]
    return tuple(measure_of(spec).times * value for value in found if value is not None)


def _answers(spec: Spec, records: list[Record]) -> tuple[Answers, ...]:
    """Those of all fits, or none."""
    found = [answers_of(record, spec.measure) for record in records]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else ()


def _is_doubted(spec: Spec, record: Record) -> bool:
    return bool(record["measures"].get(measure_of(spec).doubted_by))
