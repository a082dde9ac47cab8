"""Cross-validation for the commands that choose λ or K: the trials as a typed table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wideangle.catalogue import HELD_OUT_WORDS, entry_of
from wideangle.commands.shell.guard import CommandError, UsageError
from wideangle.commands.shell.output import Output, new_table, number
from wideangle.commands.work.shared.finishing import GranularityTable, said_granularity
from wideangle.exceptions import CheckpointError, UntrustedLikelihoodError

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class TrialRow:
    """The scores of one K and λ over the folds."""

    n_components: int | None
    diversity: float
    mean: float
    error: float
    scores: tuple[float, ...]
    granularity: float | None = None
    """at which it was measured; None: at the model's own"""


@dataclass(frozen=True)
class TuningTable:
    """What cross-validation found."""

    measure: str
    best: TrialRow
    reason: str
    trials: tuple[TrialRow, ...]
    granularities: GranularityTable | None = None
    """what each granularity finds, as a mean over all fits; None where only one was measured"""

    def show(self, console: "Console") -> None:
        """Print the table for people."""
        numbers = ("K", "λ", "mean", "±")
        table = new_table(*numbers, "", right=numbers)
        for trial in self.trials:
            K = "–" if trial.n_components is None else str(trial.n_components)
            mark = "← best" if trial == self.best else ""
            table.add_row(K, f"{trial.diversity:g}", number(trial.mean, 4), number(trial.error, 4), mark)
        finely = self.best.granularity
        at = "" if finely is None else f", for {said_granularity(finely)}"
        console.print(f"Cross-validation by {self.measure}{at}", highlight=False)
        console.print(table)
        console.print(self.reason, markup=False, highlight=False)
        if self.granularities is not None:
            console.print()
            self.granularities.show(console, "Granularities of the same fits, as means over all of them")


def tuned(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    seed: int,
    output: Output,
    diversity: Sequence[float] | None = None,
    n_components: Sequence[int] | None = None,
    folds: int = 3,
    measure: str = "auto",
    granularities: Sequence[float] | None = None,
    curve: Path | None = None,
    journal: Path | None = None,
) -> TuningTable:
    """Cross-validate with a progress bar, and draw the curve into the file `curve` if it is given.

    After an interruption the same call goes on with the fits that have no scores in the `journal` yet.
    """
    from wideangle.tuning import cross_validate

    entry = entry_of(estimator)
    possible = entry.measures_without_labels
    if y is None and measure not in ("auto", *possible):
        suits = ", ".join(("auto", *map(repr, possible)))
        raise UsageError(f"--measure {measure!r} needs labels, and there are none. Take {suits}.")

    with output.progress("cross-validation") as show:

        def told(done: int, total: int, trial: Any) -> None:
            note = "" if trial is None else f"λ {trial.diversity:g}: {trial.mean:.3f}"
            show(done, total, note)

        try:
            tuning = cross_validate(
                estimator,
                X,
                y,
                diversity=diversity,
                n_components=n_components,
                folds=folds,
                seed=seed,
                measure=measure,
                granularities=granularities,
                progress=told,
                journal=journal,
            )
        except CheckpointError as error:
            raise CommandError(
                f"{journal} is of another tune, which was interrupted: {error.different}. Run the command of that one "
                "to go on with it, or begin anew with --fresh."
            ) from error
        except UntrustedLikelihoodError as error:
            raise CommandError(without_likelihood(measure, HELD_OUT_WORDS in entry.all_measures)) from error
    if curve is not None:
        tuning.draw(curve)
    rows = {id(trial): _row(trial) for trial in tuning.trials}
    best = rows.get(id(tuning.best)) or _row(tuning.best)
    several = None if tuning.granularities is None else GranularityTable.of(tuning.granularities)
    return TuningTable(tuning.measure, best, tuning.reason, tuple(rows.values()), several)


def without_likelihood(measure: str, of_documents: bool) -> str:
    """What to do where log Z cannot be estimated."""
    what = f"the {measure}" if measure != "auto" else "the likelihood, by which models are judged without labels,"
    first = "Leave out --measure" if of_documents else "Name labels with --label-column"
    return (
        f"{what} cannot be estimated for a model of this size. {first}, take fewer components, "
        "or choose λ yourself, for example by wideangle fit --diversity 0.1."
    )


def _row(trial: Any) -> TrialRow:
    scores = tuple(trial.scores)
    return TrialRow(trial.n_components, trial.diversity, trial.mean, trial.error, scores, trial.granularity)
