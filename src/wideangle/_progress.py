"""Progress where there is no terminal: now and then a plain line on stderr, for logs and for people who wait."""

import sys
import time

EVERY = 10.0  # There are at least this many seconds between two lines.


class ProgressLines:
    """Call it as often as you like: it prints at most one line per EVERY seconds, and none for short work."""

    def __init__(self, title: str, unit: str = "") -> None:
        self.title, self.unit = title, f"{unit} " if unit else ""
        self.began = self.last = time.monotonic()

    def __call__(self, done: int, total: int, note: str) -> None:
        """Report that `done` of `total` is done."""
        now = time.monotonic()
        if not 0 < done < total or now - self.last < EVERY:
            return
        self.last = now
        left = in_words((now - self.began) / done * (total - done))
        told = f", {note}" if note else ""
        sys.stderr.write(f"{self.title}: {self.unit}{done:,} of {total:,}{told}, about {left} left\n")
        sys.stderr.flush()


def in_words(seconds: float) -> str:
    """A time in words for people."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
