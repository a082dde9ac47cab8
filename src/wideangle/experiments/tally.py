"""How many cells of tables are better, alike and worse: beside λ = 0, and beside the published numbers."""

from collections import Counter
from collections.abc import Iterable

from wideangle.experiments.tables_and_figures import Table, against_published

__all__ = ["beside_plain", "beside_published", "by_row"]


def beside_plain(table: Table) -> dict[str, Counter[str]]:
    """By row with λ > 0, the cells that were tested against λ = 0, and those where folds chose λ = 0."""
    told = {name: [cell.beside_plain for cell in cells if cell.beside_plain] for name, cells in table.rows.items()}
    return {name: Counter(words) for name, words in told.items() if words}


def by_row(tables: Iterable[Table]) -> dict[str, Counter[str]]:
    """The same of many tables: rows of one name are added up."""
    found: dict[str, Counter[str]] = {}
    for table in tables:
        for name, counts in beside_plain(table).items():
            found[name] = found.get(name, Counter()) + counts
    return found


def beside_published(tables: Iterable[Table]) -> Counter[str]:
    """The verdicts of all cells that have a published number of the same data."""
    return Counter(
        against_published(cell, table.smaller_is_better)
        for table in tables
        if table.is_compared
        for cells in table.rows.values()
        for cell in cells
        if cell.published is not None
    )
