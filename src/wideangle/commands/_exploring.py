"""What `wideangle explore` does: one page about a model, or about two side by side."""

import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wideangle._wording import number_of
from wideangle.commands._guard import CommandError
from wideangle.commands._models import load_model, regrouped
from wideangle.commands._output import Output, silent
from wideangle.report.explorer import make_page
from wideangle.report.limits import Limits
from wideangle.report.server import server_of

if TYPE_CHECKING:
    from rich.console import Console

    from wideangle.evaluation.retrieval import Method
    from wideangle.view import ModelView


MAKING = "Making the page"


@dataclass(frozen=True)
class PageOptions:
    """What the page is asked to show."""

    n_topics: int | None = None
    shape: tuple[int, int] | None = None
    layout: Path | None = None
    granularity: float | str | None = None

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
    output = output or silent()
    model, other, names = _models(model_path, compare, asked, output)
    with output.progress(MAKING) as progress:
        made = make_page(
            model, other, names=names, title=_title(model, names, compare), progress=progress, **asked.read()
        )
    made.page.save(to)
    if made.told:
        output.note(made.told)
    if open_it:
        webbrowser.open(to.resolve().as_uri())
    return Explored(to, to.stat().st_size)


@dataclass(frozen=True)
class Serving:
    """Where the page is served."""

    address: str


def serve_model(
    model_path: Path,
    listening: socket.socket,
    output: Output,
    asked: PageOptions | None = None,
    *,
    compare: Path | None = None,
    method: "Method" = "exact",
    connections: int | None = None,
    open_it: bool = False,
) -> None:
    """Serve the page of a model file, and the searches of its readers, until Ctrl-C or the system ends the program.

    Browsers that come to the listening socket while the page is being made wait for it.
    """
    asked = asked or PageOptions()
    model, other, names = _models(model_path, compare, asked, output)
    page = {"title": _title(model, names, compare), **asked.read()}
    limits = Limits() if connections is None else Limits(connections=connections)
    with output.progress(MAKING) as progress:
        server = server_of(
            model, other, names=names, port=listening, method=method, limits=limits, progress=progress, **page
        )
    with server:
        if server.told:
            output.note(server.told)
        if server.most_connections < limits.connections:
            output.note(
                f"{number_of(server.most_connections, 'connection')} may be open at a time instead of "
                f"{limits.connections}, because the system allows this program no more open files (ulimit -n)."
            )
        output.result(Serving(server.address), show_serving)
        sys.stdout.flush()  # The address is wanted now, also by a program that reads it.
        if open_it:
            webbrowser.open(server.address)
        with ended_by_signals(server.stop):
            server.serve_forever()
        output.note("stopped.")


@contextmanager
def ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first Ctrl-C or SIGTERM, which are how a server is meant to end. The next one ends at once."""
    names = (signal.SIGINT, signal.SIGTERM)
    before = {name: signal.getsignal(name) for name in names}

    def put_back() -> None:
        for name, handler in before.items():
            signal.signal(name, handler)

    def ended(*_: Any) -> None:
        put_back()
        stop()

    for name in names:
        signal.signal(name, ended)
    try:
        yield
    finally:
        put_back()


def show_serving(serving: Serving, console: "Console") -> None:
    """Print where the page is, and how to end."""
    said = f"{serving.address} serves the page to this computer alone. Ctrl-C ends it."
    console.print(said, markup=False, highlight=False, soft_wrap=True)


def _models(path: Path, compare: Path | None, asked: PageOptions, output: Output) -> tuple[Any, Any, tuple[str, str]]:
    """The model, the other one if there is one, and what to call them."""
    model = _at(load_model(path, asked.granularity), asked, output)
    if compare is None:
        return model, None, (path.stem, "the other")
    other = load_model(compare)
    if other.is_finished and asked.granularity is not None:
        other = load_model(compare, asked.granularity)
    elif asked.granularity is not None:
        output.note(f"{compare} has no granularity and is shown as it is.")
    return model, _at(other, asked, output), (path.stem, _told_apart(path, compare))


def _at(view: "ModelView", asked: PageOptions, output: Output) -> Any:
    """A model whose topics are of the granularity that is asked for."""
    if asked.granularity is not None:
        regrouped(view, output, asked.n_topics)
    return view.model


def _title(model: Any, names: tuple[str, str], compare: Path | None) -> str | None:
    """What the corpus is called, which is the name of the model file; two models have the page's own title."""
    return f"Topics of {names[0]}" if compare is None and hasattr(model, "topics_") else None


def _told_apart(one: Path, other: Path) -> str:
    return other.stem if other.stem != one.stem else str(other)


def show(page: Explored, console: "Console") -> None:
    """Print where the page is."""
    console.print(f"{page.path} ({page.bytes / 1e6:.1f} MB)", markup=False, highlight=False, soft_wrap=True)
