"""`wideangle tune`: λ and K by cross-validation, with a curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wideangle.commands._inputs import How, read_training
from wideangle.commands._models import check_writable
from wideangle.commands._output import Output, silent
from wideangle.commands._tuning import TuningTable, tuned
from wideangle.commands.fit import Settings, check_scales, unfitted

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


def tune_model(
    path: Path,
    settings: Settings | None = None,
    how: How | None = None,
    *,
    diversity: Sequence[float] | None = None,
    n_components: Sequence[int] | None = None,
    folds: int = 3,
    measure: str = "auto",
    curve: Path | None = None,
    output: Output | None = None,
) -> Tuned:
    """Cross-validate over a grid on the training rows of a path."""
    settings, how, output = settings or Settings(), how or How(), output or silent()
    if curve is not None:
        check_writable(curve, "the curve")
    rows, _ = read_training(path, settings.model, how, output)
    check_scales(rows, settings.model, output)
    train = rows.training
    table = tuned(
        unfitted(settings, rows),
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
    return Tuned(path, settings.model, int(train.sum()), table, curve)


def show(result: Tuned, console: "Console") -> None:
    """For people."""
    result.tuning.show(console)
    best = result.tuning.best
    K = "" if best.n_components is None else f" -k {best.n_components}"
    console.print(
        f"Next: wideangle fit {result.path} --model {result.model}{K} --diversity {best.diversity:g}",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if result.curve is not None:
        console.print(f"Curve: {result.curve}", markup=False, highlight=False, soft_wrap=True)
