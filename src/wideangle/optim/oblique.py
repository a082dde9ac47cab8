"""Torch optimisers for parameters whose rows have unit length (the oblique manifold)."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from wideangle._arguments import checked, flag, is_several, pair, real, shown
from wideangle.functional.sphere import retract, tangent


def _parameters(params: Any, name: str) -> list[Any]:
    """Tensors, or groups of them, as torch's optimisers take them."""
    if isinstance(params, Tensor | dict) or not is_several(params):
        raise TypeError(f"{name} must be an iterable of parameters or of groups of them; got {shown(params)}.")
    found = list(params)
    if not found:
        raise ValueError(f"{name} must hold at least one parameter; it is empty.")
    held = [each for group in found for each in (_held(group, name) if isinstance(group, dict) else [group])]
    for each in held:
        tensor = each[1] if isinstance(each, tuple) and len(each) == 2 else each  # It may come with a name.
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} must hold tensors; got {shown(tensor)}.")
        if not (tensor.is_leaf or tensor.retains_grad):
            raise ValueError(f"{name} holds the result of a computation, which has no gradient to step along.")
    return found


def _held(group: dict[str, Any], name: str) -> list[Any]:
    inside: Any = group.get("params")
    if isinstance(inside, Tensor):
        return [inside]
    if not isinstance(inside, list | tuple) and not hasattr(inside, "__next__"):
        raise TypeError(f"{name} has a group whose 'params' must be a list of tensors; got {shown(inside)}.")
    held = list(inside)
    group["params"] = held  # A generator is used up now.
    return held


class _Oblique(Optimizer):
    """What both rules share: rows on their spheres, gradients in the tangent space, a step and a retraction.

    A parameter is a matrix, or a tensor whose first dimension counts the rows. Its rows are scaled to unit length when
    it is added. Parameters are ordinary tensors; only this optimiser keeps them on the spheres.
    """

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        super().add_param_group(param_group)
        for parameter in self.param_groups[-1]["params"]:
            if parameter.ndim < 2 or parameter.dtype not in (torch.float32, torch.float64):
                raise ValueError(
                    f"{type(self).__name__} takes float32 or float64 parameters of at least two dimensions, one "
                    f"component per row; got {parameter.dtype} of shape {tuple(parameter.shape)}."
                )
            with torch.no_grad():
                _move(parameter, retract(parameter.flatten(1)))

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One step along the tangential gradient of every row."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if parameter.grad.is_sparse:
                    raise RuntimeError(f"{type(self).__name__} does not take sparse gradients; call .to_dense().")
                W = parameter.flatten(1)
                gradient = tangent(W, parameter.grad.flatten(1))
                if group["maximize"]:
                    gradient = -gradient
                direction = self._direction(group, self.state[parameter], W, gradient)
                moved = W - group["lr"] * direction
                # A tangent step never shortens a row, so its length cannot be 0 here.
                _move(parameter, moved / torch.linalg.vector_norm(moved, dim=1, keepdim=True))
        return loss

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        raise NotImplementedError


class ObliqueSGD(_Oblique):
    """Gradient descent on unit rows, with momentum.

    Momentum is carried to the tangent space of the new point by projection.

    Parameters
    ----------
    params : iterable
        Parameters or parameter groups; rows are brought to unit length here.
    lr : float, default=0.01
        Step in radians per unit of gradient.
    momentum : float, default=0
        Share of the last direction that is kept.
    maximize : bool, default=False
        Ascend instead.

    Examples
    --------
    >>> import torch
    >>> from wideangle import ObliqueSGD, mutual_angular_score
    >>> W = torch.nn.Parameter(torch.tensor([[1.0, 0.1], [1.0, -0.1]]))
    >>> optimizer = ObliqueSGD([W], lr=0.05, maximize=True)
    >>> for _ in range(20):
    ...     optimizer.zero_grad()
    ...     mutual_angular_score(W).backward()
    ...     optimizer.step()
    >>> bool(mutual_angular_score(W) > 1.4)
    True
    """

    @checked(params=_parameters, lr=real(least=0), momentum=real(least=0, below=1), maximize=flag)
    def __init__(
        self, params: Iterable[Any], lr: float = 0.01, momentum: float = 0.0, *, maximize: bool = False
    ) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum, "maximize": maximize})

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        if group["momentum"] == 0:
            return gradient
        if "momentum" in state:
            gradient = gradient + group["momentum"] * tangent(W, state["momentum"])
        state["momentum"] = gradient
        return gradient


class ObliqueAdam(_Oblique):
    """An Adam-like rule on unit rows.

    The second moment is one number per row, that of the tangential gradient's length. A row's direction is adapted as a
    whole, so that steps stay tangent and do not depend on the choice of coordinates.

    Parameters
    ----------
    params : iterable
        Parameters or parameter groups; rows are brought to unit length here.
    lr : float, default=0.01
        A row turns by about this many radians per step.
    betas : pair of float, default=(0.9, 0.999)
        Decay of the first and second moments.
    eps : float, default=1e-8
        Added to the root of the second moment.
    maximize : bool, default=False
        Ascend instead.

    References
    ----------
    G. Bécigneul and O. Ganea, Riemannian Adaptive Optimization Methods, ICLR 2019.
    """

    @checked(params=_parameters, lr=real(least=0), betas=pair(real(least=0, below=1)), eps=real(least=0), maximize=flag)
    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 0.01,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        square = torch.linalg.vecdot(gradient, gradient)[:, None]
        mean, size = self._moments(group, state, W, gradient, square)
        return mean / size

    def _moments(
        self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor, square: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The mean gradient, and the size by which each row of it is divided."""
        first, second = group["betas"]
        if not state:
            state |= {"step": 0, "mean": torch.zeros_like(gradient), "square": torch.zeros_like(square)}
        state["step"] += 1
        state["mean"] = first * tangent(W, state["mean"]) + (1 - first) * gradient
        state["square"] = second * state["square"] + (1 - second) * square
        mean = state["mean"] / (1 - first ** state["step"])
        deviation = (state["square"] / (1 - second ** state["step"])).sqrt()
        return mean, deviation + group["eps"]


def _move(parameter: Tensor, rows: Tensor) -> None:
    parameter.copy_(rows.view_as(parameter))
