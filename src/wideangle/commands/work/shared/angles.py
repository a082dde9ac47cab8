"""The angles between components, as several commands show them."""

from dataclasses import dataclass

from wideangle._wording import number_of
from wideangle.commands.shell.output import number
from wideangle.evaluation import angle_summary
from wideangle.evaluation.diversity import NEAR
from wideangle.view import Directions, Seen


@dataclass(frozen=True)
class Angles:
    """The angles of all pairs of components, in degrees."""

    mean: float
    smallest: float
    std: float
    near_duplicates: int
    """pairs closer than the angle of near-duplicates"""
    kind: Seen
    """whether angles are as the documents see them, or of the weights"""

    @classmethod
    def of(cls, directions: Directions) -> "Angles":
        """Measure the angles of a model's components."""
        summary = angle_summary(directions.rows)
        return cls(summary.mean, summary.smallest, summary.std, summary.redundant, directions.kind)

    def __str__(self) -> str:
        return f"mean {number(self.mean, 1, '°')}, smallest {number(self.smallest, 1, '°')}; {self.near}, {self.kind}"

    @property
    def near(self) -> str:
        """How many pairs are near-duplicates, for people."""
        return f"{number_of(self.near_duplicates, 'pair')} {CLOSER.removeprefix('pairs ')}"


CLOSER = f"pairs closer than {NEAR:.0f}°"
