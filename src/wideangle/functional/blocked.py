"""Ω of very many components, in blocks of the Gram matrix: the same numbers, without ever holding K×K of them.

Blocks on and above the diagonal are made twice: for the mean angle, and for the variance and the gradient, which
depend on it. As many multiplications are done as with the whole matrix.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from wideangle.functional._inputs import may_inspect
from wideangle.functional.gram import gradient_lengths, rescaled
from wideangle.functional.slopes import close_from, inverse_sine, inverse_sine_of_close, measured_angles, sign_of

WHOLE_UP_TO = 20_000  # The Gram matrix of more components is made in blocks: three of this size are 4.8 GB of float32.
BLOCK = 4096  # rows and columns of a block


def is_blocked(A: Tensor) -> bool:
    """Whether the score of these components is found in blocks. A compiled graph would hold each of them."""
    return len(A) > WHOLE_UP_TO and not torch.compiler.is_compiling()


def blocked_score(A: Tensor, gamma: float, inspect: bool = True) -> Tensor:
    """Ω(A), differentiable once in A. `inspect` as in `gram_value`."""
    with_gradient = torch.is_grad_enabled() and A.requires_grad
    value: Tensor = _BlockedScore.apply(A, gamma, inspect, with_gradient)[0]  # type: ignore[no-untyped-call]
    return value


@torch.no_grad()
def blocked_value_and_gradient(
    A: Tensor, gamma: float, inspect: bool = True, with_gradient: bool = True
) -> tuple[Tensor, Tensor | None]:
    """Ω(A) and its gradient in A."""
    with torch.autocast(A.device.type, enabled=False):
        look = inspect and may_inspect(A)
        rows, scale = rescaled(A) if look else (A, None)
        length = torch.linalg.vector_norm(rows, dim=1)
        inverse = torch.where(length > 0, length.reciprocal(), 0.0)  # A zero row is orthogonal to all others.
        W = rows * inverse[:, None]
        pairs = len(A) * (len(A) - 1) // 2
        total = sum(block.times * block.angle.sum(dtype=torch.float64) for block in _blocks(W, look)) / (2 * pairs)
        mean = torch.as_tensor(total).to(A.device)
        variance = torch.zeros((), dtype=torch.float64, device=A.device)
        gradient, radial = (torch.zeros_like(W), torch.zeros_like(inverse)) if with_gradient else (None, None)
        for block in _blocks(W, look):
            deviation = block.without_diagonal(block.angle.sub_(mean.to(W)))
            variance += block.times * torch.linalg.vector_norm(deviation).double().square()
            if gradient is None or radial is None:
                continue
            # As in `score_of_gram`: −∂Ω/∂θ, times the slope of arcsin |G| in G
            slope = deviation.mul_(2 * gamma / pairs).sub_(1 / pairs)
            slope = block.without_diagonal(slope.mul_(block.inverse_sine()).mul_(sign_of(block.gram)))
            gradient[block.rows].addmm_(slope, W[block.columns])
            along = block.gram.mul_(slope)
            radial[block.rows] += along.sum(1)
            if not block.is_diagonal:
                gradient[block.columns].addmm_(slope.mT, W[block.rows])
                radial[block.columns] += along.sum(0)
        value = (mean - gamma * variance / (2 * pairs)).to(A.dtype)
        if gradient is None or radial is None:
            return value, None
        left = gradient_lengths(inverse, scale)
        return value, gradient.addcmul_(radial[:, None], W, value=-1).mul_(left[:, None])


class _Block(NamedTuple):
    """Cosines and angles of some rows with others. On the diagonal of the Gram matrix the diagonal is 0."""

    rows: slice
    columns: slice
    gram: Tensor
    angle: Tensor
    close: tuple[Tensor, Tensor, Tensor] | None
    """rows, columns and angles of pairs that are measured from the rows, if there are any"""

    @property
    def is_diagonal(self) -> bool:
        return self.rows == self.columns

    @property
    def times(self) -> int:
        """How often the block is in the Gram matrix."""
        return 1 if self.is_diagonal else 2

    def without_diagonal(self, matrix: Tensor) -> Tensor:
        """The same with zeros for pairs of a row with itself; overwrites it."""
        return matrix.fill_diagonal_(0) if self.is_diagonal else matrix

    def inverse_sine(self) -> Tensor:
        found = inverse_sine(self.gram)
        if self.close is not None:
            left, right, angle = self.close
            found.index_put_((left, right), inverse_sine_of_close(angle))
        return found


def _blocks(W: Tensor, look: bool) -> Iterator[_Block]:
    starts = range(0, len(W), BLOCK)
    for i in starts:
        for j in starts[i // BLOCK :]:
            yield _block(W, slice(i, min(i + BLOCK, len(W))), slice(j, min(j + BLOCK, len(W))), look)


def _block(W: Tensor, rows: slice, columns: slice, look: bool) -> _Block:
    gram = W[rows] @ W[columns].mT
    if rows == columns:
        gram.fill_diagonal_(0)
    absolute, close = gram.abs(), None
    if look and float(absolute.max()) > close_from(W.dtype):
        left, right = torch.nonzero(absolute > close_from(W.dtype), as_tuple=True)
        close = left, right, measured_angles(W[rows], W[columns], left, right, gram[left, right].sign())
    angle = absolute.clamp_(max=1).acos_()
    if close is not None:
        angle.index_put_(close[:2], close[2])
    if rows == columns:
        angle.fill_diagonal_(0)
    return _Block(rows, columns, gram, angle, close)


class _BlockedScore(torch.autograd.Function):
    """The gradient is found with the value: the blocks would have to be made once more for it."""

    @staticmethod
    def forward(A: Tensor, gamma: float, inspect: bool, with_gradient: bool) -> tuple[Tensor, Tensor]:
        value, gradient = blocked_value_and_gradient(A, gamma, inspect, with_gradient)
        return value, A.new_empty(0) if gradient is None else gradient

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    def backward(ctx: Any, grad_value: Tensor | None, *_: None) -> tuple[Tensor | None, None, None, None]:
        if torch.is_grad_enabled():
            raise NotImplementedError(
                f"the score of more than {WHOLE_UP_TO} components has no second derivative, because its first one is "
                "found in blocks. Leave out create_graph=True, or take the score of fewer rows."
            )
        gradient = None if grad_value is None else grad_value * ctx.saved_tensors[0]
        return gradient, None, None, None
