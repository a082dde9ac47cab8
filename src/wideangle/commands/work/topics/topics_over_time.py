"""Topics over time, as `wideangle topics --over-time` shows and writes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wideangle._wording import number_of
from wideangle.commands.files.tables import Column, Table, write_table
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import cell, new_table
from wideangle.commands.work.shared.models import load_model
from wideangle.documents import Documents
from wideangle.exceptions import DataError
from wideangle.topics.of_model import topics_of_documents, why_no_topics
from wideangle.topics.over_time import topics_over_time

if TYPE_CHECKING:
    from rich.console import Console

BARS = " ▁▂▃▄▅▆▇█"
WIDEST = 30  # So many bars are drawn at most; more periods are added up.


@dataclass(frozen=True)
class TopicInTime:
    """A topic and its documents in each period."""

    number: int
    name: str
    documents: int
    """with a date"""
    counts: tuple[int, ...]


@dataclass(frozen=True)
class OverTime:
    """All topics over time."""

    path: str
    period: str
    periods: tuple[str, ...]
    topics: tuple[TopicInTime, ...]
    undated: int
    """documents without a date"""


def topics_in_time(path: Path, n_topics: int | None = None, period: str | None = None) -> OverTime:
    """How many documents of each topic of a model file were written in each period."""
    view = load_model(path)
    documents: Documents | None = getattr(view.model, "documents_", None)
    lacking = why_no_topics(view.vocabulary, documents)
    if lacking or documents is None:
        raise CommandError(f"{path}: {lacking}")
    if documents.dates is None:
        raise CommandError(
            f"the documents in {path} have no dates. Fit the model to a table with a column of dates, which "
            "--date-column names, or to mails with --strip-mail."
        )
    topics = topics_of_documents(view, documents, n_topics, like=getattr(view.model, "topics_", None))
    try:
        found = topics_over_time(topics.of_documents, documents.dates, len(topics), period)
    except DataError as error:
        raise CommandError(str(error)) from error
    listed = tuple(
        TopicInTime(topic.number + 1, topic.name, int(counts.sum()), tuple(counts.tolist()))
        for topic, counts in zip(topics, found.counts, strict=True)
    )
    return OverTime(str(path), found.period, found.starts, listed, found.undated)


def write_over_time(found: OverTime, to: Path | None) -> None:
    """Write one row per topic, with one column per period, to a file, or as CSV to stdout."""
    rows = ((topic.number, topic.name, topic.documents, *topic.counts) for topic in found.topics)
    columns = [Column("topic", int), Column("name"), Column("documents", int)]
    write_table(to, Table("topics over time", [*columns, *(Column(each, int) for each in found.periods)], rows))


def show_over_time(found: OverTime, console: "Console", written: Path | None = None) -> None:
    """Print a small chart of each topic for people, and where the numbers were written."""
    table = new_table("#", "documents", "over time", "topic", right=("#", "documents"), stretch="topic")
    for topic in found.topics:
        table.add_row(str(topic.number), f"{topic.documents:,}", chart(topic.counts), cell(topic.name, wrap=True))
    console.print(table)
    n = len(found.periods)
    periods = number_of(n, found.period)
    console.print(
        f"{periods}, {found.periods[0]} to {found.periods[-1]}; each topic by its own scale.", highlight=False
    )
    if n > WIDEST:
        console.print(f"One bar stands for {-(-n // WIDEST)} of them.", highlight=False)
    if found.undated:
        console.print(f"Without a date and left out: {number_of(found.undated, 'document')}.", highlight=False)
    if written is not None:
        size = f"{number_of(len(found.topics), 'topic')} × {number_of(n, 'period')}"
        console.print(f"{size} → {written}", highlight=False, soft_wrap=True)


def chart(counts: tuple[int, ...]) -> str:
    """One bar per period, the highest where there are most documents; a blank where there is none.

    Examples
    --------
    >>> from wideangle.commands.work.topics.topics_over_time import chart
    >>> chart((0, 1, 4, 8))
    ' ▁▄█'
    """
    each = -(-len(counts) // WIDEST)
    sums = np.add.reduceat(np.asarray(counts), np.arange(0, len(counts), each))
    most = max(int(sums.max()), 1)
    return "".join(BARS[-(-int(count) * (len(BARS) - 1) // most)] for count in sums)
