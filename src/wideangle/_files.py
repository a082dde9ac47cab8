"""Writing files and folders so that each is complete under its name or not there, also after a loss of power."""

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wideangle._locks import CAN_LOCK, NO_LOCKS, hidden_name, is_at, lock_now

__all__ = ["making_folder", "naming", "replacing"]

TOKEN = 8  # random bytes in the name of a temporary file


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary file to write, which replaces `path` in the end. After an error the old file is unchanged.

    A link is followed: the file it points to is replaced, not the link. A pipe, a device or a file that may not be
    written is never replaced. Permissions and, where the system lets us, owner and group stay those of the old file.
    A temporary file that a killed process has left behind goes when the same file is written the next time.
    """
    target = Path(os.path.realpath(path))
    before = target.stat() if target.exists() else None
    if before is not None and not stat.S_ISREG(before.st_mode) and not stat.S_ISDIR(before.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and is not replaced by a file", os.fspath(path))
    if before is not None and not os.access(target, os.W_OK):
        number = errno.EROFS if _is_read_only(target) else errno.EACCES
        raise OSError(number, os.strerror(number), os.fspath(path))
    remove_left_behind(target)
    temporary = None
    try:
        # Nobody may read the new file who may not read the old one, not even while it is written.
        mode = 0o666 if before is None else stat.S_IMODE(before.st_mode) & 0o777 | 0o600
        with _locked_temporary(target, lambda new: _make_empty(new, mode)) as temporary:
            yield temporary
            _flush(temporary, before)  # The content must reach the disk before the name does.
            os.replace(temporary, target)
            _flush_folder(target.parent)
    except OSError as error:
        raise _in_terms_of(path, target, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextmanager
def making_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary folder to fill, which gets the name `path` in the end. After an error there is none.

    The path must not exist, or be an empty folder, then and in the end.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    remove_left_behind(target)
    temporary = None
    try:
        with _locked_temporary(target, Path.mkdir) as temporary:
            yield temporary
            for folder, _, names in os.walk(temporary, topdown=False):
                for name in names:
                    _flush(Path(folder, name))
                _flush_folder(Path(folder))
            os.replace(temporary, target)
            _flush_folder(target.parent)
    except OSError as error:
        raise _in_terms_of(path, target, error) from error
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the system name a file, where they name none, as that of a full disk does."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), os.fspath(path)) from error


def remove_left_behind(target: Path) -> None:
    """Remove temporary files and folders of `target` whose process was killed: nobody holds their locks any more."""
    if not CAN_LOCK:
        return
    with suppress(OSError):  # Who writes the file says what is wrong with its folder.
        with os.scandir(target.parent) as entries:
            found = [Path(entry.path) for entry in entries if _is_temporary(entry.name, target)]
        for each in found:
            with suppress(OSError), _opened(each) as descriptor:  # Another process may remove it at the same time.
                if not lock_now(descriptor):
                    continue  # It is being written.
                if each.is_dir():
                    shutil.rmtree(each)
                else:
                    each.unlink()


def _in_terms_of(path: str | os.PathLike[str], target: Path, error: OSError) -> OSError:
    """The error with the name that users know. That of a full disk names no file, others name the temporary one."""
    parts = Path(os.fsdecode(error.filename)).parts if isinstance(error.filename, str | bytes) else ()
    if error.errno is None or not (error.filename is None or any(_is_temporary(part, target) for part in parts)):
        return error
    return OSError(error.errno, os.strerror(error.errno), os.fspath(path))


def _is_read_only(path: Path) -> bool:
    """Whether nobody can write to a disk."""
    return hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)


def _temporary_name(target: Path) -> Path:
    return target.with_name(hidden_name(target.name, f"{secrets.token_hex(TOKEN)}.tmp"))


def _is_temporary(name: str, target: Path) -> bool:
    """Whether a file or folder of this name is a temporary one of `target`."""
    pattern = re.escape(hidden_name(target.name, "")) + rf"[0-9a-f]{{{2 * TOKEN}}}\.tmp"
    return re.fullmatch(pattern, name) is not None


@contextmanager
def _locked_temporary(target: Path, make: Callable[[Path], None]) -> Iterator[Path]:
    """A new file or folder beside the target. Its lock says that somebody is writing it."""
    while True:
        path = _temporary_name(target)
        make(path)
        if not CAN_LOCK:
            yield path
            return
        with _opened(path) as descriptor:
            # Somebody may have taken it for one that was left behind, in the moment before it was locked.
            if _lock_where_possible(descriptor) and is_at(descriptor, path):
                yield path
                return


def _lock_where_possible(descriptor: int) -> bool:
    try:
        return lock_now(descriptor)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return True  # Where a disk has no locks, nothing is taken for left behind.


def _make_empty(path: Path, mode: int) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _flush(path: Path, like: os.stat_result | None = None) -> None:
    """Let a file reach the disk, with owner and permissions of another one if that is given."""
    with path.open("rb+") as file:
        if like is not None:
            _take_owner_and_mode(path, like)
        os.fsync(file.fileno())


def _take_owner_and_mode(path: Path, like: os.stat_result) -> None:
    own = path.stat()
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        with suppress(PermissionError):  # Only root gives files away; who may replace the file may own the new one.
            os.chown(path, like.st_uid, like.st_gid)
    os.chmod(path, stat.S_IMODE(like.st_mode))


def _flush_folder(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    if os.name == "nt":  # Windows opens no folders.
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # It may be written to, but not be listed. The names reach the disk some seconds later.
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF):  # Some disks of networks flush no folders.
            raise
    finally:
        os.close(descriptor)
