"""One callable with one argument after another replaced by odd values, and what came of each call."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hypothesis import HealthCheck, Phase, given, seed, settings
from robustness.comparing import equal
from robustness.judging import LIMIT, Verdict, judged
from robustness.odd_values import CALLED, HUGE, THINGS, Odd, odd_values

ALL_THINGS_FROM = 10  # values of each argument


class Case(Protocol):
    """A callable with good arguments."""

    arguments: tuple[tuple[str, Any], ...]
    work: frozenset[str]

    def prepare(self) -> None:
        """Make ready what calls share, which takes time of its own."""

    def on(self, replaced: Mapping[str, Any], folder: Path) -> Any:
        """Call it with good arguments but for those that are replaced."""


@dataclass(frozen=True)
class Trial:
    """One argument of a callable and the value that takes its place."""

    case: Case
    argument: str
    odd: Odd

    def __str__(self) -> str:
        return f"{self.case}: {self.argument} = {self.odd.name}"

    def judged(self, folder: Path, seconds: float = LIMIT) -> Verdict:
        """Call it, and judge what it did. It may not change the value."""
        self.case.prepare()
        value = self.odd.make()
        with tempfile.TemporaryDirectory(dir=folder) as own:  # What another call has written is not in the way.
            verdict = judged(lambda: self.case.on({self.argument: value}, Path(own)), seconds, str(self.case))
        if verdict.kind != "fault" and not equal(value, self.odd.make()):
            return Verdict("fault", "changes what it was given")
        return verdict


def trials(case: Case, examples: int) -> Iterator[Trial]:
    """So many odd values for each argument, the same ones in each run; and each thing, where that is not many more."""
    for argument, good in case.arguments:
        without = HUGE if argument in case.work else frozenset()
        if argument in getattr(case, "users", ()):
            without |= CALLED
        drawn = _drawn(odd_values(good, without), examples)
        if examples >= ALL_THINGS_FROM:
            drawn |= {name: Odd(name, make) for name, make in THINGS.items() if name not in without}
        for odd in drawn.values():
            yield Trial(case, argument, odd)


def _drawn(values: Any, examples: int) -> dict[str, Odd]:
    """Hypothesis draws all values before the first call, so that a call that ends the process has a number."""
    drawn: dict[str, Odd] = {}

    @seed(0)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(odd=values)
    def draw(odd: Odd) -> None:
        drawn.setdefault(odd.name, odd)

    draw()
    return drawn
