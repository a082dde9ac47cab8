"""Tables in HTML, and a page of tables and figures that needs no other file, no script and no network."""

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from wideangle.experiments.in_words import SaidCell, lines_of_words, one_line, remarks_of, said_rows, verdicts_of
from wideangle.experiments.tables_and_figures import Figure, Table, WordTable

__all__ = ["html_page", "table_in_html", "words_in_html"]

KINDS = {".png": "image/png", ".svg": "image/svg+xml"}
STYLE = """
:root { color-scheme: light dark; --quiet: #595959; --line: #d4d4d4; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a8a8a8; --line: #484848; } }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
section, figure { margin: 0 0 3rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .5rem; }
th, td { padding: .4rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; text-align: right; }
th:first-child, .words th, .words td { text-align: left; }
thead th { border-bottom: 2px solid currentColor; vertical-align: bottom; }
tbody th { font-weight: normal; }
.words td { padding: .15rem .8rem; border: 0; }
.words tbody th { font-weight: 600; padding-top: 1.2rem; }
td small { display: block; color: var(--quiet); font-size: .8rem; }
.remarks, .verdicts, figcaption { color: var(--quiet); font-size: .9rem; }
.verdicts { padding-left: 1.2rem; }
nav ul { columns: 24rem; font-size: .9rem; padding-left: 1.2rem; }
img { max-width: 100%; background: #fff; border-radius: 4px; }
""".strip()


def table_in_html(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in table.columns)
    corner = f'<th scope="col">{escape(table.corner)}</th>' if table.corner else "<td></td>"
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(_cell, cells))}</tr>'
        for name, cells in said_rows(table).items()
    )
    verdicts = "\n".join(f"<li>{escape(name)}: {told}</li>" for name, told in verdicts_of(table).items())
    return "\n".join(
        [
            f'<section id="{escape(table.name)}">',
            f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}">',
            f"<table>\n<caption>{escape(table.title)}</caption>",
            f"<thead>\n<tr>{corner}{head}</tr>\n</thead>",
            f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>",
            *_remarks(remarks_of(table)),
            *([f'<ul class="verdicts">\n{verdicts}\n</ul>'] if verdicts else []),
            "</section>\n",
        ]
    )


def words_in_html(words: WordTable) -> str:
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
            *_remarks(remarks_of(words)),
            "</section>\n",
        ]
    )


def html_page(title: str, tables: Iterable[Table | WordTable], figures: Iterable[tuple[Figure, Path]]) -> str:
    """One page with all tables and figures.

    Parameters
    ----------
    title : str
        The heading of the page.
    tables : iterable of Table or WordTable
    figures : iterable of (Figure, Path)
        Each figure with its picture, PNG or SVG, which is copied into the page.
    """
    tables, figures = list(tables), list(figures)
    parts = [_contents([*tables, *(figure for figure, _ in figures)])]
    parts += [table_in_html(table) if isinstance(table, Table) else words_in_html(table) for table in tables]
    parts += [_picture(figure, Path(path)) for figure, path in figures]
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>",
            f"<body>\n<h1>{escape(title)}</h1>",
            *parts,
            "</body>\n</html>\n",
        ]
    )


def _contents(shown: Sequence[Table | WordTable | Figure]) -> str:
    """Links to everything on the page."""
    links = "\n".join(f'<li><a href="#{escape(each.name)}">{escape(each.title)}</a></li>' for each in shown)
    return f'<nav aria-label="contents">\n<ul>\n{links}\n</ul>\n</nav>' if links else ""


def escape(text: str) -> str:
    """Text that a browser shows as it is, between tags and in attributes."""
    return html.escape(one_line(text))


def _cell(cell: SaidCell) -> str:
    mean = f"<strong>{cell.mean}</strong>" if cell.best else cell.mean
    shown = f"{mean} ± {cell.deviation}" if cell.deviation else mean
    published = f"published {cell.published}" if cell.published else ""
    if cell.difference:
        published += f", {cell.difference}"
    # Colour would not reach every reader, so that the verdict is a word.
    word = cell.verdict.removesuffix(" than published") if cell.difference else ""
    below = "".join(f"<small>{escape(part)}</small>" for part in (published, word, cell.note) if part)
    seeds = f"{cell.seeds} seed{'s' if cell.seeds > 1 else ''}" if cell.seeds else ""
    words = "; ".join(part for part in (cell.verdict, seeds) if part)
    title = f' title="{escape(words)}"' if words else ""
    return f"<td{title}>{shown}{below}</td>"


def _picture(figure: Figure, path: Path) -> str:
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"{path.name} is no picture that a page can hold: give a file that ends in .png or .svg")
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    panels = ", ".join(panel.title for panel in figure.panels if panel.title)
    words = escape(f"{figure.title}: {panels}" if panels else figure.title)
    remarks = remarks_of(figure)
    caption = ["<figcaption>", *_remarks(remarks), "</figcaption>"] if remarks else []
    return "\n".join(
        [
            f'<figure id="{escape(figure.name)}">',
            f'<img alt="{words}" src="data:{kind};base64,{data}">',
            *caption,
            "</figure>\n",
        ]
    )


def _remarks(remarks: Iterable[str]) -> list[str]:
    return [f'<p class="remarks">{escape(remark)}</p>' for remark in remarks]
