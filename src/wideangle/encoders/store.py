"""Vectors of texts in a folder, in files that are written once: each is there as a whole, or not at all.

A file has MAGIC, the numbers of its rows and columns, the keys of its rows, a checksum of each row, and the rows. Two
processes write files of different names, or the same file twice. Nobody waits for a lock.
"""

import hashlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideangle._files import replacing

__all__ = ["KEY", "Store"]

MAGIC = b"wavec 1\n"
HEAD = len(MAGIC) + 16  # two numbers of eight bytes
KEY, CHECK = 16, 8  # bytes
ENDING = ".vectors"

Keys = NDArray[np.bytes_]


class _Index(NamedTuple):
    """All keys of the folder in order, and where their rows are."""

    files: list[Path]
    keys: Keys
    file: NDArray[np.int32]
    row: NDArray[np.int64]


class Store:
    """The vectors of one encoder. What cannot be read is passed over with a warning, as what cannot be written is."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self.folder, self.dimension = folder, dimension
        self._known: dict[Path, Keys] = {}
        self._index = _index_of({})

    def find(self, keys: Keys) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Which of these keys are here, and their rows; those of one file at a time."""
        self._look_again()
        index = self._index
        places = np.searchsorted(index.keys, keys)
        places[places == len(index.keys)] = 0
        here = np.flatnonzero(index.keys[places] == keys) if len(index.keys) else np.zeros(0, dtype=np.intp)
        file = index.file[places[here]]
        for number in np.unique(file).tolist():
            wanted = here[file == number]
            rows = self._rows(index.files[number], index.row[places[wanted]], keys[wanted])
            if rows is not None:
                yield wanted, rows

    def add(self, keys: Keys, rows: NDArray[np.float32]) -> bool:
        """Keep some rows; False where they cannot be written."""
        content = np.ascontiguousarray(rows, dtype="<f4")
        named = np.ascontiguousarray(keys, dtype=f"S{KEY}")
        path = self.folder / (hashlib.blake2b(named.tobytes(), digest_size=KEY).hexdigest() + ENDING)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(path) as new, new.open("wb") as file:
                file.write(MAGIC + np.array(content.shape, dtype="<i8").tobytes())
                file.write(named.tobytes())
                file.write(_checks(named, content))
                file.write(content.tobytes())
        except OSError as error:
            _warn(f"vectors of texts cannot be kept in {self.folder} ({error}). They will be made anew the next time.")
            return False
        return True

    def _look_again(self) -> None:
        """Read the keys of files that are new, also of another process, and forget those of files that are gone."""
        there = set(self.folder.glob(f"*{ENDING}"))  # nothing where there is no folder
        if there == set(self._known):
            return
        for path in sorted(there - set(self._known)):
            self._known[path] = self._keys(path)
        self._known = {path: self._known[path] for path in sorted(there)}
        self._index = _index_of(self._known)

    def _keys(self, path: Path) -> Keys:
        try:
            with path.open("rb") as file:
                head = file.read(HEAD)
                rows, columns = np.frombuffer(head[len(MAGIC) :].ljust(16, b"\xff"), dtype="<i8").tolist()
                size = HEAD + rows * (KEY + CHECK + 4 * columns)
                right = head.startswith(MAGIC) and rows > 0 and columns == self.dimension
                if right and path.stat().st_size == size:
                    return np.frombuffer(file.read(KEY * rows), dtype=f"S{KEY}")
        except OSError as error:
            _warn(f"{path} cannot be read ({error}). Its vectors are made anew.")
        else:
            _tell_damage(path)
        return np.zeros(0, dtype=f"S{KEY}")

    def _rows(self, path: Path, rows: NDArray[np.int64], keys: Keys) -> NDArray[np.float32] | None:
        """Rows of a file; None where one of them is not what was written."""
        count = len(self._known[path])
        try:
            with path.open("rb") as file:
                file.seek(HEAD + KEY * count)
                checks = np.frombuffer(file.read(CHECK * count), dtype=f"V{CHECK}")
            start = HEAD + (KEY + CHECK) * count
            stored = np.memmap(path, dtype="<f4", mode="r", offset=start, shape=(count, self.dimension))
            found = np.asarray(stored[rows], dtype=np.float32)
        except (OSError, ValueError) as error:  # ValueError: it was cut meanwhile.
            _warn(f"{path} cannot be read ({error}). Its vectors are made anew.")
            return None
        if len(checks) == count and checks[rows].tobytes() == _checks(keys, found.astype("<f4", copy=False)):
            return found
        _tell_damage(path)
        return None


def _index_of(known: dict[Path, Keys]) -> _Index:
    sizes = [len(keys) for keys in known.values()]
    keys: Any = np.concatenate([np.zeros(0, dtype=f"S{KEY}"), *known.values()])
    order = np.argsort(keys, kind="stable")
    file = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    row = np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(size) for size in sizes)])
    return _Index(list(known), keys[order], file[order], row[order])


def _checks(keys: Keys, rows: NDArray[Any]) -> bytes:
    """One checksum per row, which holds for its key as well."""
    key = np.ascontiguousarray(keys).tobytes()
    each = (
        hashlib.blake2b(row.tobytes(), digest_size=CHECK, salt=key[KEY * number : KEY * (number + 1)]).digest()
        for number, row in enumerate(rows)
    )
    return b"".join(each)


def _tell_damage(path: Path) -> None:
    _warn(f"{path} is damaged, or no file of vectors. Its vectors are made anew; delete it.")


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
