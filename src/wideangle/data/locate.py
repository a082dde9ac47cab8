"""Where data files are: the folder in WIDEANGLE_DATA, then the cache."""

import hashlib
import os
from pathlib import Path

from wideangle.exceptions import DataError

VARIABLE = "WIDEANGLE_DATA"
CHUNK = 2**20  # bytes read at a time


def cache_folder() -> Path:
    """Ours within scikit-learn's data home (SCIKIT_LEARN_DATA, or scikit_learn_data in the home folder)."""
    from sklearn.datasets import get_data_home

    return Path(get_data_home()) / "wideangle"


def data_folders() -> list[Path]:
    """Folders to look in, in order."""
    chosen = os.environ.get(VARIABLE)
    if chosen and not Path(chosen).is_dir():
        raise DataError(f"{VARIABLE} is {chosen!r}, which is no folder; correct it, or unset it.")
    return ([Path(chosen)] if chosen else []) + [cache_folder()]


def find_file(name: str) -> Path | None:
    """The first folder's file of that name, or None."""
    return next((folder / name for folder in data_folders() if (folder / name).is_file()), None)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file as 64 hexadecimal digits. The file is read piece by piece."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def verified(path: Path, sha256: str | None) -> str:
    """The file's SHA-256; an error where another was expected."""
    found = sha256_of(path)
    if sha256 is not None and found != sha256:
        raise DataError(
            f"{path} has SHA-256 {found[:12]}…, not {sha256[:12]}…: it is damaged or another version. "
            "Replace it, or pass verify=False to use it as it is."
        )
    return found
