"""Figures, from specs and records: curves by class, number of components or λ; sizes of classes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from wideangle.exceptions import DataError
from wideangle.experiments.cells import TITLES, origins_of, title_of, trusted_tests, values_of
from wideangle.experiments.jobs import Record
from wideangle.experiments.plan import Plan
from wideangle.experiments.published import published
from wideangle.experiments.specs import Spec
from wideangle.experiments.tables_and_figures import Curve, Figure, Panel

__all__ = ["class_sizes", "curve_by_class", "curve_by_size", "curve_by_weight"]


def curve_by_class(plan: Plan) -> Figure:
    """A panel per data set, a curve per model: precision of classes, the most frequent first."""
    spec = plan.spec

    def curves_on(data: str) -> Iterator[Curve]:
        for name, candidate in spec.candidates.items():
            tests = plan.tests(data, candidate, spec.sizes[0])
            runs = [record["details"]["precision of classes"] for record in tests]
            by_rank = {
                float(rank): tuple(100 * value for value in values if value is not None)
                for rank, values in enumerate(zip(*runs, strict=True), start=1)
            }
            yield _curve(name, by_rank, tests)

    return _figure(spec, curves_on, "rank of the class by size", title_of(spec))


def curve_by_size(plan: Plan) -> Figure:
    """A panel per data set, a curve per model."""
    spec = plan.spec

    def curves_on(data: str) -> Iterator[Curve]:
        for name, candidate in spec.candidates.items():
            found = {float(size): trusted_tests(plan, data, candidate, size) for size in spec.sizes}
            yield _curve_of_tests(spec, name, found)

    scale = "log" if spec.measure == "seconds" else "linear"
    return _figure(spec, curves_on, "number of components K", title_of(spec), "log", scale)


def curve_by_weight(plan: Plan) -> Figure:
    """A panel per data set, a curve per model and number of components."""
    spec = plan.spec

    def curves_on(data: str) -> Iterator[Curve]:
        for (name, candidate), size in product(spec.candidates.items(), spec.sizes):
            weights = spec.weights.get(name, ())
            found = {weight: trusted_tests(plan, data, candidate, size, diversity=weight) for weight in weights}
            yield _curve_of_tests(spec, _label(spec, name, size), found)

    return _figure(spec, curves_on, "λ", title_of(spec), "places")


def class_sizes(plan: Plan) -> Figure:
    """How many rows each class has, from the data alone."""
    import numpy as np

    from wideangle.experiments.tasks.documents import corpus

    spec = plan.spec
    panels = []
    for data in spec.data:
        try:
            labels = corpus(data).labels
        except DataError:
            panels.append(Panel(TITLES[data], (), "rank of the class", "rows"))
            continue
        sizes = np.sort(np.bincount(np.asarray(labels)))[::-1]
        ranks = tuple(float(rank) for rank in range(1, len(sizes) + 1))
        curve = Curve("classes", ranks, tuple((float(size),) for size in sizes))
        panels.append(Panel(TITLES[data], (curve,), "rank of the class", "rows", "linear", "log"))
    return Figure(spec.name, spec.title, tuple(panels), spec.remarks)


def _curve_of_tests(spec: Spec, name: str, found: Mapping[float, list[Record]]) -> Curve:
    """The measure of the spec against x."""
    values = {x: values_of(spec, records) for x, records in found.items()}
    return _curve(name, values, [record for records in found.values() for record in records])


def _curve(name: str, found: Mapping[float, tuple[float, ...]], records: Iterable[Record]) -> Curve:
    known = {x: values for x, values in found.items() if values}
    return Curve(name, tuple(known), tuple(known.values()), origins_of(records))


def _figure(spec: Spec, curves_on: Callable[[str], Iterator[Curve]], *axes: str) -> Figure:
    """A panel per data set; a curve without points is left out."""
    panels = [Panel(TITLES[data], tuple(curve for curve in curves_on(data) if curve.x), *axes) for data in spec.data]
    return Figure(spec.name, spec.title, tuple(panels), (*spec.remarks, *_published(spec)))


def _label(spec: Spec, name: str, size: int) -> str:
    """What tells the curve from the others: the model, the number of components, or both."""
    parts = [name] if len(spec.candidates) > 1 else []
    return ", ".join([*parts, f"K = {size}"] if len(spec.sizes) > 1 or not parts else parts)


def _published(spec: Spec) -> list[str]:
    """The numbers that the paper tells of its own figure, as a sentence."""
    if not spec.published:
        return []
    paper = published(spec.published)
    told = [
        f"{row} {value:g} (K = {column})"
        for row in paper.rows
        for column in paper.columns
        if (value := paper.value(row, column)) is not None
    ]
    return [f"Published: {', '.join(told)}."]
