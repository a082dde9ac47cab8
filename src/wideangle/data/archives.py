"""Unpack an archive so that nothing leaves its folder."""

import os
import shutil
import stat
import tarfile
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from wideangle.exceptions import ArchiveError

CHUNK = 2**20
TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError)


def unpack(archive: str | os.PathLike[str], folder: str | os.PathLike[str], *, max_bytes: int = 8 * 2**30) -> Path:
    """Unpack an archive into a new folder, which appears only when everything is in it.

    Parameters
    ----------
    archive : path
        A .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz or .zip file.
    folder : path
        Must not exist yet, or be empty.
    max_bytes : int, default=8 GiB
        Of all unpacked files together: a small archive can hold a huge one.

    Returns
    -------
    Path
        `folder`. Links have become copies of the files they point to.

    Raises
    ------
    ArchiveError
        Where the archive is damaged, too large, or has members that are devices, or lie or point outside the folder.
    """
    archive, folder = Path(archive), Path(folder)
    if not archive.name.lower().endswith((*TAR_ENDINGS, ".zip")):
        raise ArchiveError(f"cannot unpack {archive}: its name must end in {', '.join(TAR_ENDINGS)} or .zip.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder} is there already and is no empty folder; remove it or choose another.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f"{folder.name}.part-{uuid.uuid4().hex}")
    temporary.mkdir()
    try:
        written = 0
        for name, content in (_zip_members if archive.name.lower().endswith(".zip") else _tar_members)(archive):
            target = temporary.joinpath(*_steps(name, name))
            if content is None:
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with content, open(target, "wb") as file:
                while piece := content.read(CHUNK):
                    written += len(piece)  # counted, since what a header announces need not be true
                    if written > max_bytes:
                        raise ArchiveError(f"with its member {name!r} it exceeds max_bytes={max_bytes}")
                    file.write(piece)
        _give_name(temporary, folder)
    except ArchiveError as error:
        raise ArchiveError(f"will not unpack {archive}: {error}. Nothing was unpacked.") from None
    except (*DAMAGE, OSError) as error:
        # The disk's errors carry a number; those of gzip and bz2 do not.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = " ".join(str(error).split())  # tarfile writes a line for each format it tried
        raise ArchiveError(f"{archive} is damaged: {reason}. Fetch it again.") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _give_name(temporary: Path, folder: Path) -> None:
    try:
        if folder.exists():
            folder.rmdir()  # Windows renames onto nothing that exists
        temporary.rename(folder)
    except OSError:
        # Another process that unpacks the same archive may have been faster: its folder is as good as ours.
        if not folder.is_dir() or not any(folder.iterdir()):
            raise


def _steps(name: str, member: str) -> tuple[str, ...]:
    """The parts of a name inside the folder. Climbing is refused even where it would come back."""
    path = PureWindowsPath(name)  # knows both slashes, and drives
    if path.drive or path.root or ".." in path.parts:
        raise ArchiveError(f"its member {member!r} lies or points outside the folder")
    return path.parts


def _tar_members(archive: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Names and contents, None for a folder. No link is made, so that none can be written through."""
    files: dict[tuple[str, ...], tarfile.TarInfo] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isdir():
                yield member.name, None
                continue
            source = member
            if member.issym() or member.islnk():
                # Hard links count from the top, symbolic ones from where they stand.
                start = PurePosixPath(member.name).parent if member.issym() else PurePosixPath()
                goal = _steps(os.path.normpath(start / member.linkname), member.name)
                if goal not in files:  # a later one would mean to decompress everything before it is counted
                    raise ArchiveError(f"its member {member.name!r} points to no earlier file of the archive")
                source = files[goal]
            content = tar.extractfile(source)
            if content is None:
                raise ArchiveError(f"its member {member.name!r} is a device or a pipe")
            files[_steps(member.name, member.name)] = source
            yield member.name, content


def _zip_members(archive: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Names and contents, None for a folder. Links, which are rare here, are refused altogether."""
    with zipfile.ZipFile(archive) as bundle:
        for member in bundle.infolist():
            if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ArchiveError(f"its member {member.filename!r} is a link or a device")
            if member.flag_bits & 1:
                raise ArchiveError(f"its member {member.filename!r} is encrypted")
            yield member.filename, None if member.is_dir() else bundle.open(member)
