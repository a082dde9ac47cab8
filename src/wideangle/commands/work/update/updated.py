"""What `wideangle update` tells: what became of the model, and what changed in its topics."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wideangle._wording import number_of
from wideangle.commands.shell.output import cell, new_table
from wideangle.topics import Topics

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["ChangedTopic", "UnknownWord", "Updated", "changes_of", "show"]

ERRORS = 2.0  # A topic has grown or shrunk where its size differs so many standard errors from what was expected.

Change = Literal["new", "grown", "shrunk", "gone", "same"]


@dataclass(frozen=True)
class ChangedTopic:
    """A topic before and after. Topics count from 1."""

    number: int | None
    """None where it is gone"""
    number_before: int | None
    """None where it is new"""
    name: str
    documents: int
    documents_before: int
    change: Change
    """grown and shrunk: it has more, or less, than its usual share of the documents"""
    words: tuple[str, ...]


@dataclass(frozen=True)
class UnknownWord:
    """A word that the model does not know, and how many of the new documents that were looked at have it."""

    word: str
    documents: int


@dataclass(frozen=True)
class Updated:
    """What became of a model."""

    path: Path
    model: str
    documents: int
    """all that the model has now"""
    joined: int
    """new documents, without those that replaced another one"""
    replaced: int
    """documents whose text was replaced by a new one of the same id"""
    there_already: int
    """documents that the model had already"""
    updates: int
    """steps of training; 0 where there was none"""
    untrained: str | None
    """why there was no training; None where there was"""
    unknown_share: float | None
    """the share of words of the new documents that the model does not know; None where they have no text"""
    unknown_words: tuple[UnknownWord, ...]
    """those that most of the new documents have"""
    topics: tuple[ChangedTopic, ...] | None
    """None where there are no topics"""
    moved: int
    """documents that were there and are in another topic now"""
    seconds: float


def show(updated: Updated, console: "Console") -> None:
    """Print what became of the model for people."""
    if updated.topics is not None:
        table = new_table("#", "documents", "before", "", "topic", right=("#", "documents", "before"), stretch="topic")
        for topic in updated.topics:
            moved = "" if topic.number_before in (None, topic.number) else f", was {topic.number_before}"
            table.add_row(
                "–" if topic.number is None else str(topic.number),
                f"{topic.documents:,}",
                "–" if topic.number_before is None else f"{topic.documents_before:,}",
                "" if topic.change == "same" and not moved else f"{topic.change}{moved}",
                cell(topic.name, wrap=True),
            )
        console.print(table)
    parts = [f"{number_of(updated.joined, 'document')} joined"]
    parts += [f"{updated.replaced:,} replaced"] if updated.replaced else []
    parts += [f"{updated.there_already:,} were there already"] if updated.there_already else []
    console.print(f"{', '.join(parts)}; {updated.documents:,} in all.", highlight=False)
    if updated.moved:
        console.print(f"{updated.moved:,} of those that were there are in another topic now.", highlight=False)
    trained = f"{updated.updates:,} updates of training" if updated.updates else "no training"
    console.print(f"{trained}; {updated.seconds:.0f} s in all → {updated.path}", highlight=False, soft_wrap=True)


def changes_of(before: Topics | None, now: Topics, same: Mapping[int, int]) -> tuple[ChangedTopic, ...]:
    """All topics that there are, then those that are gone. `same` has the new numbers of old topics."""
    old = {new: number for number, new in same.items()}
    all_before = 0 if before is None else sum(topic.size for topic in before)
    all_now = sum(topic.size for topic in now)
    found = []
    for topic in now:
        number = old.get(topic.number)
        was = 0 if before is None or number is None else before[number].size
        change: Change = "new" if number is None else _change(was * all_now / max(all_before, 1), topic.size)
        shown = None if number is None else number + 1
        found.append(ChangedTopic(topic.number + 1, shown, topic.name, topic.size, was, change, topic.words))
    for gone in before or ():
        if gone.number not in same:
            found.append(ChangedTopic(None, gone.number + 1, gone.name, 0, gone.size, "gone", gone.words))
    return tuple(found)


def _change(expected: float, size: int) -> Change:
    if abs(size - expected) <= ERRORS * expected**0.5:
        return "same"
    return "grown" if size > expected else "shrunk"
