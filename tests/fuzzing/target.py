"""What is fuzzed, and the law that each case must keep.

A case gives a documented result, or a documented error with a message, within its limits of time and memory. No other
error comes out of it, no warning, and what it says that it has written is whole.
"""

import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import wideangle
from wideangle import exceptions

OURS = tuple(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
PACKAGE = str(Path(wideangle.__file__).parent)
MOST_STEPS = 4  # of one case
# Python and libraries tell their own developers by these what will change.
FOR_DEVELOPERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning)


@dataclass(frozen=True)
class Subject:
    """A kind of file or request that is ready to be fuzzed."""

    seeds: list[bytes]
    """good content, of which cases are made"""
    mutate: Callable[[Random, bytes], bytes]
    """one change"""
    read: Callable[[bytes], None]
    """reads content and uses what it got"""
    documented: Callable[[Exception], bool]
    """whether an error is one that the documentation names"""
    warned: tuple[type[Warning], ...] = ()
    """warnings that the documentation names"""


@dataclass(frozen=True)
class Target:
    """A kind of file or request: its name, and what makes it ready in an empty folder."""

    name: str
    make: Callable[[Path], Subject]


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    kind: str
    """accepted, refused or found"""
    said: str = ""
    """the error or what is wrong"""
    where: str = ""
    """the last line of ours in the traceback, by which findings are told apart"""


class BrokenLawError(AssertionError):
    """What was read is not what the documentation says."""


class TooLongError(BaseException):
    """A case took too long. It is no Exception, so that nobody takes it for a damaged file."""


def case_of(subject, name, seed, number):
    """The content of a case. Its steps have random streams of their own, so that some of them can be left out."""
    return applied(subject, name, seed, number, range(steps_of(name, seed, number)))


def steps_of(name, seed, number):
    """How many changes a case has."""
    return 1 + min(int(Random(f"{name} {seed} {number} steps").expovariate(0.9)), MOST_STEPS - 1)


def applied(subject, name, seed, number, steps):
    """The content of a case of which only some steps are made."""
    content = Random(f"{name} {seed} {number}").choice(subject.seeds)
    for step in steps:
        content = subject.mutate(Random(f"{name} {seed} {number} {step}"), content)
    return content


def outcome_of(subject, content, seconds=10.0):
    """Read content under the law."""
    try:
        with limited(seconds), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            subject.read(content)
            error = None
    except TooLongError as too_long:
        return Outcome("found", f"took more than {seconds} seconds", where_of(too_long))
    except Exception as raised:
        error = raised
    expected = (*FOR_DEVELOPERS, *subject.warned)
    told = [each for each in warned if not issubclass(each.category, expected)]
    if error is not None and (not subject.documented(error) or not str(error).strip()):
        return Outcome("found", f"{type(error).__name__}: {error}"[:500], where_of(error))
    if error is not None and any(isinstance(each, MemoryError) for each in chain_of(error)):
        return Outcome("found", f"it asked for too much memory: {error}"[:500], where_of(error))
    if told:
        place = Path(told[0].filename)
        said = f"{told[0].category.__name__}: {told[0].message}"
        return Outcome("found", said[:500], f"warning {place.parent.name}/{place.name}:{told[0].lineno}")
    return Outcome("accepted") if error is None else Outcome("refused", f"{error}"[:500], where_of(error))


@contextmanager
def limited(seconds):
    """Raise `TooLongError` after so many seconds. A timer that runs already, as that of pytest-timeout, goes on."""

    def too_long(*_):
        raise TooLongError

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, too_long)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.01), interval)


def chain_of(error):
    """An error and those that it was raised from or after."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


def where_of(error):
    """The last line of our own code that an error came through, and the type of error at the bottom of it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if PACKAGE in frame.filename]
    frame = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {Path(frame.filename).name}:{frame.lineno} {frame.name}"


def is_ours(error):
    """Whether an error is one of ours, or a ValueError or TypeError that our own code raised."""
    frames = traceback.extract_tb(error.__traceback__)
    by_us = PACKAGE in frames[-1].filename
    return isinstance(error, OURS) or (isinstance(error, (ValueError, TypeError)) and by_us)


def only(*kinds):
    """Whether an error is of one of these kinds."""
    return lambda error: isinstance(error, kinds)
