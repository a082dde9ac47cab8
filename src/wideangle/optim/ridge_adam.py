"""Adam on unit rows that follows the ridges of a regulariser."""

from typing import Any

import torch
from torch import Tensor

from wideangle.functional.sphere import tangent
from wideangle.optim.oblique import ObliqueAdam
from wideangle.optim.ridge import Kinks, best_move


class RidgeAdam(ObliqueAdam):
    """ObliqueAdam for an ascent whose function has kinks besides the smooth part that the gradient is of.

    Give `kinks` anew before each step. The mean of the gradients, which knows nothing of the kinks, proposes a move
    of each row, and the best move near it with the kinks counted is made. The second moment is that of what is
    left of a gradient when the kinks have pulled, so that rows turn by about the rate also along a ridge.
    """

    kinks: Kinks | None = None
    _multiplier: Tensor | None = None  # of the last step, from which the search for the next ones starts

    def _direction(self, group: dict[str, Any], state: dict[str, Any], W: Tensor, gradient: Tensor) -> Tensor:
        if self.kinks is None:
            self._multiplier = None
            return super()._direction(group, state, W, gradient)
        start = self.kinks.pull() if self._multiplier is None else self.kinks.admissible(self._multiplier)
        # The gradient descends here, as in torch; the kinks are those of a function to be maximised.
        rest = gradient + tangent(W, start.to(W) @ W)
        mean, size = self._moments(group, state, W, gradient, torch.linalg.vecdot(rest, rest)[:, None])
        # Moves that are a hundredth of the rate too short are good enough.
        enough = 0.5e-4 * group["lr"] * float(size.sum())
        move = best_move(W, -mean, self.kinks, (group["lr"] / size).squeeze(1), enough, start)
        self._multiplier = move.multiplier
        return -move.displacement / group["lr"]
