"""The Gram matrix of unit rows, and gradients of whatever is a function of it.

Angles and volumes depend on the components A only through G = W Wᵀ, W = diag(1/g) A. A regulariser therefore
gives its value and C = ∂/∂G; this room turns C into the gradient in A with one matrix product. Nothing larger
than K×K or K×D is ever held, and W itself is never formed: its scaling is applied to G and to C.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from wideangle.exceptions import ZeroComponentWarning
from wideangle.functional._inputs import may_inspect
from wideangle.functional.sphere import first, largest_entries


class Cosines(NamedTuple):
    """The cosines between rows, and what leads from them back to A = diag(1/inverse_length) W."""

    gram: Tensor  # G, K×K, ones on the diagonal
    rows: Tensor  # A, its rows scaled by powers of two where their squares would leave the float range
    inverse_length: Tensor  # of `rows`; 0 for a zero row
    scale: Tensor | None  # rows = diag(scale) A
    inspected: bool  # whether values may be looked at, which waits for a GPU


ROOM = 2.0**20  # The gradient of nearly dependent rows may be longer than 1/g by this factor.

Evaluate = Callable[[Cosines, bool], tuple[Tensor, Tensor | None]]
ByRows = Callable[[int, Callable[[slice], Tensor]], Tensor]
"""how a matrix of so many rows is made by a function that gives some of its rows; processes may divide them"""


def all_rows(n: int, compute: Callable[[slice], Tensor]) -> Tensor:
    """All rows at once: one process makes the whole matrix."""
    return compute(slice(None))


def cosines(A: Tensor, inspect: bool, by_rows: ByRows = all_rows) -> Cosines:
    """G = diag(1/g) A Aᵀ diag(1/g).

    A zero row has no direction. It counts as orthogonal to every other row and gets gradient 0, as if the component
    were not there: the matrix stays the Gram matrix of unit vectors, so every law still holds.
    """
    rows, scale = A, None
    gram = by_rows(len(A), lambda some: A[some] @ A.mT)
    square = gram.diagonal()
    if inspect and _in_safe_range(square):
        inverse_length = square.rsqrt()
    else:
        if inspect:
            rows, scale = rescaled(A)
            gram = by_rows(len(A), lambda some: rows[some] @ rows.mT)
            square = gram.diagonal()
        inverse_length = torch.where(square > 0, square.rsqrt(), 0.0)
    gram.mul_(inverse_length[:, None]).mul_(inverse_length).fill_diagonal_(1)
    return Cosines(gram, rows, inverse_length, scale, inspect)


def gradient_operator(slope: Tensor, cosine: Cosines) -> Tensor:
    """B with ∂/∂A = B · cosine.rows, from C = ∂/∂G, which it overwrites.

    G_ij and G_ji are one quantity: C_ij is the derivative in it, C is symmetric with zero diagonal, and
    ∂/∂A = diag(1/g) · tangent part of C W. The tangent projection takes off row i of W as often as (C W)_i holds
    it, which is Σ_j C_ij G_ij: put on the diagonal of C, it costs no pass over a K×D matrix.
    """
    radial = torch.linalg.vecdot(slope, cosine.gram)
    slope = overwritable(slope)
    slope.diagonal().sub_(radial)
    left = gradient_lengths(cosine.inverse_length, cosine.scale)
    return slope.mul_(left[:, None]).mul_(cosine.inverse_length)


def gradient_lengths(inverse_length: Tensor, scale: Tensor | None) -> Tensor:
    """1/g of each row, from 1/g of the rows that were scaled, as far as a gradient of this length is finite.

    Below about 3e-33 in float32 and 6e-303 in float64, rows have the gradient of a row of that length.
    """
    if scale is None:
        return inverse_length
    # No factor brings a subnormal row to a length near 1, so that the second factor 1/g of the operator needs room too.
    limit = torch.finfo(scale.dtype).max / ROOM / inverse_length.clamp(min=1.0)
    return torch.minimum(inverse_length * scale, limit)


def overwritable(matrix: Tensor) -> Tensor:
    """The matrix itself, or a copy where autograd, asked for a second derivative, still needs it."""
    return matrix.clone() if torch.is_grad_enabled() else matrix


class GramFunction(torch.autograd.Function):
    """A scalar function of G whose gradient is B · rows: one product forward, one backward.

    `evaluate(cosine, with_slope)` returns the value and C = ∂/∂G as `gradient_operator` takes it; it leaves G as it is.
    """

    @staticmethod
    def forward(A: Tensor, evaluate: Evaluate, inspect: bool, with_slope: bool) -> tuple[Tensor, Tensor, Tensor]:
        # Autocast would put the products into half precision, in which angles mean nothing.
        with torch.autocast(A.device.type, enabled=False):
            cosine = cosines(A, inspect and may_inspect(A))
            value, slope = evaluate(cosine, with_slope)
            nothing = A.new_empty(0)
            operator = nothing if slope is None else gradient_operator(slope, cosine)
            return value, operator, nothing if cosine.scale is None else cosine.rows

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor, Tensor]) -> None:
        _, operator, rescaled = output
        ctx.set_materialize_grads(False)  # or a K×K matrix of zeros is made for the operator's gradient
        ctx.mark_non_differentiable(operator, rescaled)
        ctx.save_for_backward(inputs[0], operator, rescaled)
        ctx.evaluate, ctx.inspect = inputs[1], inputs[2]

    @staticmethod
    def backward(ctx: Any, grad_value: Tensor | None, *_: None) -> tuple[Tensor | None, None, None, None]:
        if grad_value is None:
            return None, None, None, None
        A, operator, rescaled = ctx.saved_tensors
        with torch.autocast(A.device.type, enabled=False):
            if torch.is_grad_enabled():  # a second derivative is wanted: the closed form is differentiated in turn
                cosine = cosines(A, ctx.inspect and may_inspect(A))
                slope = ctx.evaluate(cosine, True)[1]
                return grad_value * (gradient_operator(slope, cosine) @ cosine.rows), None, None, None
            return (grad_value * operator) @ (rescaled if rescaled.numel() else A), None, None, None


def gram_value(A: Tensor, evaluate: Evaluate, inspect: bool = True) -> Tensor:
    """The value of a scalar function of G, differentiable in A.

    `inspect` looks at the values: it raises on NaN and infinities, warns of zero rows and rescales rows whose
    squares leave the float range. On a GPU that waits for the device, so a training loop may turn it off.
    """
    with_slope = torch.is_grad_enabled() and A.requires_grad
    value: Tensor = GramFunction.apply(A, evaluate, inspect, with_slope)[0]  # type: ignore[no-untyped-call]
    return value


def gram_value_and_gradient(
    A: Tensor,
    evaluate: Evaluate,
    inspect: bool = True,
    by_rows: ByRows = all_rows,
    back: Callable[[Tensor], Tensor] = lambda gradient: gradient,
) -> tuple[Tensor, Tensor]:
    """The value and its gradient at once, for callers who need no autograd graph.

    `back` leads from rows of the gradient in A to rows of that in what A was made of.
    """
    with torch.no_grad(), torch.autocast(A.device.type, enabled=False):
        cosine = cosines(A, inspect and may_inspect(A), by_rows)
        value, slope = evaluate(cosine, True)
        assert slope is not None  # asked for
        operator = gradient_operator(slope, cosine)
        return value, by_rows(len(A), lambda some: back(operator[some] @ cosine.rows))


def _in_safe_range(square: Tensor) -> bool:
    info = torch.finfo(square.dtype)
    smallest, largest = square.aminmax()
    # Below tiny/eps² the squares lose digits; NaN fails both comparisons.
    return smallest.item() > info.tiny / info.eps**2 and largest.item() < info.max


def rescaled(A: Tensor) -> tuple[Tensor, Tensor]:
    """Rows times powers of two, so that no square leaves the float range, and these factors. It warns of zero rows."""
    largest = largest_entries(A)
    zero = torch.nonzero(largest == 0).flatten().tolist()
    if zero:
        warnings.warn(
            f"{len(zero)} of {A.shape[0]} components are all zeros (in a metric: have the same response to all "
            f"rows) and have no direction (rows {first(zero)}); "
            "they count as orthogonal to all others and get no gradient. Drop them to measure the rest.",
            ZeroComponentWarning,
            stacklevel=2,
        )
    # A power of two changes no digit.
    scale = torch.where(largest > 0, torch.exp2(-torch.frexp(largest).exponent.to(A.dtype)), 1.0)
    scale = scale.clamp(max=torch.finfo(A.dtype).max)
    return A * scale[:, None], scale
