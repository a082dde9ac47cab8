"""Whether a source stays as it is while it is read. It is gone through several times, which must see the same."""

import os
from dataclasses import dataclass
from typing import Any

from wideangle.exceptions import DataError
from wideangle.reading.files import STANDARD_INPUT
from wideangle.reading.opening import state_of
from wideangle.reading.options import ReadingOptions
from wideangle.reading.places import PathLike, is_url, name_of

__all__ = ["Watched"]


@dataclass(frozen=True)
class Watched:
    """What a source was before it was read.

    Its size and the time of its last change are compared, or what a store of files tells instead; of a folder those of
    all its files. Whoever changes a file, leaves its size as it is and sets the time back is not noticed.
    """

    path: PathLike
    options: ReadingOptions
    state: list[Any] | None
    """None: it is read once, as standard input and pipes are"""

    @classmethod
    def of(cls, path: PathLike, options: ReadingOptions) -> "Watched":
        """Look at a source. Call this before it is opened."""
        is_pipe = not is_url(path) and os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
        read_once = os.fspath(path) == STANDARD_INPUT or is_pipe
        return cls(path, options, None if read_once else state_of(path, options))

    def check_unchanged(self, then: str = "") -> None:
        """Raise an error where the source is no longer what it was. `then` says what becomes of what was read."""
        if self.state is None:
            return
        try:
            same, what = state_of(self.path, self.options) == self.state, "changed"
        except DataError:
            same, what = False, "vanished"
        if not same:
            raise DataError(
                f"{name_of(self.path)} {what} while it was read. Run the same again when it is complete{then}."
            )
