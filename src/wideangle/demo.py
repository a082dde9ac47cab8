"""The demonstration: crowded components, spread by Algorithm 1 with each regulariser."""

import math
import warnings
from dataclasses import dataclass

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from wideangle.exceptions import VanishedGradientWarning
from wideangle.functional import log_volume, mutual_angular_bound, mutual_angular_score, pair_angles
from wideangle.functional.regularizers import Surrogate
from wideangle.optim import fit_components

ROWS: dict[Surrogate, str] = {"angle": "after, score Ω", "volume": "after, volume", "bound": "after, bound Γ"}


@dataclass(frozen=True)
class Spread:
    """How widely components spread: angles in degrees, and the three regularisers."""

    mean: float
    smallest: float
    deviation: float
    score: float
    bound: float
    volume: float

    @classmethod
    def of(cls, A: Tensor) -> "Spread":
        """Measure the rows of A."""
        angles = torch.rad2deg(pair_angles(A))
        return cls(
            mean=float(angles.mean()),
            smallest=float(angles.min()),
            deviation=float(angles.std(correction=0)),
            score=float(mutual_angular_score(A)),
            bound=float(mutual_angular_bound(A)),
            volume=float(log_volume(A)),
        )


def crowded_components(components: int, dimensions: int, seed: int) -> Tensor:
    """Components as an ordinary model leaves them: most near one of three popular directions, a few apart."""
    generator = torch.Generator().manual_seed(seed)
    popular = torch.randn(3, dimensions, generator=generator)
    share = torch.tensor([0.5, 0.25, 0.15, 0.1])
    kind = torch.multinomial(share, components, replacement=True, generator=generator)
    noise = torch.randn(components, dimensions, generator=generator)
    return torch.cat([popular, torch.zeros(1, dimensions)])[kind] + 0.7 * noise


def spread_components(A: Tensor, surrogate: Surrogate, diversity: float) -> Tensor:
    """Algorithm 1 on an objective that keeps each component near where it was."""

    def closeness(B: Tensor) -> Tensor:
        return -(B - A).square().sum() / A.square().sum()

    result = fit_components(closeness, A, diversity, surrogate=surrogate, max_iterations=100)
    components: Tensor = result.components
    return components


def run_demo(components: int, dimensions: int, seed: int, console: Console | None = None) -> dict[str, Spread]:
    """Print the table of angles before and after, and return what it shows."""
    if components < 2 or dimensions < components:
        raise ValueError(f"the demo needs 2 ≤ components ≤ dimensions; got {components} and {dimensions}.")
    console = console or Console()
    A = crowded_components(components, dimensions, seed)
    spreads = {"before": Spread.of(A)}
    notes = []
    for surrogate, name in ROWS.items():
        # log det sums over components where the other two are averages.
        diversity = 1.0 if surrogate != "volume" else 1.0 / components
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", VanishedGradientWarning)
            spreads[name] = Spread.of(spread_components(A, surrogate, diversity))
        notes += [str(w.message) for w in caught if w.category is VanishedGradientWarning][:1]
    console.print(_table(spreads, f"{components} components in {dimensions} dimensions, seed {seed}"))
    console.print(
        "Most components started near three popular directions. Larger angles mean less repetition; 90° is the most."
    )
    for note in notes:
        console.print(f"Note: {note}", style="yellow")
    return spreads


def _table(spreads: dict[str, Spread], title: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("mean", "smallest", "std", "Ω", "Γ", "log volume"):
        table.add_column(heading, justify="right")
    for name, spread in spreads.items():
        degrees = (f"{value:.1f}°" for value in (spread.mean, spread.smallest, spread.deviation))
        table.add_row(name, *degrees, f"{spread.score:.3f}", f"{spread.bound:.3f}", f"{spread.volume:.1f}")
    table.add_section()
    table.add_row("orthogonal", "90.0°", "90.0°", "0.0°", f"{math.pi / 2:.3f}", f"{math.pi / 2:.3f}", "0.0")
    return table
