"""Progress where there is no terminal: a plain line on stderr now and then, for logs and for whoever waits."""

import sys
import time

EVERY = 10.0  # seconds from line to line at least


class ProgressLines:
    """Call it as often as there is news; it prints at most one line in EVERY seconds, and none of what is over soon."""

    def __init__(self, title: str, unit: str = "") -> None:
        self.title, self.unit = title, f"{unit} " if unit else ""
        self.began = self.last = time.monotonic()

    def __call__(self, done: int, total: int, note: str) -> None:
        """So much of it is done."""
        now = time.monotonic()
        if not 0 < done < total or now - self.last < EVERY:
            return
        self.last = now
        left = in_words((now - self.began) / done * (total - done))
        told = f", {note}" if note else ""
        sys.stderr.write(f"{self.title}: {self.unit}{done:,} of {total:,}{told}, about {left} left\n")
        sys.stderr.flush()


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
