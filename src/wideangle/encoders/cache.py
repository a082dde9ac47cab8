"""Vectors of texts that were encoded before, found by what the texts say."""

import hashlib
import os
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wideangle._arguments import checked, optional, path
from wideangle._arguments import texts as several_texts
from wideangle.encoders.catalogue import encoder_of
from wideangle.encoders.checked import CheckedEncoder, Encoder, Progress
from wideangle.encoders.store import KEY, Store

__all__ = ["CachedEncoder", "cached"]

FEWEST = 16  # For so few texts, such as a query, the cache is not asked, and no file is written.
AT_ONCE = 4096  # texts per file. A process that is killed loses no more of them.


class CachedEncoder(CheckedEncoder):
    """An encoder that keeps vectors in a folder. Two processes may use it at once, and may be killed."""

    def __init__(self, encoder: CheckedEncoder, folder: Path) -> None:
        super().__init__(encoder)
        self._store = Store(folder / _folder_name(encoder.name), encoder.dimension)

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """One row per text; only what is new is encoded, and equal texts once."""
        written = several_texts(texts, "texts")
        if len(written) < FEWEST:
            return super().encode(written, progress)
        keys, first, same = np.unique(_keys(self.name, written), return_index=True, return_inverse=True)
        found = np.zeros((len(written), self.dimension), dtype=np.float32)
        missing = np.ones(len(keys), dtype=bool)
        for here, rows in self._store.find(keys):
            found[first[here]] = rows
            missing[here] = False
        new = np.flatnonzero(missing)
        new = new[np.argsort(first[new])]  # in the order of the texts, so that an interrupted run goes on
        done, can_write = len(keys) - len(new), True
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            told = None if progress is None else partial(_tell, progress, done + start, len(keys))
            vectors = super().encode([written[row] for row in first[some]], told)
            found[first[some]] = vectors
            if can_write and len(some) >= FEWEST:
                can_write = self._store.add(keys[some], vectors)
        for start in range(0, len(written), AT_ONCE):  # A copy of all vectors would need their memory twice.
            part = np.arange(start, min(start + AT_ONCE, len(written)))
            origin = first[same[part]]
            again = origin != part
            found[part[again]] = found[origin[again]]
        return found


@checked(folder=optional(path))
def cached(encoder: Encoder, folder: str | os.PathLike[str] | None = None) -> CachedEncoder:
    """The same encoder, which keeps its vectors in a folder; without one, in that of our cache.

    The folder may be deleted at any time. Who wants no cache does not call this.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from wideangle.encoders import cached, encoder_of
    >>> asked = []
    >>> def lengths(texts):
    ...     asked.extend(texts)
    ...     return np.array([[len(text)] for text in texts])
    >>> encoder = cached(encoder_of(lengths, name="lengths"), tempfile.mkdtemp())
    >>> texts = ["a" * number for number in range(1, 21)]
    >>> bool((encoder.encode(texts) == encoder.encode(texts)).all()), len(asked)
    (True, 21)
    """
    if folder is None:
        from wideangle.data.locate import cache_folder

        folder = cache_folder() / "encoded"
    return CachedEncoder(encoder_of(encoder), Path(folder))


def _tell(progress: Progress, before: int, total: int, done: int, _: int) -> None:
    """Progress within a file, since a slow encoder may need minutes for it."""
    progress(before + done, total)


def _keys(name: str, texts: list[str]) -> NDArray[np.bytes_]:
    """What each text is found by: a hash of the encoder's name and the text."""
    begun = hashlib.blake2b(name.encode("utf-8", "surrogatepass") + b"\0", digest_size=KEY)
    keys = bytearray()
    for text in texts:
        digest = begun.copy()
        digest.update(text.encode("utf-8", "surrogatepass"))
        keys += digest.digest()
    return np.frombuffer(bytes(keys), dtype=f"S{KEY}")


def _folder_name(name: str) -> str:
    """A name that every disk takes, and that differs where names of encoders do."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:60]
    return f"{plain}-{hashlib.blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"
