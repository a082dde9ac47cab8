"""The formats in which tables are written, by the ending of their files. A new format is one entry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wideangle.experiments.in_csv import table_in_csv, words_in_csv
from wideangle.experiments.in_html import table_in_html, words_in_html
from wideangle.experiments.in_latex import table_in_latex, words_in_latex
from wideangle.experiments.in_markdown import table_in_markdown, words_in_markdown
from wideangle.experiments.tables_and_figures import Table, TopicWordTable

__all__ = ["ENDINGS", "FORMATS", "PICTURES", "Format", "topics_side_by_side"]


@dataclass(frozen=True)
class Format:
    """How tables become text."""

    of_table: Callable[[Table], str]
    of_words: Callable[[TopicWordTable], str]

    def __call__(self, table: Table | TopicWordTable) -> str:
        return self.of_table(table) if isinstance(table, Table) else self.of_words(table)


FORMATS: Mapping[str, Format] = {
    "md": Format(table_in_markdown, words_in_markdown),
    "csv": Format(table_in_csv, words_in_csv),
    "tex": Format(table_in_latex, words_in_latex),
    "html": Format(table_in_html, words_in_html),
}
PICTURES = ("png", "svg")
ENDINGS = (*FORMATS, *PICTURES)
"""all in which a report can be written"""


def topics_side_by_side(words: TopicWordTable, format: str) -> str:
    """The topics of several models: one column per topic, the models one below the other."""
    if format not in FORMATS:
        raise ValueError(f"no format {format!r} for a table: take one of {', '.join(FORMATS)}")
    return FORMATS[format](words)
