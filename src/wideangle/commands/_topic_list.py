"""What `wideangle topics` does: it lists the words of each component, and which components say the same."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from wideangle.commands._angles import Angles
from wideangle.commands._guard import UsageError
from wideangle.commands._models import load_model, name_of_model
from wideangle.commands._output import cell, new_table, number
from wideangle.commands._writing import check_output, write_csv
from wideangle.evaluation import angle_matrix
from wideangle.evaluation.diversity import NEAR
from wideangle.view import By

if TYPE_CHECKING:
    from rich.console import Console

Order = Literal["number", "angle"]


@dataclass(frozen=True)
class Topic:
    """A component for people. Topics count from 1."""

    number: int
    words: tuple[str, ...]
    nearest: int | None
    """the topic at the smallest angle"""
    angle: float | None
    """the angle to that topic, in degrees"""
    near_duplicate: bool


@dataclass(frozen=True)
class Topics:
    """All components of a model."""

    path: Path
    model: str
    angles: Angles
    topics: tuple[Topic, ...]


def list_topics(path: Path, n_words: int = 10, order: Order = "number", by: By = "effect") -> Topics:
    """For each component, its words of largest effect or weight and its nearest other component."""
    view = load_model(path)
    directions = view.directions()
    words = view.top_words(n_words, by)
    nearest, degrees = _nearest(directions.rows)
    topics = [
        Topic(
            k + 1,
            tuple(words[k]),
            None if np.isnan(degrees[k]) else int(nearest[k]) + 1,
            None if np.isnan(degrees[k]) else float(degrees[k]),
            bool(degrees[k] < NEAR),
        )
        for k in range(len(words))
    ]
    if order == "angle":
        topics.sort(key=lambda topic: (topic.angle is None, topic.angle, topic.number))
    return Topics(path, name_of_model(view.model), Angles.of(directions), tuple(topics))


def _nearest(rows: "np.ndarray[tuple[int, int], np.dtype[np.floating]]") -> tuple[np.ndarray, np.ndarray]:
    """For each component the nearest other and the angle in degrees; NaN for a single component or one of zeros."""
    angles = angle_matrix(rows)
    np.fill_diagonal(angles, np.nan)
    apart = np.nan_to_num(angles, nan=np.inf)
    smallest = apart.min(axis=1)
    return apart.argmin(axis=1), np.where(np.isinf(smallest), np.nan, smallest)


def check_csv(path: Path, model: Path) -> None:
    """Check before the work that the topics can be written there."""
    if path.suffix != ".csv":
        raise UsageError(f"{path} must end in .csv. Name such a file with -o, or take --csv for stdout.")
    check_output(path, "the topics", (model,))


def write_topics(found: Topics, to: Path | None) -> None:
    """Write the topics as CSV, one topic per line, to a file or to stdout."""
    n_words = max(len(topic.words) for topic in found.topics)
    write_csv(
        to,
        ["topic", "nearest", "angle", "near_duplicate", *(f"word{place}" for place in range(1, n_words + 1))],
        (
            (
                topic.number,
                topic.nearest,
                None if topic.angle is None else f"{topic.angle:.2f}",
                int(topic.near_duplicate),
                *topic.words,
            )
            for topic in found.topics
        ),
    )


def show_file(found: Topics, path: Path, console: "Console") -> None:
    """Print where the topics were written."""
    console.print(f"{len(found.topics)} topics → {path}", markup=False, highlight=False, soft_wrap=True)


def show(found: Topics, console: "Console") -> None:
    """Print the topics for people."""
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
    console.print(table)
    angles = found.angles
    console.print(
        f"{len(found.topics)} topics, mean angle {number(angles.mean, 1, '°')}; {angles.near} (≈).",
        f"Angles are {angles.kind}.",
        highlight=False,
    )
