"""What a command asks of a model. Imports nothing heavy: the parsers of the commands need it."""

from dataclasses import dataclass
from typing import Literal, get_args

ModelName = Literal["replicated-softmax", "bernoulli-rbm", "distance", "mlp"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)


@dataclass(frozen=True)
class Settings:
    """The kind of model, its size and its training."""

    model: ModelName = "replicated-softmax"
    n_components: int | None = None
    """None: 50, of a distance no more than there are features"""
    diversity: float | Literal["auto"] | None = None
    """None: the model's default"""
    surrogate: str | None = None
    updates: int | None = None
    seed: int = 0
    device: str = "auto"
