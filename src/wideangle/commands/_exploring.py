"""What `wideangle explore` does: one page about a model, or about two side by side."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._models import load_model
from wideangle.commands._writing import check_output, check_replaced

if TYPE_CHECKING:
    from rich.console import Console


PAGE = (b"<!doctype html", b"<html")  # An HTML page begins with one of these.


@dataclass(frozen=True)
class Explored:
    """The page that was written."""

    path: Path
    bytes: int


def explore_model(model_path: Path, to: Path, *, compare: Path | None = None, open_it: bool = False) -> Explored:
    """Write the explorer page of a model file, compared with a second one if `compare` is given."""
    check_output(to, "the page", (model_path, compare))
    check_replaced(to, PAGE, "no page")
    model = load_model(model_path).model
    other = None if compare is None else load_model(compare).model
    from wideangle.report import explore

    names = (model_path.stem, "the other" if compare is None else _told_apart(model_path, compare))
    explore(model, other, names=names).save(to)
    if open_it:
        webbrowser.open(to.resolve().as_uri())
    return Explored(to, to.stat().st_size)


def _told_apart(one: Path, other: Path) -> str:
    return other.stem if other.stem != one.stem else str(other)


def show(page: Explored, console: "Console") -> None:
    """Print where the page is."""
    console.print(f"{page.path} ({page.bytes / 1e6:.1f} MB)", markup=False, highlight=False, soft_wrap=True)
