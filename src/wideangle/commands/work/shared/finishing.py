"""How a model compares documents, and how finely: what several commands tell of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wideangle._wording import number_of
from wideangle.commands.shell.output import new_table, number
from wideangle.finishing import granularity_name
from wideangle.tuning import GranularityChoice
from wideangle.view import ModelView

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Finishing:
    """What finishes a model's representation of documents."""

    granularity: float | None
    """from 0, fine, to 1, broad; None where nothing is finished"""
    finish: Literal["halves", "spectrum"] | None
    """what is used: the spectrum takes the place of halves where documents cannot be halved"""
    halved_documents: int | None
    """how many documents were halved to learn the distance; None where nothing was asked of halves"""
    of_pairs: bool = False
    """whether pairs of documents whose words are alike take the place of halves"""

    @classmethod
    def of(cls, view: ModelView) -> "Finishing | None":
        """That of a fitted model; None for a model that cannot have a finish."""
        if not hasattr(view.model, "finish"):
            return None
        if not view.is_finished:
            return cls(None, None, None)
        halved = view.model._known_halves().documents if view.model._wanted_finish() == "halves" else None
        return cls(view.granularity, view.model._used_finish(), halved, view.entry.takes_words)

    def __str__(self) -> str:
        if self.granularity is None:
            return "as the model says it"
        if self.halved_documents and self.of_pairs:
            how = f"distance of {number_of(self.halved_documents, 'pair')} of neighbours by words"
        elif self.halved_documents:
            how = f"distance of the halves of {number_of(self.halved_documents, 'document')}"
        elif self.halved_documents == 0:
            why = "no words make pairs" if self.of_pairs else "too few documents have words for two halves"
            how = f"by the spectrum: {why}"
        else:
            how = f"by the {self.finish}"
        return f"{said_granularity(self.granularity)}: {how}"


@dataclass(frozen=True)
class GranularityRow:
    """One granularity and what it finds."""

    granularity: float
    score: float
    error: float
    rarer: float | None
    """as a mean over the rarer half of the classes; None where it was not measured"""
    gain: float
    """over the model's own"""
    gain_error: float


@dataclass(frozen=True)
class GranularityTable:
    """What each granularity of one fit finds."""

    measure: str
    own: float
    best: float
    """the one to take: the model's own where no other is clearly better"""
    reason: str
    trials: tuple[GranularityRow, ...]

    @classmethod
    def of(cls, choice: GranularityChoice) -> "GranularityTable":
        """The choice for machines and people."""
        rows = (
            GranularityRow(each.granularity, each.score, each.error, each.rarer, each.gain, each.gain_error)
            for each in choice.trials
        )
        return cls(choice.measure, choice.own.granularity, choice.best.granularity, choice.reason, tuple(rows))

    def show(self, console: "Console", title: str, own: str = "the model's own", *, advise: bool = False) -> None:
        """Print the table for people, with the option that takes the best if `advise` is True.

        `own` is what to call the granularity that the others are compared with.
        """
        with_rarer = any(row.rarer is not None for row in self.trials)
        columns = ["granularity", self.measure, *(["rarer classes"] if with_rarer else []), "points", "±"]
        table = new_table(*columns, "", right=tuple(columns[1:]))
        for row in self.trials:
            marks = {self.own: own} | {self.best: "best" if self.best != self.own else own}
            mark = f"← {marks[row.granularity]}" if row.granularity in marks else ""
            rarer = [number(row.rarer)] if with_rarer else []
            gain = () if row.granularity == self.own else (_points(row.gain), number(100 * row.gain_error, 1))
            table.add_row(said_granularity(row.granularity), number(row.score), *rarer, *(gain or ("", "")), mark)
        console.print(title, markup=False, highlight=False)
        console.print(table)
        option = f" Take --for {granularity_name(self.best)}." if advise and self.best != self.own else ""
        console.print(self.reason + option, markup=False, highlight=False)


def said_granularity(granularity: float | None) -> str:
    """A granularity for people: its name and number, or its number alone."""
    if granularity is None:
        return "none"
    name = granularity_name(granularity)
    return name if name == f"{granularity:g}" else f"{name} ({granularity:g})"


def _points(gain: float) -> str:
    return f"{100 * gain:+.1f}".replace("-", "−")
