"""Which model a command fits. Nothing heavy is imported, because the parsers of the commands need this file."""

from dataclasses import dataclass, field
from typing import Literal

from wideangle.catalogue import Entry, commands, entry_of

CHECKPOINT_EVERY = 120.0  # seconds between two checkpoints of `wideangle fit`


@dataclass(frozen=True)
class Settings:
    """The kind of model, its size and its training."""

    model: str = field(default_factory=lambda: commands()[0])
    """its name on the command line"""
    n_components: int | None = None
    """None: 50, but for a distance no more than there are features"""
    diversity: float | Literal["auto"] | None = None
    """None: the model's default; "auto": chosen by a search, with labels together with other settings"""
    surrogate: str | None = None
    granularity: float | str | None = None
    """how finely documents are told apart, or "auto"; None: the model's default, like the next four"""
    finish: str | None = None
    """halves, spectrum or none"""
    weighting: str | None = None
    metric: str | None = None
    init: str | None = None
    updates: int | None = None
    seed: int = 0
    device: str = "auto"

    @property
    def entry(self) -> Entry:
        """The record of the kind of model in the catalogue."""
        return entry_of(self.model)
