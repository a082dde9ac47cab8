"""Adam on unit rows that follows the ridges of a regulariser."""

from typing import Any

import torch
from torch import Tensor

from wideangle.functional.sphere import tangent
from wideangle.optim.curvature import RowSteps
from wideangle.optim.oblique import ObliqueAdam
from wideangle.optim.ridge import Kinks, best_move


class RidgeAdam(ObliqueAdam):
    """ObliqueAdam for maximising a smooth function plus a function with kinks.

    Set `kinks` before each step; the gradients are those of the smooth part alone. Their mean proposes a move of each
    row, and the step is the best move near it when the kinks count too. The second moment is that of the gradient with
    the pull of the kinks added, so that rows turn by about the rate along a ridge as well.
    """

    kinks: Kinks | None = None
    _multiplier: Tensor | None = None  # The next search starts from the multipliers of the last step.

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        if self.kinks is None:
            self._multiplier = None
            return super()._direction(group, state, W, gradient)
        start = self.kinks.pull() if self._multiplier is None else self.kinks.admissible(self._multiplier)
        # The gradient is one to descend, as in torch, but the kinks are those of a function to maximise.
        rest = gradient + tangent(W, start.to(W) @ W)
        mean, size = self._moments(group, state, W, gradient, torch.linalg.vecdot(rest, rest)[:, None])
        # A move may be too short by a hundredth of the rate.
        enough = 0.5e-4 * group["lr"] * float(size.sum())
        move = best_move(W, -mean, self.kinks, RowSteps((group["lr"] / size).squeeze(1)), enough, start)
        self._multiplier = move.multiplier
        return -move.displacement / group["lr"]
