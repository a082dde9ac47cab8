"""Tables and figures before they are written or drawn: plain data, whatever the format."""

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field

from wideangle.experiments.origins import Origin
from wideangle.experiments.tasks import Answers

__all__ = ["Cell", "Curve", "Figure", "Panel", "Table", "TopicWordTable", "against_published"]


@dataclass(frozen=True)
class Cell:
    """One measure of one model over seeds, beside the published number."""

    values: tuple[float, ...] = ()
    """one per seed; empty: it was not run"""
    published: float | None = None
    note: str = ""
    """what a reader must know of this cell, such as why there is no value"""
    doubted: int = 0
    """how many of the values are in doubt"""
    is_plain: bool = False
    """whether folds chose λ = 0 for a model that might have had another"""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """the code and the device of each fit, by the key of its job"""
    answers: tuple[Answers, ...] = field(default=(), repr=False, compare=False)
    """what each fit answered to each query of the test part; empty where the records do not tell"""
    beside_plain: str = ""
    """how it stands to λ = 0: "better", "same" or "worse", "chosen" where folds chose λ = 0, "apart" where both were
    fitted on different kinds of device; empty where nothing was tested"""

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds; None for fewer than two."""
        if len(self.values) < 2:
            return None
        # statistics.stdev fails on values that are not finite.
        return statistics.stdev(self.values) if all(map(math.isfinite, self.values)) else math.nan

    @property
    def difference(self) -> float | None:
        """The mean less the published number."""
        return None if self.mean is None or self.published is None else self.mean - self.published


@dataclass(frozen=True)
class Table:
    """Rows of cells under named columns."""

    name: str
    """of its files"""
    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Cell, ...]]
    corner: str = ""
    """what stands above the names of the rows"""
    digits: int = 1
    smaller_is_better: bool = False
    remarks: tuple[str, ...] = field(default=())
    """sentences below the table"""
    unranked: frozenset[str] = frozenset()
    """rows that do not compete for the best of a column; all, where more is not better"""
    is_compared: bool = True
    """whether the published numbers are of the same data, so that a difference means something"""
    beside_plain: Mapping[str, str] = field(default_factory=dict)
    """how models with λ > 0 stand to the one with λ = 0"""

    @property
    def origins(self) -> dict[str, Origin]:
        """The code and the device of each fit that the table shows, by the key of its job."""
        return {key: each for cells in self.rows.values() for cell in cells for key, each in cell.origins.items()}


@dataclass(frozen=True)
class TopicWordTable:
    """The words of topics, one block of topics per model."""

    name: str
    """of its files"""
    title: str
    blocks: Mapping[str, tuple[tuple[str, ...], ...]]
    """the name of a model to its topics, each the words from the first on"""
    remarks: tuple[str, ...] = field(default=())
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """the code and the device of the fit of each model; published words have none"""


@dataclass(frozen=True)
class Curve:
    """One line of a figure."""

    name: str
    x: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    """at each x, one per seed"""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """the code and the device of each fit, by the key of its job"""


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    curves: tuple[Curve, ...]
    x_label: str
    y_label: str
    x_scale: str = "linear"
    """linear, log, or places: one place for each x, whatever its size"""
    y_scale: str = "linear"


@dataclass(frozen=True)
class Figure:
    """Panels beside each other."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    remarks: tuple[str, ...] = field(default=())

    @property
    def origins(self) -> dict[str, Origin]:
        """The code and the device of each fit that the figure shows, by the key of its job."""
        curves = [curve for panel in self.panels for curve in panel.curves]
        return {key: each for curve in curves for key, each in curve.origins.items()}


def against_published(cell: Cell, smaller_is_better: bool = False) -> str:
    """How the mean stands to the published number, in words; "as published" is within one standard deviation."""
    if cell.difference is None:
        return "" if cell.published is None else "not run"
    if math.isnan(cell.difference):
        return "not a number"  # No comparison is true of it, so that it would otherwise count as better or worse.
    if cell.doubted:
        return "in doubt"
    if len(cell.values) == 1:
        return "one seed"  # Nobody knows by how much it would differ with another.
    if abs(cell.difference) <= (cell.deviation or 0.0):
        return "as published"
    better = (cell.difference < 0) == smaller_is_better
    return f"{'better' if better else 'worse'} than published"
