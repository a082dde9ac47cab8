"""What `wideangle tune` does: it chooses λ and K by cross-validation, and draws a curve."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wideangle._own_settings import is_finished
from wideangle.catalogue import WITHOUT_LABELS
from wideangle.commands._cross_validation import TuningTable, tuned
from wideangle.commands._estimators import check_scales, sized, unfitted
from wideangle.commands._inputs import read_training
from wideangle.commands._options import said_of_reading
from wideangle.commands._output import Output, silent
from wideangle.commands._settings import Settings
from wideangle.finishing import granularity_name
from wideangle.reading import ReadingOptions
from wideangle.reading.places import DataPath
from wideangle.tuning.granularity import TRIED

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Tuned:
    """What cross-validation found, and where the curve is."""

    path: DataPath
    model: str
    rows: int
    tuning: TuningTable
    curve: Path | None
    next: str
    """the command that fits what was chosen"""


def tune_model(
    path: DataPath,
    settings: Settings | None = None,
    how: ReadingOptions | None = None,
    *,
    diversity: Sequence[float] | None = None,
    n_components: Sequence[int] | None = None,
    folds: int = 3,
    measure: str = "auto",
    curve: Path | None = None,
    journal: Path | None = None,
    output: Output | None = None,
) -> Tuned:
    """Cross-validate over a grid on the training rows of a path.

    The scores of finished fits are kept in the file `journal` until all are there.
    """
    settings, how, output = settings or Settings(), how or ReadingOptions(), output or silent()
    model = unfitted(settings)
    rows, _ = read_training(path, settings.entry, how, output)
    check_scales(rows, settings.entry, output)
    train, y = rows.training, None
    sized(model, settings, rows)
    by_labels = settings.entry.target is not None or measure not in WITHOUT_LABELS
    if by_labels and (train & rows.labelled).any():
        train = train & rows.labelled  # Rows without a label cannot be judged.
    if rows.classes is not None and rows.labelled[train].all():
        y = rows.classes[train]
    if journal is not None:
        if journal.exists():
            output.note(f"this was interrupted, and goes on with the fits that are not in {journal}.")
        output.when_interrupted = (
            f"interrupted. The finished fits are kept in {journal}, and the same command goes on with the others."
        )
    table = tuned(
        model,
        rows.X[train],
        y,
        seed=settings.seed,
        output=output,
        diversity=diversity,
        n_components=n_components,
        folds=folds,
        measure=measure,
        granularities=_left_open(model, settings, measure, y is not None),
        curve=curve,
        journal=journal,
    )
    if journal is not None:
        journal.unlink(missing_ok=True)
    command = _fit_command(path, settings, how, table)
    return Tuned(path, settings.model, int(train.sum()), table, curve, command)


def _left_open(model: Any, settings: Settings, measure: str, labelled: bool) -> Sequence[float] | None:
    """The granularities to compare, where labels judge a baseline that is finished; a model of ours knows its own."""
    judged = labelled and measure not in WITHOUT_LABELS
    return TRIED if judged and settings.granularity is None and is_finished(model) else None


def _fit_command(path: DataPath, settings: Settings, how: ReadingOptions, table: TuningTable) -> str:
    """The command that fits the best setting, with all options about data and training that tuning had."""
    best = table.best
    said = {
        "--model": None if settings.model == Settings().model else settings.model,
        "-k": best.n_components,
        "--diversity": f"{best.diversity:g}" if settings.entry.grid else None,
        "--for": _granularity_of(settings, table),
        "--finish": settings.finish,
        "--weighting": settings.weighting,
        "--surrogate": settings.surrogate,
        "--metric": settings.metric,
        "--init": settings.init,
        "--updates": settings.updates,
        "--seed": settings.seed or None,
    }
    options = [part for name, value in said.items() if value is not None for part in (name, str(value))]
    return shlex.join(["wideangle", "fit", str(path), *options, *said_of_reading(how)])


def _granularity_of(settings: Settings, table: TuningTable) -> float | str | None:
    """The granularity that was asked for, or that is clearly better than the model's own."""
    tried = table.granularities
    return settings.granularity if tried is None or tried.best == tried.own else granularity_name(tried.best)


def show(result: Tuned, console: "Console") -> None:
    """Print the result for people."""
    result.tuning.show(console)
    console.print(f"Next: {result.next}", markup=False, highlight=False, soft_wrap=True)
    if result.curve is not None:
        console.print(f"Curve: {result.curve}", markup=False, highlight=False, soft_wrap=True)
