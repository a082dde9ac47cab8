"""What a user wants of a representation of documents, in plain words, and the settings that serve it.

No measure without labels can know whether broad groups or fine distinctions are wanted: what helps one costs the other
a little. The settings were chosen by cross-validation on four corpora (docs/models.md, "What for").
"""

from dataclasses import dataclass
from typing import Literal

from wideangle.models._boltzmann.representation import Representation
from wideangle.models._boltzmann.weighting import Weighting

Purpose = Literal["balance", "groups", "details"]


@dataclass(frozen=True)
class Choice:
    """The settings that a purpose stands for."""

    diversity: float
    weighting: Weighting
    representation: Representation


CHOICES: dict[Purpose, Choice] = {
    "balance": Choice(0.3, "balanced", "centred probabilities"),
    "groups": Choice(0.1, "balanced", "centred probabilities"),
    "details": Choice(1.0, "tf-idf", "centred logits"),
}
PURPOSES = tuple(CHOICES)
