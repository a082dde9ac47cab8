"""What a user changes in topics: names, topics that are merged or split, and all that taken back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wideangle.commands.shell.guard import CommandError, UsageError
from wideangle.commands.shell.output import Output
from wideangle.documents import Documents
from wideangle.topics import Topics
from wideangle.topics.by_hand import named_by_classes


@dataclass(frozen=True)
class TopicEdits:
    """Changes, by the numbers of topics as they are shown, from 1."""

    renamed: tuple[tuple[str, str], ...] = ()
    merged: tuple[tuple[int, ...], ...] = ()
    split: tuple[int, ...] = ()
    reset: bool = False
    by_labels: bool = False

    def __bool__(self) -> bool:
        return bool(self.renamed or self.merged or self.split or self.reset or self.by_labels)


def edited(topics: Topics, edits: TopicEdits, documents: Documents, output: Output) -> Topics:
    """The topics with all changes, whose numbers are those before any of them."""
    _check(topics, edits)
    if edits.reset:
        if topics.found is None:
            output.note("nothing was merged or split by hand, so that the topics stay as they are.")
        return topics.reset()
    if edits.by_labels and documents.labels is None:
        raise CommandError("--name-by-labels takes the names of classes, and the documents have no labels.")
    now = list(range(len(topics)))  # where each topic is by now
    try:
        for number in edits.split:
            topics = topics.split(now[number - 1])
        for numbers in edits.merged:
            chosen = sorted({now[number - 1] for number in numbers})
            topics = topics.merge(chosen)
            now = [chosen[0] if place in chosen else place - sum(each < place for each in chosen[1:]) for place in now]
        if edits.by_labels:
            topics = named_by_classes(topics, *_classes(documents))
        for given, name in edits.renamed:
            topics = topics.rename(now[int(given) - 1], name)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return topics


def _classes(documents: Documents) -> tuple[NDArray[np.int64], list[str]]:
    assert documents.labels is not None
    n_classes = int(documents.labels.max(initial=-1)) + 1
    return documents.labels, [documents.class_name(label) for label in range(n_classes)]


def _check(topics: Topics, edits: TopicEdits) -> None:
    """Raise an error where a number is not there, or where two changes are about the same topic."""
    if edits.reset and (edits.merged or edits.split or edits.renamed or edits.by_labels):
        raise UsageError("--reset changes the numbers of topics. Reset them first, then change them.")
    given = [("--rename", number) for number, _ in edits.renamed]
    given += [("--merge", str(number)) for numbers in edits.merged for number in numbers]
    given += [("--split", str(number)) for number in edits.split]
    for option, number in given:
        if not number.isdecimal() or not 1 <= int(number) <= len(topics):
            raise UsageError(f"{option} takes the number of a topic, 1 to {len(topics)}; got {number!r}.")
    for numbers in edits.merged:
        if len(set(numbers)) < 2:
            raise UsageError("--merge takes at least two topics, such as 3,7.")
    merged = [number for numbers in edits.merged for number in set(numbers)]
    twice = sorted({number for number in (*merged, *edits.split) if (*merged, *edits.split).count(number) > 1})
    if twice:
        raise UsageError(f"topic {twice[0]} is changed twice. Change it step by step, by two commands.")
