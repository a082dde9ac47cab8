"""What `fit --diversity auto` does before the fit: a search for settings, as a typed table."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wideangle._wording import number_of
from wideangle.catalogue import HELD_OUT_WORDS, entry_of
from wideangle.commands.shell.guard import CommandError
from wideangle.commands.shell.output import Output, new_table, number
from wideangle.commands.work.tune.cross_validation import without_likelihood
from wideangle.exceptions import UntrustedLikelihoodError
from wideangle.finishing import granularity_name

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class SearchRow:
    """Settings that were tried, and their scores in the longest fits that they had."""

    diversity: float
    settings: dict[str, Any]
    """all parameters that were chosen, λ too"""
    updates: int
    mean: float
    error: float
    scores: tuple[float, ...]


@dataclass(frozen=True)
class SearchTable:
    """What the search found."""

    measure: str
    best: SearchRow
    reason: str
    trials: tuple[SearchRow, ...]
    updates: int
    """of all fits of the search together"""

    def show(self, console: "Console") -> None:
        """Print the table for people."""
        others = [name for name in self.best.settings if name != "diversity"]
        numbers = ("λ", "updates", "mean", "±")
        table = new_table("λ", *others, "updates", "mean", "±", "", right=numbers)
        for trial in self.trials:
            mark = "← best" if trial == self.best else ""
            values = (_shown(name, trial.settings[name]) for name in others)
            scores = number(trial.mean, 4), number(trial.error, 4)
            table.add_row(f"{trial.diversity:g}", *values, f"{trial.updates:,}", *scores, mark)
        console.print(f"Search by {self.measure}, {number_of(self.updates, 'update')} in all", highlight=False)
        console.print(table)
        console.print(self.reason, markup=False, highlight=False)


def _shown(name: str, value: Any) -> str:
    return granularity_name(value) if name == "granularity" else str(value)


def searched(estimator: Any, X: Any, y: Any, *, seed: int, output: Output) -> SearchTable:
    """Search with a progress bar."""
    from wideangle.tuning import choose_settings

    with output.progress("choosing settings") as show:

        def told(done: int, total: int, trial: Any) -> None:
            show(done, total, "" if trial is None else f"λ {trial.diversity:g}: {trial.mean:.3f}")

        try:
            found = choose_settings(estimator, X, y, seed=seed, progress=told)
        except UntrustedLikelihoodError as error:
            of_documents = HELD_OUT_WORDS in entry_of(estimator).all_measures
            raise CommandError(without_likelihood("auto", of_documents)) from error
    rows = {id(trial): _row(trial) for trial in found.trials}
    best = rows.get(id(found.best)) or _row(found.best)
    return SearchTable(found.measure, best, found.reason, tuple(rows.values()), found.updates)


def _row(trial: Any) -> SearchRow:
    settings = {"diversity": trial.diversity, **trial.settings}
    return SearchRow(trial.diversity, settings, trial.updates, trial.mean, trial.error, tuple(trial.scores))
