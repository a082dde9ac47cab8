"""Files that are complete under their name, or not there."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file to write, which takes the place of `path` in the end; on an error, what was there stays.

    A link is followed: the file it points to is replaced, not the link. A pipe or a device is never replaced.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        raise OSError(errno.EINVAL, "it is a pipe or a device, and is not replaced by a file", os.fspath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())  # a name must not reach the disk before its content
        os.replace(temporary, target)
    except OSError as error:
        # A full disk names no file, and other errors name the temporary one, which nobody knows.
        if error.errno is None or error.filename not in (None, os.fspath(temporary), os.fsencode(temporary)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
