"""What a call did: a result without NaN, an error that we meant, or a fault."""

import ast
import dataclasses
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

import wideangle

# Numbers that may be NaN or infinite in a result, because its documentation says so.
DOCUMENTED = (
    "history_",  # the loss of no updates, and angles where the rows seen so far do not vary
    "effective_samples",  # infinite where log Z is exact
    "mean_angle",  # of one component
    "min_angle",
    "wideangle.evaluation.holm",  # NaN is no test, and stays NaN
    "wideangle.evaluation.compare_runs",  # NaN where one run has no spread
    "wideangle.evaluation.class_table",  # NaN for a class without queries
)
LIMIT = 30  # seconds per call, on a busy machine
# A path at which there is nothing, or a folder in place of a file. The message has the path.
PATHS = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
OURS = str(Path(wideangle.__file__).parent)


class TooSlowError(BaseException):
    """Raised in a call that runs past the limit; no `except Exception` can hide it."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a call did: "result", "refused" or "fault", and the reason for a fault."""

    kind: str
    reason: str = ""


def judged(call: Callable[[], Any], seconds: float = LIMIT, name: str = "") -> Verdict:
    """Call it and judge what it does."""
    with warnings.catch_warnings(record=True) as said, limited(seconds):
        warnings.simplefilter("always")
        try:
            result = call()
        except TooSlowError:
            return Verdict("fault", f"ran for more than {seconds:g} seconds")
        except Exception as error:  # Whatever comes is judged.
            return _of_error(error)
    for warning in said:
        if issubclass(warning.category, RuntimeWarning) and not _is_ours(warning.category):
            where = f"{Path(warning.filename).name}:{warning.lineno}"
            return Verdict("fault", f"warns: {warning.category.__name__}: {warning.message} ({where})")
    for path, array in floats_of(result, name):
        if not np.isfinite(array).all() and not any(each in path for each in DOCUMENTED):
            return Verdict("fault", f"returns NaN or infinity in {path.removeprefix(name) or 'the result'}")
    return Verdict("result")


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` after so many seconds. A timer that runs already, as that of pytest-timeout, goes on."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: Any) -> None:
        raise TooSlowError

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.01), interval)


def _is_ours(kind: type) -> bool:
    return kind.__module__.startswith("wideangle")


def _of_error(error: Exception) -> Verdict:
    name, message = type(error).__name__, " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(OURS)]
    place = ", ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in (ours[-1:] or frames[-1:]))
    if isinstance(error, PATHS) and (error.filename is not None or _is_raised(frames[-1])):
        return Verdict("refused", f"{name}: {message}")
    if not (isinstance(error, ValueError | TypeError) or _is_ours(type(error))):
        return Verdict("fault", f"raises {name}: {message[:150]} ({place})")
    known = [frame for frame in frames if frame.filename.startswith(OURS) or "/sklearn/" in frame.filename]
    if not known or not _is_meant(frames[-1] is known[-1], known[-1].filename, known[-1].lineno or 0):
        return Verdict("fault", f"lets pass a foreign {name}: {message[:150]} ({place})")
    if len(message) < 15:
        return Verdict("fault", f"raises {name} without an explanation: {message!r} ({place})")
    return Verdict("refused", f"{name}: {message}")


def _is_meant(is_last: bool, filename: str, line: int) -> bool:
    """Whether scikit-learn raised it, or one of our `raise` statements; and not, say, NumPy called by us."""
    if "/sklearn/" in filename:
        return True
    return is_last and filename.startswith(OURS) and any(first <= line <= last for first, last in _raises(filename))


def _is_raised(frame: traceback.FrameSummary) -> bool:
    return _is_meant(True, frame.filename, frame.lineno or 0)


@cache
def _raises(filename: str) -> list[tuple[int, int]]:
    tree = ast.parse(Path(filename).read_text(encoding="utf-8"))
    return [(node.lineno, node.end_lineno or node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Raise)]


def floats_of(value: Any, path: str = "", seen: frozenset[int] = frozenset()) -> Iterator[tuple[str, Any]]:
    """The floating-point arrays in a result: also those in tuples, mappings, data classes and fitted estimators."""
    if id(value) in seen or len(seen) > 8:
        return
    seen = seen | {id(value)}
    if isinstance(value, torch.Tensor):
        value = value.detach().to_dense().cpu().numpy() if value.dtype != torch.bfloat16 else np.zeros(0)
    if sp.issparse(value):
        value = value.tocsr().data
    if isinstance(value, float | np.floating):
        yield path, np.asarray(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            yield path, value
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from floats_of(each, f"{path}[{key!r}]", seen)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from floats_of(each, f"{path}[{number}]", seen)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for part in dataclasses.fields(value):
            yield from floats_of(getattr(value, part.name, None), f"{path}.{part.name}", seen)
    elif hasattr(value, "get_params"):
        for name, each in vars(value).items():
            if name.endswith("_") and not name.startswith("_"):
                yield from floats_of(each, f"{path}.{name}", seen)
    elif hasattr(value, "to_numpy"):
        yield from floats_of(value.to_numpy(), path, seen)
