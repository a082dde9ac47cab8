"""What a command asks of a model. Imports nothing heavy: the parsers of the commands need it."""

from dataclasses import dataclass, field
from typing import Literal

from wideangle.catalogue import Entry, commands, entry_of


@dataclass(frozen=True)
class Settings:
    """The kind of model, its size and its training."""

    model: str = field(default_factory=lambda: commands()[0])
    """as the command line calls it"""
    n_components: int | None = None
    """None: 50, of a distance no more than there are features"""
    diversity: float | Literal["auto"] | None = None
    """None: the model's default"""
    surrogate: str | None = None
    updates: int | None = None
    seed: int = 0
    device: str = "auto"

    @property
    def entry(self) -> Entry:
        """What the catalogue says of the kind of model."""
        return entry_of(self.model)
