"""Checkpoints: files from which an interrupted fit goes on, with the same bits on a CPU as if nothing had happened.

    model.fit(X, checkpoint="folder")

or, for several fits in a row,

    with Checkpoints("folder"):
        model.fit(X)

After an interruption the same lines go on from the last file. Fits in one block are numbered in their order.
"""

import os
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any

from torch import Tensor

from wideangle._arguments import checked, path, real
from wideangle._encoding import ContentError, Decoder, Encoder
from wideangle._locks import sole_writer
from wideangle.exceptions import CheckpointError, CheckpointWarning
from wideangle.models._training.checkpoint_files import ENDING, before, newest_bytes, parse, write_checkpoint
from wideangle.models._training.code import code_of_fits, without_version
from wideangle.process_group.agreement import all_or_none
from wideangle.process_group.group import Group

OFTEN = 30.0  # seconds between two files, if the user does not say otherwise
WRITING_SHARE = 0.05  # Writing files takes at most about this share of a fit's time.


class Checkpoints:
    """Keeps the fits of a `with` block in a folder, and lets them go on from there.

    Parameters
    ----------
    folder : path
        It is made where it is not there. Each fit has one file in it, and the file before that. Only the first of
        several processes writes.
    every_seconds : float, default=30
        A file is written after so many seconds of a fit, and when it has ended; 0 writes as many as can be. Large
        models are written less often, so that writing takes a twentieth of the time.
    about : mapping of str, optional
        What else a fit depends on, in words by name. A checkpoint that says something else is refused.
    """

    _active: ContextVar["Checkpoints | None"] = ContextVar("checkpoints", default=None)

    @checked(folder=path, every_seconds=real(least=0))
    def __init__(
        self,
        folder: str | os.PathLike[str],
        every_seconds: float = OFTEN,
        about: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.every_seconds, self.about = Path(folder), every_seconds, dict(about or {})
        self.training: Training | None = None
        """the fit that has begun last"""
        self._begun = 0
        self._token: Token[Checkpoints | None] | None = None
        self._lock = ExitStack()

    def __enter__(self) -> "Checkpoints":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._begun, self.training = 0, None
        self._token = self._active.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None  # the block was entered
        self._active.reset(self._token)
        self._lock.close()

    @classmethod
    def active(cls) -> "Checkpoints | None":
        """Those of the block that is running."""
        return cls._active.get()

    @classmethod
    def active_training(cls) -> "Training | None":
        """The fit that has begun last in the block that is running; None where no checkpoints are kept."""
        active = cls.active()
        return None if active is None else active.training

    def begin(self, description: Mapping[str, str], group: Group) -> "Training":
        """Begin the next fit: what its file holds is read, and must be of the same options, data and code."""
        if not self._begun:
            self._hold(group)
        self._begun += 1
        path = self.folder / f"fit-{self._begun:04d}{ENDING}"
        whole = {**self.about, **description, **code_of_fits()}
        self.training = Training(path, self.every_seconds, whole, group)
        return self.training

    def _hold(self, group: Group) -> None:
        """Let no other program write into the folder. If it ends, however it ends, the folder is free."""
        with all_or_none(group, f"use {self.folder}"):
            if group.rank == 0:
                self._lock.enter_context(sole_writer(self.folder, "use another folder"))


class Training:
    """One fit and its file."""

    def __init__(self, path: Path, every_seconds: float, description: dict[str, str], group: Group) -> None:
        self.path, self.every_seconds, self.description, self.group = path, every_seconds, description, group
        self.seeds: list[int] | None = None
        """the seeds of the fit, which may be drawn anew each time if the user gave none"""
        self._next = time.monotonic() + every_seconds
        self._document: dict[str, Any] | None = None
        self._arrays: dict[str, Any] = {}
        # The first process reads for all, because others may be on machines that do not see its disk.
        with all_or_none(group, f"read {path}"):
            own = newest_bytes(path) if group.rank == 0 else None
        content = group.bytes_of_first(own)
        if content is not None:
            _, self._document, self._arrays = parse(path, content)
            self._check_same()
            self.seeds = self._document["seeds"]

    def found(self, records: tuple[type, ...]) -> dict[str, Any] | None:
        """The state that the file holds, with arrays of NumPy for tensors; None where there is none."""
        if self._document is None:
            return None
        try:
            state: dict[str, Any] = Decoder(self._arrays, records).decode(self._document["state"], "state")
        except ContentError as error:
            raise CheckpointError(f"{self.path} holds no state of a fit: {error}. Delete it to begin anew.") from error
        return state

    def offer(self, make: Callable[[], dict[str, Any]], records: tuple[type, ...], final: bool = False) -> None:
        """Write a file with the state that `make` returns, where it is time for one or the fit has ended.

        A disk that is full costs the file, not the fit, which goes on.
        """
        began = time.monotonic()
        if self.group.rank != 0 or not (final or began >= self._next):
            return
        arrays: dict[str, Any] = {}
        state = Encoder("checkpoint", arrays, records).encode(plain(make()), "state")
        try:
            write_checkpoint(self.path, {"description": self.description, "seeds": self.seeds, "state": state}, arrays)
        except OSError as error:
            warnings.warn(
                f"no checkpoint could be written: {self.path}: {error.strerror or error}. The fit goes on. If it is "
                "interrupted, what was learned since the last checkpoint is lost.",
                CheckpointWarning,
                stacklevel=2,
            )
        ended = time.monotonic()
        self._next = ended + max(self.every_seconds, (ended - began) / WRITING_SHARE if self.every_seconds else 0.0)

    def forget(self) -> None:
        """Delete the file and the one before it: nothing can go on from them."""
        if self.group.rank == 0:
            for file in (self.path, before(self.path)):
                file.unlink(missing_ok=True)

    def _check_same(self) -> None:
        assert self._document is not None  # it was read
        different = differences(self._document["description"], self.description)
        if different:
            raise CheckpointError(
                f"{self.path} is of another fit: {different}. Fit with the same options, data and code to go on from "
                "it, or use another folder to begin anew.",
                different,
            )


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What two descriptions differ in, in words; empty where they are the same."""
    old, new = without_version(before), without_version(now)
    different = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return "; ".join(
        f"{name} was {before.get(name, 'not given')}, and is {now.get(name, 'not given')}" for name in different
    )


def plain(value: Any) -> Any:
    """The same value with arrays of NumPy for tensors."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(part) for part in value)
    return value
