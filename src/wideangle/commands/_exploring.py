"""What `wideangle explore` does: one page about a model, or about two side by side."""

import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle._optional import optional_import
from wideangle.commands._guard import CommandError
from wideangle.commands._models import load_model
from wideangle.commands._output import Output, silent
from wideangle.commands._writing import check_output, check_replaced

if TYPE_CHECKING:
    from rich.console import Console

    from wideangle.evaluation.retrieval import Method


PAGE = (b"<!doctype html", b"<html")  # An HTML page begins with one of these.


@dataclass(frozen=True)
class PageOptions:
    """What the page is asked to show."""

    n_topics: int | None = None
    shape: tuple[int, int] | None = None
    layout: Path | None = None

    def read(self) -> dict[str, Any]:
        """The options of `wideangle.report.explore`."""
        return {"n_topics": self.n_topics, "shape": self.shape, "layout": self._points()}

    def _points(self) -> Any:
        if self.layout is None:
            return None
        try:
            return np.load(self.layout, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise CommandError(f"{self.layout} is no array of numpy.save. Save points of documents × 2.") from error


@dataclass(frozen=True)
class Explored:
    """The page that was written."""

    path: Path
    bytes: int


def explore_model(
    model_path: Path,
    to: Path,
    asked: PageOptions | None = None,
    *,
    compare: Path | None = None,
    open_it: bool = False,
    output: Output | None = None,
) -> Explored:
    """Write the explorer page of a model file, compared with a second one if `compare` is given."""
    asked = asked or PageOptions()
    check_output(to, "the page", (model_path, compare, asked.layout))
    check_replaced(to, PAGE, "no page")
    from wideangle.report.explorer import made_of

    model, other, names = _models(model_path, compare)
    made = made_of(model, other, names=names, title=_title(model, names, compare), **asked.read())
    made.page.save(to)
    if made.told:
        (output or silent()).note(made.told)
    if open_it:
        webbrowser.open(to.resolve().as_uri())
    return Explored(to, to.stat().st_size)


@dataclass(frozen=True)
class Serving:
    """Where the page is served."""

    address: str


def serve_model(
    model_path: Path,
    output: Output,
    asked: PageOptions | None = None,
    *,
    compare: Path | None = None,
    port: int = 0,
    method: "Method" = "exact",
    open_it: bool = False,
) -> None:
    """Serve the page of a model file, and the searches of its readers, until somebody presses Ctrl-C."""
    if method != "exact":
        optional_import("faiss", extra="faiss", purpose="this search")  # Say so before the page is made.
    from wideangle.report.server import server_of

    model, other, names = _models(model_path, compare)
    try:
        page = {"title": _title(model, names, compare), **(asked or PageOptions()).read()}
        server = server_of(model, other, names=names, port=port, method=method, **page)
    except OSError as error:
        raise CommandError(
            f"port {port} cannot be used ({error.strerror}). Name another, or leave out --port."
        ) from error
    with server:
        if server.told:
            output.note(server.told)
        output.result(Serving(server.address), show_serving)
        sys.stdout.flush()  # The address is wanted now, also by a program that reads it.
        if open_it:
            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:  # This is how it is meant to end.
            output.note("stopped.")


def show_serving(serving: Serving, console: "Console") -> None:
    """Print where the page is, and how to end."""
    said = f"{serving.address} serves the page to this computer alone. Ctrl-C ends it."
    console.print(said, markup=False, highlight=False, soft_wrap=True)


def _models(path: Path, compare: Path | None) -> tuple[Any, Any, tuple[str, str]]:
    """The model, the other one if there is one, and what to call them."""
    model = load_model(path).model
    other = None if compare is None else load_model(compare).model
    return model, other, (path.stem, "the other" if compare is None else _told_apart(path, compare))


def _title(model: Any, names: tuple[str, str], compare: Path | None) -> str | None:
    """What the corpus is called, which is the name of the model file; two models have the page's own title."""
    return f"Topics of {names[0]}" if compare is None and hasattr(model, "topics_") else None


def _told_apart(one: Path, other: Path) -> str:
    return other.stem if other.stem != one.stem else str(other)


def show(page: Explored, console: "Console") -> None:
    """Print where the page is."""
    console.print(f"{page.path} ({page.bytes / 1e6:.1f} MB)", markup=False, highlight=False, soft_wrap=True)
