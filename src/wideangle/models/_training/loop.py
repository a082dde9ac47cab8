"""From the first update of a fit to the last: early stopping that keeps the best state, callbacks and progress."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from wideangle._validation import FitCallbacks
from wideangle.models._base import progress_bar
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.models._training.history import Record
from wideangle.models._training.trainer import State, Trainer

Told = Callable[[Record], bool]
"""a function that is called with each record and returns True where training should stop"""


Batches = Callable[[int], Iterable[tuple[Any, ...]]]
"""from the number of mini-batches that are skipped to those that follow, without end"""


@dataclass
class Best:
    """The state with the best validation score."""

    score: float = -math.inf
    update: int = 0
    since: int = 0
    """records since then"""
    state: State | None = None

    def resume(self, progress: dict[str, Any]) -> None:
        """Go on as a checkpoint says."""
        self.score, self.update, self.since = progress["score"], progress["update"], progress["since"]
        kept = progress["state"]
        self.state = None if kept is None else [torch.from_numpy(array) for array in kept]


def train(
    trainer: Trainer,
    batches: Batches,
    n_updates: int,
    told: Told,
    judge: Callable[[], float] | None = None,
    patience: int = 1,
    most: int | None = None,
) -> None:
    """Update until there is a reason to end, and put the reason into `trainer.stopped`.

    At each record `judge` gives a validation score; larger is better. The state with the best score is kept, and
    training ends after `patience` records without a better one. `most` is what was allowed where `n_updates` are fewer.
    Where checkpoints are kept, training goes on from the last one.
    """
    best, group = Best(), trainer.group
    checkpoints = Checkpoints.active()
    training = None if checkpoints is None else checkpoints.training

    def progress(stopped: str | None) -> dict[str, Any]:
        return {"trainer": trainer.progress(), "best": vars(best), "stopped": stopped}

    found = None if training is None else training.found(trainer.records)
    if found is not None:
        trainer.resume(found["trainer"])
        best.resume(found["best"])
        if found["stopped"] is not None:
            trainer.stopped = found["stopped"]
            return
    is_fewer = most is not None and n_updates < most
    reached = f"{n_updates} updates suit so few rows" if is_fewer else f"max_updates={n_updates} reached"
    reason = f"finished: {reached}"
    try:
        for batch in islice(batches(trainer.updates), n_updates - trainer.updates):
            record = trainer.update(*batch)
            if record is None:
                continue
            if judge is not None:
                score, best.since = float(group.agreed(judge())), best.since + 1
                trainer.history.validated(score)
                if score > best.score:
                    best = Best(score, record.update, state=trainer.state())
            if group.any(told(trainer.history.records[-1])):
                reason = "stopped by a callback"
                break
            if best.since >= patience:
                reason = f"converged: no better validation in {patience} records"
                break
            if training is not None:
                training.offer(lambda: progress(None), trainer.records)
        trainer.stopped = reason
    finally:
        if best.state is not None:
            trainer.restore(best.state)
            trainer.stopped += f"; update {best.update}, the best, is kept"
    if training is not None:
        training.offer(lambda: progress(trainer.stopped), trainer.records, final=True)


@contextmanager
def telling(estimator: Any, X: Any, trainer: Trainer, n_tasks: int, said: Callable[[Any], str]) -> Iterator[Told]:
    """Give a function that reports each record to a progress bar and to scikit-learn's callbacks.

    However the fit ends, the estimator has what was learned by then.
    """
    callbacks = FitCallbacks(estimator, X, n_tasks)
    try:
        total = trainer.rate.n_updates or estimator.max_updates
        shown = estimator.verbose and trainer.group.rank == 0
        with progress_bar(type(estimator).__name__, total, shown) as show:

            def told(record: Record) -> bool:
                show(record.update, said(record))
                return callbacks.task(len(trainer.history.records), lambda: estimator._attributes(trainer))

            yield told
    finally:
        estimator.__dict__.update(estimator._attributes(trainer))
    callbacks.end()


def fit_by_updates(
    estimator: Any, X: Any, trainer: Trainer, batches: Batches, judge: Callable[[], float] | None
) -> None:
    """The whole fit of an estimator whose trainer takes one mini-batch per update."""
    n_updates = trainer.rate.n_updates or estimator.max_updates
    n_tasks = -(-n_updates // trainer.history.interval)

    def said(record: Record) -> str:
        return f"loss {record.loss:.3f}, mean angle {record.mean_angle:.0f}°"

    with telling(estimator, X, trainer, n_tasks, said) as told:
        train(trainer, batches, n_updates, told, judge, estimator.patience if judge else 1, estimator.max_updates)


def told_of(trainer: Trainer) -> dict[str, Any]:
    """The fitted attributes about the fit itself, which all estimators have."""
    return {
        "history_": tuple(trainer.history.records),
        "n_updates_": trainer.updates,
        "stopped_": trainer.stopped,
    }


def held_out_rows(
    n: int, fraction: float, generator: np.random.Generator, by: NDArray[Any] | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row numbers to hold out and row numbers to train on, the latter in rising order.

    `by` has one value per row, such as its class. Held-out rows are then spread over all values.
    """
    n_held = n_held_out(n, fraction, "rows")
    order = generator.permutation(n)
    if by is None:
        return order[:n_held], np.sort(order[n_held:])
    order = order[np.argsort(by[order], kind="stable")]
    held = np.zeros(n, dtype=bool)
    held[((np.arange(n_held) + 0.5) * n / max(1, n_held)).astype(int)] = True
    return order[held], np.sort(order[~held])


def n_held_out(n: int, fraction: float, things: str) -> int:
    """How many of n rows or pairs are held out; an error where none is left to hold out or to train on."""
    size = round(fraction * n)
    if (fraction > 0 and not size) or size >= n:
        raise ValueError(
            f"validation_fraction={fraction} of {n} {things} is {size}; there must be at least one to hold out and one "
            "to train on."
        )
    return size
