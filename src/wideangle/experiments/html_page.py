"""The report as one page, which needs no other file and no network: verdicts, then chapters of folded tables."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from wideangle.experiments.chapters import chapters_of
from wideangle.experiments.in_html import escape, remarks_in_html, table_in_html, words_in_html
from wideangle.experiments.in_words import remarks_of
from wideangle.experiments.tables_and_figures import Figure, Table, TopicWordTable
from wideangle.experiments.tally import beside_plain, beside_published
from wideangle.experiments.verdict_box import PLAIN, PUBLISHED, bar, verdict_box

__all__ = ["html_page"]

PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}


def html_page(title: str, tables: Iterable[Table | TopicWordTable], figures: Iterable[tuple[Figure, Path]]) -> str:
    """One page with all tables and figures, in the order of the paper.

    Parameters
    ----------
    title : str
        The heading of the page.
    tables : iterable of Table or TopicWordTable
    figures : iterable of (Figure, Path)
        Each figure with its picture, PNG or SVG, which is copied into the page.
    """
    pictures = {figure.name: (figure, Path(path)) for figure, path in figures}
    shown: list[Table | TopicWordTable | Figure] = [*tables, *(figure for figure, _ in pictures.values())]
    chapters = chapters_of(shown)
    parts = []
    for number, (heading, some) in enumerate(chapters.items(), start=1):
        items = [_picture(each, pictures[each.name][1]) if isinstance(each, Figure) else _folded(each) for each in some]
        parts += [f'<section class="chapter" id="chapter-{number}">', _head(heading, some), *items, "</section>"]
    links = "\n".join(
        f'<a href="#chapter-{number}">{escape(heading)}</a>' for number, heading in enumerate(chapters, start=1)
    )
    style, script = _own("report.css"), _own("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>",
            f"<body>\n<header>\n<h1>{escape(title)}</h1>\n</header>\n<main>",
            verdict_box(chapters),
            '<div class="finder" hidden>',
            '<input type="search" id="query" placeholder="Search tables, rows and words" aria-label="Search">',
            '<button type="button" id="unfold">Unfold all</button>',
            '<output id="found" for="query"></output>\n</div>',
            f'<nav aria-label="chapters">\n{links}\n</nav>',
            *parts,
            f"</main>\n<script>{script}</script>\n</body>\n</html>\n",
        ]
    )


def _own(name: str) -> str:
    return (files("wideangle.experiments") / "page" / name).read_text(encoding="utf-8")


def _head(heading: str, some: Iterable[Table | TopicWordTable | Figure]) -> str:
    """The heading of a chapter, and above the bars of its tables what they are of."""
    tables = [each for each in some if isinstance(each, Table)]
    labels = [
        "beside λ = 0" if any(beside_plain(each) for each in tables) else "",
        "published" if beside_published(tables) else "",
    ]
    told = "".join(f"<span>{label}</span>" for label in labels if any(labels))
    return f'<div class="heading"><h2>{escape(heading)}</h2>{told}</div>'


def _folded(table: Table | TopicWordTable) -> str:
    """A table behind its title and two bars: how it stands to λ = 0, and to the published numbers."""
    if isinstance(table, TopicWordTable):
        bars, inside = "", words_in_html(table)
    else:
        tested = sum(beside_plain(table).values(), Counter())
        bars = f"<span>{bar(tested, PLAIN)}</span><span>{bar(beside_published([table]), PUBLISHED)}</span>"
        inside = table_in_html(table)
    return "\n".join(
        [
            '<details class="item">',
            f'<summary><span class="title">{escape(table.title)}</span>{bars}</summary>',
            inside,
            "</details>",
        ]
    )


def _picture(figure: Figure, path: Path) -> str:
    kind = PICTURES.get(path.suffix.lower())
    if kind is None:
        raise ValueError(f"{path.name} is no picture that a page can hold: give a file that ends in .png or .svg")
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    panels = ", ".join(panel.title for panel in figure.panels if panel.title)
    words = escape(f"{figure.title}: {panels}" if panels else figure.title)
    remarks = remarks_of(figure)
    caption = ["<figcaption>", *remarks_in_html(remarks), "</figcaption>"] if remarks else []
    return "\n".join(
        [
            f'<figure class="item" id="{escape(figure.name)}">',
            f'<img alt="{words}" src="data:{kind};base64,{data}" loading="lazy">',
            *caption,
            "</figure>\n",
        ]
    )
