"""Writing files so that a file is either complete or not there."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing"]


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
