"""How `wideangle demo` shows what it found."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from wideangle.commands._angles import CLOSER
from wideangle.commands._demonstration import NEAREST, WORDS, Demo, Measured
from wideangle.commands._output import cell, new_table

if TYPE_CHECKING:
    from rich.console import Console

BAR = 40  # characters of the bar for P@10 = 1
ROWS: tuple[tuple[str, Callable[[Measured], float], str], ...] = (
    (f"P@{NEAREST}, all test documents", lambda m: m.precision, ".3f"),
    (f"P@{NEAREST}, larger half of classes", lambda m: m.head, ".3f"),
    (f"P@{NEAREST}, rarer half of classes", lambda m: m.tail, ".3f"),
    ("pairs sharing 5 of 10 words", lambda m: m.repeated, ".0f"),
    (CLOSER, lambda m: m.near_duplicates, ".0f"),
    ("mean angle of two topics (°)", lambda m: m.mean_angle, ".1f"),
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
        f"different size, {found.words:,} words. Two topic models (Replicated Softmax) of {found.components} topics, "
        f"{found.updates:,} updates each: plain, and with the mutual angular regulariser, λ = {found.diversity:g}.\n"
    )
    say("One seed" if seeds == 1 else f"Mean of {seeds} seeds, and from the lowest to the highest", "bold")
    console.print(_measures(found))
    better = sum(ours.precision > plain.precision for plain, ours in zip(found.plain, found.regularised, strict=True))
    say(f"P@{NEAREST} is higher with the regulariser on {better} of {seeds} seeds.\n")
    say(f"The long tail: P@{NEAREST} by size of the class (training documents)", "bold")
    for group in found.groups:
        sizes = f"{group.largest}" if group.largest == group.smallest else f"{group.largest} to {group.smallest}"
        say(f"{sizes:>11} {'plain':>12} {_bar(group.plain)} {group.plain:.3f}")
        say(f"{f'{group.classes} classes':>11} {'regularised':>12} {_bar(group.regularised)} {group.regularised:.3f}")
    say("\nThe plain topics that repeat another most, and their counterparts (seed 0)", "bold")
    console.print(_topics(found))
    say(f"=: how many of its {WORDS} words the topic shares with the one most like it in its own model.\n")
    say(
        f"{found.updates:,} updates are {found.updates / 10_000:.0%} of the default. With all of them both models are "
        "better and the gap is smaller: docs/models.md has honest tables, also of where it gains nothing."
        if found.updates < 10_000
        else "docs/models.md has honest tables, also of where the regulariser gains nothing."
    )
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
    table = new_table("", "plain", "regularised", right=("plain", "regularised"))
    for name, value, form in ROWS:
        table.add_row(name, *(_spread([value(m) for m in models], form) for models in (found.plain, found.regularised)))
    return table


def _spread(values: Sequence[float], form: str) -> str:
    if not np.isfinite(values).all():
        return "–"  # A single topic has no angle to another.
    mean = format(np.mean(values), form)
    return mean if len(values) == 1 else f"{mean} ({min(values):{form}}–{max(values):{form}})"


def _bar(share: float) -> str:
    return ("█" * round(BAR * share)).ljust(BAR, "·")


def _topics(found: Demo) -> "object":
    table = new_table("=", "plain", "=", "regularised", right=("=",), stretch="plain")
    table.columns[3].no_wrap = False
    for pair in found.topics:
        plain, ours = (cell(", ".join(topic), wrap=True) for topic in (pair.plain, pair.regularised))
        table.add_row(str(pair.plain_repeats), plain, str(pair.regularised_repeats), ours)
    return table
