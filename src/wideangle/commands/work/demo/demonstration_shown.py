"""How `wideangle demo` shows what it found."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from wideangle.commands.shell.output import cell, new_table
from wideangle.commands.work.demo.demonstration import NEAREST, Demo, Measured
from wideangle.commands.work.shared.angles import CLOSER

if TYPE_CHECKING:
    from rich.console import Console

BAR = 40  # characters of the bar for P@10 = 1
ROWS: tuple[tuple[str, Callable[[Measured], float | None], str], ...] = (
    (f"P@{NEAREST}", lambda m: m.precision, ".3f"),
    ("P@10, larger classes", lambda m: m.head, ".3f"),
    ("P@10, rarer classes", lambda m: m.tail, ".3f"),
    ("NMI of topics and classes", lambda m: m.nmi, ".3f"),
    ("rare classes with own topic", lambda m: m.own, ".0f"),
    (CLOSER, lambda m: m.near_duplicates, ".0f"),
    ("mean angle (°)", lambda m: m.mean_angle, ".1f"),
    ("smallest angle (°)", lambda m: m.smallest_angle, ".1f"),
)


def show(found: Demo, console: "Console") -> None:
    """Print for people the measures, the long tail, topics side by side, and where to look further."""

    def say(text: str = "", style: str = "") -> None:
        console.print(text, style=style, markup=False, highlight=False)

    seeds = len(found.plain)
    say(f"{found.source}:", "bold")
    say(
        f"{found.training:,} documents to train on, {found.test:,} to ask with, {found.classes} classes of very "
        f"different size, {found.words:,} words. Two models (Replicated Softmax) of {found.components} components, "
        f"{found.updates:,} updates each: plain, and with the mutual angular regulariser, λ = {found.diversity:g}. "
        "Topics are groups of documents in what a model learned.\n"
    )
    say("One seed" if seeds == 1 else f"Mean of {seeds} seeds, and from the lowest to the highest", "bold")
    console.print(_measures(found))
    say(
        f"P@{NEAREST}: the share of a document's ten nearest that are of its class. Both models compare documents by "
        "the distance that halves of the training documents teach, for a balance of fine and broad. LSI: the truncated "
        f"SVD of tf-idf, {found.components} components, compared by the cosine, as it was published. Larger and rarer "
        f"classes: the mean over either half of the classes. A class of the {found.rare} rarer ones has an own topic "
        f"where it has at least half of the documents of one of {found.topics} topics. Angles: as the documents see "
        "the components."
    )
    say(f"{_verdict(found)}\n")
    say(f"The long tail: P@{NEAREST} by size of the class (training documents)", "bold")
    for group in found.groups:
        sizes = f"{group.largest}" if group.largest == group.smallest else f"{group.largest} to {group.smallest}"
        say(f"{sizes:>11} {'plain':>12} {_bar(group.plain)} {group.plain:.3f}")
        say(f"{f'{group.classes} classes':>11} {'regularised':>12} {_bar(group.regularised)} {group.regularised:.3f}")
    say("\nThe rarest subjects that the regularised model found (seed 0)", "bold")
    console.print(_rarest(found))
    say("The documentation (docs/models.md) has tables, also of where the regulariser gains nothing.")
    say(f"{found.seconds:.0f} seconds. Look around in a browser, or go on with the model:")
    folder = found.folder
    for line in (
        str(folder.resolve() / "explorer.html"),
        f'wideangle search {folder / "regularised.wideangle"} "random numbers"',
        f"wideangle topics {folder / 'regularised.wideangle'}",
        "wideangle fit YOUR_DOCUMENTS",
    ):
        console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def _measures(found: Demo) -> "object":
    numbers = ("LSI", "plain", "regularised")
    table = new_table("", *numbers, right=numbers)
    for name, value, form in ROWS:
        models = ([found.lsi], found.plain, found.regularised)
        table.add_row(name, *(_spread([value(m) for m in each], form) for each in models))
    return table


def _verdict(found: Demo) -> str:
    """On how many seeds the regulariser is ahead of the plain model, and of LSI."""
    ours, seeds = found.regularised, len(found.plain)
    ahead = sum(mine.precision > plain.precision for plain, mine in zip(found.plain, ours, strict=True))
    rare = sum(mine.tail > plain.tail for plain, mine in zip(found.plain, ours, strict=True))
    lsi = sum(mine.precision > found.lsi.precision for mine in ours)
    return (
        f"With the regulariser P@{NEAREST} is higher than without on {ahead} of {seeds} seeds, and that of the rarer "
        f"classes on {rare}; it is higher than that of LSI on {lsi}."
    )


def _spread(measured: Sequence[float | None], form: str) -> str:
    values = [value for value in measured if value is not None and np.isfinite(value)]
    if len(values) < len(measured):
        return "–"  # A single component has no angle to another.
    mean = format(np.mean(values), form)
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}}–{max(values):{form}})"


def _bar(share: float) -> str:
    return ("█" * round(BAR * share)).ljust(BAR, "·")


def _rarest(found: Demo) -> "object":
    table = new_table("documents", "words", "class", right=("documents",), stretch="words")
    for subject in found.rarest:
        table.add_row(str(subject.size), cell(", ".join(subject.words[:8]), wrap=True), cell(subject.label))
    return table
