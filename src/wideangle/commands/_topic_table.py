"""Topics or components as `wideangle topics` shows and writes them."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wideangle.commands._angles import Angles
from wideangle.commands._output import cell, new_table, number
from wideangle.commands._writing import write_csv

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table


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


def write_topics(found: Listed, to: Path | None) -> None:
    """Write the topics as CSV, one per line, to a file or to stdout."""
    n_words = max(len(topic.words) for topic in found.topics)
    heads = ["topic", "name", "size", "class", "purity", "nearest", "angle", "near_duplicate"]
    write_csv(
        to,
        [*heads, *(f"word{place}" for place in range(1, n_words + 1))],
        (
            (
                topic.number,
                topic.name,
                topic.size,
                topic.classes[0].label if topic.classes else None,
                None if topic.purity is None else f"{topic.purity:.3f}",
                topic.nearest,
                None if topic.angle is None else f"{topic.angle:.2f}",
                int(topic.near_duplicate),
                *topic.words,
            )
            for topic in found.topics
        ),
    )


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
        console.print(f"{len(found.topics)} topics of {found.documents:,} documents.", highlight=False)
        return
    console.print(
        f"{len(found.topics)} components, mean angle {number(angles.mean, 1, '°')}; {angles.near} (≈).",
        f"Angles are {angles.kind}.",
        highlight=False,
    )


def _topics(found: Listed) -> "Table":
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


def _components(found: Listed) -> "Table":
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
