"""Runs a command as a shell expects: exit codes, errors in one line, warnings as notes, silence on a closed pipe."""

import errno
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from wideangle.commands.shell.output import Output
from wideangle.commands.shell.streams import ClosedOutputError, guarded_streams, let_go

FINE, FAILED, WRONG_ARGUMENTS, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 130, 141
# What to say and to do where a disk cannot be written to. Windows has no error for quotas.
DISK = {
    getattr(errno, "EDQUOT", errno.ENOSPC): "your share of the disk is used up. Free some space, or write elsewhere",
    errno.EFBIG: "the file would be larger than is allowed. Write elsewhere",
    errno.EROFS: "the file system is read-only. Write elsewhere",
    errno.ENOSPC: "the disk is full. Free some space, or write elsewhere",
}
# What errors say where memory is missing: those of torch, of the system, and of libraries that cannot be loaded or
# cannot start a thread for lack of it.
NO_MEMORY = ("allocate memory", "out of memory", "bad_alloc", "failed to map segment", "can't start new thread")
# The errors that the library and the system raise for wrong input. Any other error is a mistake in the program.
EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, RuntimeError)


class CommandError(ValueError):
    """The work cannot be done. The message says what came and what to do."""


class UsageError(ValueError):
    """The arguments are wrong together, although each of them can be parsed."""


def run_guarded(output: Output, work: Callable[[Output], None], *, debug: bool = False) -> int:
    """Do the work and return the exit code: 0 fine, 1 failed, 2 wrong arguments, 130 interrupted, 141 closed pipe."""
    with guarded_streams(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = _noting(output)
        try:
            work(output)
            sys.stdout.flush()
        except ClosedOutputError:
            let_go(sys.stdout)
            return CLOSED_PIPE
        except KeyboardInterrupt:
            output.error(output.when_interrupted)
            return INTERRUPTED
        except Exception as error:
            if debug:
                raise
            output.error(in_one_line(error))
            _flush_or_let_go()
            return WRONG_ARGUMENTS if isinstance(error, UsageError) else FAILED
    return FINE


def in_one_line(error: Exception) -> str:
    """What went wrong and what to do."""
    if isinstance(error, MemoryError) or any(sign in str(error) for sign in NO_MEMORY):
        return (
            "there is not enough memory. Take fewer --words or components, or a part of the data; or close other "
            "programs, or raise the limit that was set for this one."
        )
    if isinstance(error, OSError) and (error.filename is not None or error.errno in DISK):
        return _of_the_system(error)
    message = " ".join(str(error).split())
    if not isinstance(error, EXPECTED):
        return f"{type(error).__name__}: {message} Run again with --debug to see where."
    return message or f"{type(error).__name__}. Run again with --debug to see where."


def _of_the_system(error: OSError) -> str:
    where = error.filename if error.filename2 is None else error.filename2
    where = os.fsdecode(where) if isinstance(where, bytes) else where
    if error.errno in DISK:
        return f"{'what was found' if where is None else where} cannot be written: {DISK[error.errno]}."
    if isinstance(error, FileNotFoundError):
        return f"{where} does not exist. Check the path."
    if isinstance(error, IsADirectoryError):
        return f"{where} is a folder, and a file is wanted. Name the file."
    if isinstance(error, PermissionError):
        return f"{where} may not be read or written. Choose another place, or change its permissions."
    return f"{where}: {error.strerror}. Check the path and the disk."


def _flush_or_let_go() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        let_go(sys.stdout)


def _noting(output: Output) -> Callable[..., None]:
    told: set[str] = set()

    def note(message: Warning | str, *_: Any, **__: Any) -> None:
        text = " ".join(str(message).split())
        if text not in told:
            told.add(text)
            output.note(text)

    return note
