"""Locks of files: one process after the other changes a file, or one alone makes it.

The system frees these locks when a process ends, however it ends, so that a killed process blocks nobody. Windows has
no such locks; there a file beside stands for one, and must be deleted by hand after a process was killed.
"""

import errno
import hashlib
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from wideangle.exceptions import FileInUseError

try:
    import fcntl
except ImportError:  # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

__all__ = ["CAN_LOCK", "NO_LOCKS", "exclusively", "hidden_name", "is_at", "lock_now", "lock_or_tell", "sole_writer"]

CAN_LOCK = fcntl is not None
PATIENCE = 60.0  # So many seconds a process waits for a lock that may have been left behind.
LONGEST = 200  # A name of more bytes is cut, so that the hidden name made of it is not too long for the disk.
# What the system says where a disk, such as one of a network, has no locks.
NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, getattr(errno, "ENOTSUP", errno.EOPNOTSUPP)}


def hidden_name(name: str, ending: str) -> str:
    """The name of a hidden file that belongs to the file of a name.

    Examples
    --------
    >>> from wideangle._locks import hidden_name
    >>> hidden_name("model.wideangle", "lock")
    '.model.wideangle.lock'
    """
    encoded = os.fsencode(name)
    if len(encoded) > LONGEST:
        name = f"{name[:40]}-{hashlib.blake2b(encoded, digest_size=8).hexdigest()}"
    return f".{name}.{ending}"


def lock_now(file: IO[Any] | int, *, wait: bool = False) -> bool:
    """Lock an open file or folder; False: another process has the lock. A disk without locks raises an OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_or_tell(file: IO[Any], *, wait: bool = False) -> bool:
    """The same; a disk that has no locks is told, and passes for a success."""
    try:
        return lock_now(file, wait=wait)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        warnings.warn(
            f"the disk of {file.name} has no locks, so that nobody notices if two processes write to the same file. "
            "Write there by one process at a time.",
            stacklevel=2,
        )
        return True


@contextmanager
def sole_writer(path: str | os.PathLike[str], remedy: str = "name another file with -o") -> Iterator[None]:
    """Make a file, or a folder, alone: whoever asks for the same meanwhile gets `FileInUseError`.

    The lock is a hidden file beside it, because the file itself need not be there yet. It is deleted in the end; one
    that a killed process has left behind is taken over.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(hidden_name(target.name, "lock"))
    try:
        held = _sole_lock(lock) if CAN_LOCK else _lock_beside(os.fspath(lock), patience=0.0)
        with held:
            yield
    except _BusyError as error:
        who = "" if error.holder is None else f" (process {error.holder})"
        raise FileInUseError(
            f"another process{who} is making {path} at this moment. Wait until it has ended, or {remedy}."
        ) from None
    except OSError as error:
        # Users do not know the lock. What forbids it forbids the file too.
        if error.errno is None or error.filename not in (os.fspath(lock), os.fsencode(lock)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


@contextmanager
def exclusively(
    path: str | os.PathLike[str], waiting: Callable[[], None] = lambda: None
) -> Iterator[Callable[[], bool]]:
    """Let one process after the other read a file, change it and replace it, so that no change is lost.

    It gives a function that says whether the file is still the one that was there at first: somebody who does not ask
    for the lock may have replaced it meanwhile. `waiting` is called where another process has the lock.
    """
    target = os.path.realpath(path)
    if not os.path.isfile(target):  # Opening a pipe would wait for ever. Who reads the path says what is wrong with it.
        yield lambda: True
        return
    with _locked_file(target, waiting) if CAN_LOCK else _lock_beside(f"{target}.lock"):
        before = os.stat(target)
        yield lambda: _is_same(before, target)


class _BusyError(Exception):
    """Another process has the lock."""

    def __init__(self, holder: str | None) -> None:
        super().__init__(holder)
        self.holder = holder


@contextmanager
def _sole_lock(lock: Path) -> Iterator[None]:
    while True:
        with lock.open("a+b") as file:
            if not lock_or_tell(file):
                file.seek(0)
                holder = file.read(20)
                raise _BusyError(holder.decode() if holder.isdigit() else None)
            if not is_at(file.fileno(), lock):  # Who had the lock before has deleted it.
                continue
            try:
                # The number is for people. A disk may be too full for it, and what is written has its own errors.
                with suppress(OSError):
                    os.ftruncate(file.fileno(), 0)
                    os.write(file.fileno(), str(os.getpid()).encode())
                yield
            finally:
                lock.unlink(missing_ok=True)  # while it is locked, so that it is the one that was locked
            return


@contextmanager
def _locked_file(path: str, waiting: Callable[[], None]) -> Iterator[None]:
    """Lock the file itself."""
    told = False
    while True:
        with open(path, "rb") as file:
            if not lock_or_tell(file):
                if not told:
                    waiting()
                    told = True
                lock_or_tell(file, wait=True)
            if _is_same(os.fstat(file.fileno()), path):  # Who had the lock before may have replaced the file.
                yield
                return


@contextmanager
def _lock_beside(lock: str, patience: float | None = None) -> Iterator[None]:
    """Make a file beside it, which only one process can make. None waits for as long as is usual."""
    began, patience = time.monotonic(), PATIENCE if patience is None else patience
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError as error:
            if time.monotonic() - began >= patience:
                raise OSError(errno.EDEADLK, "another process is changing the file. Delete this lock", lock) from error
            time.sleep(0.05)
    try:
        yield
    finally:
        os.unlink(lock)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _is_same(before: os.stat_result, path: str) -> bool:
    try:
        now = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(before, now) and before.st_mtime_ns == now.st_mtime_ns
