"""The mutual angular regulariser for any torch model."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from wideangle._arguments import optional, whole
from wideangle._draws import mixed_seed
from wideangle._kept_inputs import Watch, kept_inputs, watched
from wideangle._layers import Layer, LayerChoice, checked_choice, components_of, listed, own_name, selected_layers
from wideangle._responses import layer_metric
from wideangle.diversity import DiversityTerm
from wideangle.exceptions import ComponentsError, LayerSelectionError, MetricError
from wideangle.functional.metrics import Metric
from wideangle.functional.regularizers import Surrogate
from wideangle.recent_rows import ENOUGH, MetricName

__all__ = ["LayerChoice", "MutualAngularRegularizer", "selected_layers"]


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
    surrogate : str, default="angle"
        "angle" is the score Ω and works for every K and D; "bound" is the paper's Γ, whose gradient vanishes
        beyond a few dozen components; "volume" is log det of the Gram matrix, the bound's working form. The last
        two need K ≤ D. `wideangle.functional.REGULARIZERS` has ten more; docs/which_regularizer.md compares them.
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
        Chooses the rows and the responses, together with the number of the step.
    metric : {"identity", "covariance", "scales"}, default="identity"
        Where angles are measured. "identity" is the paper's: the angles of the weights. "covariance" takes them as the
        inputs see them: the cosine of two units is the correlation of their pre-activations, in which each output
        position of a convolution counts. "scales" multiplies each column of a linear layer by the deviation of its
        input. Both need inputs, which `watch` keeps, or which are passed as `inputs`.
    sample : int, default=1000
        In training mode at most so many inputs (rows, or positions of a convolution) count per layer, drawn at random.
        In evaluation mode all that were kept or passed count. `watch` keeps at most so many rows of a linear layer, and
        for a convolution as many images as give so many positions, but at least 32.

    Notes
    -----
    A useful weight λ depends on the scale of the loss. For a loss that is a mean over samples, look between
    1e-3 and 10. NaN raises an error on a CPU. On a GPU it passes through, as in torch's losses, because a check would
    wait for the device.

    With "covariance" a convolution is computed once more per call, for at least 32 images if so many are kept. Each
    rank of a distributed job measures angles by its own inputs, so that the term belongs into the loss, whose gradients
    are averaged. `torch.compile` leaves the term, and the hooks of `watch`, outside its graph. Call `watch` before the
    compiled model runs for the first time.

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

    Angles as the inputs of the layers see them:

    >>> regularizer = MutualAngularRegularizer(metric="covariance")
    >>> with regularizer.watch(model):
    ...     loss = torch.nn.functional.cross_entropy(model(x), y) + regularizer.penalty(model, weight=0.1)
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
        metric: MetricName = "identity",
        sample: int = ENOUGH,
    ) -> None:
        super().__init__()
        every = whole(least=1)(every, "every")
        rows = optional(whole(least=2))(rows, "rows")  # There is no pair in fewer.
        seed = whole(least=0)(seed, "seed")
        sample = whole(least=2)(sample, "sample")  # Fewer inputs cannot differ.
        self.term = DiversityTerm(1.0, surrogate, gamma, metric)
        self.layers = checked_choice(layers)
        self.every = every
        self.rows = rows
        self.seed = seed
        self.sample = sample
        self.step = 0

    @property
    def surrogate(self) -> Surrogate:
        """The name of the regulariser."""
        return self.term.surrogate

    @property
    def gamma(self) -> float:
        """The weight of the angles' variance."""
        return self.term.gamma

    @property
    def metric(self) -> MetricName:
        """Where angles are measured."""
        return self.term.metric

    def watch(self, model: nn.Module) -> Watch:
        """Keep a sample of the inputs that the chosen layers are given from now on, in training mode.

        Returns
        -------
        Watch
            `remove()` takes the hooks off the model, as does the end of a `with`. Copies and pickles of the model carry
            the hooks but no inputs. With metric="identity", which needs no inputs, there are no hooks.
        """
        layers = selected_layers(model, self.layers).values()
        return watched(layers if self.metric != "identity" else (), self.sample, self.seed)

    def forward(self, target: Tensor | nn.Module, inputs: Any = None) -> Tensor:
        """The regulariser, to be maximised.

        `inputs` are what the components see: for a K×D tensor n×D rows (a tensor, an array or a SciPy matrix), for a
        model a dictionary from names of layers to what these layers are given. They come before those that `watch` has
        kept. With metric="identity" they do not matter.
        """
        draws = self.training and (self.every > 1 or self.rows is not None)
        if draws or self.metric != "identity":
            if torch.compiler.is_compiling():
                # This stays outside the compiled graph, or the changing step would compile it again at each call.
                # A decorator would import torch's compiler at once, which doubles the time to import torch.
                return torch.compiler.disable(self._outside_graphs)(target, inputs)
            return self._outside_graphs(target, inputs)
        return self._sum(components_of(target, self.layers), None, None)

    def penalty(self, target: Tensor | nn.Module, weight: float = 1.0, inputs: Any = None) -> Tensor:
        """−weight times the regulariser: the term to add to a loss that is minimised."""
        return -weight * self(target, inputs)

    def _outside_graphs(self, target: Tensor | nn.Module, inputs: Any) -> Tensor:
        layers = list(components_of(target, self.layers))
        if self.metric != "identity":
            inputs = _inputs_by_name(target, inputs, self.layers)
        if not self.training:
            return self._sum(layers, None, inputs)
        step, self.step = self.step, self.step + 1
        if step % self.every:
            first = layers[0][2]
            return first.new_zeros((), dtype=torch.promote_types(first.dtype, torch.float32))
        return self.every * self._sum(layers, mixed_seed(self.seed, step), inputs)

    def _sum(self, layers: Iterable[Layer], seed: int | None, inputs: Mapping[str, Any] | None) -> Tensor:
        """Without a seed nothing is drawn."""
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        # The inputs have their own, because ranks may have different numbers of them but must take the same rows.
        of_inputs = None if seed is None else torch.Generator().manual_seed(mixed_seed(seed, 1))
        values = []
        for name, module, A in layers:
            chosen = None
            if generator is not None and self.rows is not None and A.ndim == 2 and A.shape[0] > self.rows:
                chosen = torch.randperm(A.shape[0], generator=generator)[: self.rows].to(A.device)
                A = A[chosen]
            try:
                metric = self._metric(name, module, A, chosen, inputs, of_inputs)
                # A check of the values costs nothing on a CPU, but makes a GPU wait.
                values.append(self.term.value(A, inspect=not A.is_cuda, metric=metric))
            except (ComponentsError, MetricError) as error:
                raise type(error)(f"{name}: {error}") if name else error from None
        return torch.stack([value.to(values[0]) for value in values]).sum()

    def _metric(
        self,
        name: str,
        module: nn.Module | None,
        A: Tensor,
        chosen: Tensor | None,
        inputs: Mapping[str, Any] | None,
        generator: torch.Generator | None,
    ) -> Metric | None:
        if inputs is None or A.ndim != 2:  # Other shapes are refused with the components.
            return None
        seen = inputs.get(name)
        if seen is None and module is not None:
            seen = kept_inputs(module)
        if seen is None:
            raise MetricError(
                f"no inputs of this layer have been seen, of which metric={self.metric!r} could be made. Call "
                f"regularizer.watch(model) and run the model in training mode, or pass inputs={{{name!r}: ...}}."
            )
        sample = None if generator is None else self.sample
        return layer_metric(
            self.metric,
            module,
            A.shape[1],
            seen,
            chosen=chosen,
            sample=sample,
            generator=generator,
            inspect=not A.is_cuda,
        )

    def get_extra_state(self) -> dict[str, int]:
        """The step, so that a resumed job takes the same rows as one that was not interrupted."""
        return {"step": self.step}

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.step = state["step"]

    def extra_repr(self) -> str:
        return (
            f"surrogate={self.surrogate!r}, gamma={self.gamma}, layers={self.layers!r}, every={self.every}, "
            f"rows={self.rows}, seed={self.seed}, metric={self.metric!r}, sample={self.sample}"
        )


def _inputs_by_name(target: Tensor | nn.Module, inputs: Any, layers: LayerChoice) -> Mapping[str, Any]:
    if isinstance(target, Tensor):
        if inputs is None or isinstance(inputs, Mapping):
            raise MetricError(
                f"a tensor's metric is made of the rows that its components see; got {type(inputs).__name__}. Pass "
                "inputs=rows, with the columns of the components."
            )
        return {"": inputs}
    if inputs is None:
        return {}
    if not isinstance(inputs, Mapping):
        raise MetricError(
            f"the inputs of a model are a dictionary from names of layers; got {type(inputs).__name__}. Pass "
            "inputs={'name': rows}, or call watch(model)."
        )
    chosen = dict(selected_layers(target, layers))
    by_name = {own_name(name): given for name, given in inputs.items()}
    for name in by_name:
        if name not in chosen:
            raise LayerSelectionError(f"inputs has the name {name!r}, but the chosen layers are {listed(chosen)}.")
    return by_name
