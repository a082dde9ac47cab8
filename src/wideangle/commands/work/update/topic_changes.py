"""What changed in topics after documents joined them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wideangle.topics import Topics

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
