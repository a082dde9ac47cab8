"""Topics or components as `wideangle topics` shows and writes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wideangle._wording import number_of
from wideangle.commands.files.tables import Column, Table, write_table
from wideangle.commands.shell.output import cell, new_table, number
from wideangle.commands.work.shared.angles import Angles

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table as ShownTable


@dataclass(frozen=True)
class ClassShare:
    """A class and how many documents of a topic it has."""

    label: str
    documents: int


@dataclass(frozen=True)
class Example:
    """A document that is central to a topic."""

    name: str
    title: str | None
    snippet: str | None


@dataclass(frozen=True)
class ListedTopic:
    """A topic, or a component, for people. They count from 1."""

    number: int
    name: str
    size: int | None
    """its documents; None for a component"""
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    classes: tuple[ClassShare, ...]
    examples: tuple[Example, ...]
    nearest: int | None
    """the other one at the smallest angle"""
    angle: float | None
    """the angle to it, in degrees"""
    near_duplicate: bool

    @property
    def purity(self) -> float | None:
        """The share of its documents that are of its most frequent class; None without labels."""
        return self.classes[0].documents / self.size if self.classes and self.size else None


@dataclass(frozen=True)
class Listed:
    """All topics or components of a model."""

    path: str
    model: str
    kind: Literal["topics", "components"]
    angles: Angles
    """of the components"""
    documents: int | None
    """the documents that were grouped; None for components"""
    outline: tuple[str, ...] | None
    """the tree of the topics, one line per node, where it was asked for"""
    topics: tuple[ListedTopic, ...]
    granularity: float | None = None
    """how finely the documents were told apart that were grouped; None for components, and where the model has none"""


def write_topics(found: Listed, to: Path | None) -> None:
    """Write the topics as a table, one per row, to a file, or as CSV to stdout."""
    n_words = max(len(topic.words) for topic in found.topics)
    columns = [
        Column("topic", int),
        Column("name"),
        Column("size", int),
        Column("class"),
        Column("purity", float, ".3f"),
        Column("nearest", int),
        Column("angle", float, ".2f"),
        Column("near_duplicate", int),
        *(Column(f"word{place}") for place in range(1, n_words + 1)),
    ]
    rows = (
        (
            topic.number,
            topic.name,
            topic.size,
            topic.classes[0].label if topic.classes else None,
            topic.purity,
            topic.nearest,
            topic.angle,
            int(topic.near_duplicate),
            *topic.words,
            *(None for _ in range(n_words - len(topic.words))),
        )
        for topic in found.topics
    )
    write_table(to, Table("topics", columns, rows))


def show_file(found: Listed, path: Path, console: "Console") -> None:
    """Print where the topics were written."""
    console.print(f"{len(found.topics)} {found.kind} → {path}", markup=False, highlight=False, soft_wrap=True)


def show(found: Listed, console: "Console") -> None:
    """Print the topics for people."""
    if found.outline is not None:
        for line in found.outline:
            console.print(cell(line))
        return
    console.print(_components(found) if found.kind == "components" else _topics(found))
    angles = found.angles
    if found.kind == "topics":
        topics, documents = number_of(len(found.topics), "topic"), number_of(found.documents or 0, "document")
        console.print(f"{topics} of {documents}. -t shows another number of them.", highlight=False)
        return
    console.print(
        f"{number_of(len(found.topics), 'component')}, mean angle {number(angles.mean, 1, '°')}; {angles.near} (≈).",
        f"Angles are {angles.kind}.",
        highlight=False,
    )


def _topics(found: Listed) -> "ShownTable":
    labelled = any(topic.classes for topic in found.topics)
    heads = ("#", "documents", "topic", *(("class",) if labelled else ()))
    table = new_table(*heads, right=("#", "documents"), stretch="topic")
    for topic in found.topics:
        row: list[RenderableType] = [str(topic.number), f"{topic.size:,}", cell(_told(topic), wrap=True)]
        if labelled:
            first = topic.classes[0] if topic.classes else None
            row.append(cell("–" if first is None else f"{first.label} {100 * (topic.purity or 0):.0f}%"))
        table.add_row(*row)
    if labelled:
        table.columns[3].max_width = 24
    return table


def _told(topic: ListedTopic) -> str:
    """Its words; before them its name, where it is not made of them."""
    words = ", ".join(topic.words)
    return words if set(topic.name.split(", ")) <= set(topic.words) else f"{topic.name}: {words}"


def _components(found: Listed) -> "ShownTable":
    table = new_table("#", "words", "nearest", "angle", right=("#", "nearest", "angle"), stretch="words")
    for topic in found.topics:
        mark = "≈ " if topic.near_duplicate else ""
        nearest = "–" if topic.nearest is None else f"{mark}{topic.nearest}"
        table.add_row(
            str(topic.number),
            cell(", ".join(topic.words), wrap=True),
            nearest,
            number(topic.angle, 0, "°"),
            style="yellow" if topic.near_duplicate else "",
        )
    return table
