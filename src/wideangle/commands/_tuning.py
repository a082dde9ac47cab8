"""What `wideangle tune` does: it chooses λ and K by cross-validation, and draws a curve."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._cross_validation import TuningTable, tuned
from wideangle.commands._estimators import check_scales, unfitted
from wideangle.commands._guard import CommandError, UsageError
from wideangle.commands._inputs import read_training
from wideangle.commands._options import said_of_reading
from wideangle.commands._output import Output, silent
from wideangle.commands._settings import Settings
from wideangle.commands._writing import check_output
from wideangle.reading import ReadingOptions

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Tuned:
    """What cross-validation found, and where the curve is."""

    path: Path
    model: str
    rows: int
    tuning: TuningTable
    curve: Path | None
    next: str
    """the command that fits what was chosen"""


def tune_model(
    path: Path,
    settings: Settings | None = None,
    how: ReadingOptions | None = None,
    *,
    diversity: Sequence[float] | None = None,
    n_components: Sequence[int] | None = None,
    folds: int = 3,
    measure: str = "auto",
    curve: Path | None = None,
    output: Output | None = None,
) -> Tuned:
    """Cross-validate over a grid on the training rows of a path."""
    settings, how, output = settings or Settings(), how or ReadingOptions(), output or silent()
    if curve is not None:
        _check_drawable(curve, (path, Path(how.stop_words)))
    rows, _ = read_training(path, settings.entry, how, output)
    check_scales(rows, settings.entry, output)
    train = rows.training
    largest = settings if n_components is None else replace(settings, n_components=max(n_components))
    table = tuned(
        unfitted(largest, rows),
        rows.X[train],
        None if rows.classes is None else rows.classes[train],
        seed=settings.seed,
        output=output,
        diversity=diversity,
        n_components=n_components,
        folds=folds,
        measure=measure,
        curve=curve,
    )
    command = _fit_command(path, settings, how, table)
    return Tuned(path, settings.model, int(train.sum()), table, curve, command)


def _check_drawable(curve: Path, inputs: Sequence[Path]) -> None:
    """Check before the work, which may take hours, that the curve can be drawn and written."""
    if curve.suffix.lower() != ".png":
        raise UsageError(f"the curve is a PNG, and {curve.name} does not end in .png. Name such a file with -o.")
    check_output(curve, "the curve", inputs)
    if find_spec("matplotlib") is None:
        raise CommandError("drawing the curve needs matplotlib: pip install 'wideangle[plot]', or leave out -o.")


def _fit_command(path: Path, settings: Settings, how: ReadingOptions, table: TuningTable) -> str:
    """The command that fits the best setting, with all options about data and training that tuning had."""
    best = table.best
    said = {
        "--model": None if settings.model == Settings().model else settings.model,
        "-k": best.n_components,
        "--diversity": f"{best.diversity:g}" if settings.entry.grid else None,
        "--for": settings.purpose,
        "--weighting": settings.weighting,
        "--surrogate": settings.surrogate,
        "--metric": settings.metric,
        "--init": settings.init,
        "--updates": settings.updates,
        "--seed": settings.seed or None,
    }
    options = [part for name, value in said.items() if value is not None for part in (name, str(value))]
    return shlex.join(["wideangle", "fit", str(path), *options, *said_of_reading(how)])


def show(result: Tuned, console: "Console") -> None:
    """Print the result for people."""
    result.tuning.show(console)
    console.print(f"Next: {result.next}", markup=False, highlight=False, soft_wrap=True)
    if result.curve is not None:
        console.print(f"Curve: {result.curve}", markup=False, highlight=False, soft_wrap=True)
