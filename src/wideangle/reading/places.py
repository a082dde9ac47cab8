"""Where input is: paths of this computer, and URLs that fsspec opens. Both are looked at, listed and read alike."""

import glob
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from wideangle._optional import optional_import
from wideangle.exceptions import DataError

__all__ = [
    "DataPath",
    "Found",
    "LocalFile",
    "PathLike",
    "RemoteFile",
    "absolute",
    "file_at",
    "find",
    "is_text_file",
    "is_url",
    "kind_of",
    "name_of",
]

PathLike = str | os.PathLike[str]
DataPath = Path | str
"""what the command line makes of an argument: a path, or a URL, which a path would change"""
BLOCK = 2**22  # So many bytes are fetched at a time of a file that is read from its beginning to its end.
WILD = re.compile(r"[*?\[]")
# By which of these facts a store tells that a file has changed: the first that it knows.
CHANGES = ("ETag", "etag", "generation", "md5Hash", "mtime", "LastModified", "last_modified", "updated", "created")


class Found(NamedTuple):
    """A file that was found in a folder or by a pattern."""

    path: str
    """a path or a URL that opens it"""
    inside: str
    """its name, with the folders inside, by slashes"""
    size: int
    state: str
    """is another one when the file has changed"""


def is_url(path: PathLike) -> bool:
    """Whether a path is a URL."""
    return "://" in os.fspath(path)


def absolute(path: PathLike) -> str:
    """The same place, named so that other processes find it."""
    return os.fspath(path) if is_url(path) else os.path.abspath(path)


def name_of(path: PathLike) -> str:
    """The name of a file or folder without the folders it lies in.

    Examples
    --------
    >>> from wideangle.reading.places import name_of
    >>> name_of("s3://bucket/reviews/2024.jsonl"), name_of("data/notes.txt"), name_of("https://x.org/a.csv?raw=1")
    ('2024.jsonl', 'notes.txt', 'a.csv')
    """
    if not is_url(path):
        return Path(path).name or str(path)
    return PurePosixPath(_without_query(os.fspath(path)).split("://")[-1]).name or os.fspath(path)


def kind_of(path: PathLike) -> Literal["file", "folder", "pattern"]:
    """What a path names. What is not there raises FileNotFoundError, unless it has signs that stand for other signs."""
    text = os.fspath(path)
    if is_url(path):
        # "?" begins the query of a web address.
        if WILD.search(_without_query(text)):
            return "pattern"
        return "folder" if RemoteFile(text).info()["type"] == "directory" else "file"
    if WILD.search(text) and not os.path.lexists(text):
        return "pattern"
    os.stat(text)
    if not os.path.isdir(text):
        return "file"
    os.scandir(text).close()  # It raises an error where the folder may not be read.
    return "folder"


def find(path: PathLike) -> list[Found]:
    """All files below a folder, or those that a pattern matches, in the order of their names."""
    found = _found_remotely(os.fspath(path)) if is_url(path) else _found_here(os.fspath(path))
    return sorted(found, key=lambda file: file.inside.split("/"))


def is_text_file(inside: str) -> bool:
    """Whether a file of a folder is a document.

    Hidden files and files of hidden folders are none, such as `._x.txt`, which macOS writes beside `x.txt`.
    """
    return inside.endswith(".txt") and not any(part.startswith(".") for part in inside.split("/"))


def file_at(path: PathLike) -> "LocalFile | RemoteFile":
    """The file at a path or URL."""
    return RemoteFile(os.fspath(path)) if is_url(path) else LocalFile(path)


class LocalFile:
    """A file of this computer."""

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)

    def open(self) -> BinaryIO:
        """Its bytes from the beginning, as a stream in which one can jump."""
        return self.path.open("rb")

    def read(self, start: int, end: int) -> bytes:
        """Some of its bytes; fewer where it ends before."""
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(end - start)

    @property
    def size(self) -> int:
        return self.path.stat().st_size

    @property
    def state(self) -> str:
        """Is another one when the file has changed."""
        return str(self.path.stat().st_mtime_ns)


class RemoteFile:
    """A file that fsspec opens by a URL. Nothing of it is kept on this computer."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._files, self._path = _file_system(url)

    def open(self) -> BinaryIO:
        """Its bytes from the beginning, as a stream in which one can jump."""
        with _reaching(self.url):
            return cast(BinaryIO, self._files.open(self._path, "rb", block_size=BLOCK))

    def read(self, start: int, end: int) -> bytes:
        """Some of its bytes; fewer where it ends before. Nothing else is fetched."""
        with _reaching(self.url):
            return cast(bytes, self._files.cat_file(self._path, start=start, end=end))

    def info(self) -> dict[str, Any]:
        """What the store knows of it now. Stores remember what they listed, and that is forgotten first."""
        with _reaching(self.url):
            self._files.invalidate_cache()
            return dict(self._files.info(self._path))

    @property
    def size(self) -> int:
        with _reaching(self.url):
            size = self._files.info(self._path).get("size")
        if size is None:
            raise DataError(f"{self.url} does not say how many bytes it has. Copy it to a disk or a store first.")
        return int(size)

    @property
    def state(self) -> str:
        """Is another one when the file has changed."""
        return _state(self.info())


def _found_here(path: str) -> Iterator[Found]:
    if os.path.isdir(path):
        root, paths = path, [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    else:
        root, paths = os.path.dirname(path[: _wild_at(path)]), glob.glob(path, recursive=True)
    for each in paths:
        if os.path.isfile(each):
            about = os.stat(each)
            inside = Path(os.path.relpath(each, root or ".")).as_posix()
            yield Found(os.path.abspath(each), inside, about.st_size, str(about.st_mtime_ns))


def _found_remotely(url: str) -> Iterator[Found]:
    files, path = _file_system(url)
    with _reaching(url):
        files.invalidate_cache()
        if WILD.search(path):
            listed, root = files.glob(path, detail=True), path[: _wild_at(path)].rpartition("/")[0]
        else:
            listed, root = files.find(path, detail=True), path
    for each, about in listed.items():
        if about["type"] == "file":
            inside = each.removeprefix(root.rstrip("/")).lstrip("/")
            yield Found(str(files.unstrip_protocol(each)), inside, int(about.get("size") or 0), _state(about))


def _wild_at(path: str) -> int:
    """Where the first sign that stands for other signs is."""
    sign = WILD.search(path)
    return len(path) if sign is None else sign.start()


def _state(about: dict[str, Any]) -> str:
    return next((str(about[fact]) for fact in CHANGES if about.get(fact) is not None), "")


def _without_query(url: str) -> str:
    return url.partition("?")[0] if url.startswith(("http://", "https://")) else url


def _file_system(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it. An error says which package is missing."""
    fsspec = optional_import("fsspec", extra="remote", purpose=f"reading {url}")
    protocol = url.split("://")[0].split("::")[-1]
    try:
        files, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        known = import_module("fsspec.registry").known_implementations.get(protocol, {})
        package = str(known.get("class", protocol)).split(".")[0]
        raise ImportError(
            f"reading {url} needs the package {package}, which cannot be imported ({error}): pip install {package}"
        ) from error
    except ValueError as error:
        raise DataError(
            f"{url} begins with {protocol}://, which fsspec does not know ({error}). Check the address."
        ) from error
    return files, str(path)


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    """Raise `DataError` for what a store raises. What the system raises has a sentence of its own elsewhere."""
    try:
        yield
    except (DataError, ImportError, OSError, MemoryError):
        raise
    except Exception as error:  # Each store has errors of its own: of credentials, of the net, of its answers.
        raise DataError(
            f"{url} cannot be read: {type(error).__name__}: {error}. Check the address, the net, and that you may "
            "read it."
        ) from error
