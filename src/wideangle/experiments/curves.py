"""Figures, from specs and records: curves by class, number of components or λ; sizes of classes."""

from collections.abc import Mapping

from wideangle.exceptions import DataError
from wideangle.experiments.cells import TITLES, measure_of, values_of
from wideangle.experiments.plan import Plan
from wideangle.experiments.published import published
from wideangle.experiments.shown import Curve, Figure, Panel
from wideangle.experiments.specs import Spec

__all__ = ["class_sizes", "curve_by_class", "curve_by_size", "curve_by_weight"]


def curve_by_class(plan: Plan) -> Figure:
    """A panel per data set, a curve per model: precision of classes, the most frequent first."""
    spec = plan.spec
    panels = []
    for data in spec.data:
        curves = []
        for name, candidate in spec.candidates.items():
            runs = [record["details"]["precision of classes"] for record in plan.tests(data, candidate, spec.sizes[0])]
            by_rank = {
                float(rank): tuple(100 * value for value in values if value is not None)
                for rank, values in enumerate(zip(*runs, strict=True), start=1)
            }
            curves.append(_curve(name, by_rank))
        panels.append(Panel(TITLES[data], _with_points(curves), "rank of the class by size", "P@k (%)"))
    return Figure(spec.name, spec.title, tuple(panels), spec.remarks)


def curve_by_size(plan: Plan) -> Figure:
    """A panel per data set, a curve per model."""
    spec, measure = plan.spec, measure_of(plan.spec)
    panels = []
    for data in spec.data:
        curves = []
        for name, candidate in spec.candidates.items():
            found = {size: values_of(plan, data, candidate, size) for size in spec.sizes}
            curves.append(_curve(name, {float(size): values for size, values in found.items()}))
        panels.append(
            Panel(TITLES[data], _with_points(curves), "number of components K", measure.title, "log", _scale(spec))
        )
    return Figure(spec.name, spec.title, tuple(panels), spec.remarks)


def curve_by_weight(plan: Plan) -> Figure:
    """A panel per data set, a curve per model and number of components."""
    spec, measure = plan.spec, measure_of(plan.spec)
    panels = []
    for data in spec.data:
        curves = []
        for name, candidate in spec.candidates.items():
            for size in spec.sizes:
                label = _label(spec, name, size)
                found = {
                    weight: values_of(plan, data, candidate, size, diversity=weight)
                    for weight in spec.weights.get(name, ())
                }
                curves.append(_curve(label, found))
        panels.append(Panel(TITLES[data], _with_points(curves), "λ", measure.title, "places"))
    return Figure(spec.name, spec.title, tuple(panels), (*spec.remarks, *_published(spec)))


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


def _curve(name: str, found: Mapping[float, tuple[float, ...]]) -> Curve:
    known = {x: values for x, values in found.items() if values}
    return Curve(name, tuple(known), tuple(known.values()))


def _with_points(curves: list[Curve]) -> tuple[Curve, ...]:
    return tuple(curve for curve in curves if curve.x)


def _label(spec: Spec, name: str, size: int) -> str:
    """What tells the curve from the others: the model, the number of components, or both."""
    parts = [name] if len(spec.candidates) > 1 else []
    return ", ".join([*parts, f"K = {size}"] if len(spec.sizes) > 1 or not parts else parts)


def _scale(spec: Spec) -> str:
    return "log" if spec.measure == "seconds" else "linear"


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
