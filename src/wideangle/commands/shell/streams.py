"""Standard streams that may be closed, full or not there: what is said on stderr is no reason to lose work."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast

__all__ = ["ClosedOutputError", "guarded_streams"]


class ClosedOutputError(BrokenPipeError):
    """Nobody reads stdout any more, as after `| head -1`."""


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Let a command print: a stream that is not there takes everything, and errors of stderr are passed over.

    If the reader of stdout has gone, `ClosedOutputError` says so. Other pipes, as those of workers, raise their own.
    """
    _open_missing()
    with ExitStack() as streams:
        streams.enter_context(redirect_stderr(cast(TextIO, _Forgiving(sys.stderr))))
        streams.enter_context(redirect_stdout(cast(TextIO, _Telling(sys.stdout))))
        yield


def let_go(stream: Any) -> None:
    """Send what a stream still holds nowhere. Python would print a second error when it flushes at exit."""
    with suppress(OSError, ValueError):  # A stream of a notebook or a test has no number.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)


def _open_missing() -> None:
    """Open what `>&-` closed. Else the next file that is opened would get its number, and what is printed there."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115


class _Stream:
    """A stream whose `write` and `flush` are watched; all else is that of the stream itself."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return int(self._stream.write(text))
        except OSError as error:
            self._failed(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        raise NotImplementedError


class _Forgiving(_Stream):
    """Prints as long as that is possible."""

    def _failed(self, error: OSError) -> None:
        let_go(self._stream)


class _Telling(_Stream):
    """Says by an error of its own that nobody reads."""

    def _failed(self, error: OSError) -> None:
        raise ClosedOutputError if isinstance(error, BrokenPipeError) else error
