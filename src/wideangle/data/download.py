"""Fetch a file so that only the right one ever appears under its name."""

import hashlib
import os
import re
import ssl
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from wideangle.exceptions import DownloadError

CHUNK = 2**20
# Faults of the way, worth another try. Those of the disk are OSErrors too, and are not among them.
PASSING = (urllib.error.URLError, TimeoutError, ConnectionError, HTTPException, ssl.SSLError)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits, read piece by piece."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def download(
    url: str,
    path: str | os.PathLike[str],
    sha256: str | None = None,
    *,
    timeout: float = 30.0,
    attempts: int = 4,
    pause: float = 1.0,
) -> Path:
    """Fetch `url` to `path`, resuming what broke off; an existing right file is not fetched again.

    The file appears under its name only when it is whole and its checksum right. What is left of a failed download
    stays beside it as `path` + ".part" for the next call, if there is a checksum to tell whether the pieces fit.

    Parameters
    ----------
    url : str
        An http or https address.
    path : path
        Where the file shall be; its folder is made. A file there is taken for the right one if no checksum is
        given; one with another checksum is replaced, but not before the right one has come.
    sha256 : str or None, default=None
        The checksum the file must have, in hexadecimal digits.
    timeout : float, default=30.0
        Seconds to wait for the server's next bytes.
    attempts : int, default=4
        How many failures to bear. A refusal (4xx) is final at once.
    pause : float, default=1.0
        Seconds to wait after the first failure; doubled after each further one.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    DownloadError
        With the address, what happened, how often it was tried, and what to do.
    """
    path = Path(path)
    if not re.match("https?://", url, re.IGNORECASE):
        raise ValueError(f"only http and https addresses are fetched; got {url!r}.")
    if sha256 is not None and not re.fullmatch("[0-9a-fA-F]{64}", sha256):
        raise ValueError(f"sha256 must be 64 hexadecimal digits; got {sha256!r}.")
    if attempts < 1 or not timeout > 0 or not pause >= 0:
        raise ValueError(
            f"attempts must be at least 1, timeout above 0 and pause at least 0; got {attempts=}, {timeout=}, {pause=}."
        )
    wanted = sha256.lower() if sha256 else None
    if path.is_file() and (wanted is None or sha256_of(path) == wanted):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with _own_part(path, keep=wanted is not None) as part:
        if part.size == 0 or sha256_of(part.path) != wanted:  # a leftover may be whole already
            failures = _failures(url, part, wanted, timeout, attempts, pause)
            if failures:
                often = "once" if len(failures) == 1 else f"{len(failures)} times"
                raise DownloadError(
                    f"could not fetch {url}: {failures[-1]} (tried {often}). Get the file by hand, put it at {path} "
                    "and try again."
                )
        os.replace(part.path, path)
    return path


@dataclass
class _Part:
    """What has come so far, and the server's mark of the version it belongs to."""

    path: Path
    version: str | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0


@contextmanager
def _own_part(path: Path, keep: bool) -> Iterator[_Part]:
    """The part file of this call alone.

    Two processes that fetch the same file write under different names, so neither can spoil the other's. An earlier
    call's leftover is claimed by renaming it, which only one of them can do. No lock is needed, and none goes stale.
    """
    leftover = path.with_name(path.name + ".part")
    part = _Part(path.with_name(f"{leftover.name}-{uuid.uuid4().hex}"))
    if keep:
        with suppress(FileNotFoundError):  # there is none, or another process was faster
            leftover.rename(part.path)
    try:
        yield part
    finally:
        if keep and part.size:
            os.replace(part.path, leftover)
        part.path.unlink(missing_ok=True)


def _failures(url: str, part: _Part, wanted: str | None, timeout: float, attempts: int, pause: float) -> list[str]:
    """What went wrong, in words, before giving up; nothing if the part is now the right file."""
    failures: list[str] = []
    while len(failures) < attempts:
        if failures:
            time.sleep(pause * 2 ** (len(failures) - 1))
        try:
            resumed = _fetch(url, part, timeout, provable=wanted is not None)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 416 and part.size:  # the part is no beginning of what the server has now
                part.path.unlink()
                continue
            failures.append(f"the server answered {error.code} ({error.reason})")
            if error.code < 500:
                return failures
            continue
        except PASSING as error:
            failures.append(str(getattr(error, "reason", error)) or type(error).__name__)
            continue
        found = sha256_of(part.path) if wanted else None
        if found == wanted:
            return []
        part.path.unlink()
        if not resumed:  # after a resume, pieces of two versions may have met: starting again is no failure
            failures.append(f"the sha256 of what came is {found}, not {wanted}")
            if failures[-1] in failures[:-1]:  # twice the same wrong file is no accident of the way
                return failures
    return failures


def _fetch(url: str, part: _Part, timeout: float, provable: bool) -> bool:
    """One request; the part grows by what comes. Whether that was joined to what was there before."""
    # Without a checksum or a version, pieces of two different files could be joined unseen.
    have = part.size if provable or part.version else 0
    headers = {"User-Agent": "wideangle"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if part.version:
            headers["If-Range"] = part.version
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
        if answer.status == 206 and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            part.path.unlink(missing_ok=True)
            raise HTTPException(f"the bytes from {have} on were asked for, the server sent others")
        resumed = have > 0 and answer.status == 206
        mark = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
        part.version = None if mark is None or mark.startswith("W/") else mark
        announced = answer.headers.get("Content-Length", "")
        came = 0
        with open(part.path, "ab" if resumed else "wb") as file:
            while piece := answer.read1(CHUNK):  # what there is: read would lose up to a chunk to a stall
                came += file.write(piece)
    # http.client keeps silent about a body that ends early when it is read in pieces.
    if announced.isdecimal() and came < int(announced):
        raise ConnectionError(f"the connection closed after {came} of {announced} bytes")
    return resumed
