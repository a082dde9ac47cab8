"""`fit(…, checkpoint=folder)`: what each estimator's `fit` takes, so that it goes on after an interruption."""

import os
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from wideangle.models._training.beginning import described
from wideangle.models._training.checkpoint import Checkpoints
from wideangle.process_group.group import Group

T = TypeVar("T")

__all__ = ["keeps_result", "takes_checkpoint"]

CHECKPOINT = Parameter("checkpoint", Parameter.KEYWORD_ONLY, default=None, annotation="path | Checkpoints | None")


def takes_checkpoint(fit: Callable[..., T]) -> Callable[..., T]:
    """Give a method that fits the argument `checkpoint`: a folder, or `Checkpoints`, in which the fit is kept.

    If the same call comes again, after an interruption or in another program, it goes on from there; a fit that has
    ended is not done again. The files stay until you delete them.
    """

    @wraps(fit)
    def with_checkpoint(
        self: Any, *args: Any, checkpoint: str | os.PathLike[str] | Checkpoints | None = None, **named: Any
    ) -> T:
        if checkpoint is None:
            return fit(self, *args, **named)
        kept = checkpoint if isinstance(checkpoint, Checkpoints) else Checkpoints(checkpoint)
        with kept:
            return fit(self, *args, **named)

    with_checkpoint.__signature__ = _with_checkpoint(signature(fit))  # type: ignore[attr-defined]
    return with_checkpoint


def keeps_result(fit: Callable[..., T]) -> Callable[..., T]:
    """The same for an estimator that is not trained by updates: where checkpoints are kept, so is what it has learned.

    A fit that takes long may offer its steps to `Checkpoints.active_training` besides.
    """
    of_fit = signature(fit)

    @takes_checkpoint
    @wraps(fit)
    def kept(self: Any, *args: Any, **named: Any) -> T:
        checkpoints = Checkpoints.active()
        if checkpoints is None:
            return fit(self, *args, **named)
        data = of_fit.bind(self, *args, **named).arguments
        data.pop(next(iter(of_fit.parameters)))
        training = checkpoints.begin(described(self, data), Group.current())
        found = training.found(self._records)
        if found is not None and "learned" in found:
            self._forget()
            self._restore_state(found["learned"])
            return self
        result = fit(self, *args, **named)
        training.offer(lambda: {"learned": self._saved_state()}, self._records, final=True)
        return result

    return kept


def _with_checkpoint(of_fit: Signature) -> Signature:
    parameters = list(of_fit.parameters.values())
    return of_fit if "checkpoint" in of_fit.parameters else of_fit.replace(parameters=[*parameters, CHECKPOINT])
