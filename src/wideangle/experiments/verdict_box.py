"""The head of the report's page: what of the paper holds, in numbers of cells, and what the rows are."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wideangle.experiments.chapters import kinds_of_rows
from wideangle.experiments.in_html import escape
from wideangle.experiments.tables_and_figures import Figure, Table, TopicWordTable
from wideangle.experiments.tally import beside_published, by_row

__all__ = ["PLAIN", "PUBLISHED", "bar", "verdict_box"]


@dataclass(frozen=True)
class Part:
    """Some cells, which have one colour."""

    words: tuple[str, ...]
    """the verdicts that count as it"""
    sign: str
    title: str
    kind: str
    """the class of its colour"""

    def count(self, counts: Counter[str]) -> int:
        return sum(counts[word] for word in self.words)


PLAIN = (
    Part(("better",), "↑", "holds", "better"),
    Part(("same",), "=", "no difference seen", "same"),
    Part(("worse",), "↓", "does not hold", "worse"),
    Part(("chosen",), "○", "λ = 0 chosen", "chosen"),
    Part(("apart",), "–", "not compared", "absent"),
)
PUBLISHED = (
    Part(("better than published",), "▲", "better", "better"),
    Part(("as published",), "●", "as published", "same"),
    Part(("worse than published",), "▼", "worse", "worse"),
    Part(("in doubt", "one seed", "not a number"), "?", "in doubt", "doubt"),
    Part(("not run",), "–", "not run", "absent"),
)
CLAIM = (
    "The paper says that models with the regulariser (λ > 0) are better than without it (λ = 0). Cells with λ > 0 are "
    "tested against λ = 0, trained and tuned alike, by t-tests that are corrected for all comparisons of a table."
)
BESIDE = (
    "Cells of which the paper has a number of the same data, with λ > 0 and with λ = 0. “As published” is within one "
    "standard deviation of our seeds; “not run” are cells of the paper's tables that have no record here."
)
CELLS = (
    "A cell has the mean ± the standard deviation over seeds, in bold where no other row is better, and how it stands "
    "to λ = 0: ↑ better, = no difference seen, ↓ worse. Below it is the published number, and how ours stands to it: "
    "▲ better, ● as published, ▼ worse, ? in doubt or of one seed. The bars beside a title count the cells below it."
)


def verdict_box(chapters: Mapping[str, Sequence[Table | TopicWordTable | Figure]]) -> str:
    """Whether the regulariser helps, by row; and how the numbers stand to the published ones, by chapter."""
    tables = {title: [each for each in shown if isinstance(each, Table)] for title, shown in chapters.items()}
    rows = by_row(table for some in tables.values() for table in some)
    by_chapter = {title: beside_published(some) for title, some in tables.items()}
    return "\n".join(
        [
            '<section class="verdicts" aria-label="what holds">',
            '<div class="half">',
            _tally("Does the regulariser help?", CLAIM, "row", rows, PLAIN),
            f'<h3>How to read a table</h3>\n<p id="signs">{escape(CELLS)}</p>',
            '</div>\n<div class="half">',
            _tally("Beside the published numbers", BESIDE, "chapter", by_chapter, PUBLISHED),
            _legend_of_rows(),
            "</div>\n</section>",
        ]
    )


def bar(counts: Counter[str], parts: Sequence[Part]) -> str:
    """Widths by the numbers of cells."""
    shares = [(part, part.count(counts)) for part in parts if part.count(counts)]
    if not shares:
        return ""
    told = ", ".join(f"{part.title}: {count}" for part, count in shares)
    inside = "".join(f'<i class="{part.kind}" style="flex-grow:{count}"></i>' for part, count in shares)
    return f'<span class="bar" role="img" aria-label="{escape(told)}" title="{escape(told)}">{inside}</span>'


def _legend_of_rows() -> str:
    """What the names of rows mean."""
    rows = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in kinds_of_rows().items())
    return f"<h3>What the rows are</h3>\n<dl>\n{rows}\n</dl>"


def _tally(title: str, text: str, corner: str, counts: Mapping[str, Counter[str]], parts: Sequence[Part]) -> str:
    counts = {name: each for name, each in counts.items() if each}
    total: Counter[str] = sum(counts.values(), Counter())
    tiles = "\n".join(
        f'<div class="tile {part.kind}"><b>{part.count(total)}</b> <span>{part.sign} {escape(part.title)}</span></div>'
        for part in parts
    )
    head = "".join(
        f'<th scope="col"><span role="img" aria-label="{escape(part.title)}" title="{escape(part.title)}">'
        f"{part.sign}</span></th>"
        for part in parts
    )
    rows = "\n".join(_row(name, each, parts) for name, each in counts.items())
    return "\n".join(
        [
            f"<h2>{escape(title)}</h2>\n<p>{escape(text)}</p>",
            f'<div class="tiles">\n{tiles}\n</div>',
            f'<table class="tally"><thead><tr><th scope="col">{corner}</th><td class="bars"></td>{head}</tr></thead>',
            f"<tbody>\n{rows}\n</tbody></table>",
        ]
    )


def _row(name: str, counts: Counter[str], parts: Iterable[Part]) -> str:
    parts = list(parts)
    cells = "".join(f"<td>{part.count(counts) or ''}</td>" for part in parts)
    return f'<tr><th scope="row">{escape(name)}</th><td class="bars">{bar(counts, parts)}</td>{cells}</tr>'
