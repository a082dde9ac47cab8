"""Writing files so that a file is either complete or not there, and changing them one process after the other."""

import errno
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

__all__ = ["exclusively", "replacing"]

PATIENCE = 60.0  # So many seconds a process waits for a lock that may have been left behind.


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file to write, which replaces `path` in the end. After an error the old file is unchanged.

    A link is followed: the file it points to is replaced, not the link. A pipe or a device is never replaced.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        raise OSError(errno.EINVAL, "it is a pipe or a device, and is not replaced by a file", os.fspath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())  # The content must reach the disk before the name does.
        os.replace(temporary, target)
    except OSError as error:
        # The error of a full disk names no file, and other errors name the temporary file, which users do not know.
        if error.errno is None or error.filename not in (None, os.fspath(temporary), os.fsencode(temporary)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def exclusively(path: str | os.PathLike[str]) -> Iterator[Callable[[], bool]]:
    """Let one process after the other read a file, change it and replace it, so that no change is lost.

    It gives a function that says whether the file is still the one that was there at first: somebody who does not ask
    for the lock may have replaced it meanwhile.
    """
    target = os.path.realpath(path)
    if not os.path.isfile(target):  # Opening a pipe would wait for ever. Who reads the path says what is wrong with it.
        yield lambda: True
        return
    with _locked_file(target) if fcntl is not None else _lock_beside(target):
        before = os.stat(target)
        yield lambda: _is_same(before, target)


@contextmanager
def _locked_file(path: str) -> Iterator[None]:
    """Lock the file itself. The system frees the lock when the process ends, however it ends."""
    while True:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if _is_same(os.fstat(file.fileno()), path):  # Who had the lock before may have replaced the file.
                yield
                return


@contextmanager
def _lock_beside(path: str) -> Iterator[None]:
    """Make a file beside it, which only one process can make."""
    lock, began = f"{path}.lock", time.monotonic()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError as error:
            if time.monotonic() - began > PATIENCE:
                raise OSError(errno.EDEADLK, "another process is changing the file. Delete this lock", lock) from error
            time.sleep(0.05)
    try:
        yield
    finally:
        os.unlink(lock)


def _is_same(before: os.stat_result, path: str) -> bool:
    try:
        now = os.stat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(before, now) and before.st_mtime_ns == now.st_mtime_ns
