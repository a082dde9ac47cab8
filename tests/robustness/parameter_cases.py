"""The parameters that each estimator's constructor takes, one of which an odd value replaces before `fit`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustness.estimator_cases import estimator, fitted, good_data
from small_models import FEW

from wideangle.catalogue import entries, entry_of

# How much work is asked for: huge numbers are not wrong, and take as long and as much memory as they say.
WORK = (frozenset(FEW) - {"random_state", "device"}) | {"cd_steps", "n_similar", "n_dissimilar", "splits", "negative"}


@dataclass(frozen=True)
class Parameters:
    """The constructor of one estimator, with good parameters."""

    estimator: str
    arguments: tuple[tuple[str, Any], ...]
    work: frozenset[str]

    def __str__(self) -> str:
        return f"{self.estimator}()"

    def prepare(self) -> None:
        """Fit it once: code that numba compiles takes most of a minute."""
        fitted(self.estimator)

    def on(self, replaced: Mapping[str, Any], folder: Path) -> Any:
        """Fit it with some parameters replaced, and return it with what it says of the data."""
        X, *y = good_data(self.estimator)
        model = estimator(self.estimator).set_params(**replaced).fit(X, *y)
        return model, [getattr(model, each)(X) for each in ("transform", "predict") if hasattr(model, each)]


def parameters_of(name: str) -> Parameters:
    """All parameters of an estimator, as a small one has them."""
    good = estimator(name).get_params(deep=False)
    size = entry_of(name).size
    return Parameters(name, tuple(good.items()), WORK | ({size} if size else set()))


ALL_PARAMETERS = [parameters_of(entry.name) for entry in entries()]
