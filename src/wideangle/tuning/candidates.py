"""Which settings a search tries, and how many updates, rows and candidates each of its rounds has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from wideangle._own_settings import is_finished, own_diversity
from wideangle.catalogue import Entry
from wideangle.models._parameters import used_value
from wideangle.tuning.grid import diversities

Settings = Mapping[str, Any]
"""values by the names of parameters; λ is "diversity" """

KEPT_ONE_IN = 3  # The better third of the candidates goes on.
MOST_BEFORE_THE_LAST = 6  # So few candidates go to the last round at once; more have a round between.
# How many times `max_updates` the rounds cost, two rounds or three. Measuring and starting the fits takes about as long
# again, so that a search takes about as long as two fits. The last round has the most, because λ gains more at few
# updates than it does in the end.
COSTS = {2: (0.4, 0.8), 3: (0.3, 0.3, 0.65)}
ROWS = {2: (0.5, 1.0), 3: (0.25, 0.5, 1.0)}  # the share of the training rows that the fits of a round see,
FEWEST_ROWS = 2000  # but no fewer than this


@dataclass(frozen=True)
class Space:
    """What is tried: settings that need a fit each, and settings that one fit can be measured with."""

    fits: tuple[dict[str, Any], ...]
    views: tuple[dict[str, Any], ...]
    own: dict[str, Any]
    """the settings that the estimator would use if nothing were chosen"""

    @classmethod
    def of(cls, entry: Entry, estimator: Any, given: Sequence[float] | None, labelled: bool) -> "Space":
        """λ, and where labels judge also parameters that the user has left to the estimator, which are None."""
        known = estimator.get_params(deep=False)
        free = [n for n in known if known[n] is None and labelled]
        trained = {name: values for name, values in entry.tried_with_labels.items() if name in free}
        viewed = {n: values for n, values in entry.tried_on_one_fit.items() if n in free and _matters(estimator, n)}
        own = {name: used_value(estimator, name) for name in (*trained, *viewed)}
        weights = sorted({0.0, own_diversity(estimator), *diversities(estimator, given)})
        fits = _combined(_with_own(trained, own) | {"diversity": tuple(weights)})
        return cls(fits, _combined(_with_own(viewed, own)), {"diversity": own_diversity(estimator), **own})

    def is_own(self, settings: Settings) -> bool:
        """Whether everything but λ is what the estimator would use."""
        return without_diversity(settings) == {name: self.own[name] for name in without_diversity(settings)}


@dataclass(frozen=True)
class Round:
    """How long the fits of a round are, and on which share of the rows."""

    updates: int
    share: float


def number_of_rounds(n_fits: int) -> int:
    """Two, or three where there are many candidates."""
    return 2 if n_fits <= MOST_BEFORE_THE_LAST else 3


def round_of(number: int, rounds: int, n_fits: int, max_updates: int) -> Round:
    """Round `number`, counted from 0, of `rounds`, with so many fits. Every fit has one update at least."""
    updates = int(COSTS[rounds][number] * max_updates / n_fits)
    return Round(max(1, min(updates, max_updates)), ROWS[rounds][number])


def without_diversity(settings: Settings) -> dict[str, Any]:
    """All settings but λ."""
    return {name: value for name, value in settings.items() if name != "diversity"}


def unique(settings: Iterable[Settings]) -> list[Settings]:
    """Settings without repetitions, in their order."""
    found: list[Settings] = []
    for each in settings:
        if each not in found:
            found.append(each)
    return found


def _matters(estimator: Any, name: str) -> bool:
    """Whether a parameter changes anything: the granularity does so only where something is finished."""
    return name != "granularity" or is_finished(estimator)


def _with_own(tried: Mapping[str, tuple[Any, ...]], own: Settings) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(dict.fromkeys((*values, own[name]))) for name, values in tried.items()}


def _combined(values: Mapping[str, tuple[Any, ...]]) -> tuple[dict[str, Any], ...]:
    return tuple(dict(zip(values, each, strict=True)) for each in product(*values.values()))
