"""From specs and records to tables and figures."""

from collections.abc import Callable, Mapping

from wideangle.experiments import curves, tables
from wideangle.experiments.jobs import Record
from wideangle.experiments.plan import Plan
from wideangle.experiments.shown import Figure, Table, WordTable
from wideangle.experiments.specs import Spec

__all__ = ["Shown", "made_of"]

Shown = Table | Figure | WordTable
MAKERS: dict[str, Callable[[Plan], Shown]] = {
    "by size": tables.by_size,
    "by data": tables.by_data,
    "by class": tables.by_class,
    "compactness": tables.compactness,
    "words": tables.words,
    "curve by class": curves.curve_by_class,
    "curve by size": curves.curve_by_size,
    "curve by weight": curves.curve_by_weight,
    "class sizes": curves.class_sizes,
}


def made_of(spec: Spec, records: Mapping[str, Record]) -> Shown:
    """What the spec asks for, from the records of its task alone."""
    return MAKERS[spec.kind](Plan(spec, records))
