"""What all formats say alike: numbers, cells and verdicts as words, before each format escapes and arranges them."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from wideangle.experiments.origins import Origin, told_origins
from wideangle.experiments.tables_and_figures import Cell, Figure, Table, TopicWordTable, against_published

__all__ = [
    "SaidCell",
    "codes_and_devices",
    "in_digits",
    "lines_of_words",
    "note_of",
    "one_line",
    "remarks_of",
    "row_verdict",
    "said_rows",
    "signed",
    "verdicts_of",
]

MINUS = "−"
NOT_RUN = "–"
ORDER = (
    "better than published",
    "as published",
    "worse than published",
    "in doubt",
    "one seed",
    "not a number",
    "not run",
)


@dataclass(frozen=True)
class SaidCell:
    """One cell in words. Empty where there is nothing to say."""

    mean: str
    """a dash where the cell was not run; empty in rows that only have published numbers"""
    deviation: str
    published: str
    difference: str
    note: str
    verdict: str
    """how it stands to the published number"""
    beside_plain: str
    """how it stands to λ = 0, in one word"""
    seeds: int
    best: bool
    """whether no other mean of the column is better at the digits shown"""


def one_line(text: str) -> str:
    """Text without line breaks and control characters, which would break lines of tables and make XML invalid."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def in_digits(value: float, digits: int) -> str:
    """A number with a real minus sign, and with none before zero."""
    text = f"{abs(value):.{digits}f}"
    return f"{MINUS}{text}" if value < 0 and float(text) != 0 else text


def signed(value: float, digits: int) -> str:
    """A difference with its sign. What rounds to zero has none, because either sign would claim too much."""
    text = in_digits(value, digits)
    return f"+{text}" if value > 0 and float(text) != 0 else text


def said_rows(table: Table) -> dict[str, tuple[SaidCell, ...]]:
    """The rows of a table in words."""
    for name, cells in table.rows.items():
        if len(cells) != len(table.columns):
            raise ValueError(
                f"the row {name!r} of the table {table.name!r} has {len(cells)} cells, "
                f"but the table has {len(table.columns)} columns: give one cell per column"
            )
    ranked = [cells for name, cells in table.rows.items() if name not in table.unranked]
    best = [_best([cells[place] for cells in ranked], table) for place in range(len(table.columns))]
    said = {}
    for name, cells in table.rows.items():
        only_published = not any(cell.values for cell in cells) and any(cell.published is not None for cell in cells)
        said[name] = tuple(
            _said(cell, table, best="" if name in table.unranked else top, only_published=only_published)
            for cell, top in zip(cells, best, strict=True)
        )
    return said


def row_verdict(cells: tuple[Cell, ...], smaller_is_better: bool = False) -> str:
    """How many cells of a row are better than published, as published and worse."""
    compared = [cell for cell in cells if cell.published is not None]
    run = any(cell.values for cell in cells)
    if not compared:
        return "no published number" if run else "not run"
    if not run:
        return "published numbers only, not run"
    counts = Counter(against_published(cell, smaller_is_better) for cell in compared)
    parts = [f"{words} in {counts[words]}" for words in ORDER if counts[words]]
    parts[0] += f" of {len(compared)} cell{'s' if len(compared) > 1 else ''}"
    return ", ".join(parts)


def verdicts_of(table: Table) -> dict[str, str]:
    """The verdict of each row that has a published number to compare with."""
    if not table.is_compared:
        return {}
    compared = {name: cells for name, cells in table.rows.items() if any(cell.published is not None for cell in cells)}
    return {name: row_verdict(cells, table.smaller_is_better) for name, cells in compared.items()}


def remarks_of(shown: Table | TopicWordTable | Figure) -> tuple[str, ...]:
    """The sentences below a table or a figure; the last one tells which code and devices its fits are of."""
    return tuple(each for each in (*shown.remarks, told_origins(shown.origins.values())) if each)


def codes_and_devices(origins: Iterable[Origin]) -> tuple[str, str]:
    """Each of them once, for programs."""
    found = list(origins)
    return "; ".join(sorted({each.code for each in found})), "; ".join(sorted({each.device for each in found}))


def lines_of_words(words: TopicWordTable) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """For each model the lines of its block, one word per topic; empty words where a topic has fewer."""
    return {
        model: tuple(tuple(one_line(word) for word in line) for line in zip_longest(*topics, fillvalue=""))
        for model, topics in words.blocks.items()
    }


def _best(cells: list[Cell], table: Table) -> str:
    """The best mean of a column as it is shown, so that means which look the same are marked alike; none in doubt."""
    means = [cell.mean for cell in cells if cell.mean is not None and not (math.isnan(cell.mean) or cell.doubted)]
    if not means:
        return ""
    return in_digits(min(means) if table.smaller_is_better else max(means), table.digits)


def _said(cell: Cell, table: Table, *, best: str, only_published: bool) -> SaidCell:
    digits = table.digits
    mean = in_digits(cell.mean, digits) if cell.mean is not None else ""
    return SaidCell(
        mean=mean or ("" if only_published and cell.published is not None else NOT_RUN),
        deviation="" if cell.deviation is None else in_digits(cell.deviation, digits),
        published="" if cell.published is None else in_digits(cell.published, digits),
        difference="" if cell.difference is None or not table.is_compared else signed(cell.difference, digits),
        note=one_line(note_of(cell)),
        verdict=against_published(cell, table.smaller_is_better) if table.is_compared else "",
        beside_plain=cell.beside_plain,
        seeds=len(cell.values),
        best=mean != "" and mean == best and not cell.doubted,
    )


def note_of(cell: Cell) -> str:
    """All that a reader must know of a cell."""
    parts = [cell.note, "λ = 0" if cell.is_plain else ""]
    parts.append(f"{cell.doubted} of {len(cell.values)} in doubt" if cell.doubted else "")
    return "; ".join(part for part in parts if part)
