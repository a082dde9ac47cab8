"""How a layer answers its inputs: metrics in which cosines of its units are correlations of their pre-activations."""

import math
from typing import Any

import scipy.sparse as sp
import torch
from torch import Tensor, nn

from wideangle._draws import drawn
from wideangle._layers import CONVOLUTIONS, TRANSPOSED
from wideangle.exceptions import MetricError
from wideangle.functional._inputs import from_array
from wideangle.functional.metrics import ColumnScales, Covariance, Metric
from wideangle.functional.samples import without_rounding
from wideangle.recent_rows import MetricName, deviations

_TRANSPOSED_BY_DIMENSIONS: dict[int, Any] = {
    1: nn.functional.conv_transpose1d,
    2: nn.functional.conv_transpose2d,
    3: nn.functional.conv_transpose3d,
}

# Positions of one image are much alike, so that a sample of positions comes from so many images at least.
LEAST_IMAGES = 32


def is_convolution(module: nn.Module | None) -> bool:
    return isinstance(module, (*CONVOLUTIONS, *TRANSPOSED))


def separate_inputs(module: nn.Module | None, x: Tensor) -> Tensor:
    """What a layer was given, with one input per entry of the first dimension: a row, or an image of a convolution."""
    if is_convolution(module):
        dimensions = len(module.kernel_size)  # type: ignore[union-attr,arg-type]
        return x[None] if x.ndim == dimensions + 1 else x
    return x.flatten(0, -2) if x.ndim > 2 else x


def inputs_needed(module: nn.Module | None, x: Tensor, sample: int) -> int:
    """How many such inputs give `sample` responses. An image gives as many as the layer's output has positions."""
    if not is_convolution(module):
        return sample
    return min(sample, max(LEAST_IMAGES, math.ceil(sample / max(1, _n_positions(module, x)))))


def layer_metric(
    name: MetricName,
    module: nn.Module | None,
    width: int,
    inputs: Any,
    *,
    chosen: Tensor | None = None,
    sample: int | None = None,
    generator: torch.Generator | None = None,
    inspect: bool = True,
) -> Metric:
    """The metric of a layer's units, or of plain components where `module` is None, as the inputs see them.

    `width` is the number of columns of the components. `chosen` says which of the layer's units these are, None that
    they are all. With `sample`, at most so many responses count, which the generator draws.
    """
    x = inputs if sp.issparse(inputs) else _as_inputs(module, inputs)
    if is_convolution(module):
        if name == "scales":
            raise MetricError(
                "metric='scales' measures a column by the deviation of its input, but a kernel's entry meets many "
                "inputs. Take metric='covariance' for convolutions."
            )
        _check_images(module, x, inspect)
        if sample is not None and generator is not None:
            needed = inputs_needed(module, x, sample)
            x = x if len(x) <= needed else x[drawn(len(x), needed, generator).to(x.device)]
        return ConvolutionResponses(module, x, chosen, sample, generator)
    if isinstance(module, (nn.Embedding, nn.EmbeddingBag)):
        raise MetricError(
            f"{type(module).__name__} looks its rows up and does not answer inputs. Choose other layers, or take "
            "metric='identity'."
        )
    if x.ndim != 2 or x.shape[1] != width:
        raise MetricError(
            f"the inputs must be rows of {width} columns, as the components have; got shape {tuple(x.shape)}. Pass "
            "what the layer itself is given."
        )
    if x.shape[0] < 2:
        raise MetricError(f"angles as the inputs see them need at least 2 inputs that differ; got {x.shape[0]}.")
    if sample is not None and generator is not None and x.shape[0] > sample:
        rows = drawn(x.shape[0], sample, generator)
        x = sp.csr_array(x)[rows.numpy()] if sp.issparse(x) else x[rows.to(x.device)]
    return Covariance(x, inspect=inspect) if name == "covariance" else ColumnScales(deviations(x), inspect=inspect)


class ConvolutionResponses(Metric):
    """A L for the kernels A of a convolution: what each answers at the output positions of some images, centred.

    L is the layer's own operation, without its bias. In a layer with groups a kernel answers only its group's channels,
    so that L differs between groups. `map` is that of the chosen units, in their order.
    """

    def __init__(
        self,
        module: Any,
        images: Tensor,
        chosen: Tensor | None = None,
        sample: int | None = None,
        generator: torch.Generator | None = None,
    ) -> None:
        self.module, self.images, self.chosen = module, images, chosen
        self.n_positions = _n_positions(module, images)
        responses = len(images) * self.n_positions
        if responses < 2:
            raise MetricError(f"angles as the inputs see them need at least 2 positions that differ; got {responses}.")
        self.positions: Tensor | None = None
        if sample is not None and generator is not None and responses > sample:
            self.positions = drawn(responses, sample, generator).to(images.device)
            responses = len(self.positions)
        self.n_columns = math.prod(module.kernel_size) * module.in_channels // module.groups
        self.rank = min(responses - 1, self.n_columns * module.groups)

    def map(self, A: Tensor) -> Tensor:
        responses = self._responses(A)
        size = torch.linalg.vector_norm(responses.detach(), ord=torch.inf, dim=1)
        return without_rounding(responses - responses.mean(1, keepdim=True), size)

    def back(self, B: Tensor) -> Tensor:
        centred = B - B.mean(1, keepdim=True)
        gradient: Tensor = torch.func.vjp(self._responses, B.new_zeros(len(B), self.n_columns))[1](centred)[0]
        return gradient

    def _responses(self, A: Tensor) -> Tensor:
        """The response of each kernel at each position, K×n."""
        units = None if self.chosen is None or self.module.groups == 1 else self.chosen.to(A.device)
        if units is not None:  # The groups need all their units.
            A = A.new_zeros(self.module.out_channels, A.shape[1]).index_copy(0, units, A)
        output = _convolved(self.module, self.images.to(A), self._kernels(A)).flatten(2)
        if self.positions is None:
            responses = output.transpose(0, 1).flatten(1)
        else:
            where = self.positions.to(A.device)
            responses = output[where // self.n_positions, :, where % self.n_positions].mT
        return responses if units is None else responses[units]

    def _kernels(self, A: Tensor) -> Tensor:
        """The rows as the layer stores them, the inverse of `unit_rows`."""
        module = self.module
        kernels = A.unflatten(1, (module.in_channels // module.groups, *module.kernel_size))
        if not isinstance(module, TRANSPOSED):
            return kernels
        return kernels.unflatten(0, (module.groups, -1)).transpose(1, 2).flatten(0, 1)


def _convolved(module: Any, images: Tensor, kernels: Tensor) -> Tensor:
    """The layer's own operation with these kernels and without a bias."""
    output: Tensor
    if not isinstance(module, TRANSPOSED):
        output = module._conv_forward(images, kernels, None)
        return output
    convolve = _TRANSPOSED_BY_DIMENSIONS[len(module.kernel_size)]
    output = convolve(
        images, kernels, None, module.stride, module.padding, module.output_padding, module.groups, module.dilation
    )
    return output


def _n_positions(module: Any, images: Tensor) -> int:
    """The positions of the output for one image. The meta device finds the shape and computes nothing."""
    kernels = torch.empty(module.weight.shape, device="meta")
    return _convolved(module, torch.empty(1, *images.shape[1:], device="meta"), kernels).shape[2:].numel()


def _as_inputs(module: nn.Module | None, inputs: Any) -> Tensor:
    try:
        x = inputs.detach() if isinstance(inputs, Tensor) else from_array(inputs)
    except (TypeError, ValueError) as error:
        raise MetricError(
            f"inputs must be an array of real numbers; got {type(inputs).__name__}, which is none ({error})."
        ) from error
    if x.layout != torch.strided:
        raise MetricError(f"inputs must be a dense tensor or a SciPy matrix; got layout {x.layout}. Call .to_dense().")
    return separate_inputs(module, x)


def _check_images(module: Any, x: Any, inspect: bool) -> None:
    dimensions = len(module.kernel_size)
    if sp.issparse(x) or x.ndim != dimensions + 2 or x.shape[1] != module.in_channels:
        raise MetricError(
            f"the inputs of {type(module).__name__} must have the shape (images, {module.in_channels} channels, "
            f"{dimensions} more); got shape {tuple(x.shape)}. Pass what the layer itself is given."
        )
    if x.is_complex():
        raise MetricError(f"inputs must be real numbers; got {x.dtype}.")
    if inspect and not bool(x.isfinite().all()):
        raise MetricError("the inputs must be finite; got NaN or infinities.")
