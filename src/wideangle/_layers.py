"""Which layers of a model are regularised, and the components that they hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from torch import Tensor, nn

from wideangle._arguments import is_several, shown
from wideangle.exceptions import LayerSelectionError

LayerChoice = str | Iterable[str] | Callable[[str, nn.Module], bool] | None
Layer = tuple[str, nn.Module | None, Tensor]
"""name, module and components; a plain tensor has neither name nor module"""

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
# What torch.compile and the data-parallel wrappers put before a layer's own name.
_WRAPPERS = ("_orig_mod.", "module.")


def checked_choice(layers: Any) -> Any:
    """None, a predicate, one pattern, or a tuple of patterns."""
    if layers is None or isinstance(layers, str):
        return layers
    if callable(layers) and not isinstance(layers, type):
        return layers
    if not is_several(layers) or not all(isinstance(each, str) for each in layers):
        raise TypeError(
            f"layers must be a name, a list of names, a function of name and layer, or None; got {shown(layers)}."
        )
    return tuple(layers)


def selected_layers(model: nn.Module, layers: LayerChoice = None) -> Mapping[str, nn.Module]:
    """The layers of a model that `MutualAngularRegularizer(layers=...)` would regularise, by name."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch.nn.Module; got {type(model).__name__}.")
    layers = checked_choice(layers)
    named = {own_name(name): module for name, module in model.named_modules()}
    if layers is None:
        usual = {name: m for name, m in named.items() if isinstance(m, (nn.Linear, *CONVOLUTIONS, *TRANSPOSED))}
        if len(usual) < 2:
            raise LayerSelectionError(
                f"{type(model).__name__} has {len(usual)} linear or convolutional layers, and the last is taken for "
                "the output layer, so none is left to regularise. Name the layers: layers='*' takes every one."
            )
        usual.popitem()  # The rows of A_{l−1} are output units, not latent components (Eq. MAR-NN).
        return usual
    weighted = {name: m for name, m in named.items() if _has_rows(m)}
    if callable(layers):
        chosen = {name: m for name, m in weighted.items() if layers(name, m)}
        if not chosen:
            raise LayerSelectionError(f"the predicate chose no layer; there are {listed(weighted)}.")
        return chosen
    chosen = {}
    for pattern in [layers] if isinstance(layers, str) else layers:
        matches = {name: m for name, m in weighted.items() if fnmatchcase(name, pattern)}
        if not matches:
            raise LayerSelectionError(
                f"no layer with a weight matrix is named {pattern!r}; there are {listed(weighted)}."
            )
        chosen |= matches
    return {name: m for name, m in weighted.items() if name in chosen}


def components_of(target: Tensor | nn.Module, layers: LayerChoice) -> Iterator[Layer]:
    """The components of each chosen layer, or the tensor itself."""
    if isinstance(target, Tensor):
        yield "", None, target
        return
    seen = set()
    for name, module in selected_layers(target, layers).items():
        weight = module.weight
        assert isinstance(weight, Tensor)  # `_has_rows` has checked this.
        if id(weight) not in seen:  # Tied layers share one matrix, which counts once.
            seen.add(id(weight))
            yield name, module, unit_rows(module, weight)


def unit_rows(module: nn.Module, weight: Tensor) -> Tensor:
    """The weight with one row per unit. An output channel of a convolution is one row."""
    if isinstance(module, TRANSPOSED):
        # Such a weight is stored as (in, out per group, …).
        weight = weight.unflatten(0, (module.groups, -1)).transpose(1, 2).flatten(0, 1)
    return weight.flatten(1)


def _has_rows(module: nn.Module) -> bool:
    weight: Any = getattr(module, "weight", None)
    return isinstance(weight, Tensor) and weight.ndim >= 2


def own_name(name: str) -> str:
    """A layer's name without what wrappers put before it."""
    while name.startswith(_WRAPPERS):
        name = name.split(".", 1)[1]
    return name


def listed(layers: Mapping[str, nn.Module]) -> str:
    """The names, for an error."""
    return ", ".join(repr(name) for name in layers) or "none"
