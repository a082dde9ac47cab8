"""Arguments of public functions: rules as data, checked before the function begins.

>>> from wideangle._arguments import checked, whole
>>> @checked(k=whole(least=1))
... def nearest(k):
...     return k
>>> nearest(0)
Traceback (most recent call last):
ValueError: k must be a whole number of at least 1; got 0 (int).
"""

import inspect
import math
import os
from collections.abc import Callable, Iterable
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "a",
    "checked",
    "flag",
    "is_several",
    "one_of",
    "optional",
    "pair",
    "path",
    "real",
    "seed",
    "share",
    "text",
    "texts",
    "whole",
    "word_or",
    "words",
]

P = ParamSpec("P")
R = TypeVar("R")
Check = Callable[[Any, str], Any]
"""from a value and the name of the argument to the value that the function gets; it raises an error"""
SHOWN = 60  # characters of a value in a message


def checked(**checks: Check) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check arguments by name. One that was not passed has its default, which is not checked."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        unknown = set(checks) - set(signature.parameters)
        assert not unknown, f"{function.__qualname__} has no arguments {unknown}"

        @wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            for name, check in checks.items():
                if name in bound.arguments:
                    bound.arguments[name] = check(bound.arguments[name], name)
            return function(*bound.args, **bound.kwargs)

        return wrapper

    return decorate


def whole(least: int | None = None, most: int | None = None) -> Check:
    """A whole number within bounds, also one of NumPy; not True or False."""
    return _within("a whole number", Integral, int, least, most)


def real(
    least: float | None = None, most: float | None = None, above: float | None = None, below: float | None = None
) -> Check:
    """A finite number within bounds; not True or False."""
    return _within("a finite number", Real, float, least, most, above, below)


def _within(
    what: str,
    kind: Any,
    convert: Callable[[Any], Any],
    least: float | None,
    most: float | None,
    above: float | None = None,
    below: float | None = None,
) -> Check:
    largest = 2**63 if kind is Integral else math.inf  # NumPy and torch take no whole number of more than 64 bits.
    limits = (("of at least", least), ("above", above), ("of at most", most), ("below", below))
    words = " ".join([what, " and ".join(f"{text} {limit:,}" for text, limit in limits if limit is not None)]).strip()

    def check(value: Any, name: str) -> Any:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TypeError(f"{name} must be {words}; got {shown(value)}.")
        try:
            number = convert(value)  # one of Python's: half precision cannot hold the limits
        except (OverflowError, ValueError):
            number = math.nan
        if (
            not -largest < number < largest
            or (least is not None and number < least)
            or (most is not None and number > most)
            or (above is not None and number <= above)
            or (below is not None and number >= below)
        ):
            raise ValueError(f"{name} must be {words}; got {shown(value)}.")
        return number

    return check


seed: Check = whole(least=0, most=2**63 - 1)  # as torch takes them
share: Check = real(least=0, most=1)


def word_or(check: Check, *allowed: str) -> Check:
    """One of these words, or what another check allows."""

    def check_either(value: Any, name: str) -> Any:
        return value if isinstance(value, str) and value in allowed else check(value, name)

    return check_either


def pair(check: Check) -> Check:
    """Two values, both of which another check allows."""

    def check_both(value: Any, name: str) -> tuple[Any, Any]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise TypeError(f"{name} must be a pair of values; got {shown(value)}.")
        return check(value[0], f"{name}[0]"), check(value[1], f"{name}[1]")

    return check_both


def flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise TypeError(f"{name} must be True or False; got {shown(value)}.")
    return bool(value)


def text(value: Any, name: str) -> str:
    """One string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string; got {shown(value)}.")
    return value


def is_several(value: Any) -> bool:
    """Whether these are several values: not one text, not an array without dimensions, and no sparse matrix."""
    one = isinstance(value, str | bytes) or hasattr(value, "tocsr") or getattr(value, "ndim", 1) == 0
    return isinstance(value, Iterable) and not isinstance(value, type) and not one


def texts(value: Any, name: str) -> list[str]:
    """Strings. One string is no list of strings: its letters would be taken for them."""
    if not is_several(value):
        raise TypeError(f"{name} must be a list of strings; got {shown(value)}.")
    found: list[Any] = list(value)
    for number, each in enumerate(found):
        if not isinstance(each, str):
            raise TypeError(f"{name} must hold strings; number {number} is {shown(each)}.")
    return found


def words(value: Any, name: str) -> Any:
    """One string that stands for a list of words, or the words themselves."""
    return value if isinstance(value, str) else texts(value, name)


def path(value: Any, name: str) -> Any:
    """A path of a file or folder."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise TypeError(f"{name} must be the path of a file or folder; got {shown(value)}.")
    return value


def one_of(*allowed: str) -> Check:
    """One of these strings."""

    def check(value: Any, name: str) -> Any:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(f"{name} must be one of {allowed}; got {shown(value)}.")
        return value

    return check


def a(kind: type, hint: str = "") -> Check:
    """An object of this class."""
    where = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"

    def check(value: Any, name: str) -> Any:
        if not isinstance(value, kind):
            raise TypeError(f"{name} must be a {where}; got {shown(value)}.{f' {hint}' if hint else ''}")
        return value

    return check


def optional(check: Check) -> Check:
    """None, or what another check allows."""
    return lambda value, name: None if value is None else check(value, name)


def shown(value: Any) -> str:
    """A value in a message: its type, and what it is where that is short."""
    try:
        said = repr(value)
    except Exception:  # An object of a user may fail to tell what it is; its type is enough.
        return f"a {type(value).__name__}"
    is_short = len(said) <= SHOWN and "\n" not in said
    return f"{said} ({type(value).__name__})" if is_short else f"a {type(value).__name__}"
