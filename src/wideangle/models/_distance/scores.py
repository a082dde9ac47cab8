"""How good components are for rows or pairs that were held out."""

from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score
from torch import Tensor

from wideangle.models._distance.pairs import IndexPairs, Indices
from wideangle.models._distance.rows import PairRows

VOTES = 3  # So many nearest rows vote for the class of a row.
MOST_VOTERS = 10_000  # The nearest are searched among at most this many rows.
BLOCK = 512  # The distances of so many rows to all voters are computed at a time.


class Score(Protocol):
    """Gives one number per held-out case; larger is better."""

    name: str

    def __call__(self, A: Tensor, rows: PairRows) -> NDArray[np.float64]: ...


class NeighborVotes:
    """How well the three nearest training rows tell the class of each row that was held out.

    Half of the score is whether their vote is right, which is what counts in the end, and half is the share of them
    that are of the row's class. A vote changes only where the majority does, so that votes alone of some hundred rows
    hardly tell states of a training apart. The shares change with every neighbour, and are less noisy for it.
    """

    name = "3-nearest-neighbour score"

    def __init__(self, codes: Indices, held_out: Indices, training: Indices, generator: np.random.Generator) -> None:
        if len(training) > MOST_VOTERS:
            training = np.sort(generator.choice(training, MOST_VOTERS, replace=False))
        self.held_out, self.training = held_out, training
        self.truth, self.classes = torch.from_numpy(codes[held_out]), torch.from_numpy(codes[training])

    def __call__(self, A: Tensor, rows: PairRows) -> NDArray[np.float64]:
        """One number from 0 to 1 per held-out row. Where all voters have different classes, the nearest decides."""
        truth, classes = self.truth.to(A.device), self.classes.to(A.device)
        voters, asked = rows.projected(A, self.training), rows.projected(A, self.held_out)
        centre = voters.mean(0)  # Without centring, rounding of large squares would hide the differences.
        voters, asked = voters - centre, asked - centre
        half_squares = voters.square().sum(1) / 2
        found = []
        for start in range(0, len(asked), BLOCK):
            nearness = asked[start : start + BLOCK] @ voters.mT - half_squares
            votes = classes[nearness.topk(min(VOTES, len(voters)), dim=1).indices]
            agreeing = (votes[:, :, None] == votes[:, None, :]).sum(2)
            winner = votes.gather(1, agreeing.argmax(1, keepdim=True)).squeeze(1)
            expected = truth[start : start + BLOCK]
            share_alike = (votes == expected[:, None]).double().mean(1)
            found.append(((winner == expected).double() + share_alike) / 2)
        return torch.cat(found).cpu().numpy()


class PairPrecision:
    """The average precision of pairs that were held out, ordered by distance."""

    name = "average precision"

    def __init__(self, pairs: IndexPairs) -> None:
        self.pairs = pairs

    def __call__(self, A: Tensor, rows: PairRows) -> NDArray[np.float64]:
        """One number, because all pairs together are one case."""
        squared = rows.squared_distances(A, self.pairs.left, self.pairs.right).cpu().numpy()
        return np.array([average_precision_score(self.pairs.similar, -squared)])
