"""Adam on unit rows that follows the ridges of a regulariser."""

from typing import Any

import torch
from torch import Tensor

from wideangle.optim.oblique import ObliqueAdam
from wideangle.optim.ridge import Kinks, best_move


class RidgeAdam(ObliqueAdam):
    """ObliqueAdam for an ascent whose function has kinks besides the smooth part that the gradient is of.

    Give `kinks` anew before each step. The mean of the gradients, which knows nothing of the kinks, proposes a move
    of each row, and the best move near it with the kinks counted is made. A kink's pull is counted in the second
    moment, so that a row still turns by about the rate per step.
    """

    kinks: Kinks | None = None

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        if self.kinks is None:
            return super()._direction(group, state, W, gradient)
        square = torch.linalg.vecdot(gradient, gradient)[:, None] + self.kinks.squared_pull().to(W)
        mean, size = self._moments(group, state, W, gradient, square)
        move = best_move(W, -mean, self.kinks, (group["lr"] / size).squeeze(1))
        return -move.displacement / group["lr"]
