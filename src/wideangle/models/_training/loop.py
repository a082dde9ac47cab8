"""From the first update of a fit to the last: early stopping that keeps the best state, callbacks and progress."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from wideangle._resumed import reason_to_end, tensor_like, whole_number
from wideangle._validation import FitCallbacks
from wideangle.exceptions import CheckpointError, DivergenceError
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

    def resume(self, progress: dict[str, Any], parameters: Iterable[Tensor]) -> None:
        """Go on as a checkpoint says."""
        self.score = float(progress["score"])
        self.update = whole_number(progress["update"], "the best update")
        self.since = whole_number(progress["since"], "the records since the best")
        kept = progress["state"]
        if kept is not None:
            pairs = zip(kept, parameters, strict=True)
            self.state = [
                tensor_like(array, like, "a parameter of the best state", finite=True) for array, like in pairs
            ]


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
    training = Checkpoints.active_training()

    def progress(stopped: str | None) -> dict[str, Any]:
        return {"trainer": trainer.progress(), "best": vars(best), "stopped": stopped}

    found = None if training is None else training.found(trainer.records)
    if training is not None and found is not None:
        with state_of_this_fit(training.path):
            trainer.resume(found["trainer"])
            best.resume(found["best"], trainer.parameters())
            stopped = reason_to_end(found["stopped"])
            if trainer.updates > n_updates:
                raise ValueError(f"it is of update {trainer.updates} of {n_updates}")
        if stopped is not None:
            trainer.stopped = stopped
            return
    is_fewer = most is not None and n_updates < most
    reached = f"{n_updates} updates suit so few rows" if is_fewer else f"max_updates={n_updates} reached"
    reason = trainer.stopped
    try:
        for batch in islice(batches(trainer.updates), n_updates - trainer.updates):
            record = trainer.update(*batch)
            if record is None:
                # Several processes have losses of their own between two records, and a checkpoint is the first one's.
                if training is not None and trainer.was_checked and group.alone:
                    training.offer(lambda: progress(None), trainer.records)
                continue
            if judge is not None:
                score, best.since = float(group.agreed(judge())), best.since + 1
                trainer.history.validated(score)
                if not math.isfinite(score):
                    raise trainer.diverged("the validation score was")
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
        else:
            reason = f"finished: {reached}"
        trainer.stopped = reason
    except DivergenceError as error:
        reason = f"diverged by update {error.update}"
        error.kept = error.kept if best.state is None else best.update
        raise
    finally:
        if best.state is not None:
            trainer.restore(best.state)
            trainer.stopped = f"{reason}; update {best.update}, the best, is kept"
    if training is not None:
        training.offer(lambda: progress(trainer.stopped), trainer.records, final=True)


@contextmanager
def state_of_this_fit(path: Path) -> Iterator[None]:
    """Raise `CheckpointError` where what a file holds is no state of this fit, though its SHA-256 is right."""
    try:
        yield
    except CheckpointError:
        raise
    except Exception as error:  # What no checkpoint of ours holds can raise any error.
        raise CheckpointError(f"{path} holds no state of this fit ({error!r}). Delete it to begin anew.") from error


@contextmanager
def learning_further(estimator: Any, trainer: Trainer) -> Iterator[None]:
    """One pass of `partial_fit`. However it ends, the estimator has what was learned by then.

    After divergence the next pass begins with a new trainer, because the memory of the optimiser is not finite either.
    """
    estimator._trainer = trainer
    try:
        yield
    except DivergenceError:
        del estimator._trainer
        raise
    finally:
        estimator.__dict__.update(estimator._attributes(trainer))


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
