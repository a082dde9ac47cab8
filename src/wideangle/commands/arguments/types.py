"""Types of arguments. Where one is wrong, argparse says what is wrong and exits with code 2."""

import codecs
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Literal

# The names of granularities. The room that defines them imports much, so they are named again; a test compares them.
GRANULARITIES = ("details", "balance", "groups")


def data_path(text: str) -> Path | str:
    """A path, or a URL as it is: a path would make one slash of two."""
    return text if "://" in text else Path(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def count(text: str) -> int:
    """A whole number of at least 0."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 0")
    return int(text)


def seed(text: str) -> int:
    """A whole number that every random generator accepts."""
    if not text.isdecimal() or int(text) >= 2**31:
        raise ArgumentTypeError(f"{text!r} is no whole number from 0 to 2147483647")
    return int(text)


def port(text: str) -> int:
    """A port of this computer; 0 stands for any that is free."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port: it must be a whole number from 0 to 65535")
    return int(text)


def positives(text: str) -> tuple[int, ...]:
    """Whole numbers of at least 1, separated by commas."""
    return tuple(positive(part.strip()) for part in text.split(","))


def number(text: str) -> float:
    """A finite number of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no number of at least 0")
    return value


def numbers(text: str) -> tuple[float, ...]:
    """Finite numbers of at least 0, separated by commas."""
    return tuple(number(part.strip()) for part in text.split(","))


def diversity(text: str) -> float | Literal["auto"]:
    """λ, or "auto" to have it chosen."""
    return "auto" if text == "auto" else number(text)


def share(text: str) -> float:
    """A share of at least 0 and below 1."""
    value = number(text)
    if not value < 1:
        raise ArgumentTypeError(f"{text!r} is no share: it must be at least 0 and below 1")
    return value


def up_to_one(text: str) -> float:
    """A number from 0 to 1."""
    value = number(text)
    if value > 1:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return value


def granularity(text: str) -> float | str:
    """The name of a granularity, or a number from 0, fine, to 1, broad."""
    if text in GRANULARITIES:
        return text
    try:
        return up_to_one(text)
    except ArgumentTypeError as error:
        names = ", ".join(GRANULARITIES)
        raise ArgumentTypeError(f"{text!r} is neither {names} nor a number from 0 (fine) to 1 (broad)") from error


def granularity_or_auto(text: str) -> float | str:
    """A granularity, or "auto" to have it chosen."""
    return text if text == "auto" else granularity(text)


def picture(text: str) -> tuple[int, int]:
    """Height and width, such as 28x28."""
    height, _, width = text.lower().partition("x")
    try:
        return positive(height), positive(width)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{text!r} is no height and width, such as 28x28") from error


def frequency(text: str) -> int | float:
    """A number of documents, such as 5, or a share of them, such as 0.5."""
    if text.isdecimal():
        return positive(text)
    value = number(text)
    if value > 1:
        raise ArgumentTypeError(f"{text!r} is neither a whole number of documents nor a share of them from 0 to 1")
    return value


def separator(text: str) -> str:
    """One character. A tab or a space may be given by its name."""
    sign = {"tab": "\t", "\\t": "\t", "space": " "}.get(text.lower(), text)
    if len(sign) != 1 or sign in '"\r\n':
        raise ArgumentTypeError(f"{text!r} is no separator: give one character, such as ';', or tab")
    return sign


def pattern(text: str) -> str:
    """A regular expression that a model file may contain."""
    from wideangle._patterns import PatternError, check_pattern  # It imports NumPy, which --help does not need.

    try:
        check_pattern(text)
    except PatternError as error:
        raise ArgumentTypeError(str(error)) from error
    return text


def encoding(text: str) -> str:
    """An encoding that Python knows."""
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise ArgumentTypeError(f"{text!r} is no encoding that Python knows, such as utf-8 or latin-1") from error
