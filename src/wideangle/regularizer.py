"""The mutual angular regulariser for any torch model."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import torch
from torch import Tensor, nn

from wideangle.diversity import DiversityTerm
from wideangle.exceptions import ComponentsError, LayerSelectionError
from wideangle.functional.regularizers import Surrogate

LayerChoice = str | Iterable[str] | Callable[[str, nn.Module], bool] | None

_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
# What torch.compile and the data-parallel wrappers put before a layer's own name.
_WRAPPERS = ("_orig_mod.", "module.")


class MutualAngularRegularizer(nn.Module):
    """Says how widely the components of a tensor or a model spread: **larger is better, so maximise it**.

    Called with a K×D tensor, it returns the tensor's regulariser. Called with a model, it returns the sum over the
    chosen layers, in which each unit is a component: the paper's Σ Ω(A_i). `penalty` returns the same with the sign and
    weight of a term to add to a loss that is minimised.

    In training mode `every` and `rows` can make it cheaper; in evaluation mode (`.eval()`) it is exact. Randomness
    depends only on `seed` and the number of the step, so that every rank of a distributed job takes the same rows
    without communication.

    Parameters
    ----------
    surrogate : {"angle", "bound", "volume"}, default="angle"
        "angle" is the score Ω and works for every K and D; "bound" is the paper's Γ, whose gradient vanishes
        beyond a few dozen components; "volume" is log det of the Gram matrix, the bound's working form. The last
        two need K ≤ D.
    gamma : float, default=1.0
        Weight of the angles' variance in "angle" and "bound".
    layers : str, iterable of str, callable or None, default=None
        Which layers of a model count: name patterns with wildcards ("encoder.*"), or a predicate of a layer's
        name and module. None takes all linear and convolutional layers but the last one in registration order, which
        it takes for the output layer. A row is a unit of a linear layer or an output channel of a convolution. In
        other chosen modules the first dimension of `weight` counts the rows.
    every : int, default=1
        In training mode only each `every`-th call computes the regulariser, and multiplies it by `every`. The other
        calls return 0.
    rows : int or None, default=None
        In training mode, take that many random rows of a matrix that has more. The mean angle among them is an
        unbiased estimate of the mean over all pairs, so K = 100,000 components are affordable. The variance is
        that among the rows taken. With "volume" and "bound" the expectation is that of such subsets' volume,
        which is defined even where K > D.
    seed : int, default=0
        Chooses the rows, together with the number of the step.

    Notes
    -----
    A useful weight λ depends on the scale of the loss. For a loss that is a mean over samples, look between
    1e-3 and 10. NaN raises an error on a CPU. On a GPU it passes through, as in torch's losses, because a check would
    wait for the device.

    References
    ----------
    P. Xie, Y. Deng and E. Xing, Latent Variable Modeling with Diversity-Inducing Mutual Angular Regularization,
    2015.

    Examples
    --------
    >>> import torch
    >>> from wideangle import MutualAngularRegularizer
    >>> model = torch.nn.Sequential(torch.nn.Linear(64, 20), torch.nn.ReLU(), torch.nn.Linear(20, 3))
    >>> regularizer = MutualAngularRegularizer()
    >>> x, y = torch.randn(8, 64), torch.randint(3, (8,))
    >>> loss = torch.nn.functional.cross_entropy(model(x), y) + regularizer.penalty(model, weight=0.1)
    >>> loss.backward()
    """

    def __init__(
        self,
        surrogate: Surrogate = "angle",
        gamma: float = 1.0,
        *,
        layers: LayerChoice = None,
        every: int = 1,
        rows: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if every < 1:
            raise ValueError(f"every counts calls and must be at least 1; got {every}.")
        if rows is not None and rows < 2:
            raise ValueError(f"rows must be at least 2, for there is no pair in fewer; got {rows}.")
        self.term = DiversityTerm(1.0, surrogate, gamma)
        self.layers = layers if layers is None or callable(layers) or isinstance(layers, str) else tuple(layers)
        self.every = every
        self.rows = rows
        self.seed = seed
        self.step = 0

    @property
    def surrogate(self) -> Surrogate:
        """The name of the regulariser."""
        return self.term.surrogate

    @property
    def gamma(self) -> float:
        """The weight of the angles' variance."""
        return self.term.gamma

    def forward(self, target: Tensor | nn.Module) -> Tensor:
        """The regulariser, to be maximised."""
        if self.training and (self.every > 1 or self.rows is not None):
            if torch.compiler.is_compiling():
                # This stays outside the compiled graph, or the changing step would compile it again at each call.
                # A decorator would import torch's compiler at once, which doubles the time to import torch.
                return torch.compiler.disable(self._amortised)(target)
            return self._amortised(target)
        return self._sum(_components(target, self.layers), None)

    def penalty(self, target: Tensor | nn.Module, weight: float = 1.0) -> Tensor:
        """−weight times the regulariser: the term to add to a loss that is minimised."""
        return -weight * self(target)

    def _amortised(self, target: Tensor | nn.Module) -> Tensor:
        step, self.step = self.step, self.step + 1
        components = list(_components(target, self.layers))
        if step % self.every:
            first = components[0][1]
            return first.new_zeros((), dtype=torch.promote_types(first.dtype, torch.float32))
        generator = torch.Generator().manual_seed(_mixed(self.seed, step))
        return self.every * self._sum(components, generator)

    def _sum(self, components: Iterable[tuple[str, Tensor]], generator: torch.Generator | None) -> Tensor:
        values = []
        for name, A in components:
            if generator is not None and self.rows is not None and A.ndim == 2 and A.shape[0] > self.rows:
                A = A[torch.randperm(A.shape[0], generator=generator)[: self.rows].to(A.device)]
            try:
                # A check of the values costs nothing on a CPU, but makes a GPU wait.
                values.append(self.term.value(A, inspect=not A.is_cuda))
            except ComponentsError as error:
                raise type(error)(f"{name}: {error}") if name else error from None
        return torch.stack([value.to(values[0]) for value in values]).sum()

    def get_extra_state(self) -> dict[str, int]:
        """The step, so that a resumed job takes the same rows as one that was not interrupted."""
        return {"step": self.step}

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.step = state["step"]

    def extra_repr(self) -> str:
        return (
            f"surrogate={self.surrogate!r}, gamma={self.gamma}, layers={self.layers!r}, every={self.every}, "
            f"rows={self.rows}, seed={self.seed}"
        )


def selected_layers(model: nn.Module, layers: LayerChoice = None) -> Mapping[str, nn.Module]:
    """The layers of a model that `MutualAngularRegularizer(layers=...)` would regularise, by name."""
    named = {_own_name(name): module for name, module in model.named_modules()}
    if layers is None:
        usual = {name: m for name, m in named.items() if isinstance(m, (nn.Linear, *_CONVOLUTIONS, *_TRANSPOSED))}
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
            raise LayerSelectionError(f"the predicate chose no layer; there are {_listed(weighted)}.")
        return chosen
    chosen = {}
    for pattern in [layers] if isinstance(layers, str) else layers:
        matches = {name: m for name, m in weighted.items() if fnmatchcase(name, pattern)}
        if not matches:
            raise LayerSelectionError(
                f"no layer with a weight matrix is named {pattern!r}; there are {_listed(weighted)}."
            )
        chosen |= matches
    return {name: m for name, m in weighted.items() if name in chosen}


def _components(target: Tensor | nn.Module, layers: LayerChoice) -> Iterator[tuple[str, Tensor]]:
    if isinstance(target, Tensor):
        yield "", target
        return
    seen = set()
    for name, module in selected_layers(target, layers).items():
        weight = module.weight
        assert isinstance(weight, Tensor)  # `_has_rows` has checked this.
        if id(weight) not in seen:  # Tied layers share one matrix, which counts once.
            seen.add(id(weight))
            yield name, _unit_rows(module, weight)


def _unit_rows(module: nn.Module, weight: Tensor) -> Tensor:
    """The weight with one row per unit. An output channel of a convolution is one row."""
    if isinstance(module, _TRANSPOSED):
        # Such a weight is stored as (in, out per group, …).
        weight = weight.unflatten(0, (module.groups, -1)).transpose(1, 2).flatten(0, 1)
    return weight.flatten(1)


def _has_rows(module: nn.Module) -> bool:
    weight: Any = getattr(module, "weight", None)
    return isinstance(weight, Tensor) and weight.ndim >= 2


def _own_name(name: str) -> str:
    while name.startswith(_WRAPPERS):
        name = name.split(".", 1)[1]
    return name


def _listed(layers: dict[str, nn.Module]) -> str:
    return ", ".join(repr(name) for name in layers) or "none"


def _mixed(seed: int, step: int) -> int:
    """One seed from two numbers (a round of splitmix64), so that neighbouring steps have unrelated draws."""
    x = (seed * 0x9E3779B97F4A7C15 + step * 0xBF58476D1CE4E5B9 + 1) % 2**64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % 2**64
    return (x ^ (x >> 31)) % 2**63
