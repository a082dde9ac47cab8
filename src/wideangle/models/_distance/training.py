"""From the first update of distance metric learning to the last."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from wideangle.models._base import batches
from wideangle.models._distance.pairs import IndexPairs
from wideangle.models._distance.rows import PairRows
from wideangle.models._distance.trainer import PairRecord, PairTrainer

MOST_ROUNDS = 12  # in which the hinge weight doubles until few pairs violate the margin


@dataclass(frozen=True)
class Stopping:
    """When training ends; the estimator's parameters of the same names."""

    max_updates: int
    patience: int
    max_violations: float | None


def train(
    trainer: PairTrainer,
    rows: PairRows,
    pairs: IndexPairs,
    held_out: IndexPairs | None,
    stopping: Stopping,
    stop_after: Callable[[PairRecord], bool],
) -> str:
    """Update until there is a reason to end, returned in words. With pairs held out the best state is kept."""
    stream = batches(len(pairs), trainer.settings.batch_size, trainer.randomness.rows)
    best, since_best = (trainer.A.clone(), -math.inf), 0
    for round_ in range(MOST_ROUNDS):
        for _ in range(stopping.max_updates):
            record = trainer.update(rows, pairs.subset(next(stream)))
            if record is None:
                continue
            if held_out is not None:
                value = trainer.validate(rows, held_out)
                best, since_best = ((trainer.A.clone(), value), 0) if value > best[1] else (best, since_best + 1)
            if stop_after(record):
                return "stopped by a callback"
            if since_best >= stopping.patience:
                trainer.A.copy_(best[0])
                return f"converged: no better validation in {stopping.patience} records; the best state is kept"
        if held_out is not None:
            trainer.A.copy_(best[0])
        if stopping.max_violations is None:
            return f"finished: max_updates={stopping.max_updates} reached"
        share = trainer.violations(rows, pairs)
        if share < stopping.max_violations:
            return (
                f"finished: {share:.2%} of dissimilar pairs violate the margin at hinge weight {trainer.hinge_weight:g}"
            )
        if round_ + 1 < MOST_ROUNDS:
            trainer.again(2 * trainer.hinge_weight)
    return (
        f"gave up: {share:.2%} of dissimilar pairs still violate the margin at hinge weight {trainer.hinge_weight:g}; "
        "some may be pairs of equal points"
    )


def one_pass(trainer: PairTrainer, rows: PairRows, pairs: IndexPairs) -> str:
    """Update once with every pair, and say so in one record."""
    size = trainer.settings.batch_size
    stream = batches(len(pairs), size, trainer.randomness.rows)
    for _ in range(-(-len(pairs) // size)):
        trainer.update(rows, pairs.subset(next(stream)))
    trainer.recorded()
    return "finished: one pass over further pairs"
