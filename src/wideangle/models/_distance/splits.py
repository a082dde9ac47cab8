"""Which rows or pairs are held out, and which pairs are left to train on."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideangle.exceptions import DataError
from wideangle.models._distance.pairs import IndexPairs, Indices, require_both_kinds
from wideangle.models._distance.sampling import Sampling, plain_pairs
from wideangle.models._distance.scores import NeighborVotes, PairPrecision, Score
from wideangle.models._training.loop import n_held_out

DEFAULT_FRACTION = 0.2
MOST_SPLITS = 3  # Each split costs one training.
ENOUGH_ROWS = 2000  # No further split is made once all splits together hold out this many rows.


@dataclass(frozen=True, eq=False)
class Split:
    """Pairs to train on, and a score on what was held out."""

    pairs: IndexPairs
    score: Score


def row_splits(
    labels: NDArray[Any],
    pairs: IndexPairs,
    fraction: float | None,
    monitor: str,
    sampling: Sampling,
    generator: np.random.Generator,
) -> list[Split]:
    """Splits that hold out rows, each row in at most one split. The pairs to train on contain no held-out row.

    A split that would leave no similar or no dissimilar pairs to train on is dropped. If all are dropped, that is an
    error only where the user asked for a fraction.
    """
    codes = np.unique(labels, return_inverse=True)[1].ravel()
    found = []
    for held_out in disjoint_held_out_rows(codes, fraction, generator):
        aside = np.zeros(len(codes), dtype=bool)
        aside[held_out] = True
        rest = pairs.subset(~(aside[pairs.left] | aside[pairs.right]))
        if rest.similar.all() or not rest.similar.any():
            continue
        if monitor == "average_precision":
            drawn = plain_pairs(labels[held_out], sampling, generator)
            asked = IndexPairs(held_out[drawn.left], held_out[drawn.right], drawn.similar)
            found.append(Split(rest, PairPrecision(asked)))
        else:
            found.append(Split(rest, NeighborVotes(codes, held_out, np.flatnonzero(~aside), generator)))
    if fraction and not found:
        raise DataError(
            f"validation_fraction={fraction} of {len(codes)} rows leaves no similar or no dissimilar pairs to train "
            "on, whichever rows are held out. Pass validation_fraction=0, or more rows per class."
        )
    return found


def disjoint_held_out_rows(codes: Indices, fraction: float | None, generator: np.random.Generator) -> list[Indices]:
    """Up to MOST_SPLITS disjoint sets of rows, each spread over all classes, until ENOUGH_ROWS are held out.

    A row that is alone in its class is not held out, because no neighbour could vote for its class.
    """
    order = generator.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    order = order[np.bincount(codes)[codes[order]] > 1]
    wanted = round(DEFAULT_FRACTION * len(codes)) if fraction is None else n_held_out(len(codes), fraction, "rows")
    size = min(wanted, ENOUGH_ROWS, len(order))
    if not size:
        return []
    n_splits = min(MOST_SPLITS, len(order) // size, -(-ENOUGH_ROWS // size))
    size = min(size, -(-ENOUGH_ROWS // n_splits))
    first = ((np.arange(size) + 0.5) * len(order) / size).astype(int)
    return [np.sort(order[(first + shift) % len(order)]) for shift in range(n_splits)]


def pair_splits(pairs: IndexPairs, fraction: float, generator: np.random.Generator) -> list[Split]:
    """One split that holds out some of the given pairs; no split where the fraction is 0."""
    size = n_held_out(len(pairs), fraction, "pairs")
    if not size:
        return []
    order = generator.permutation(len(pairs))
    held_out, rest = pairs.subset(np.sort(order[:size])), pairs.subset(np.sort(order[size:]))
    for part in (held_out, rest):
        require_both_kinds(int(part.similar.sum()), int((~part.similar).sum()))
    return [Split(rest, PairPrecision(held_out))]
