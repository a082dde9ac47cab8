"""The formats in which tables are written, by the ending of their files. A new format is one entry in each list."""

from collections.abc import Callable, Mapping

from wideangle.experiments.in_csv import table_in_csv, words_in_csv
from wideangle.experiments.in_html import html_page, table_in_html, words_in_html
from wideangle.experiments.in_latex import table_in_latex, words_in_latex
from wideangle.experiments.in_markdown import table_in_markdown, words_in_markdown
from wideangle.experiments.shown import Table, WordTable

__all__ = ["ENDINGS", "FORMATS", "PICTURES", "WORD_FORMATS", "html_page", "topics_side_by_side"]

FORMATS: Mapping[str, Callable[[Table], str]] = {
    "md": table_in_markdown,
    "csv": table_in_csv,
    "tex": table_in_latex,
    "html": table_in_html,
}
WORD_FORMATS: Mapping[str, Callable[[WordTable], str]] = {
    "md": words_in_markdown,
    "csv": words_in_csv,
    "tex": words_in_latex,
    "html": words_in_html,
}
PICTURES = ("png", "svg")
ENDINGS = (*FORMATS, *PICTURES)
"""all in which a report can be written"""


def topics_side_by_side(words: WordTable, format: str) -> str:
    """The topics of several models: one column per topic, the models one below the other."""
    if format not in WORD_FORMATS:
        raise ValueError(f"no format {format!r} for a table: take one of {', '.join(WORD_FORMATS)}")
    return WORD_FORMATS[format](words)
