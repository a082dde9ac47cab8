"""What `wideangle fit` tells: what was fitted, how long each stage took, and how much few documents can teach."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

from wideangle._quiet import silenced
from wideangle._wording import number_of
from wideangle.commands.shell.output import new_table
from wideangle.commands.work.fit.choosing import SearchTable
from wideangle.commands.work.shared.angles import Angles
from wideangle.commands.work.shared.finishing import GranularityTable
from wideangle.evaluation.halves import part_words

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Fitted", "Stages", "said_of_few", "show"]

WORTH_TELLING = 0.05  # Stages that took at least this share of the whole time are told.
FEW, VERY_FEW = 300, 30  # Below these numbers of documents a note says how much to trust the result.
NEIGHBOURS = 5
HINT = "So few documents say little about topics: take them as a hint, and try other numbers with -t."


@dataclass(frozen=True)
class Fitted:
    """What was fitted and where the file is."""

    path: Path
    model: str
    documents: int
    held_out: int
    features: int
    classes: int | None
    reading: str
    n_components: int
    diversity: float | None
    """None for a model without the regulariser"""
    granularity: float | None
    """how finely documents are told apart, from 0 to 1; None where nothing finishes what the model says"""
    finish: str | None
    """how they are compared: by what halves teach, or by the spectrum"""
    halved_documents: int | None
    """how many documents were halved to learn the distance"""
    compared: str | None
    """these three in words; None for a model that cannot have a finish"""
    granularities: GranularityTable | None
    """what each granularity finds, where labels chose one"""
    weighting: str | None
    """None for a model that has no such parameter, like the next"""
    representation: str | None
    tuning: SearchTable | None
    angles: Angles
    topics: int | None
    """how many topics were found in the documents; None where they have no words or are not kept"""
    repeats: int
    """documents that repeat another one; 0 where nobody looked"""
    updates: int | None
    """None for a model that is not trained by updates"""
    stopped: str | None
    seconds: float
    stages: dict[str, float]
    """the seconds of reading, fitting and so on"""
    settings: dict[str, Any]


def show(fitted: Fitted, console: "Console") -> None:
    """Print what was fitted for people."""
    if fitted.tuning is not None:
        fitted.tuning.show(console)
    if (tried := fitted.granularities) is not None:
        tried.show(console, "Granularity of the fit, chosen on its own documents", "usual")
        console.print()
    held = f", {fitted.held_out:,} held out" if fitted.held_out else ""
    labels = "" if fitted.classes is None else f", {number_of(fitted.classes, 'class', 'classes')}"
    table = new_table("", " ", stretch=" ")
    table.show_header = False
    weight = "" if fitted.diversity is None else f", λ = {fitted.diversity:g}"
    words = "" if fitted.weighting is None else f", weighting {fitted.weighting}"
    table.add_row("model", f"{fitted.model}, {number_of(fitted.n_components, 'component')}{weight}{words}")
    if fitted.compared is not None:
        table.add_row("for", fitted.compared)
    table.add_row("rows", f"{fitted.documents:,} × {fitted.features:,} ({fitted.reading}){labels}{held}")
    table.add_row("angles", str(fitted.angles))
    if fitted.topics is not None:
        table.add_row(
            "topics", f"{number_of(fitted.topics, 'subject')} found in the documents: wideangle topics {fitted.path}"
        )
    if fitted.updates is not None:
        table.add_row("training", f"{number_of(fitted.updates, 'update')}, {(fitted.stopped or '').split(':')[0]}")
    table.add_row("time", f"{fitted.seconds:.0f} s in all{said_stages(fitted.stages, fitted.seconds)}")
    table.add_row("file", str(fitted.path))
    console.print(table)


class Stages:
    """Seconds by stage, in the order in which the stages began.

    Examples
    --------
    >>> from wideangle.commands.work.fit.fitted import Stages
    >>> stages = Stages()
    >>> with stages("reading"):
    ...     pass
    >>> list(stages.seconds)
    ['reading']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def said_stages(seconds: dict[str, float], whole: float) -> str:
    """The stages that took a good part of the whole time, in words; empty where the command was quick."""
    told = [f"{name} {took:.0f} s" for name, took in seconds.items() if took >= max(1.0, WORTH_TELLING * whole)]
    return f": {', '.join(told)}" if len(told) > 1 else ""


def said_of_few(model: Any, X: Any) -> str | None:
    """A sentence on how much to trust what was learned from few documents; None where there are enough.

    The words of each document are cut into two halves by a coin. A model of the first halves and a model of the second
    halves know nothing of each other, so that neighbours on which both agree are no chance.
    """
    n = X.shape[0]
    if n >= FEW:
        return None
    if n < 3:
        return (
            f"{'One document has' if n == 1 else 'Two documents have'} no neighbours to choose from. Give more of them."
        )
    first, second = part_words(X[:], np.random.default_rng(0))  # They may be on disk, and are few.
    both = np.flatnonzero((np.diff(first.indptr) > 0) & (np.diff(second.indptr) > 0))
    if len(both) < 3:
        return f"{n} documents with so few words tell hardly anything: take neighbours and topics as chance."
    k = min(NEIGHBOURS, max(1, (len(both) - 1) // 2))
    here, there = (_neighbours(clone(model), half[both], k) for half in (first, second))
    agreed = np.mean([len(set(one) & set(other)) / k for one, other in zip(here, there, strict=True)])
    told = (
        f"{n} documents are few. Two models, each of one half of the words, agree on {agreed:.0%} of the nearest "
        f"documents ({k} of each); chance would be {k / (len(both) - 1):.0%}."
    )
    return f"{told} {HINT}" if n < VERY_FEW else told


def _neighbours(model: Any, rows: Any, k: int) -> NDArray[np.intp]:
    """The nearest other rows of each row, by a model that is fitted to them."""
    with silenced():  # What this model cannot do is no news of the user's model.
        vectors = model.fit(rows).transform(rows)
    found: NDArray[np.intp] = NearestNeighbors(n_neighbors=k).fit(vectors).kneighbors(return_distance=False)
    return found
