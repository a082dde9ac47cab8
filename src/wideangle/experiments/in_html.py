"""Tables in HTML. The page that holds them all is html_page.py."""

import html
from collections.abc import Iterable

from wideangle.experiments.in_words import SaidCell, lines_of_words, one_line, remarks_of, said_rows
from wideangle.experiments.tables_and_figures import Table, TopicWordTable

__all__ = ["BESIDE_PLAIN", "SIGNS", "escape", "remarks_in_html", "table_in_html", "words_in_html"]

SIGNS = {
    "better than published": ("▲", "better"),
    "as published": ("●", "same"),
    "worse than published": ("▼", "worse"),
    "in doubt": ("?", "doubt"),
    "one seed": ("1", "doubt"),
    "not a number": ("?", "doubt"),
    "not run": ("–", "absent"),
}
"""by the verdict beside the published number: a sign for readers who see no colours, and the class of the colour"""
BESIDE_PLAIN = {
    "better": ("↑", "better than λ = 0"),
    "same": ("=", "no difference to λ = 0 seen"),
    "worse": ("↓", "worse than λ = 0"),
    "apart": ("", "λ = 0 was fitted on another kind of device"),
}


def table_in_html(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in table.columns)
    corner = f'<th scope="col">{escape(table.corner)}</th>' if table.corner else "<td></td>"
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_cell, cells))}</tr>'
        for name, cells in said_rows(table).items()
    )
    return "\n".join(
        [
            f'<section id="{escape(table.name)}">',
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}">',
            f"<table>\n<caption>{escape(table.title)}</caption>",
            f"<thead>\n<tr>{corner}{head}</tr>\n</thead>",
            f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>",
            *remarks_in_html(_not_in_cells(table)),
            "</section>\n",
        ]
    )


def words_in_html(words: TopicWordTable) -> str:
    width = max((len(topics) for topics in words.blocks.values()), default=0) or 1
    head = "".join(f'<th scope="col">Topic {place + 1}</th>' for place in range(width))
    bodies = []
    for model, lines in lines_of_words(words).items():
        rows = [f'<tr><th scope="rowgroup" colspan="{width}">{escape(model)}</th></tr>']
        for line in lines:
            missing = "<td></td>" * (width - len(line))
            rows.append(f"<tr>{''.join(f'<td>{escape(word)}</td>' for word in line)}{missing}</tr>")
        if not words.blocks[model]:
            rows.append(f'<tr><td colspan="{width}">no topics</td></tr>')
        bodies.append("<tbody>\n" + "\n".join(rows) + "\n</tbody>")
    return "\n".join(
        [
            f'<section id="{escape(words.name)}">',
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(words.title)}">',
            f'<table class="words">\n<caption>{escape(words.title)}</caption>',
            f"<thead>\n<tr>{head}</tr>\n</thead>",
            *bodies,
            "</table>\n</div>",
            *remarks_in_html(remarks_of(words)),
            "</section>\n",
        ]
    )


def escape(text: str) -> str:
    """Text that a browser shows as it is, between tags and in attributes."""
    return html.escape(one_line(text))


def _cell(cell: SaidCell) -> str:
    mean = f"<strong>{cell.mean}</strong>" if cell.best else cell.mean
    shown = f"{mean} ± {cell.deviation}" if cell.deviation else mean
    sign, told = BESIDE_PLAIN.get(cell.beside_plain, ("", ""))
    if sign:
        shown += f' <span class="plain-{cell.beside_plain}" role="img" aria-label="{told}">{sign}</span>'
    published = f"published {cell.published}" if cell.published else ""
    kind = ""
    if cell.difference:
        published += f", {cell.difference}"
        mark, kind = SIGNS[cell.verdict]
        published = f'<span class="sign" role="img" aria-label="{cell.verdict}">{mark}</span> {published}'
    below = "".join(f"<small>{part}</small>" for part in (published, escape(cell.note)) if part)
    seeds = f"{cell.seeds} seed{'s' if cell.seeds > 1 else ''}" if cell.seeds else ""
    words = "; ".join(part for part in (cell.verdict, told, seeds) if part)
    attributes = (f' class="{kind}"' if kind else "") + (f' title="{escape(words)}"' if words else "")
    return f"<td{attributes}>{shown}{below}</td>"


def _not_in_cells(table: Table) -> list[str]:
    """The remarks without those sentences that tell again what signs in cells tell."""
    told = [(f"{name} against ", words) for name, words in table.beside_plain.items()]
    return [
        remark
        for remark in remarks_of(table)
        if not any(remark.startswith(begin) and remark.endswith(end) for begin, end in told)
    ]


def remarks_in_html(remarks: Iterable[str]) -> list[str]:
    """A paragraph for each."""
    return [f'<p class="remarks">{escape(remark)}</p>' for remark in remarks]
