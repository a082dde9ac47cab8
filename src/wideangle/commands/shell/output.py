"""Results go to stdout, as tables or one JSON document; notes, progress and errors go to stderr."""

import dataclasses
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from wideangle._cells import visible
from wideangle._progress import ProgressLines
from wideangle.commands.shell.streams import ClosedOutputError

if TYPE_CHECKING:  # Importing rich takes long, and --help does not need it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

Result = TypeVar("Result")


class Output:
    """Prints for a command: `result` once, `note` and `progress` during the work."""

    def __init__(self, command: str, *, as_json: bool = False, quiet: bool = False, began: float | None = None) -> None:
        self.command, self.as_json, self.quiet = command, as_json, quiet
        self.began = time.perf_counter() if began is None else began
        self.when_interrupted = "interrupted; nothing was written."

    def seconds(self) -> float:
        """Seconds since the command began, which includes its imports."""
        return time.perf_counter() - self.began

    def result(self, result: Result, show: "Callable[[Result, Console], None]") -> None:
        """Print the result: for people by `show`, for machines as JSON."""
        if self.as_json:
            sys.stdout.write(json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            show(result, _console())

    def note(self, text: str) -> None:
        """Print a note for people."""
        if not self.quiet:
            _console(stderr=True).print(f"Note: {text}", style="yellow", markup=False, highlight=False, soft_wrap=True)

    def error(self, text: str) -> None:
        """Print in one line why there is no result."""
        _console(stderr=True).print(
            f"wideangle {self.command}: {text}", style="red", markup=False, highlight=False, soft_wrap=True
        )

    @contextmanager
    def progress(self, title: str) -> Iterator[Callable[[int, int, str], None]]:
        """Give a function to call with (done, total, note). It draws a bar in a terminal, and prints lines in a log."""
        console = _console(stderr=True)
        if self.quiet:
            yield lambda done, total, note: None
            return
        if not console.is_terminal:
            yield ProgressLines(title)
            return
        from rich.progress import Progress, TextColumn

        with Progress(*Progress.get_default_columns(), TextColumn("{task.fields[note]}"), console=console) as bar:
            task = bar.add_task(title, total=None, note="")
            yield lambda done, total, note: bar.update(task, completed=done, total=total, note=note)


def silent() -> Output:
    """An output without notes and progress, for calls from Python."""
    return Output("", quiet=True)


def plain(value: Any) -> Any:
    """A result in types that JSON has. NaN and infinities become null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, PurePath):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def new_table(*columns: str, right: tuple[str, ...] = (), stretch: str | None = None) -> "Table":
    """A table that fits any width. The column `stretch` becomes narrower where there is too little room."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        table.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=name != stretch,  # rich narrows columns that may wrap.
            overflow="ellipsis",
        )
    return table


def cell(text: str, *, wrap: bool = False) -> "Text":
    """Foreign text in a table. Text that does not fit is cut, or wrapped if `wrap` is True.

    Markup in it is printed as it is, and no escape sequence reaches the terminal.
    """
    from rich.text import Text

    return Text(visible(text), no_wrap=not wrap, overflow="fold" if wrap else "ellipsis")


def number(value: float | None, digits: int = 3, unit: str = "") -> str:
    """A number for a table; a dash where there is none."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}{unit}"


def _console(stderr: bool = False) -> "Console":
    from rich.console import Console

    class Piped(Console):
        """Raises where a pipe is closed, so that the guard decides. rich itself would end the program."""

        def on_broken_pipe(self) -> NoReturn:
            raise ClosedOutputError

    return Piped(stderr=stderr)
