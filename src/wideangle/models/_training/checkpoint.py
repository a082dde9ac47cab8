"""Checkpoints: files from which an interrupted fit goes on, with the same bits on a CPU as if nothing had happened.

    with Checkpoints(folder):
        model.fit(X)

After an interruption the same lines go on from the last file. Fits in one block are numbered in their order.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from pathlib import Path
from typing import Any

import safetensors.numpy
from torch import Tensor

from wideangle._encoding import ContentError, Decoder, Encoder, compact_json, digest
from wideangle._files import replacing
from wideangle.exceptions import CheckpointError
from wideangle.process_group.group import Group

KEY = "wideangle_checkpoint"
FORMAT = 1
OFTEN = 30.0  # seconds between two files, if the user does not say otherwise


class Checkpoints:
    """Keeps the fits of a `with` block in a folder, and lets them go on from there.

    Parameters
    ----------
    folder : path
        It is made where it is not there. Each fit has one file in it. Only the first of several processes writes.
    every_seconds : float, default=30
        A file is written at the first record of a fit after so many seconds, and when the fit has ended; 0 writes one
        at each record.
    """

    _active: ContextVar["Checkpoints | None"] = ContextVar("checkpoints", default=None)

    def __init__(self, folder: str | os.PathLike[str], every_seconds: float = OFTEN) -> None:
        if not every_seconds >= 0:
            raise ValueError(f"every_seconds must be at least 0; got {every_seconds!r}.")
        self.folder, self.every_seconds = Path(folder), every_seconds
        self.training: Training | None = None
        """the fit that has begun last"""
        self._begun = 0
        self._token: Token[Checkpoints | None] | None = None

    def __enter__(self) -> "Checkpoints":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._begun, self.training = 0, None
        self._token = self._active.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._token is not None  # the block was entered
        self._active.reset(self._token)

    @classmethod
    def active(cls) -> "Checkpoints | None":
        """Those of the block that is running."""
        return cls._active.get()

    def begin(self, description: Mapping[str, str], group: Group) -> None:
        """Begin the next fit: what its file holds is read, and must be of the same options and data."""
        self._begun += 1
        path = self.folder / f"fit-{self._begun:04d}.checkpoint"
        self.training = Training(path, self.every_seconds, dict(description), group)


class Training:
    """One fit and its file."""

    def __init__(self, path: Path, every_seconds: float, description: dict[str, str], group: Group) -> None:
        self.path, self.every_seconds, self.description, self.group = path, every_seconds, description, group
        self.seeds: list[int] | None = None
        """the seeds of the fit, which may be drawn anew each time if the user gave none"""
        self._written = time.monotonic()
        self._document: dict[str, Any] | None = None
        self._arrays: dict[str, Any] = {}
        # The first process reads for all, because others may be on machines that do not see its disk.
        content = group.bytes_of_first(path.read_bytes() if group.rank == 0 and path.exists() else None)
        if content is not None:
            self._document, self._arrays = _read(path, content)
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
        """Write a file with the state that `make` returns, where it is time for one or the fit has ended."""
        if self.group.rank != 0 or not (final or time.monotonic() - self._written >= self.every_seconds):
            return
        arrays: dict[str, Any] = {}
        state = Encoder("checkpoint", arrays, records).encode(plain(make()), "state")
        document = {"format": FORMAT, "description": self.description, "seeds": self.seeds, "state": state}
        document["sha256"] = digest(document, arrays)
        content = safetensors.numpy.save(arrays, {KEY: compact_json(document)})
        with replacing(self.path) as temporary:
            temporary.write_bytes(content)
        self._written = time.monotonic()

    def _check_same(self) -> None:
        assert self._document is not None  # it was read
        before: dict[str, str] = self._document["description"]
        names = {**before, **self.description}
        different = [name for name in names if before.get(name) != self.description.get(name)]
        if different:
            said = "; ".join(
                f"{name} was {before.get(name, 'not given')}, and is {self.description.get(name, 'not given')}"
                for name in different
            )
            raise CheckpointError(
                f"{self.path} is of another fit: {said}. Fit with the same options and data to go on from it, or use "
                "another folder to begin anew."
            )


def plain(value: Any) -> Any:
    """The same value with arrays of NumPy for tensors."""
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _read(path: Path, content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        size = int.from_bytes(content[:8], "little")
        document = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][KEY])
        arrays = safetensors.numpy.load(content)
        expected = document.pop("sha256")
        if document["format"] != FORMAT:
            raise CheckpointError(
                f"{path} has format {document['format']}, and this version reads format {FORMAT}. Go on with the "
                "version that wrote it, or delete the file to begin anew."
            )
        if expected != digest(document, arrays):
            raise ValueError("its SHA-256 is not that of its content")
    except CheckpointError:
        raise
    except Exception as error:  # What is damaged can raise any error.
        raise CheckpointError(f"{path} is no checkpoint, or is damaged ({error}). Delete it to begin anew.") from error
    return document, arrays
