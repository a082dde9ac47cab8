"""How models with λ > 0 stand to the one with λ = 0: all cells of a table are tested together."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wideangle.evaluation.comparing import compare_runs, holm
from wideangle.experiments.tables_and_figures import Cell

__all__ = ["against_plain", "how_it_was_tested", "in_words"]

LEVEL = 0.05  # the chance that a table has a verdict though nothing differs
Rows = Mapping[str, tuple[Cell, ...]]
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WithAndWithout:
    """A model with λ > 0 beside one with λ = 0."""

    model: str
    column: str
    cell: Cell
    plain: Cell

    @property
    def devices(self) -> list[str]:
        """The kinds of device that both were fitted on."""
        return sorted({each.device for cell in (self.cell, self.plain) for each in cell.origins.values()})

    @property
    def is_tested(self) -> bool:
        """One seed tells nothing about another; what is in doubt, or on another kind of device, compares with none."""
        cells = (self.cell, self.plain)
        enough = all(len(cell.values) > 1 and not cell.doubted for cell in cells)
        return enough and not self.cell.is_plain and len(self.devices) < 2

    @property
    def counts_queries(self) -> bool:
        """Whether the records of both tell what each test row was answered."""
        shapes = {each.values.shape for cell in (self.cell, self.plain) for each in cell.answers}
        return bool(self.cell.answers and self.plain.answers) and len(shapes) == 1

    @property
    def p_value(self) -> float:
        if not self.counts_queries:
            return compare_runs(self.cell.values, self.plain.values).p_value
        ours, theirs = (np.stack([each.values for each in cell.answers]) for cell in (self.cell, self.plain))
        return compare_runs(ours, theirs, weights=self.cell.answers[0].weights).p_value


def against_plain(rows: Rows, plain_of: Mapping[str, str], columns: Sequence[str], smaller_is_better: bool) -> Rows:
    """The rows, those with λ > 0 with how each cell stands to λ = 0; p-values are Holm's, of the whole table.

    Nothing is said of what has one seed or is in doubt. Where folds chose λ = 0, there is nothing to compare.
    """
    pairs = list(_pairs(rows, plain_of, columns))
    tested = [pair for pair in pairs if pair.is_tested]
    p_values = dict(zip(tested, holm([pair.p_value for pair in tested]), strict=True))
    found: dict[str, list[Cell]] = {model: [] for model in plain_of}
    for pair in pairs:
        verdict = _verdict(pair, p_values.get(pair), smaller_is_better)
        found[pair.model].append(replace(pair.cell, beside_plain=verdict))
    return {name: tuple(found.get(name, cells)) for name, cells in rows.items()}


def in_words(rows: Rows, columns: Sequence[str]) -> dict[str, str]:
    """For each model with λ > 0 where it is better or worse than with λ = 0."""
    said = {}
    for name, cells in rows.items():
        columns_of = defaultdict(list)
        for column, cell in zip(columns, cells, strict=True):
            columns_of[cell.beside_plain].append(column)
        if told := _in_words(columns_of):
            said[name] = f"{told}."
    return said


def _verdict(pair: WithAndWithout, p_value: float | None, smaller_is_better: bool) -> str:
    """In one word; none where nothing was tested."""
    if pair.cell.is_plain:
        return "chosen"
    if p_value is None:
        return "apart" if len(pair.devices) > 1 else ""
    if not p_value < LEVEL:  # so too of runs that are all alike, which have no p-value
        return "same"
    is_less = (pair.cell.mean or 0.0) < (pair.plain.mean or 0.0)
    return "better" if is_less == smaller_is_better else "worse"


def _in_words(columns_of: Mapping[str, list[str]]) -> str:
    compared = sum(len(columns_of[word]) for word in ("better", "worse", "same"))
    sentences = {
        "better": "better at {}",
        "worse": "worse at {}",
        "same": f"no difference seen in {len(columns_of['same'])} of {compared}",
        "apart": "not compared across devices at {}",
        "chosen": "λ = 0 chosen at {}",
    }
    return "; ".join(text.format(", ".join(columns_of[word])) for word, text in sentences.items() if columns_of[word])


def how_it_was_tested(rows: Rows, plain_of: Mapping[str, str], columns: Sequence[str]) -> str:
    """What "better" and "worse" mean in a table; nothing where there is nothing to test."""
    tested = [pair for pair in _pairs(rows, plain_of, columns) if pair.is_tested]
    if not tested:
        return ""
    counted = sum(pair.counts_queries for pair in tested)
    if counted == len(tested):
        by = "over seeds and test rows"
    elif counted:
        by = f"over seeds and, in {counted}, test rows"
    else:
        by = "over seeds; the test rows are not counted"
    many = f"{len(tested)} comparison{'s' if len(tested) > 1 else ''}"
    return f"Better and worse: p < {LEVEL} after Holm's correction for {many}, by t-tests {by}."


def _pairs(rows: Rows, plain_of: Mapping[str, str], columns: Sequence[str]) -> Iterator[WithAndWithout]:
    for model, plain in plain_of.items():
        for column, cell, before in zip(columns, rows[model], rows[plain], strict=True):
            yield WithAndWithout(model, column, cell, before)
