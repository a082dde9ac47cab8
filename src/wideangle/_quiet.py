"""Warnings that are silenced for the block and the thread that asked for it, and for no other.

`warnings.catch_warnings` puts back the filters of the whole process when its block ends. Where the blocks of two
threads overlap, the filters of the first are put back last: warnings of the second thread are lost meanwhile, and the
filter that ignores them may stay for ever. Here a filter asks which thread is running, so that it may stay in the list.
"""

import sys
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

__all__ = ["silenced"]

# Python 3.14 can keep the filters of each thread apart by itself.
BY_PYTHON = bool(getattr(sys.flags, "context_aware_warnings", False))


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.blocks: Counter[type] = Counter()


_RUNNING = _OfThread()


@contextmanager
def silenced(category: type[Warning] = Warning, message: str = "") -> Iterator[None]:
    """Silence warnings of a category in the block; `message` is a pattern that their text begins with.

    Examples
    --------
    >>> import warnings
    >>> from wideangle._quiet import silenced
    >>> with silenced(UserWarning):
    ...     warnings.warn("nobody is told", UserWarning)
    """
    if BY_PYTHON:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message, category)
            yield
        return
    asked: Any = category  # For mypy a class of warnings cannot be hashed.
    unwanted = _unwanted(asked, message)
    if not _comes_first(unwanted):
        warnings.filterwarnings("ignore", message, unwanted)
    _RUNNING.blocks[unwanted] += 1
    try:
        yield
    finally:
        _RUNNING.blocks[unwanted] -= 1


class _WhileBlockRuns(type):
    """The class of filters' categories whose subclasses are those of `silences`, in a thread whose block is running."""

    silences: type[Warning]

    def __subclasscheck__(cls, other: Any) -> bool:
        return _RUNNING.blocks[cls] > 0 and issubclass(other, cls.silences)


@lru_cache
def _unwanted(category: type[Warning], message: str) -> Any:
    """One class per filter."""
    return _WhileBlockRuns(f"Silenced{category.__name__}", (Warning,), {"silences": category, "__doc__": message})


def _comes_first(unwanted: Any) -> bool:
    """Whether the filter is in the list, before all that are not of this module: somebody may have added one since."""
    for _, _, category, *_ in warnings.filters:
        if category is unwanted:
            return True
        if not isinstance(category, _WhileBlockRuns):
            return False
    return False
